"""Run a program with the loopback as its only network, and leave no process of it behind."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

_INSIDE = 'ip link set lo up 2>/dev/null; exec "$@"'
_UNSHARE = ("unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")


@cache
def fenced() -> tuple[str, ...]:
    """The words before a command that fence it; empty where this machine does not let us."""
    if shutil.which("unshare") is None:
        return ()
    words = (*_UNSHARE, "sh", "-c", _INSIDE, "fence")
    tried = subprocess.run([*words, "true"], capture_output=True)
    return words if tried.returncode == 0 else ()


def run(
    command: Sequence[str], *, cwd: Path, environ: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run a command inside the fence, or in a process group of its own. Raises TimeoutExpired."""
    process = subprocess.Popen(
        [*fenced(), *command],
        cwd=cwd,
        env=dict(environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=seconds)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return subprocess.CompletedProcess(list(command), process.returncode, out, err)
