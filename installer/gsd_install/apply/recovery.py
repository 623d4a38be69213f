"""Undo or finish a transaction, in the process that ran it or in the next one after a kill.

Whether it is undone or finished depends on one question only: does the ledger say it happened? A path is
touched only if it is exactly as the transaction found it or left it; anything else is the user's and is
reported.
"""

from __future__ import annotations

import os

from gsd_install.apply import cache, disk, statedir
from gsd_install.apply import journal as journals
from gsd_install.apply import lock as locks
from gsd_install.apply.staging import Staged
from gsd_install.apply.text import digest
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from gsd_install.apply.journal import Journal, Record
    from gsd_install.apply.model import Location


class _Attempts:
    """Each `with` block is one attempt; a failure is noted, and the others are made all the same."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        if isinstance(error, OSError):
            self.failed.append(f"{error.filename}: {error.strerror or error}")
        elif isinstance(error, GsdError):
            self.failed.append(str(error))
        return isinstance(error, (OSError, GsdError))

    def conclude(self, location: Location, left: list[str]) -> None:
        """Raise GsdError, with a note on every failure and on all that was `left`, if any attempt failed."""
        if not self.failed:
            return
        count = len(self.failed)
        error = GsdError(
            f"{count} path{'s' if count > 1 else ''} could not be put right",
            reason="undo",
            file=location.state,
            hint="put the cause right and run any install or uninstall: it finishes the repair",
        )
        for sentence in (*self.failed, *left):
            error.add_note(sentence)
        raise error


def recover(location: Location) -> tuple[str, ...]:
    """Repair what an interrupted run left at a location, and say what was done; creates nothing.

    Raises LockedError where another process is at work, GsdError where the repair fails.
    """
    try:
        unfinished = statedir.settle(location)
        statedir.tidy(location)
        if not os.path.isdir(location.state):
            return ("an interrupted run was undone",) if unfinished else ()
        lock = locks.acquire(location)
        try:
            return recover_held(location, lock)
        finally:
            locks.release(location, lock)
    except OSError as error:
        disk.refuse(error, error.filename or location.state, "repair an interrupted run")


def interrupted(location: Location) -> bool:
    """Did a run stop half-way here? The next one repairs it."""
    return os.path.lexists(journals.path_in(location.state))


def recover_held(location: Location, lock: locks.Lock) -> tuple[str, ...]:
    """`recover` for a caller that holds the lock."""
    said = []
    if lock.left:
        said.append(f"process {lock.left.splitlines()[0]} died while it held the lock; it is free again")
    try:
        journal = journals.read(location.state)
        if journal is not None:
            said += _repaired(location, journal)
        for name in disk.names(location.state):
            if name.endswith(".gsd-tmp"):
                disk.drop_file(os.path.join(location.state, name))
    except OSError as error:
        disk.refuse(error, error.filename or location.state, "repair an interrupted run")
    return tuple(said)


def _repaired(location: Location, journal: Journal) -> list[str]:
    finished, left = settle(location, journal)
    run = f"the run of process {journal.pid} ({journal.started}) was interrupted"
    return [f"{run}; it is now {'finished' if finished else 'undone'}", *left]


def settle(location: Location, journal: Journal) -> tuple[bool, list[str]]:
    """Finish a committed transaction, undo any other; the journal goes.

    Returns whether it was committed, and a sentence for each path that was left alone. One failure does
    not stop the rest: raises GsdError with a note on each, and the journal stays. Raises OSError.
    """
    before, after = journal.ledger_before, journal.ledger_after
    committed = before != after and identity(location.ledger) == after
    attempts = _Attempts()
    _drop_temporaries(location, journal, attempts)
    left = finish(location, journal) if committed else _undo(location, journal, attempts)
    attempts.conclude(location, left)
    disk.drop_file(journals.path_in(location.state))
    return committed, left


def finish(location: Location, journal: Journal) -> list[str]:
    """Put the cache in place; remove what Python compiled from files that are gone, and empty directories.

    Returns a sentence for each directory that could not be removed.
    """
    cache.adopt(location.state, journal.pid)
    _drop_compiled(journal.compiled)
    left = []
    for directory in journal.dropped:
        try:
            disk.drop_directory(directory)
        except OSError as error:
            left.append(f"{directory} could not be removed: {error.strerror}")
    return left


def _undo(location: Location, journal: Journal, attempts: _Attempts) -> list[str]:
    """Bring every path of the transaction back, last change first; return sentences on those left alone."""
    owner = disk.owner(location.root)
    created = [entry for entry in journal.records if not entry.before]
    changed = [entry for entry in journal.records if entry.before]
    # What was created goes first: on a full disk its room is needed to put the rest back.
    left = []
    stuck = set()
    for entry in (*reversed(created), *reversed(changed)):
        done = None
        with attempts:
            done = _undo_move(entry) if entry.target else _undo_write(entry, journal.pid, owner)
        if done is None:
            stuck.add(entry.path)
        elif not done and entry.path not in stuck:
            left.append(f"{entry.path} was changed since and is left as it is")
    for directory in reversed(journal.made):
        with attempts:
            disk.drop_directory(directory)
    with attempts:
        cache.discard(location.state, journal.pid)
    return left


def identity(path: str) -> str:
    """What is at a path: the digest of a file, a link and its target, empty for nothing."""
    found = disk.look(path)
    if found is None:
        return ""
    if disk.is_file(found):
        return digest(disk.read(path))
    return f"link:{os.readlink(path)}" if os.path.islink(path) else "other"


def _undo_move(entry: Record) -> bool:
    here, there = identity(entry.path), identity(entry.target)
    if here == "" and there == entry.before:
        os.rename(entry.target, entry.path)
        return True
    return here == entry.before


def _undo_write(entry: Record, pid: int, owner: tuple[int, int] | None) -> bool:
    now = identity(entry.path)
    if now == entry.before:
        if now == entry.after:
            _undo_mode(entry)
        return True
    if now != entry.after or not os.path.isdir(os.path.dirname(entry.path)):
        return False
    if entry.before == "":
        disk.drop_file(entry.path)
    elif entry.image is not None:
        owner = disk.owner_of(entry.path, owner)
        disk.put(entry.path, entry.image, pid=pid, mode=0o600, exact=entry.mode_before, owner=owner)
    return True


def _undo_mode(entry: Record) -> None:
    found = disk.look(entry.path)
    if (
        found is not None
        and entry.mode_before is not None
        and found.st_mode & disk.PERMISSIONS == entry.mode_after
    ):
        disk.set_mode(entry.path, entry.mode_before)


def _drop_temporaries(location: Location, journal: Journal, attempts: _Attempts) -> None:
    for path in (*(entry.path for entry in journal.records), location.ledger):
        with attempts:
            disk.drop_file(disk.temporary(path, journal.pid))
    with attempts:
        Staged(journal.made, journal.pid).drop(entry.path for entry in journal.records)


def _drop_compiled(sources: tuple[str, ...]) -> None:
    for source in sources:
        for path in compiled_from(source):
            disk.drop_file(path)
        disk.drop_directory(os.path.join(os.path.dirname(source), "__pycache__"))


def compiled_from(source: str) -> list[str]:
    """The files Python made of a module, which are a cache of it and nothing else."""
    directory, name = os.path.split(source)
    cache = os.path.join(directory, "__pycache__")
    stem = name.removesuffix("py")
    return [
        os.path.join(cache, other)
        for other in disk.names(cache)
        if other.startswith(stem) and ".pyc" in other
    ]
