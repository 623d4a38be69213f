"""Needs a version of gsd-install that does not exist yet."""

from __future__ import annotations

from gsd_install.runtime import Home, Place, Runtime, hookimpl, inline


@hookimpl
def gsd_runtime() -> Runtime:
    places = (Place("command", "{name}.md", (inline,)),)
    return Runtime("future", "Future", Home("~/.future"), ".future", places, requires=">=99")
