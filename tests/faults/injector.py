"""Stop a process, or make the disk refuse, at one chosen system call of many.

With strace it is the kernel that does it. Where strace is missing or may not trace, the driver wraps the
functions of `os` in its own process; fewer calls are seen that way, and none that Python makes itself.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

DRIVER = Path(__file__).with_name("driver.py")
CHANGING = (
    "openat", "write", "pwrite64", "ftruncate", "fsync", "fchmod", "chmod", "fchown", "chown", "rename",
    "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "unlink", "unlinkat", "mkdir",
    "mkdirat", "rmdir",
)  # fmt: skip
FAULTS = ("KILL", "ENOSPC", "EACCES")
KILLED = (-9, 137)


class Point(NamedTuple):
    """A call that changes the disk: its name, the how-manieth of that name it is, and what it is about."""

    call: str
    number: int
    subject: str


class ShiftedError(Exception):
    """The process made other calls than when its points were listed, so another one was hit.

    Reading counts as `openat` too: a module that was compiled anew in between is enough.
    """


class Strace:
    """Faults injected by the kernel through strace."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "strace.log"

    @staticmethod
    def works() -> bool:
        if shutil.which("strace") is None:
            return False
        command = ["strace", "-f", "-e", "trace=openat", "-e", "inject=openat:signal=KILL:when=1", "true"]
        return subprocess.run(command, capture_output=True, check=False).returncode in KILLED

    def points(self, home: str, *action: str) -> list[Point]:
        """Run the action whole, and list its calls that change something below the home."""
        done = self._run([], home, *action)
        assert done.returncode == 0, done.stderr
        numbers: dict[str, int] = {}
        found = []
        for line in self.log.read_text(errors="replace").splitlines():
            call, subject = _call(line)
            numbers[call] = numbers.get(call, 0) + 1
            if home in line and not (call == "openat" and "O_RDONLY" in line):
                found.append(Point(call, numbers[call], subject))
        return found

    def inject(self, point: Point, fault: str, home: str, *action: str) -> subprocess.CompletedProcess[str]:
        """Run the action with a fault at one point. Raises ShiftedError when another one was hit."""
        what = "signal=KILL" if fault == "KILL" else f"error={fault}"
        done = self._run(["-e", f"inject={point.call}:{what}:when={point.number}"], home, *action)
        lines = self.log.read_text(errors="replace").splitlines()
        if fault == "KILL":
            assert done.returncode in KILLED, (point, done.returncode, done.stderr)
            hit = _call(next(line for line in reversed(lines) if "(" in line))
        else:
            hit = _call(next(line for line in lines if "(INJECTED)" in line))
        if hit != (point.call, point.subject):
            raise ShiftedError(f"{hit} instead of {point}")
        return done

    def _run(self, options: list[str], home: str, *action: str) -> subprocess.CompletedProcess[str]:
        command = ["strace", "-f", "-qq", "-y", "-o", str(self.log), "-e", f"trace={','.join(CHANGING)}"]
        command += [*options, sys.executable, "-B", str(DRIVER), home, *action]
        return subprocess.run(command, capture_output=True, text=True, check=False)


def _call(line: str) -> tuple[str, str]:
    """The name of a call and the paths it is given, without process numbers."""
    name, _, rest = line.split(None, 1)[1].partition("(")
    paths = re.findall(r'[<"](/[^">]*)[">]', rest.rpartition(") = ")[0])
    return name, " ".join(re.sub(r"\.\d+\.gsd-tmp", ".gsd-tmp", path) for path in paths)


class Interposer:
    """Faults injected by the driver itself, around the functions of `os`."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "calls.log"

    def points(self, home: str, *action: str) -> list[Point]:
        done = self._run("", home, *action)
        assert done.returncode == 0, done.stderr
        calls = self.log.read_text().split()
        return [Point(call, number, "") for number, call in enumerate(calls, 1)]

    def inject(self, point: Point, fault: str, home: str, *action: str) -> subprocess.CompletedProcess[str]:
        done = self._run(f"{fault}:{point.number}", home, *action)
        calls = self.log.read_text().split()
        assert calls[point.number - 1] == point.call
        if fault == "KILL":
            assert done.returncode in KILLED, (point, done.returncode, done.stderr)
            assert len(calls) == point.number
        return done

    def _run(self, spec: str, home: str, *action: str) -> subprocess.CompletedProcess[str]:
        self.log.write_text("")
        env = os.environ | {"GSD_TEST_FAULT": spec, "GSD_TEST_CALLS": str(self.log)}
        command = [sys.executable, "-B", str(DRIVER), home, *action]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=env)
