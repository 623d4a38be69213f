"""Lists of tools, and `gsd-tools packs` asked about them in process."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gsd_capabilities.companion.main import Streams, run
from gsd_capabilities.packs.tool import Tool

_ARGUMENT: dict[str, Any] = {"type": "string", "description": "words about an argument " * 20}


def tool(name: str, words: int = 10, source: str = "core") -> Tool:
    """A tool whose description is so many words long."""
    return Tool(name, " ".join(["word"] * words), {"type": "object", "properties": {}}, source)


def wordy(name: str, times: int = 1) -> Tool:
    """A tool whose schema says much."""
    names = ["description", *(f"argument{at}" for at in range(times))]
    schema = {"type": "object", "properties": dict.fromkeys(names, _ARGUMENT), "required": ["description"]}
    return Tool(name, "what it does " * 10, schema)


def listed(tools: Iterable[Tool]) -> bytes:
    """Tools as a server lists them."""
    return json.dumps(
        {
            "tools": [
                {
                    "name": one.name,
                    "description": one.description,
                    "inputSchema": one.schema,
                    "source": one.source,
                }
                for one in tools
            ]
        }
    ).encode()


def project(folder: Path) -> Path:
    """A folder with planning files."""
    (folder / ".planning").mkdir(parents=True, exist_ok=True)
    return folder


def answered(folder: Path, *words: str, tools: Iterable[Tool] | None = None) -> tuple[int, Any]:
    """The exit code of `gsd-tools packs ...` and what it answers, or its error."""
    argv = ["--json-errors", "packs", *words, *(["--tools", "-"] if tools is not None else [])]
    streams = Streams(io.BytesIO(listed(tools or ())), io.BytesIO(), io.BytesIO())
    code = run(argv, streams, {}, str(folder))
    told = streams.stderr if code else streams.stdout
    return code, json.loads(told.getvalue())  # type: ignore[attr-defined]


def ask(folder: Path, *words: str, tools: Iterable[Tool] | None = None) -> Any:
    """What `gsd-tools packs ...` answers."""
    code, found = answered(folder, *words, tools=tools)
    assert code == 0, found
    return found
