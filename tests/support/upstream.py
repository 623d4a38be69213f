"""A server behind ours: in this process, or as a program that notes when it starts and ends.

python upstream.py LOG
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import Server

WORDS = "".join(f"row {number} \u2713\n" for number in range(4_000))


def server(sizes: Mapping[str, int] | None = None, *, broken: bool = False) -> Server[Any]:
    """A server with a tool for each name, whose description is so many words long.

    `echo` answers with what it was given, `bulk` with much, `fail` with an error; a broken one lists nothing.
    """
    every = {"echo": 5, "bulk": 5, "fail": 5} if sizes is None else dict(sizes)

    async def listed(_: object, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        if broken:
            raise ValueError("no list today")
        names = sorted(every)
        half = len(names) // 2
        first = not (params and params.cursor)
        shown = names[:half] if first else names[half:]
        tools = [
            types.Tool(
                name=name,
                title="not counted",
                description=" ".join(["word"] * every[name]),
                input_schema={"type": "object", "properties": {"text": {"type": "string"}}},
                annotations=types.ToolAnnotations(read_only_hint=True),
            )
            for name in shown
        ]
        return types.ListToolsResult(tools=tools, next_cursor="half" if first else None)

    async def called(_: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name == "exit":
            os._exit(3)
        if params.name == "fail":
            return types.CallToolResult(content=[types.TextContent(text="it failed")], is_error=True)
        if params.name == "bulk":
            image = types.ImageContent(data="aGk=", mime_type="image/png")
            return types.CallToolResult(
                content=[types.TextContent(text=WORDS), image],
                structured_content={"rows": WORDS, "name": "bulk"},
            )
        text = f"{params.name}: {(params.arguments or {}).get('text')}"
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content={"said": text})

    return Server("behind", on_list_tools=listed, on_call_tool=called)


def _main(log: str) -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    def note(word: str) -> None:
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"{word} {os.getpid()}\n")

    async def serve() -> None:
        made = server({"echo": 5, "exit": 5, "bulk": 5})
        async with stdio_server() as (into, out):
            await made.run(into, out, made.create_initialization_options())

    note(f"start {os.environ.get('UPSTREAM_KEY', '')}")
    anyio.run(serve)
    note("end")


if __name__ == "__main__":
    _main(sys.argv[1])
