"""The shell, where a person allows it."""

from __future__ import annotations

import os

from gsd_capabilities.learning.limits import AGENT_SHELL_BYTES, AGENT_SHELL_SECONDS
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from subprocess import Popen
    from typing import Any

    from gsd_capabilities.harness.toolbox import Hands

_CHUNK = 65_536
# Seconds that are given to what left the group of the command and holds its output open.
_LINGER = 1.0


def shell(hands: Hands, given: Mapping[str, Any]) -> object:
    """Run a command in the root of the project. Raises GsdError `no_shell`, `timed_out`, `too_much`.

    Nothing that it started in its group outlives it.
    """
    if not hands.allow_shell:
        raise GsdError(
            "the shell is not allowed", reason="no_shell", hint="a person starts with --allow-shell"
        )
    seconds = int(given.get("seconds", AGENT_SHELL_SECONDS))
    code, output = _run(given["command"], hands.project.root, hands.request.environ, seconds)
    if len(output) > AGENT_SHELL_BYTES:
        message = f"the command wrote more than {AGENT_SHELL_BYTES:,} bytes and was ended"
        raise GsdError(message, reason="too_much", hint="let it write to a file, or less")
    return {"exit": code, "output": output.decode("utf-8", "replace")}


def _run(command: str, folder: str, environ: Mapping[str, str], seconds: int) -> tuple[int, bytes]:
    """The exit code and what was written, standard error included; a little over the limit at most."""
    import subprocess
    import threading

    reading, writing = os.pipe()
    try:
        process = subprocess.Popen(  # noqa: S602 - that is what a shell is; a person allowed it
            command,
            shell=True,
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    output = bytearray()
    reader = threading.Thread(target=_read, args=(process, reading, output), daemon=True)
    reader.start()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired as error:
        message = f"the command did not end within {seconds} seconds"
        raise GsdError(message, reason="timed_out", hint="give it more seconds") from error
    finally:
        _end(process)
        process.wait()
        reader.join(_LINGER)
    return process.returncode, bytes(output)


def _read(process: Popen[bytes], descriptor: int, output: bytearray) -> None:
    """Take in what is written, and end a command that writes without end."""
    try:
        while data := os.read(descriptor, _CHUNK):
            output += data
            if len(output) > AGENT_SHELL_BYTES:
                _end(process)
                return
    finally:
        os.close(descriptor)


def _end(process: Popen[bytes]) -> None:
    """End a command with everything in its group."""
    import contextlib
    import signal

    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
