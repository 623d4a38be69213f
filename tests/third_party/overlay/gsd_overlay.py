"""A company's rule on top of someone else's runtime: commands stay under 900 bytes."""

from __future__ import annotations

from gsd_install.runtime import Cap, hookimpl


@hookimpl
def gsd_caps() -> tuple[Cap, ...]:
    return (Cap("command", 900),)
