"""A home and a project of their own, and the real command line run on them in a process of its own."""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.runtime.platform import Platform, current
from gsd_install.testing.trees import Tree, snapshot

if TYPE_CHECKING:
    from typing import Any

    from gsd_install.runtime.words import Scope

# Without these no process starts on Windows.
_INHERITED = ("SYSTEMROOT", "PATHEXT", "COMSPEC")
_SECONDS = 120


class Done(NamedTuple):
    """A finished command: its words, exit code and output."""

    words: tuple[str, ...]
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What a command with `--json` said."""
        return json.loads(self.out)["data"]


class Machine(NamedTuple):
    """`home` holds `project`; `outside` is beside both."""

    home: Path
    project: Path
    outside: Path

    def run(self, *words: str, expect: int = 0, env: Mapping[str, str] | None = None) -> Done:
        """Run `gsd-install` in the project; any exit code but `expect` fails the test."""
        done = subprocess.run(
            [sys.executable, "-P", "-m", "gsd_install", *words],
            cwd=self.project,
            env=self._env() | dict(env or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=_SECONDS,
            check=False,
        )
        if done.returncode != expect:
            what = f"gsd-install {' '.join(words)}: exit {done.returncode}, expected {expect}"
            pytest.fail(f"{what}\n{done.stdout}{done.stderr}", pytrace=False)
        return Done(words, done.returncode, done.stdout, done.stderr)

    def _env(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        homes = {"HOME": str(self.home), "USERPROFILE": str(self.home)}
        return (
            {"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONUTF8": "1"} | kept | homes | _where_plugins_are()
        )

    def platform(self) -> Platform:
        """The same machine for code that runs in this process."""
        return Platform(current().os, str(self.home), {}, str(self.project))

    def base(self, scope: Scope) -> Path:
        """What a scope installs into."""
        return self.home if scope == "global" else self.project

    def tree(self) -> Tree:
        """Everything in the home (the project is part of it) and outside."""
        return snapshot(self.home.parent)


def machine(folder: Path) -> Machine:
    """A machine with an empty home and an empty project below `folder`, which must not exist yet."""
    home = folder / "home"
    made = Machine(home, home / "work" / "project", folder / "outside")
    made.project.mkdir(parents=True)
    made.outside.mkdir()
    return made


def link(path: Path, target: Path) -> None:
    """Make `path` a link to `target`; where an account may not (Windows), the test is skipped."""
    try:
        path.symlink_to(target, target_is_directory=target.is_dir())
    except OSError as error:
        if os.name != "nt":
            raise
        pytest.skip(f"this account may not make links: {error}")


def _where_plugins_are() -> dict[str, str]:
    """Another home and another directory must not hide the plugins that this process sees."""
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    found = os.pathsep.join(os.path.abspath(path) for path in paths if path)
    return {"PYTHONUSERBASE": site.getuserbase()} | ({"PYTHONPATH": found} if found else {})
