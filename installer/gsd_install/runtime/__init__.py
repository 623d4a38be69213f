"""What a runtime plugin imports, all of it: the values it fills in, the forms, the hook marker."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.runtime.forms import inline, json, markdown, pointer, skill, stub, toml, yaml
from gsd_install.runtime.model import (
    Ask,
    Cap,
    Converter,
    Draft,
    Entry,
    Field,
    Form,
    Home,
    Place,
    Rewrite,
    Runtime,
    Source,
    Surface,
)
from gsd_install.runtime.surfaces import instructions

if TYPE_CHECKING:
    from typing import Any

    import pluggy

    from gsd_install.runtime.limits import agent_skills
    from gsd_install.runtime.words import FieldValue, Value

    hookimpl: pluggy.HookimplMarker


def __getattr__(name: str) -> Any:
    """What shipped plugins get by without: importing pluggy takes longer than writing an install."""
    if name == "agent_skills":
        from gsd_install.runtime import limits

        return limits.agent_skills
    if name in ("FieldValue", "Value"):
        from gsd_install.runtime import words

        return getattr(words, name)
    if name != "hookimpl":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import pluggy

    return pluggy.HookimplMarker("gsd")


__all__ = [
    "Ask",
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
    "agent_skills",
    "hookimpl",
    "inline",
    "instructions",
    "json",
    "markdown",
    "pointer",
    "skill",
    "stub",
    "toml",
    "yaml",
]
