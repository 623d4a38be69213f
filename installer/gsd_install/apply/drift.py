"""Is everything as the ledger says? Bytes and modes are always compared, never only stats."""

from __future__ import annotations

import os
import stat

from gsd_install.apply import cache as caches
from gsd_install.apply import disk, entries
from gsd_install.apply import ledger as ledgers
from gsd_install.apply.confine import Confine
from gsd_install.apply.context import beside, root_of
from gsd_install.apply.ledger import BACKUP, key_of, path_of
from gsd_install.apply.model import Finding
from gsd_install.apply.recovery import compiled_from
from gsd_install.apply.text import digest, matches
from gsd_install.apply.wrapped import value_digest
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_install.apply.cache import Cache
    from gsd_install.apply.ledger import Entry, Ledger, Owned
    from gsd_install.apply.model import Desired, Drift, Location


class _Check:
    __slots__ = ("cache", "confine", "findings", "ledger", "location")

    def __init__(self, location: Location) -> None:
        self.location = location
        self.ledger: Ledger = ledgers.load(location)
        self.cache: Cache = caches.load(location.state)
        self.confine = Confine(location)
        self.findings: dict[str, Finding] = {}

    def found(self, drift: Drift, path: str, owners: tuple[str, ...], note: str = "") -> None:
        """The first finding of a path is the one that is told."""
        self.findings.setdefault(path, Finding(drift, path, owners, note))

    def root_of(self, path: str) -> str:
        return root_of(self.location, self.ledger, path)


def check(location: Location, desired: Desired | None = None) -> tuple[Finding, ...]:
    """Every path that is not as the ledger says, sorted by path; reads only.

    `missing` and `modified` compare the disk with the ledger; with `desired`, `stale` is what this
    version would install differently, and `foreign` a file of the user's in a place it needs. Raises
    GsdError when the ledger cannot be read.
    """
    run = _Check(location)
    for key, owned in run.ledger.files.items():
        _file(run, key, owned)
    for entry in run.ledger.entries:
        _entry(run, entry)
    if desired is not None:
        _compare(run, desired)
    return tuple(sorted(run.findings.values(), key=lambda finding: finding.path))


def unmanaged(location: Location) -> tuple[str, ...]:
    """What the user put into directories that we created, sorted: what an uninstall will leave."""
    ledger = ledgers.load(location)
    ours = {path_of(location, key) for key in (*ledger.files, *ledger.dirs)}
    ours.update(path_of(location, entry.path) for entry in ledger.entries)
    ours.add(location.ledger)
    for key, owned in ledger.files.items():
        path = path_of(location, key)
        ours.update([beside(path)] if owned.new else [], [path + BACKUP] if owned.backup else [])
        if path.endswith(".py"):
            ours.update((os.path.join(os.path.dirname(path), "__pycache__"), *compiled_from(path)))
    found: set[str] = set()
    for key in ledger.dirs:
        directory = path_of(location, key)
        found.update(os.path.join(directory, name) for name in disk.names(directory))
    return tuple(sorted(found - ours))


def _file(run: _Check, key: str, owned: Owned) -> None:
    if owned.kept:
        return
    path = path_of(run.location, key)
    try:
        place = run.confine.directory(os.path.dirname(path), run.root_of(path), path)
        found = disk.look(path) if place.exists else None
        if found is None:
            if not owned.deleted:
                run.found("missing", path, owned.owners)
            return
        note = _difference(run, key, owned, found, path)
    except GsdError as error:
        note = error.message
    if note:
        run.found("modified", path, owned.owners, note)


def _difference(run: _Check, key: str, owned: Owned, found: os.stat_result, path: str) -> str:
    if stat.S_ISLNK(found.st_mode):
        return "a link is in its place"
    if not disk.is_file(found):
        return "something else is in its place"
    data = disk.read(path)
    if not matches(owned, data, digest(data)):
        waiting = owned.new and disk.look(beside(path)) is not None
        return f"edited; a new version waits in {os.path.basename(beside(path))}" if waiting else "edited"
    return "" if owned.found or not disk.POSIX else _mode_difference(run, key, owned, found)


def _mode_difference(run: _Check, key: str, owned: Owned, found: os.stat_result) -> str:
    """Exact where this machine has a record; a clone elsewhere has another umask and keeps only x."""
    mode = found.st_mode & disk.PERMISSIONS
    known = run.cache.stats.get(key)
    if known is not None and known.sha256 == owned.sha256:
        return "" if mode == known.mode else f"mode {mode:04o} instead of {known.mode:04o}"
    if bool(mode & stat.S_IXUSR) == owned.executable:
        return ""
    return f"mode {mode:04o}, which is {'not ' if owned.executable else ''}executable"


def _entry(run: _Check, entry: Entry) -> None:
    from gsd_install.configedit import edit as configedit

    path = path_of(run.location, entry.path)
    name = ".".join(entry.pointer)
    try:
        real = entries.real_path(run.confine, path, run.root_of(path))
        data = None if disk.look(real) is None else disk.read(real)
        state = configedit.state(data, entry.format, dict(entry.receipt), file=path)
    except GsdError as error:
        run.found("modified", path, entry.owners, error.message)
        return
    if state == "missing" and not entry.deleted:
        run.found("missing", path, entry.owners, f"our entry {name} is not in it")
    elif state == "changed":
        run.found("modified", path, entry.owners, f"our entry {name} was edited")


def _compare(run: _Check, desired: Desired) -> None:
    affected = desired.removed.union(desired.units)
    wanted = {key_of(run.location, file.path): file for file in desired.files}
    for key, file in wanted.items():
        owned = run.ledger.files.get(key)
        if owned is None:
            _unowned(run, file.path, file.owners, file.data)
        elif owned.deleted:
            continue
        elif digest(file.data) not in {owned.sha256, owned.new} or owned.executable != file.executable:
            run.found("stale", file.path, owned.owners)
    for key, owned in run.ledger.files.items():
        if key not in wanted and not owned.kept and affected.issuperset(owned.owners):
            run.found("stale", path_of(run.location, key), owned.owners, "no longer part of it")
    _compare_entries(run, desired, affected)


def _unowned(run: _Check, path: str, owners: tuple[str, ...], data: bytes) -> None:
    found = disk.look(path)
    if found is None:
        run.found("stale", path, owners, "not installed yet")
    elif disk.is_file(found) and disk.read(path) == data:
        run.found("stale", path, owners, "there, but not recorded")
    else:
        run.found("foreign", path, owners, "a file that is not ours is in this place")


def _compare_entries(run: _Check, desired: Desired, affected: frozenset[str]) -> None:
    def identity(path: str, pointer: tuple[str, ...], value: str) -> tuple[str, tuple[str, ...], str]:
        return os.path.realpath(path), pointer, value

    wanted = {identity(edit.path, edit.pointer, value_digest(edit.value)): edit for edit in desired.edits}
    held = {
        identity(path_of(run.location, item.path), item.pointer, item.value): item
        for item in run.ledger.entries
    }
    deleted = {place[:2] for place, item in held.items() if item.deleted}
    for place, edit in wanted.items():
        if place not in held and place[:2] not in deleted:
            run.found("stale", edit.path, edit.owners, f"entry {'.'.join(edit.pointer)}")
    for place, item in held.items():
        if place not in wanted and not item.deleted and affected.issuperset(item.owners):
            path = path_of(run.location, item.path)
            run.found("stale", path, item.owners, f"entry {'.'.join(item.pointer)} is no longer part of it")
