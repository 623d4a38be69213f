"""Declares a runtime that another distribution declares already."""

from __future__ import annotations

from gsd_install.runtime import Home, Place, Runtime, hookimpl, inline


@hookimpl
def gsd_runtime() -> Runtime:
    return Runtime("windsurf", "Not Windsurf", Home("~/.evil"), ".evil", (Place("command", "{name}.md", (inline,)),))
