"""An old MEMORY.md becomes knowledge and state, once, when memory is first asked for.

The original is read and stays as it is. The record `migration.json` says where each of its lines went and by
which rule. It is written first, marked as not done; whoever finds it so writes what is missing again, so
that one that was killed leaves nothing half-way.
"""

from __future__ import annotations

import contextlib
import os

from gsd_capabilities.companion import planning_text
from gsd_capabilities.companion.guard import locked
from gsd_capabilities.companion.project import require
from gsd_capabilities.memory import layout
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.memory.legacy import Part

VERSION = 1
_STORES = (layout.STATE, layout.KNOWLEDGE)


class Migrated(NamedTuple):
    """What a migration did, or why there was none.

    `reason` is `migrated`, `already` where knowledge or state is there, or `nothing` without a MEMORY.md.
    `parts` are those of the record; `left` are other old files, which were not read.
    """

    reason: str
    source: str = ""
    parts: tuple[Mapping[str, object], ...] = ()
    left: tuple[str, ...] = ()


def migrate(project: Project, now: float) -> Migrated:
    """Migrate if that is due. Takes the lock. Raises GsdError for a MEMORY.md that cannot be read."""
    with locked(require(project)):
        return migrate_locked(project, now)


@contextlib.contextmanager
def opened(project: Project, now: float) -> Iterator[None]:
    """Hold the lock of a project whose memory is migrated."""
    with locked(require(project)):
        migrate_locked(project, now)
        yield


def loaded(project: Project, now: float) -> None:
    """Migrate before something is read. Takes the lock only where a migration is due."""
    if project.exists and due(project):
        migrate(project, now)


def due(project: Project) -> bool:
    """Whether there is an old file and no memory yet, or a migration that was not finished."""
    there = [os.path.lexists(layout.path(project, store)) for store in _STORES]
    if all(there):
        return False
    if any(there):
        return not _record(project).get("done", True)
    return bool(legacy(project))


def legacy(project: Project) -> tuple[str, ...]:
    """The old files that are there; the first is the one that counts."""
    places = (os.path.join(project.shared, layout.LEGACY), os.path.join(project.root, layout.LEGACY))
    return tuple(place for place in places if os.path.isfile(place))


def migrate_locked(project: Project, now: float) -> Migrated:
    """As `migrate`, under the lock."""
    if not due(project):
        there = any(os.path.lexists(layout.path(project, store)) for store in _STORES)
        return Migrated("already" if there else "nothing")
    sources = legacy(project)
    if not sources:
        hint = f"put {layout.LEGACY} back, or remove {layout.shown(project, layout.MIGRATION)}"
        message = "the migration was not finished, and its source is gone"
        raise GsdError(message, reason="no_source", file=layout.shown(project, layout.MIGRATION), hint=hint)
    return _migrated(project, sources, now)


def _migrated(project: Project, sources: tuple[str, ...], now: float) -> Migrated:
    from gsd_capabilities.memory.legacy import parts, stores

    _require_inside(project, sources[0])
    text = planning_text.read(project, sources[0])
    cut = parts(text)
    knowledge, state = stores(text, cut)
    texts = {layout.STATE: state, layout.KNOWLEDGE: knowledge}
    rows = tuple(map(_row, cut))
    left = tuple(project.shown(source) for source in sources[1:])
    record: dict[str, object] = {
        "version": VERSION,
        "done": False,
        "at": _stamp(now),
        "source": project.shown(sources[0]),
        "sha256": _digest(text),
        "written": {store: _digest(whole) for store, whole in texts.items()},
        "left": left,
        "parts": rows,
    }
    before = _record(project)
    _note(project, record)
    for store, whole in texts.items():
        _write(project, store, whole, before)
    _note(project, record | {"done": True})
    return Migrated("migrated", project.shown(sources[0]), rows, left)


def _require_inside(project: Project, source: str) -> None:
    """Refuse a link to a file that is not the project's: what it holds is nobody's memory."""
    real = os.path.realpath(source)
    if not real.startswith(os.path.join(os.path.realpath(project.root), "")):
        message = f"this is a link that leads out of the project, to {real!r}"
        hint = "replace it by a file, or remove it"
        raise GsdError(message, reason="outside", file=project.shown(source), hint=hint)


def _row(part: Part) -> Mapping[str, object]:
    """A part as the record has it."""
    row = {"lines": [part.first, part.last], "store": part.store, "rule": part.rule, "section": part.title}
    return row | {"date": part.date} if part.date else row


def _write(project: Project, store: str, whole: str, before: Mapping[str, object]) -> None:
    """Write a store, unless somebody changed what an unfinished migration wrote there."""
    written = before.get("written")
    known = written.get(store) if isinstance(written, dict) else None
    old = planning_text.read_optional(project, layout.path(project, store))
    if old is not None and _digest(old) != known:
        return
    if old is None:
        planning_text.create(project, layout.path(project, store), whole)
    else:
        planning_text.edit(project, layout.path(project, store), lambda _: whole)


def _note(project: Project, record: Mapping[str, object]) -> None:
    import json

    whole = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
    layout.change_locked(project, lambda _: whole, layout.MIGRATION)


def _record(project: Project) -> Mapping[str, object]:
    """The record of a migration, empty where there was none. Raises GsdError `damaged`."""
    import json

    text = layout.text(project, layout.MIGRATION)
    if not text:
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    file = layout.shown(project, layout.MIGRATION)
    hint = "restore it, or remove it: knowledge and state are not in it"
    raise GsdError("this is no record of a migration", reason="damaged", file=file, hint=hint)


def _stamp(now: float) -> str:
    from gsd_capabilities.work.clock import stamp

    return stamp(now)


def _digest(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()
