"""Recorded units that a change of others touches: they are planned again with it."""

from __future__ import annotations

from collections.abc import Iterable

from gsd_install.apply.location import target_at
from gsd_install.cli.context import Context
from gsd_install.kernel.errors import GsdError
from gsd_install.plugins import Plugins

_HOOKS = "hooks"


def affected(here: Context, plugins: Plugins, touched: frozenset[str], hooked: Iterable[str]) -> list[str]:
    """The keys of units that list other runtimes' skills, and of those whose hooks stand in a file that
    hooks of a `hooked` unit stand in too: a host runs all that is in it.
    """
    shared = {path for key in hooked for path in _files(here, plugins, key)}
    return [
        key
        for key, record in here.units.items()
        if key not in touched
        and (
            record.get("cross_reads")
            or (shared and _HOOKS in record.get("with", ()) and shared & _files(here, plugins, key))
        )
    ]


def _files(here: Context, plugins: Plugins, key: str) -> set[str]:
    """The files that a unit's hooks may stand in."""
    try:
        runtime = plugins.get(key.partition(":")[0]).runtime
    except GsdError:
        return set()  # its plugin is gone; what it had is in the ledger
    made = target_at(here.location, runtime, here.units.get(key, {}).get("config_dir"))
    surfaces = [item for item in runtime.surfaces if item.name == _HOOKS and item.scope in (None, made.scope)]
    return {made.resolve(path) for surface in surfaces for path in surface.paths}
