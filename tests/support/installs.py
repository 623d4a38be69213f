"""Run the real console script in a real process, with a home of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from support.trees import Tree, snapshot

SCRIPT = Path(sys.executable).parent / ("gsd-install.exe" if os.name == "nt" else "gsd-install")
FOUR = ("claude", "codex", "opencode", "windsurf")


class Done(NamedTuple):
    """A finished process."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Its standard output as the JSON envelope."""
        document: dict[str, Any] = json.loads(self.out)
        return document

    def ok(self) -> Done:
        """The same, after asserting that it succeeded."""
        assert self.code == 0, f"exit {self.code}\n{self.out}\n{self.err}"
        return self


class Machine(NamedTuple):
    """A fake home and a project in it; `script` is the console script that runs."""

    home: Path
    project: Path
    script: Path = SCRIPT

    def run(
        self, *words: str, cwd: Path | None = None, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> Done:
        """Run `gsd-install` with `words`; `env` adds to the few variables it gets."""
        done = subprocess.run(
            [self.script, *words],
            cwd=cwd or self.project,
            env=self.env | dict(env or {}),
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="backslashreplace",  # a console may be of another encoding
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    @property
    def env(self) -> dict[str, str]:
        """HOME, PATH and nothing else that could steer an install."""
        return {"HOME": str(self.home), "USERPROFILE": str(self.home), "PATH": os.defpath, "LANG": "C.UTF-8"}

    def tree(self) -> Tree:
        """Everything in the home, the project included."""
        return snapshot(self.home)


def machine(folder: Path, script: Path = SCRIPT) -> Machine:
    """A machine with an empty home and an empty project below `folder`."""
    home = folder / "home"
    project = home / "work" / "project"
    project.mkdir(parents=True)
    return Machine(home, project, script)
