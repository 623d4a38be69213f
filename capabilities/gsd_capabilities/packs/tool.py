"""What a tool is to a model: a name, a description and the JSON schema of its arguments."""

from __future__ import annotations

import json

from gsd_install.kernel.measure import estimated
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Schema = Mapping[str, Any]

CORE_SOURCE = "core"
# What stands between the name of another server and that of its tool.
NAMESPACE = "__"


class Tool(NamedTuple):
    """One tool. `source` is `core`, or the server or skill that brings it."""

    name: str
    description: str
    schema: Schema
    source: str = CORE_SOURCE


def namespaced(tool: Tool) -> bool:
    """Whether a tool is that of a skill or of another server, by its name or by its declared source."""
    return NAMESPACE in tool.name or tool.source != CORE_SOURCE


def wire(tool: Tool) -> dict[str, object]:
    """The definition as it is listed."""
    return {"name": tool.name, "description": tool.description, "input_schema": tool.schema}


def sent(tool: Tool) -> dict[str, object]:
    """The definition as chat completions take it, which is the longest form that there is."""
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}


def cost(tool: Tool) -> int:
    """Estimated tokens of the definition, as it is sent."""
    return estimated().cost(json.dumps(sent(tool), ensure_ascii=False, separators=(",", ":")))


def made(
    name: str,
    description: str,
    *,
    needs: Mapping[str, Schema] | None = None,
    may: Mapping[str, Schema] | None = None,
) -> Tool:
    """A core tool: `needs` are arguments that a call must have, `may` those it can have."""
    properties = {**(needs or {}), **(may or {})}
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if needs:
        schema["required"] = list(needs)
    return Tool(name, description, schema)


def text(description: str) -> Schema:
    """An argument that is a text."""
    return {"type": "string", "description": description}


def texts(description: str) -> Schema:
    """An argument that is a list of texts."""
    return {"type": "array", "items": {"type": "string"}, "description": description}


def count(description: str, *, least: int = 1, most: int | None = None) -> Schema:
    """An argument that is a whole number."""
    upper = {} if most is None else {"maximum": most}
    return {"type": "integer", "minimum": least, **upper, "description": description}


def flag(description: str) -> Schema:
    """An argument that is true or false."""
    return {"type": "boolean", "description": description}


def choice(description: str, *values: str) -> Schema:
    """An argument that is one of some words."""
    return {"type": "string", "enum": list(values), "description": description}
