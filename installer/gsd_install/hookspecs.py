"""The contract between the installer and a runtime plugin: four hooks, all returning values.

A plugin is a module. Its distribution declares it in the entry-point group `gsd_install.runtimes`
under the id of its runtime:

    [project.entry-points."gsd_install.runtimes"]
    acme = "gsd_acme"

A plugin that only adds to a runtime someone else describes (a company that lowers a cap) is declared
as `<runtime>.<anything>`, for example `windsurf.acme`, and leaves `gsd_runtime` out.
"""

from __future__ import annotations

from collections.abc import Mapping

import pluggy

from gsd_install.runtime import Cap, Converter, Rewrite, Runtime

hookspec = pluggy.HookspecMarker("gsd")


@hookspec
def gsd_runtime() -> Runtime:
    """Return what the runtime is: identity, homes, places, surfaces, what it may read, detection."""
    raise NotImplementedError


@hookspec
def gsd_caps() -> tuple[Cap, ...]:
    """Return the limits the runtime declares. Where several plugins limit one thing, the strictest wins."""
    raise NotImplementedError


@hookspec
def gsd_path_rewrites() -> tuple[Rewrite, ...]:
    """Return how paths in content written for another runtime are spelled for this one."""
    raise NotImplementedError


@hookspec
def gsd_converters() -> Mapping[str, Converter]:
    """Return converters for dialects of the plugin's own, by the name its forms use."""
    raise NotImplementedError
