"""What plugins answered, as JSON: written when the package is built, read instead of asking again."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.runtime import model

if TYPE_CHECKING:
    from typing import Any

# Named tuples by position: their name, then their fields. A plain tuple has no name.
_CLASSES = (
    "Ask",
    "Cap",
    "Entry",
    "Field",
    "Form",
    "Home",
    "Place",
    "Rewrite",
    "Runtime",
    "Source",
    "Surface",
)


def encode(value: Any) -> Any:
    """A value of the runtime model in JSON's types; a mapping is marked, for lists are tuples here."""
    if isinstance(value, tuple):
        name = type(value).__name__
        return [name if name in _CLASSES else "", *(encode(item) for item in value)]
    if isinstance(value, list):
        return ["[]", *(encode(item) for item in value)]
    if hasattr(value, "items"):
        return {key: encode(item) for key, item in value.items()}
    return value


def decode(value: Any) -> Any:
    """The value that `encode` was given."""
    if isinstance(value, list):
        name, *items = value
        if name == "[]":
            return [decode(item) for item in items]
        made = [decode(item) if isinstance(item, (list, dict)) else item for item in items]
        return getattr(model, name)(*made) if name else tuple(made)
    if isinstance(value, dict):
        return {key: decode(item) for key, item in value.items()}
    return value
