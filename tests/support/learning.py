"""Projects that learn: proposals as files, and the companion run in this process."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gsd_capabilities.companion import main

HARMLESS = """\
---
description: Name every branch after its ticket
---
Name a branch after its ticket: small letters, words joined by hyphens, the number first. Ask for the number
where nobody has given one, and keep the name under forty letters so that it fits into a line of the report.
"""
COMMANDS = HARMLESS.replace("Name a branch", "Run `git switch --create NAME` to name a branch")
AGENT = """\
---
description: Reads a diff and says what it would break
tools: [read, search]
---
Read the diff. Name every caller that it breaks.
"""


class Said(NamedTuple):
    """What one run of the companion came to."""

    code: int
    out: bytes
    err: str

    @property
    def json(self) -> Any:
        """The answer, after asserting that there is one."""
        assert self.code == 0, self.err
        return json.loads(self.out)


def tools(project: Path, *words: str, stdin: str = "", environ: Mapping[str, str] | None = None) -> Said:
    """Run `gsd-tools` in a project, in this process."""
    streams = main.Streams(io.BytesIO(stdin.encode()), io.BytesIO(), io.BytesIO())
    code = main.run(words, streams, dict(environ or {}), str(project))
    return Said(code, streams.stdout.getvalue(), streams.stderr.getvalue().decode())  # type: ignore[attr-defined]


def planned(folder: Path) -> Path:
    """A project with planning files and nothing in them."""
    (folder / ".planning").mkdir(parents=True)
    return folder


def live(project: Path) -> set[str]:
    """The documents of the content root that a person approved, relative to it."""
    root = project / ".planning" / "learned"
    return {path.relative_to(root).as_posix() for path in root.rglob("*.md")}


def pending(project: Path) -> set[str]:
    """The names of what waits."""
    folder = project / ".planning" / "learning" / "pending"
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()
