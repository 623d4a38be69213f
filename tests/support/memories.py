"""A project with memory, asked through the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gsd_capabilities.companion.project import Project, find
from gsd_capabilities.learning.limits import STATE_TTL_DAYS
from gsd_capabilities.work.clock import stamp
from support.payloads import Box

START = 1_796_083_200.0  # 2026-12-01T00:00:00Z
LIFE = STATE_TTL_DAYS * 86_400
OLD = """\
# Memory

We sell photos.

## Electric current rules

Ohm's law holds, as of 2026-01-01.

- fuses are red
- 2026-11-20 the blue fuse blew
  twice

## Progress bar widget docs

- silent mode is an option

## Status (2026-11-28)

The build is green.

## Current focus

The album page.

## Log

- 2026-11-29 started
- 2026-11-30 went on
"""


class Mind(Box):
    """A project of one folder `.planning`; what a verb answers, and the files of its memory."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        (self.project / ".planning").mkdir()

    @property
    def found(self) -> Project:
        return find(str(self.project))

    def ask(self, *words: str, at: float = START, stdin: bytes = b"") -> Any:
        """The JSON that `memory ...` answers; it must not fail."""
        done = self.run("memory", *words, "--at", stamp(at), stdin=stdin)
        assert (done.code, done.err) == (0, ""), done.err
        return json.loads(done.out)

    def refused(self, *words: str, at: float = START, stdin: bytes = b"") -> dict[str, Any]:
        """The error that `memory ...` ends with, with a hint."""
        done = self.run("--json-errors", "memory", *words, "--at", stamp(at), stdin=stdin)
        assert done.code in (1, 2), done.out
        error: dict[str, Any] = json.loads(done.err)
        assert error["hint"]
        return error

    def text(self, name: str) -> str:
        """A file of memory, line ends as they are."""
        return (self.project / ".planning" / "memory" / name).read_bytes().decode()

    def put(self, name: str, text: str) -> None:
        """Write a file of memory by hand."""
        self.planning(f"memory/{name}", text)

    def files(self) -> dict[str, bytes]:
        """Every file of memory but those that a killed writer left."""
        root = self.project / ".planning" / "memory"
        found = [path for path in root.rglob("*") if path.is_file() and not path.name.endswith(".gsd-tmp")]
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def started(script: str, *arguments: str, cwd: Path) -> subprocess.Popen[bytes]:
    """A Python process that runs `script` with our packages."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen((sys.executable, "-c", script, *arguments), cwd=cwd, env=environ)


def ended(processes: Sequence[subprocess.Popen[bytes]]) -> list[int]:
    """The exit codes of processes, when all have ended."""
    return [process.wait(60) for process in processes]
