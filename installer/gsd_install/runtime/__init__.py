"""What a runtime plugin imports, all of it: the values it fills in, the forms, the hook marker."""

from __future__ import annotations

import pluggy

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

hookimpl = pluggy.HookimplMarker("gsd")

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
    "markdown",
    "pointer",
    "skill",
    "stub",
    "toml",
]
