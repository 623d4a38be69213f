"""The person at the terminal, before a real one."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from gsd_capabilities.companion.request import Request
from gsd_capabilities.harness.person import Nobody, Terminal, present

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
import fcntl, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from gsd_capabilities.harness.person import Terminal, present
from gsd_capabilities.companion.request import Request
there = present(Request((), {}, "/", None, {}, bytes, terminal=True))
assert isinstance(there, Terminal), there
assert there.tell("no\\x1b[31m colour") is True
there.hear("piece")
open(PATH, "w").write(repr(there.ask("which?")))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_shows_and_asks(tmp_path: Path) -> None:
    import pty
    import subprocess

    script = tmp_path / "ask.py"
    script.write_text(SCRIPT.replace("PATH", repr(str(tmp_path / "answer"))), encoding="utf-8")
    terminal, end = pty.openpty()
    child = subprocess.Popen([sys.executable, str(script)], stdin=end, start_new_session=True)
    os.close(end)
    seen = b""
    while b"> " not in seen:
        seen += os.read(terminal, 1_000)
    os.write(terminal, "the secönd\n".encode())
    assert child.wait() == 0
    os.close(terminal)
    assert (tmp_path / "answer").read_text() == repr("the secönd")
    assert b"\x1b" not in seen
    assert "no?[31m colour" in seen.decode()
    assert "piece" in seen.decode()


def test_without_a_terminal_nobody_is_there() -> None:
    there = present(Request((), {}, "/", None, {}, bytes))
    assert isinstance(there, Nobody)
    assert (there.tell("x"), there.ask("y?")) == (False, None)
    there.hear("z")
    assert not isinstance(there, Terminal)
