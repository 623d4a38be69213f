"""The installed capabilities: what they add at a loop point, and the settings they bring."""

from __future__ import annotations

import os

from gsd_capabilities.companion import payload
from gsd_capabilities.companion.config_schema import SCHEMA, Key
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.points import POINTS
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from gsd_capabilities.companion.config import Config
    from gsd_capabilities.companion.payload import Content
    from gsd_capabilities.companion.request import Request

STEPS, CONTRIBUTIONS, GATES = "steps", "contributions", "gates"
_KINDS = {"boolean": "boolean", "string": "text", "number": "number", "enum": "choice"}


class Installed(NamedTuple):
    """One capability as the installer described it; `table` is its entry."""

    id: str
    title: str
    content: Content
    table: Mapping[str, Any]

    def path(self, read: str) -> str:
        """The file of a document that a hook reads."""
        return os.path.join(self.content.root, *read.split("/"))

    @property
    def here(self) -> bool:
        """Whether the installed profile holds it: a document of its hooks is there, or none has one."""
        read = [
            hook["read"] for kind in (STEPS, CONTRIBUTIONS) for hook in self.table[kind] if "read" in hook
        ]
        return not read or any(os.path.isfile(self.path(path)) for path in read)


class Hook(NamedTuple):
    """One hook of a capability; `table` is its entry."""

    capability: Installed
    table: Mapping[str, Any]


def of(request: Request) -> tuple[Installed, ...]:
    """The capabilities of what is installed for a request; none where nothing is installed."""
    try:
        root = payload.root(request.payload, request.cwd, request.environ)
        found = payload.contents(root)
    except GsdError as error:
        if error.reason != "no_payload":
            raise
        return ()
    return tuple(item for content in found for item in in_content(content))


def in_content(content: Content) -> tuple[Installed, ...]:
    """The capabilities of one content; none where its table is damaged, which `content.problem` says."""
    rows: list[Mapping[str, Any]] = (content.table or {}).get("capabilities", [])
    return tuple(Installed(row["id"], row["title"], content, row) for row in rows)


def schema(installed: Iterable[Installed]) -> Mapping[str, Key]:
    """Every setting there is: those of the core, then those of capabilities that are not named like one."""
    found = dict(SCHEMA)
    for name, entry, _ in _settings(installed):
        if not _clash(name):
            key = Key(
                _KINDS[entry["type"]], entry["default"], entry["meaning"], tuple(entry.get("values", ()))
            )
            found.setdefault(name, key)
    return found


def problems(installed: Iterable[Installed]) -> Iterator[str]:
    """Settings of capabilities that have no effect because the core has one of that name."""
    for name, _, capability in _settings(installed):
        if clash := _clash(name):
            yield f"the setting {name!r} of {capability} is passed over: the core has {clash!r}"


def hooks(installed: Iterable[Installed], kind: str, point: str, config: Config) -> tuple[Hook, ...]:
    """What is active at a point: of an installed profile, and switched on. Steps come in their order."""
    found = [
        Hook(item, row)
        for item in installed
        for row in item.table[kind]
        if row["point"] == point and _is_on(row, config) and item.here
    ]
    return tuple(sorted(found, key=lambda hook: hook.table.get("rank", 0)))


def active(installed: tuple[Installed, ...], workflow: str, config: Config) -> dict[str, list[str]]:
    """The points of a workflow at which anything is active, each with the ids of its steps."""
    found = {}
    for point in POINTS:
        if point.partition(":")[0] != workflow.partition("-")[0]:
            continue
        every = {kind: hooks(installed, kind, point, config) for kind in (STEPS, CONTRIBUTIONS, GATES)}
        if any(every.values()):
            found[point] = [hook.table["id"] for hook in every[STEPS]]
    return found


def _is_on(row: Mapping[str, Any], config: Config) -> bool:
    return not row["when"] or config.get(row["when"]) is True


def _settings(installed: Iterable[Installed]) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    for item in installed:
        for name, entry in item.table["config"].items():
            yield name, entry, item.id


def _clash(name: str) -> str:
    """The setting of the core that is called so, or stands above or below it; empty where none does."""
    above = (key for key in SCHEMA if key == name or key.startswith(f"{name}.") or name.startswith(f"{key}."))
    return next(above, "")
