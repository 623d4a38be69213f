"""Carry a plan out, all of it or nothing: lock, recover, plan, journal, write, commit, unlock.

The commit point is the replacement of the ledger. A process that is killed leaves a journal, from which
the next command (or `recover`) brings the disk back to how it was, or on to how it should be.
"""

from __future__ import annotations

import os
import time

from gsd_install.apply import cache, disk, recovery
from gsd_install.apply import journal as journals
from gsd_install.apply import lock as locks
from gsd_install.apply.filling import fill
from gsd_install.apply.journal import Journal, Step
from gsd_install.apply.ledger import dump
from gsd_install.apply.memo import stored
from gsd_install.apply.plan import STILL
from gsd_install.apply.recovery import recover as recover
from gsd_install.apply.staging import Staged
from gsd_install.apply.text import digest
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from gsd_install.apply.model import Location, Operation
    from gsd_install.apply.plan import Plan

_AS_BEFORE = "everything is as it was before"
_DONE = "what was asked for is done"


class Outcome(NamedTuple):
    """What a transaction did.

    `operations` are those of the plan that it performed. `recovered` says what an interrupted run had
    left and what became of it; `left` names the paths that were left alone, and why.
    """

    operations: tuple[Operation, ...]
    recovered: tuple[str, ...]
    left: tuple[str, ...]


def execute(
    location: Location, make_plan: Callable[[], Plan], *, wait: float = locks.WAIT
) -> tuple[Plan, Outcome]:
    """Plan under the lock of the location and carry the plan out.

    A plan that changes nothing writes nothing. Raises LockedError when another process stays at work
    for `wait` seconds; GsdError when the disk refuses or a path changes meanwhile, with everything as
    it was before; whatever `make_plan` raises.
    """
    lock = locks.acquire(location, wait)
    recovered: tuple[str, ...] = ()
    try:
        recovered = recovery.recover_held(location, lock)
        plan = make_plan()
        left = _carry_out(plan, lock) if plan.changed else []
    except BaseException as error:
        for sentence in recovered:
            error.add_note(sentence)
        _release(location, lock, error)
        raise
    _release(location, lock, None)
    operations = tuple(item for item in plan.operations if item.action not in STILL)
    return plan, Outcome(operations, recovered, (*plan.left, *left))


def _release(location: Location, lock: locks.Lock, failure: BaseException | None) -> None:
    try:
        locks.release(location, lock)
    except OSError as error:
        if failure is None:
            disk.refuse(error, error.filename or location.state, "tidy up", _DONE)
        failure.add_note(f"{location.state} could not be tidied up: {error.strerror}")


def _carry_out(plan: Plan, lock: locks.Lock) -> list[str]:
    location = plan.location
    text = dump(plan.ledger_after)
    journal = _journal(plan, text)
    owner = disk.owner(location.root)
    try:
        locks.claim(lock)
        journals.write(location.state, journal, owner=owner)
    except OSError as error:
        disk.refuse(error, location.state, "note down what is about to change", _AS_BEFORE)
    begun: set[int] = set()
    try:
        _write(plan, text, owner, begun)
    except BaseException as error:
        records = tuple(record for number, record in enumerate(journal.records) if number in begun)
        _undo(location, journal._replace(records=records), error)
        raise
    return _finish(location, journal)


def _journal(plan: Plan, text: bytes | None) -> Journal:
    return Journal(
        pid=os.getpid(),
        started=time.strftime("%Y-%m-%d %H:%M:%S"),
        ledger_before="" if plan.ledger_before.source is None else digest(plan.ledger_before.source),
        ledger_after="" if text is None else digest(text),
        records=tuple(journals.record(step) for step in plan.work.steps),
        made=plan.work.made,
        dropped=plan.work.dropped,
        compiled=plan.work.compiled,
    )


def _write(plan: Plan, text: bytes | None, owner: tuple[int, int] | None, begun: set[int]) -> None:
    """Make every change, then the ledger; note in `begun` which steps may have happened. Raises GsdError."""
    pid, steps = os.getpid(), plan.work.steps
    stats = dict(plan.work.stats)
    where = plan.location.state
    staged = Staged(plan.work.made, pid)
    waiting = {
        number: path for number, step in enumerate(steps) if (path := staged.file(step.path)) is not None
    }
    begun.update(waiting)
    for made in fill(staged, plan.work.made, steps, waiting, owner):
        step = steps[made.number]
        if step.key:
            stats[step.key] = cache.Stat(made.mtime_ns, made.size, made.mode, step.after_sha256)
    try:
        for number, step in enumerate(steps):
            if number in waiting:
                continue
            where = step.path
            found = _verify(step)
            begun.add(number)
            changed = _perform(step, found, pid, owner)
            if step.key and changed is not None:
                stats[step.key] = cache.stat_of(changed, step.after_sha256)
        for where in staged.tops:
            _appear(where, staged)
        where = plan.location.ledger
        ledger = _staged_ledger(plan, text, pid, owner)
        where = plan.location.state
        if plan.work.steps and text is not None:
            work = plan.work
            memo = stored(work.memo, ledger) if work.memo else None
            cache.stage(plan.cache, stats, work.texts, work.keep, memo, pid=pid, owner=owner)
        where = plan.location.ledger
        _commit(plan, text, pid)
    except OSError as error:
        disk.refuse(error, where, "change this")


