"""A content root that is served, with a project beside it, and the official client that asks."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from gsd_capabilities.catalog.desk import Desk
from gsd_capabilities.catalog.library import Library
from gsd_capabilities.catalog.service import Service
from support.content import content_root

T = TypeVar("T")

MODES = ("legacy", "auto")
SECRET = "the text of a file outside"
STEP = (
    '<!-- gsd:section id="research" when="flag:--research" -->\n## Research\n\nLook.\n<!-- /gsd:section -->\n'
)
CONTENT: Mapping[str, str | bytes] = {
    "commands/plan.md": "---\ndescription: Plans it\nargument-hint: <what>\n---\nFor {gsd:args}, read"
    " {gsd:path workflows/plan.md}, type {gsd:command plan} and {gsd:tool read} it in {gsd:runtime}.\n",
    "commands/stop.md": "---\ndescription: Stops\n---\nStop with {gsd:launcher gsd-tools}.\n",
    "workflows/plan.md": f"---\ntitle: Planning\n---\n# Plan\n\n{STEP}\nAsk {{gsd:agent planner}}.\n",
    "agents/planner.md": "---\ndescription: Makes plans\n---\n"
    "<!-- gsd:keep -->\nYou plan.\n<!-- /gsd:keep -->\n",
    "references/deep/scope.md": "What is in: \u00e9 \u2713, a reference explains {{gsd:path x}.\n",
    "templates/plan.md": "# Plan of ...\n",
    "skills/tidy/SKILL.md": "---\ndescription: Tidies up\n---\nRun {gsd:path skills/tidy/tidy.py}\n",
    "skills/tidy/tidy.py": "#!/usr/bin/env python3\nprint('tidy')\n",
    "skills/tidy/picture.png": b"\x89PNG\r\n\x1a\n\xff\x00",
}
HOST = {
    "id": "claude",
    "title": "Claude Code",
    "invoke": "/{name}",
    "arguments": "$ARGUMENTS",
    "tools": {"read": "Read"},
}


class Served(NamedTuple):
    """Folders of a served content, and the parts that serve it."""

    folder: Path
    content: Path
    payload: Path
    project: Path
    library: Library
    service: Service

    @property
    def planning(self) -> Path:
        """The planning files of the project."""
        return self.project / ".planning"


def served(
    folder: Path,
    files: Mapping[str, str | bytes] = CONTENT,
    *,
    runtime: str = "claude",
    installed: bool = False,
) -> Served:
    """Serve `files` without waiting between two looks at the disk."""
    content = content_root(folder / "content", files)
    payload, project = folder / "home" / ".gsd", folder / "project"
    (project / ".planning").mkdir(parents=True)
    (folder / "secret.txt").write_text(SECRET, encoding="utf-8")
    if installed:
        install(payload)
    environ = {"HOME": str(folder / "home")}
    library = Library(str(content), str(payload), "~/.gsd", runtime, interval=0)
    service = Service(library, Desk(str(project), str(payload), runtime, environ))
    return Served(folder, content, payload, project, library, service)


def install(payload: Path) -> None:
    """What an installer leaves of the workflow, the reference and the host."""
    pointer = "**When it was passed:** read the step."
    step = "content/acme/workflows/plan/steps/research.md"
    section = {"id": "research", "when": "flag:--research", "read": step, "pointer": pointer}
    table = {
        "format": 1,
        "content": "acme",
        "prefix": "ac",
        "workflows": {"plan": {"path": "content/acme/workflows/plan.md", "sections": [section]}},
        "commands": {"plan": {"hint": "<what> [--research]"}},
        "agents": {},
        "context": None,
    }
    for path, text in {
        "acme/companion.json": json.dumps(table),
        "hosts/claude.json": json.dumps(HOST),
        "bin/gsd-tools": "#!/bin/sh\n",
        "content/acme/workflows/plan.md": f"# Plan, installed\n\n{pointer}\n\nAsk ac-planner.\n",
        step: "## Research\n\nLook.\n",
        "content/acme/references/deep/scope.md": "What is in, installed: <!-- gsd:section -->\n",
        "content/acme/references/mine.md": "Added by hand.\n",
    }.items():
        place = payload / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())


def ask(service: Service, question: Callable[[Client], Awaitable[T]], mode: str = "auto") -> T:
    """What the official client is answered, in this process."""

    async def asked() -> T:
        async with Client(service.server, mode=mode) as client:
            return await question(client)

    return anyio.run(asked)


def refused(
    service: Service, question: Callable[[Client], Awaitable[object]], mode: str = "auto"
) -> tuple[int, Any, str]:
    """The code, the data and the message of the error that a question is answered with."""

    async def asked() -> tuple[int, Any, str]:
        async with Client(service.server, mode=mode) as client:
            with pytest.raises(MCPError) as caught:
                await question(client)
            await client.list_tools()  # the next request works
            return caught.value.code, caught.value.data, caught.value.message

    return anyio.run(asked)
