"""What a runtime plugin imports, all of it: the values it fills in, the forms, the hook marker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gsd_install.runtime.forms import inline, markdown, pointer, skill, stub, toml
from gsd_install.runtime.model import (
    Cap,
    Converter,
    Draft,
    Entry,
    Field,
    FieldValue,
    Form,
    Home,
    Place,
    Rewrite,
    Runtime,
    Source,
    Surface,
    Value,
)
from gsd_install.runtime.surfaces import instructions

if TYPE_CHECKING:
    import pluggy

    hookimpl: pluggy.HookimplMarker


def __getattr__(name: str) -> Any:
    """`hookimpl`, made when a plugin asks for it: importing pluggy takes longer than writing an install."""
    if name != "hookimpl":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import pluggy

    return pluggy.HookimplMarker("gsd")


__all__ = [
    "Cap",
    "Converter",
    "Draft",
    "Entry",
    "Field",
    "FieldValue",
    "Form",
    "Home",
    "Place",
    "Rewrite",
    "Runtime",
    "Source",
    "Surface",
    "Value",
    "hookimpl",
    "inline",
    "instructions",
    "markdown",
    "pointer",
    "skill",
    "stub",
    "toml",
]
