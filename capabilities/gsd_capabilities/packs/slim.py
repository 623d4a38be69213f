"""Definitions of tools with less in them: the same arguments, with fewer words about them."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.packs.tool import Tool

FULL, TERSE, BARE = 0, 1, 2

# Keywords of JSON Schema that say nothing about which values are valid.
_WORDS = frozenset({"description", "title", "examples", "default", "$comment"})
_OF_NAMES = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_OF_ONE = frozenset(
    {"items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"}
)
_OF_MANY = frozenset({"anyOf", "allOf", "oneOf", "prefixItems"})


def slimmed(tool: Tool, level: int) -> Tool:
    """A tool without descriptions of its arguments (TERSE), and without any words but its name (BARE)."""
    if level == FULL:
        return tool
    schema = _without(tool.schema, frozenset({"description"}) if level == TERSE else _WORDS)
    return tool._replace(schema=schema, description=tool.description if level == TERSE else "")


def _without(schema: Mapping[str, object], words: frozenset[str]) -> dict[str, object]:
    return {key: _value(key, value, words) for key, value in schema.items() if key not in words}


def _value(key: str, value: object, words: frozenset[str]) -> object:
    if key in _OF_NAMES and isinstance(value, dict):
        return {name: _schema(inner, words) for name, inner in value.items()}
    if key in _OF_ONE:
        return _schema(value, words)
    if key in _OF_MANY and isinstance(value, list):
        return [_schema(inner, words) for inner in value]
    return value


def _schema(value: object, words: frozenset[str]) -> object:
    return _without(value, words) if isinstance(value, dict) else value