def _appear(directory: str, staged: Staged) -> None:
    """Put a staged directory where it belongs. Raises GsdError where something is there by now, OSError."""
    if disk.look(directory) is not None:
        raise _changed(directory)
    os.rename(staged.directory(directory), directory)


def _verify(step: Step) -> os.stat_result | None:
    """The stat of what is at the path of a step, which must be what the plan read. Raises GsdError."""
    if step.target:
        if recovery.identity(step.path) != step.before_sha256 or disk.look(step.target) is not None:
            raise _changed(step.path)
        return None
    found = disk.look(step.path)
    if found is None:
        if step.before is not None:
            raise _changed(step.path)
    elif step.before is None or not disk.is_file(found) or disk.read(step.path) != step.before:
        raise _changed(step.path)
    return found


def _perform(
    step: Step, found: os.stat_result | None, pid: int, owner: tuple[int, int] | None
) -> os.stat_result | None:
    """Make one change; returns the stat of a file that was written. Raises OSError."""
    if step.target:
        os.rename(step.path, step.target)
        return None
    if step.after is None:
        os.unlink(step.path)
        return None
    if step.after == step.before and step.exact is not None:
        return disk.set_mode(step.path, step.exact)
    if found is not None:
        owner = disk.owner_of(step.path, owner)
    return disk.put(
        step.path,
        step.after,
        pid=pid,
        mode=step.mode,
        exact=step.exact,
        owner=owner,
        durable=step.users,
    )


def _staged_ledger(
    plan: Plan, text: bytes | None, pid: int, owner: tuple[int, int] | None
) -> os.stat_result | None:
    """Write the ledger beside the old one where it changes; the stat of the one that will be there."""
    ledger = plan.location.ledger
    if text is None or text == plan.ledger_before.source:
        return disk.look(ledger)
    return disk.stage(ledger, text, pid=pid, mode=0o666, owner=owner)


def _commit(plan: Plan, text: bytes | None, pid: int) -> None:
    ledger = plan.location.ledger
    found = disk.look(ledger)
    if (None if found is None else disk.read(ledger)) != plan.ledger_before.source:
        raise _changed(ledger)
    if text is None:
        disk.drop_file(ledger)
    elif text != plan.ledger_before.source:
        os.replace(disk.temporary(ledger, pid), ledger)


def _changed(path: str) -> GsdError:
    return GsdError(
        "this changed while we were at work",
        reason="changed",
        file=path,
        hint="run again",
    )


def _undo(location: Location, journal: Journal, failure: BaseException) -> None:
    """Undo a failed transaction, and say so in the failure.

    Where that fails too, the journal stays for the next run. Raises GsdError.
    """
    try:
        finished, left = recovery.settle(location, journal)
    except (OSError, GsdError) as error:
        raise _not_undone(location, failure, error) from failure
    if isinstance(failure, GsdError) and not finished:
        failure.message += f"; {'everything else' if left else 'everything'} is as it was before"
    for sentence in left:
        failure.add_note(sentence)


def _not_undone(location: Location, failure: BaseException, error: OSError | GsdError) -> GsdError:
    where = failure.file if isinstance(failure, GsdError) else None
    said = failure.message if isinstance(failure, GsdError) else str(failure) or "interrupted"
    why = error.message if isinstance(error, GsdError) else str(error)
    told = GsdError(
        f"{said}; undoing what was done so far failed too: {why}",
        reason="undo",
        file=where or location.state,
        hint="put the cause right and run any install or uninstall: it finishes the repair",
    )
    for note in (*getattr(failure, "__notes__", ()), *getattr(error, "__notes__", ())):
        told.add_note(note)
    return told


def _finish(location: Location, journal: Journal) -> list[str]:
    try:
        left = recovery.finish(location, journal)
        if not left:  # else the next run tries once more
            disk.drop_file(journals.path_in(location.state))
    except OSError as error:
        disk.refuse(error, error.filename or location.state, "tidy up", _DONE)
    return left
