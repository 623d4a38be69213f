"""Names that stand twice where a host knows only one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from gsd_install.lint.model import Finding, Tree, finding

_HOOKS, _SERVERS = "hooks/hooks.toml", "mcp.json"
_ID = re.compile(r"""[ \t]*id[ \t]*=[ \t]*["']([^"']*)["']""")


def names(tree: Tree) -> Iterator[Finding]:
    """Folders that differ in nothing but case; hooks and MCP servers of one name."""
    yield from _folders(tree)
    yield from _hooks(tree.texts.get(_HOOKS, ""))
    yield from _servers(tree.texts.get(_SERVERS, ""))


def _folders(tree: Tree) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    told: set[str] = set()
    for path in sorted(tree.texts):
        parts = path.split("/")[:-1]
        for count in range(1, len(parts) + 1):
            folder = "/".join(parts[:count])
            first = seen.setdefault(folder.casefold(), folder)
            if first != folder and folder not in told:
                told.add(folder)
                message = f"the folder {folder}/ differs from {first}/ in nothing but case"
                yield finding("case-clash", path, 1, message)


def _hooks(text: str) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for number, row in enumerate(text.split("\n"), 1):
        match = _ID.match(row)
        if not match:
            continue
        first = seen.setdefault(match[1].casefold(), number)
        if first != number:
            message = f"the hook {match[1]!r} has the name of that in line {first}"
            yield finding("duplicate-name", _HOOKS, number, message)


class _Names(dict[str, object]):
    """An object of JSON; `written` are its names as they stand there, twice where they do."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        self.written = [name for name, _ in pairs]


def _servers(text: str) -> Iterator[Finding]:
    """Servers of one name, of which JSON silently keeps the last."""
    try:
        table = json.loads(text or "{}", object_pairs_hook=_Names)
    except ValueError:
        return  # `bad-json` says so
    servers = table.get("mcpServers") if isinstance(table, _Names) else None
    written = servers.written if isinstance(servers, _Names) else []
    for number, name in enumerate(written):
        if name.casefold() in (other.casefold() for other in written[:number]):
            message = f"two MCP servers are called {name!r}"
            yield finding("duplicate-name", _SERVERS, _last(text, name), message)


def _last(text: str, name: str) -> int:
    """The line that holds a name last."""
    return text.count("\n", 0, text.rfind(json.dumps(name, ensure_ascii=False))) + 1
