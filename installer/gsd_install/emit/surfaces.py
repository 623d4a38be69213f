"""Entries of ours for files the user owns: hooks, MCP servers, instructions, permissions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from gsd_install.content.model import Catalog, Document
from gsd_install.emit.foreign import rooted
from gsd_install.emit.hooks import hook_tables
from gsd_install.emit.imports import shielded
from gsd_install.emit.output import Insertion, Output
from gsd_install.emit.target import Target
from gsd_install.emit.text import Render, rendered
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.runtime.model import Surface

if TYPE_CHECKING:
    from typing import Any

_NAME = re.compile(r"\{\w+\}")

SURFACES = ("hooks", "mcp", "instructions", "permissions")


def insertions(
    catalog: Catalog,
    documents: tuple[Document, ...],
    target: Target,
    wanted: frozenset[str],
    *,
    located: Mapping[str, str],
    render: Render,
    interpreter: str,
    exists: Callable[[str], bool],
    launcher: str = "",
) -> tuple[tuple[Insertion, ...], tuple[Output, ...], tuple[str, ...]]:
    """The entries for the `wanted` surfaces, the scripts they run, and the surfaces nothing came of.

    `interpreter` is the Python that runs hook scripts; `exists` tells which of a surface's files is there.
    `launcher` is the name of the one that renders workflows; without one, entries about it are left out.
    """
    found: list[Insertion] = []
    scripts: dict[str, Output] = {}
    for surface in target.runtime.surfaces:
        if surface.name not in wanted or surface.scope not in (None, target.scope):
            continue
        path = _file(surface, target, exists)
        for table in _tables(surface, catalog, documents, target, located, render, interpreter, launcher):
            for entry in surface.entries:
                if surface.name == "permissions" and not launcher and "{launcher}" in repr(entry):
                    continue
                pointer = tuple(str(_fill(step, table)) for step in entry.pointer)
                value = _fill(entry.value, table)
                mark = table.get("mark", ()) if "{command}" in repr(entry.value) else ()
                if mark and table["event"] not in pointer:
                    mark = (*mark, table["event"])
                root = target.root_of(path)
                found.append(Insertion(path, surface.format, pointer, value, root, surface.name, mark))
        if surface.name == "hooks" and any(insertion.surface == "hooks" for insertion in found):
            scripts |= {output.path: output for output in _scripts(catalog, target, located)}
    missing = tuple(
        name for name in SURFACES if name in wanted and all(item.surface != name for item in found)
    )
    return tuple(found), tuple(scripts.values()), missing


def _file(surface: Surface, target: Target, exists: Callable[[str], bool]) -> str:
    paths = [target.resolve(path) for path in surface.paths]
    return next((path for path in paths if exists(path)), paths[-1])


def _tables(
    surface: Surface,
    catalog: Catalog,
    documents: tuple[Document, ...],
    target: Target,
    located: Mapping[str, str],
    render: Render,
    interpreter: str,
    launcher: str,
) -> Iterator[dict[str, Any]]:
    """What the placeholders of a surface's entries stand for, once for each entry it gets."""
    if surface.name == "permissions":
        yield {"payload": target.spell(target.payload), "launcher": target.launcher(launcher)}
    elif surface.name == "instructions":
        rules = [document for document in documents if document.kind == "rule"]
        texts = (rendered(section.parts, render).strip("\r\n") for rule in rules for section in rule.sections)
        text = "\n\n".join(filter(None, texts))
        if text:
            yield {"block": catalog.id, "text": shielded(text) if surface.imports else text}
    elif surface.name == "hooks":
        yield from hook_tables(surface, catalog, target, located, interpreter, launcher)
    else:
        for name, given in catalog.servers.items():
            server = rooted(given, located["."], target) if catalog.bundle else given
            command, args = server.get("command", ""), server.get("args", [])
            yield {
                "server": name,
                "command": command,
                "args": args,
                "command_line": [command, *args],
                "env": server.get("env", {}),
            }


def _scripts(catalog: Catalog, target: Target, located: Mapping[str, str]) -> Iterator[Output]:
    for asset in catalog.assets:
        if asset.kind == "hook":
            path = located[asset.path]
            yield Output(
                path, asset.data, asset.executable, target.root_of(path), "hook", asset.path, shared=True
            )


def _fill(value: Any, table: Mapping[str, Any]) -> Any:
    """`value` with the names of `table` in braces replaced; what was put in is not looked at again."""
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if item != "{matcher}" or table.get("matcher")}
        return {str(_fill(key, table)): _fill(item, table) for key, item in kept.items()}
    if isinstance(value, list):
        return [_fill(item, table) for item in value]
    if not isinstance(value, str):
        return value
    if value.startswith("{") and value.endswith("}") and value[1:-1] in table:
        return table[value[1:-1]]
    known = {f"{{{name}}}": item for name, item in table.items() if isinstance(item, str)}
    return _NAME.sub(lambda match: known.get(match[0], match[0]), value)
