"""Lists of tools as servers answer them: `[...]` or `{"tools": [...]}`, each with a name and a schema."""

from __future__ import annotations

import json

from gsd_capabilities.companion.request import file_of
from gsd_capabilities.packs.tool import CORE_SOURCE, Tool
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.companion.request import Request

_SCHEMAS = ("inputSchema", "input_schema", "schema", "parameters")
_HINT = 'a list like [{"name": "search", "description": "...", "inputSchema": {"type": "object"}}]'


def tools_of(request: Request, name: str) -> tuple[Tool, ...]:
    """The tools of a file, or of standard input for `-`. Raises GsdError `unreadable`, `bad_tools`."""
    shown = "standard input" if name == "-" else name
    try:
        found = json.loads(request.stdin() if name == "-" else file_of(request, name))
    except ValueError as error:
        raise GsdError(f"this is not JSON: {error}", reason="bad_tools", file=shown, hint=_HINT) from None
    listed = found.get("tools") if isinstance(found, dict) else found
    if not isinstance(listed, list):
        raise GsdError("this is no list of tools", reason="bad_tools", file=shown, hint=_HINT)
    return tuple(_tool(item, number, shown) for number, item in enumerate(listed, 1))


def _tool(item: object, number: int, file: str) -> Tool:
    given = item if isinstance(item, dict) else {}
    schema = next((given[key] for key in _SCHEMAS if key in given), {"type": "object"})
    name, description = given.get("name"), given.get("description") or ""
    source = given.get("source", CORE_SOURCE)
    if not (name and isinstance(name, str) and isinstance(description, str) and isinstance(source, str)):
        message = f"tool {number} has no name, or its description or source is no text"
        raise GsdError(message, reason="bad_tools", file=file, hint=_HINT)
    if not isinstance(schema, dict):
        raise GsdError(f"the schema of {name!r} is no object", reason="bad_tools", file=file, hint=_HINT)
    return Tool(name, description, schema, source)
