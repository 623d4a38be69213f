"""Pack, when a distribution is built, what installs would otherwise ask and emit again every time."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping

from gsd_install.content.catalog import load_with
from gsd_install.content.model import TIERS
from gsd_install.content.select import select, specific_paths
from gsd_install.content.tree import EMITTED
from gsd_install.declared import Declared
from gsd_install.emit import packed
from gsd_install.emit.companion import described
from gsd_install.emit.emit import emit_shared, emitter, piece
from gsd_install.emit.target import Target, target
from gsd_install.gathering import Gathered
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.plugins import Plugin, Plugins
from gsd_install.runtime.packed import encode
from gsd_install.runtime.platform import Platform

if TYPE_CHECKING:
    from gsd_install.content.model import Catalog
    from gsd_install.runtime.words import Scope

_SCOPES: tuple[Scope, ...] = ("global", "project")


def pack_plugins(entry_points: Mapping[str, str], folder: str) -> bytes:
    """The pack of the plugin modules in `folder`: by module name, a digest of the file and its answers.

    `entry_points` are names and modules as the distribution declares them. A plugin with converters of
    its own is left out, for a function cannot be packed. The modules must be importable.
    """
    plugins = _plugins(entry_points)
    pack = {}
    for name, module in sorted(entry_points.items()):
        plugin = plugins.get(name)
        if plugin.converters:
            continue
        stem = module.rpartition(".")[2]
        digest = _digest(folder, module)
        pack[stem] = [digest, encode((plugin.runtime, plugin.caps, plugin.rewrites))]
    return json.dumps(pack, ensure_ascii=False, separators=(",", ":")).encode()


def pack_emissions(
    root: str,
    entry_points: Mapping[str, str],
    folder: str,
    launcher: str = "",
    gathered: Gathered = Gathered(),  # noqa: B008 - a value, and nobody can change it
) -> dict[str, bytes]:
    """The packed emissions of a content root in those runtimes, by file name below `root`.

    `launcher` is the name of the one that renders workflows, or empty; `gathered` are the capabilities whose
    content is merged into it. Raises the GsdError of the first one that cannot be.
    """
    catalog, faults = load_with(root, gathered.features)
    for error in faults.values():
        raise error
    documents = select(catalog, "full")
    files = {packed.HEAD: packed.pack_head(root, _head(catalog), gathered.signature())}
    plugins = _plugins(entry_points)
    specific = specific_paths(documents)
    for scope in _SCOPES:
        for name, module in sorted(entry_points.items()):
            plugin = plugins.get(name)
            made = _target(plugin, scope)
            on_its_way = emitter(
                catalog, documents, made, plugin.caps, plugin.converters, specific=specific, launcher=launcher
            )
            pieces = {document.path: piece(on_its_way, document) for document in documents}
            key = packed.plugin_key(_digest(folder, module), plugin.caps)
            data = packed.pack_pieces(made, key, pieces, launcher)
            if data is not None:
                files[f"{name}-{scope}{packed.SUFFIX}"] = data
        files[f"shared-{scope}{packed.SUFFIX}"] = packed.pack_shared(
            made,
            emit_shared(catalog, documents, made, specific),
            described(catalog, documents, made, specific),
        )
    return {f"{EMITTED}/{name}": data for name, data in files.items()}


def _head(catalog: Catalog) -> packed.Head:
    selected = {tier: select(catalog, tier) for tier in TIERS}
    return packed.Head(
        catalog.id,
        catalog.name,
        catalog.version,
        catalog.prefix,
        catalog.requires,
        catalog.start,
        {tier: [document.path for document in found] for tier, found in selected.items()},
        {tier: [item.id for item in found if item.kind == "command"] for tier, found in selected.items()},
    )


def _plugins(entry_points: Mapping[str, str]) -> Plugins:
    return Plugins(
        tuple(Declared(name, module, "this distribution") for name, module in entry_points.items())
    )


def _target(plugin: Plugin, scope: Scope) -> Target:
    """The target with the usual directories, on a machine that stands for all: paths are below `~`."""
    platform = Platform("linux", "/home/user", {}, "/home/user/project")
    base = platform.home if scope == "global" else platform.cwd
    return target(plugin.runtime, scope, platform, base=base, payload=f"{base}/.gsd")


def _digest(folder: str, module: str) -> str:
    with open(os.path.join(folder, f"{module.rpartition('.')[2]}.py"), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()
