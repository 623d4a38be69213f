"""What another server's tool answered, with a reference in the place of what is bulky."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import mcp_types as types

from gsd_capabilities.catalog import results
from gsd_capabilities.catalog.tools import Answer
from gsd_capabilities.companion import project as projects
from gsd_install.kernel.errors import GsdError

if TYPE_CHECKING:
    from gsd_capabilities.catalog.desk import Desk


def settled(answer: types.CallToolResult, desk: Desk, tool: str, call: str) -> types.CallToolResult:
    """The answer; its texts and its structured part each as an artifact where they are bulky.

    Where nothing can be stored the answer is whole, and a note says why.
    """
    if not projects.find(desk.cwd).exists:
        return answer
    try:
        content = _content(answer.content, desk, tool, call)
        structured = _structured(answer.structured_content, desk, tool, call)
    except GsdError as error:
        note = types.TextContent(text=f"gsd: {error.message}")
        return answer.model_copy(update={"content": [*answer.content, note]})
    return answer.model_copy(update={"content": content, "structured_content": structured})


def _content(blocks: list[Any], desk: Desk, tool: str, call: str) -> list[Any]:
    texts = [block.text for block in blocks if isinstance(block, types.TextContent)]
    reference = _reference("\n".join(texts), desk, tool, call)
    if not reference:
        return blocks
    others = [block for block in blocks if not isinstance(block, types.TextContent)]
    return [types.TextContent(text=f"{reference}\n{results.BULKY}"), *others]


def _structured(value: Any, desk: Desk, tool: str, call: str) -> Any:
    if value is None:
        return None
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    reference = _reference(text, desk, tool, call)
    return {"artifact": reference, "bytes": len(text.encode())} if reference else value


def _reference(text: str, desk: Desk, tool: str, call: str) -> str:
    return results.stored(Answer(text.encode(errors="replace")), desk, tool, call)
