"""Files that several hosts read for their MCP servers: one entry of ours there serves all of them."""

from __future__ import annotations

import importlib
from collections import defaultdict
from importlib.metadata import entry_points

from gsd_install.emit.target import target
from gsd_install.runtime import Runtime, Surface
from gsd_install.runtime.platform import Platform
from gsd_install.runtime.words import Scope

MACHINE = Platform("linux", "/home/u", {}, "/home/u/p")
SCOPES: tuple[Scope, ...] = ("global", "project")
SHIPPED: tuple[Runtime, ...] = tuple(
    importlib.import_module(point.value).RUNTIME
    for point in sorted(entry_points(group="gsd_install.runtimes"))
    if point.value.startswith("gsd_runtimes.")
)


def readers(runtimes: tuple[Runtime, ...], scope: Scope) -> dict[str, dict[str, Surface]]:
    """Which hosts keep their servers in which file."""
    found: dict[str, dict[str, Surface]] = defaultdict(dict)
    for runtime in runtimes:
        base = MACHINE.home if scope == "global" else MACHINE.cwd
        made = target(runtime, scope, MACHINE, base=base, payload=f"{base}/.gsd")
        for surface in runtime.surfaces:
            if surface.name == "mcp" and surface.scope in (None, scope):
                for path in surface.paths:
                    found[made.resolve(path)][runtime.id] = surface
    return found


def wrong(runtimes: tuple[Runtime, ...]) -> list[str]:
    """The files of which `shared` is not said by all of their hosts, or where they want different entries."""
    found = []
    for scope in SCOPES:
        for path, hosts in readers(runtimes, scope).items():
            if len(hosts) > 1 and not all(surface.shared for surface in hosts.values()):
                found.append(f"{path}: {', '.join(sorted(hosts))}")
            values = {repr((surface.format, surface.entries)) for surface in hosts.values()}
            if len(values) > 1:
                found.append(f"{path}: {len(values)} entries for {', '.join(sorted(hosts))}")
    return found


def test_every_file_of_servers_that_several_hosts_read_says_so() -> None:
    assert len(SHIPPED) > 50
    assert wrong(SHIPPED) == []


def test_a_host_that_does_not_say_so_is_seen() -> None:
    shared = {runtime.id for runtime in SHIPPED if any(surface.shared for surface in runtime.surfaces)}
    assert shared
    silent = tuple(
        runtime._replace(surfaces=tuple(surface._replace(shared=False) for surface in runtime.surfaces))
        for runtime in SHIPPED
    )
    assert shared == {name for line in wrong(silent) for name in line.partition(": ")[2].split(", ")}
