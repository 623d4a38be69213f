"""What the decisions of one plan share: what they read, and what they decided so far."""

from __future__ import annotations

import os

from gsd_install.apply import disk
from gsd_install.apply.confine import Confine, inside
from gsd_install.apply.ledger import NEW, Owned, key_of, path_of
from gsd_install.apply.model import Operation
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_install.apply.cache import Cache, Stat
    from gsd_install.apply.journal import Step
    from gsd_install.apply.ledger import Entry, Ledger
    from gsd_install.apply.model import Action, Location, Options


class Context:
    """One plan in the making.

    `affected` are the units whose possessions are decided anew. `files` and `entries` become the
    ledger's. Steps are kept by kind, because they are carried out in that order.
    """

    __slots__ = (
        "_gone",
        "affected",
        "cache",
        "compiled",
        "confine",
        "entries",
        "errors",
        "files",
        "kept",
        "ledger",
        "left",
        "location",
        "moves",
        "notes",
        "operations",
        "options",
        "removals",
        "restores",
        "stats",
        "texts",
        "umask",
        "writes",
    )

    def __init__(
        self, location: Location, ledger: Ledger, cache: Cache, options: Options, affected: frozenset[str]
    ) -> None:
        self.location = location
        self.ledger = ledger
        self.cache = cache
        self.options = options
        self.affected = affected
        self.confine = Confine(location)
        self.umask = disk.umask()
        self.files: dict[str, Owned] = {}
        self.entries: list[Entry] = []
        self.operations: list[Operation] = []
        self.moves: list[Step] = []
        self.removals: list[Step] = []
        self.writes: list[Step] = []
        self.restores: list[Step] = []
        self.compiled: list[str] = []
        self.stats: dict[str, Stat] = {}
        self.texts: dict[str, bytes] = {}
        self.kept: set[str] = set()
        self.left: list[str] = []
        self.notes: list[str] = []
        self.errors: list[GsdError] = []
        self._gone: frozenset[str] | None = None

    def key(self, path: str) -> str:
        """The ledger's name of an absolute path that this scope may own. Raises GsdError."""
        key = key_of(self.location, path)
        if self.location.scope == "project" and os.path.isabs(key):
            raise GsdError("a project owns nothing outside itself", reason="outside", file=path)
        return key

    def path(self, key: str) -> str:
        """The absolute path of a key."""
        return path_of(self.location, key)

    def root_of(self, path: str) -> str:
        """The declared root of a recorded path."""
        return root_of(self.location, self.ledger, path)

    def others(self, owners: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the owners that this plan does not touch."""
        return tuple(owner for owner in owners if owner not in self.affected)

    def create_mode(self, *, executable: bool) -> int:
        """What a file of ours is created with, before the umask."""
        return 0o777 if executable else 0o666

    def report(
        self,
        action: Action,
        path: str,
        owners: tuple[str, ...],
        before: bytes | None = None,
        after: bytes | None = None,
        mode_before: int | None = None,
        mode_after: int | None = None,
        note: str = "",
    ) -> None:
        """Add an operation."""
        self.operations.append(Operation(action, path, before, after, mode_before, mode_after, owners, note))

    def leave(self, action: Action, path: str, owners: tuple[str, ...], note: str) -> None:
        """Leave a path alone, and say why."""
        self.report(action, path, owners, note=note)
        self.kept.add(path)
        self.left.append(f"{path}: {note}")

    def is_gone(self, path: str, owners: tuple[str, ...]) -> bool:
        """Was everything around this file removed, rather than the file?

        A user who deletes one command does not want it back. One who deletes a runtime's whole
        directory and installs again does: a unit of which neither a file nor the directory of one is
        left is installed anew, and so is a payload without its directory.
        """
        payload = self.location.payload
        if inside(path, payload):
            return not os.path.isdir(payload)
        if self._gone is None:
            self._gone = self._gone_units()
        return not self._gone.isdisjoint(owners)

    def _gone_units(self) -> frozenset[str]:
        there: set[str] = set()
        recorded: set[str] = set()
        checked: dict[str, bool] = {}
        for key, owned in self.ledger.files.items():
            path = self.path(key)
            if inside(path, self.location.payload):
                continue
            recorded.update(owned.owners)
            directory = os.path.dirname(path)
            if directory not in checked:
                checked[directory] = os.path.isdir(directory)
            if checked[directory]:
                there.update(owned.owners)
        return frozenset(recorded - there)


def root_of(location: Location, ledger: Ledger, path: str) -> str:
    """The declared root of a recorded path: the location's, or the one it was recorded with."""
    if inside(path, location.root):
        return location.root
    roots = [root for root in ledger.roots if inside(path, root)]
    return max(roots, key=len, default=os.path.dirname(path))


def beside(path: str) -> str:
    """Where our version of an edited file waits."""
    return path + NEW


def with_x(mode: int, *, executable: bool) -> int:
    """Permission bits with execution for whoever may read, or for nobody."""
    return mode | ((mode & 0o444) >> 2) if executable else mode & ~0o111
