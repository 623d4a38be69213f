"""Pack, when a distribution is built, what installs would otherwise ask and emit again every time."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping

from gsd_install.content.catalog import load_with
from gsd_install.content.model import TIERS
from gsd_install.content.select import select, specific_paths
from gsd_install.declared import Declared
from gsd_install.emit.companion import described
from gsd_install.emit.emit import emit_shared, emitter, piece
from gsd_install.emit.packed import Head
from gsd_install.emit.packer import Packer
from gsd_install.emit.target import Target, target
from gsd_install.gathering import Gathered
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.plugins import Plugin, Plugins
from gsd_install.runtime import packed as answers
from gsd_install.runtime.platform import Platform

if TYPE_CHECKING:
    from gsd_install.content.model import Catalog
    from gsd_install.runtime.words import Scope

_SCOPES: tuple[Scope, ...] = ("global", "project")


def pack_plugins(entry_points: Mapping[str, str], folder: str) -> bytes:
    """The pack of the plugin modules in `folder`: digest and size of each file, and its answers.

    `entry_points` are names and modules as the distribution declares them. A plugin with converters of
    its own is left out, for a function cannot be packed. The modules must be importable.
    """
    plugins = _plugins(entry_points)
    packer, modules = answers.Packer(), {}
    for name, module in sorted(entry_points.items()):
        plugin = plugins.get(name)
        if plugin.converters:
            continue
        source = _source(folder, module)
        said = packer.put((plugin.runtime, plugin.caps, plugin.rewrites))
        modules[module.rpartition(".")[2]] = [hashlib.sha256(source).hexdigest(), len(source), said]
    pack = {"modules": modules, "rows": packer.rows}
    return json.dumps(pack, ensure_ascii=False, separators=(",", ":")).encode()


def pack_emissions(
    root: str,
    entry_points: Mapping[str, str],
    folder: str,
    launcher: str = "",
    gathered: Gathered = Gathered(),  # noqa: B008 - a value, and nobody can change it
) -> bytes:
    """The packed emissions of a content root in those runtimes, for `EMITTED` in that root.

    `launcher` is the name of the one that renders workflows, or empty; `gathered` are the capabilities whose
    content is merged into it. Raises the GsdError of the first one that cannot be.
    """
    catalog, faults = load_with(root, gathered.features)
    for error in faults.values():
        raise error
    documents = select(catalog, "full")
    writer = Packer(root, _head(catalog), gathered.signature())
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
            digest = hashlib.sha256(_source(folder, module)).hexdigest()
            writer.put_pieces(made, digest, pieces, launcher)
        writer.put_shared(
            made,
            emit_shared(catalog, documents, made, specific),
            described(catalog, documents, made, specific),
        )
    return writer.packed()


def _head(catalog: Catalog) -> Head:
    selected = {tier: select(catalog, tier) for tier in TIERS}
    return Head(
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


def _source(folder: str, module: str) -> bytes:
    with open(os.path.join(folder, f"{module.rpartition('.')[2]}.py"), "rb") as file:
        return file.read()
