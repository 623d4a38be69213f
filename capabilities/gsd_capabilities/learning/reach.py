"""Bring what went live to the runtimes of a project: that is the installer's work, where there is one."""

from __future__ import annotations

import sys

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_WORDS = ("skills", "sync")
COMMAND = "gsd-install skills sync"


def reached(root: str, environ: Mapping[str, str]) -> dict[str, object]:
    """Whether every runtime has it now; else what a person runs, and the problem where one is known."""
    for command in _installers(environ):
        said = _asked(command, root, environ)
        if said is None:
            continue
        if said.get("ok"):
            return {"live": True}
        problems = [str(error.get("message", "")) for error in said.get("errors", ())]
        return {"live": False, "problem": "; ".join(problems), "run": COMMAND}
    return {"live": False, "problem": "no installer is here", "run": COMMAND}


def _installers(environ: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """This interpreter, which has the installer where it started us, and the one on PATH.

    The current folder is no place to import from: `-P` keeps it out.
    """
    import shutil

    yield (sys.executable, "-P", "-m", "gsd_install")
    found = shutil.which("gsd-install", path=environ.get("PATH", ""))
    if found:
        yield (found,)


def _asked(command: tuple[str, ...], root: str, environ: Mapping[str, str]) -> dict[str, Any] | None:
    """What an installer answers; None where there is none, or one that does not know the verb."""
    import json
    import subprocess

    try:
        done = subprocess.run(
            [*command, *_WORDS, "--json"],
            cwd=root,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        said = json.loads(done.stdout)
    except (OSError, ValueError):
        return None
    return said if isinstance(said, dict) and said.get("command") == _WORDS[0] else None
