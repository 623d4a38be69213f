"""A command of the shell: what it may take, and that nothing of it is left behind."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from gsd_capabilities.companion.request import Request
from gsd_capabilities.harness import tool_shell
from gsd_capabilities.harness.person import Nobody
from gsd_capabilities.harness.toolbox import Hands
from gsd_install.kernel.errors import GsdError
from support.agents import Desk

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are of a POSIX shell")


def run(desk: Desk, command: str, **more: Any) -> Any:
    """What a command comes to."""
    environ = {"PATH": os.environ["PATH"]}
    request = Request((), {}, str(desk.root), None, environ, bytes)
    hands = Hands(request, desk.project, Nobody(), allow_shell=True)
    return tool_shell.shell(hands, {"command": command, **more})


def waits(fifo: Path) -> str:
    """A command that ends when somebody writes into a pipe, and then leaves a file behind."""
    return f"read line < {fifo}; touch {fifo}.outlived"


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    made = tmp_path / "fifo"
    os.mkfifo(made)
    return made


def nobody_reads(fifo: Path) -> bool:
    """Whether what waited for the pipe is gone."""
    try:
        os.close(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return True
    return False


def test_what_takes_too_long_is_ended_with_its_children(desk: Desk, fifo: Path) -> None:
    with pytest.raises(GsdError, match="within 1 seconds") as caught:
        run(desk, f"({waits(fifo)}) & ({waits(fifo)})", seconds=1)
    assert caught.value.reason == "timed_out"
    assert nobody_reads(fifo)


def test_what_goes_on_in_the_background_does_not_keep_the_answer(desk: Desk, fifo: Path) -> None:
    assert run(desk, f"({waits(fifo)}) & echo started") == {"exit": 0, "output": "started\n"}
    assert nobody_reads(fifo)


def test_what_writes_without_end_is_ended(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_shell, "AGENT_SHELL_BYTES", 100_000)
    assert len(run(desk, "head -c 100000 /dev/zero")["output"]) == 100_000
    with pytest.raises(GsdError, match="more than 100,000 bytes") as caught:
        run(desk, "yes")
    assert caught.value.reason == "too_much"


def test_a_person_who_breaks_off_ends_the_command(
    desk: Desk, fifo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import subprocess

    def broken(self: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "wait", broken)
    with pytest.raises(KeyboardInterrupt):
        run(desk, waits(fifo))
    assert nobody_reads(fifo)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="nothing lists descriptors here")
def test_no_thread_and_no_descriptor_is_left(desk: Desk) -> None:
    run(desk, "true")
    threads, descriptors = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        run(desk, "echo x")
    assert threading.active_count() == threads
    assert len(os.listdir("/proc/self/fd")) == descriptors
