"""What a bundle wants from files of the user: the hooks and the MCP servers it declares."""

from __future__ import annotations

from collections.abc import Mapping

from gsd_install.content.bundles import tools
from gsd_install.content.bundles.author import EVENTS, HOOKS, SERVERS
from gsd_install.content.bundles.layout import named_paths, read_json
from gsd_install.content.bundles.wording import Own, parts
from gsd_install.content.manifest import server_fault
from gsd_install.content.model import Hook
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def servers(
    root: str, contents: Mapping[str, bytes], manifest: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The MCP servers by name, and a sentence for each that cannot be installed.

    They stand in `.mcp.json`, with or without `mcpServers` around them, and in the plugin's manifest.
    """
    found: dict[str, Any] = {}
    said: list[str] = []
    for file, table in _tables(root, contents, manifest, "mcpServers", SERVERS):
        for name, server in table.items():
            if why := server_fault(server):
                said.append(f"{file}: the server {name!r} {why}")
            else:
                found[name] = server
    return found, tuple(said)


def hooks(
    root: str, contents: Mapping[str, bytes], manifest: Mapping[str, Any], prefix: str, own: Own
) -> tuple[tuple[Hook, ...], tuple[str, ...]]:
    """The hooks, and a sentence for each that no other host could run."""
    found: list[Hook] = []
    said: list[str] = []
    for file, table in _tables(root, contents, manifest, "hooks", HOOKS):
        for event, command, matcher in _commands(table):
            why = _hook_fault(event, command, matcher)
            if why:
                said.append(f"{file}: a hook for {event} {why}, and is left out")
                continue
            known = tools.read(matcher).actions if _is_for_some(matcher) else ()
            name = f"{prefix}-{EVENTS[event]}-{len(found) + 1}"
            found.append(Hook(name, (EVENTS[event],), tools=known, line=parts(str(command), own)))
    return tuple(found), tuple(said)


def _commands(table: Mapping[str, Any]) -> Iterator[tuple[str, object, str]]:
    """Event, command and matcher of every hook; None for a hook that is no command."""
    for event, groups in table.items():
        for group in groups if isinstance(groups, list) else ():
            entries = group.get("hooks") if isinstance(group, dict) else None
            for entry in entries if isinstance(entries, list) else ():
                command = entry.get("command") if isinstance(entry, dict) else None
                yield event, command, str(group.get("matcher") or "")


def _hook_fault(event: str, command: object, matcher: str) -> str:
    if event not in EVENTS:
        return "is for an event that other hosts do not have"
    if not isinstance(command, str) or not command.strip():
        return "is no command"
    if _is_for_some(matcher) and EVENTS[event].endswith("-tool") and not tools.read(matcher).actions:
        return f"is for {matcher!r}, and no tool of other hosts is that"
    return ""


def _is_for_some(matcher: str) -> bool:
    return matcher not in ("", "*", ".*")


def _tables(
    root: str, contents: Mapping[str, bytes], manifest: Mapping[str, Any], key: str, usual: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each file that declares something, and its table: the usual one, those the manifest names, itself."""
    for path in (usual, *named_paths(manifest, key)):
        if path in contents:
            table = read_json(root, path, contents[path])
            inner = table.get(key, table) if isinstance(table, dict) else None
            if isinstance(inner, dict):
                yield path, inner
    inline = manifest.get(key)
    if isinstance(inline, dict):
        yield "plugin.json", inline.get(key, inline)
