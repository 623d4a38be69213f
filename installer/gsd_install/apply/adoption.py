"""Take over files that are exactly as we would write them, though no ledger says that they are ours.

An ordinary install accepts such a file too, but takes it for the user's and never deletes it. Adoption is
the user's word that they are ours: they are recorded as if we had written them, each is compared once
more right before the ledger is written, and directories that hold nothing else become ours as well.
"""

from __future__ import annotations

import os
from typing import Literal

from gsd_install.apply import disk
from gsd_install.apply import ledger as ledgers
from gsd_install.apply import plan as planning
from gsd_install.apply.confine import inside
from gsd_install.apply.context import with_x
from gsd_install.apply.journal import Step
from gsd_install.apply.ledger import key_of
from gsd_install.apply.model import Desired
from gsd_install.apply.text import digest
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gsd_install.apply.ledger import Ledger
    from gsd_install.apply.model import File, Location, Operation, Options
    from gsd_install.apply.plan import Plan

State = Literal["equal", "differing", "missing"]


class Sighting(NamedTuple):
    """One file that is wanted and not recorded as ours: what is in its place."""

    state: State
    file: File


def survey(location: Location, ledger: Ledger, desired: Desired) -> tuple[Sighting, ...]:
    """What is in the place of every wanted file that is not ours yet; reads only.

    Of units that are recorded, only files that were there before us are looked at.
    """
    return tuple(
        Sighting(state, file)
        for file in desired.files
        if (state := _state(location, ledger, file)) is not None
    )


def units(
    location: Location, ledger: Ledger, seen: Iterable[Sighting], *, backup: bool = False
) -> frozenset[str]:
    """The unrecorded units of which a file is there.

    Shared texts do not count, and a file that several units would have counts for those only that have
    none for themselves. With `backup` a file that differs counts too, because it will be replaced.
    """
    there = {"equal", "differing"} if backup else {"equal"}
    own = [(state, file) for state, file in seen if not inside(file.path, location.payload)]
    alone = {file.owners[0] for _, file in own if len(file.owners) == 1}
    owners = {
        owner
        for state, file in own
        if state in there
        for owner in file.owners
        if len(file.owners) == 1 or owner not in alone
    }
    return frozenset(owners - ledger.units.keys())


def plan(location: Location, desired: Desired, options: Options) -> Plan:
    """What adopting changes: the ledger, and with `options.backup` the files that differ.

    Files that are missing stay so; an upgrade creates them. Reads the disk, writes nothing. Raises what
    `apply.plan.plan` raises.
    """
    ledger = ledgers.load(location)
    seen = survey(location, ledger, desired)
    taken = units(location, ledger, seen, backup=options.backup)
    made = planning.plan(location, _narrowed(location, ledger, desired, seen, taken, options), options)
    equal = [file for state, file in seen if state == "equal" and _is_taken(location, ledger, file, taken)]
    return _owning(made, equal)


def _state(location: Location, ledger: Ledger, file: File) -> State | None:
    held = ledger.files.get(key_of(location, file.path))
    if held is not None and not held.found:
        return None
    if held is None and ledger.units.keys() >= set(file.owners):
        return None
    found = disk.look(file.path)
    if found is None:
        return None if held else "missing"
    if disk.is_file(found) and found.st_size == len(file.data) and disk.read(file.path) == file.data:
        return "equal"
    return None if held else "differing"


def _is_taken(location: Location, ledger: Ledger, file: File, taken: frozenset[str]) -> bool:
    return key_of(location, file.path) in ledger.files or not taken.isdisjoint(file.owners)


def _narrowed(
    location: Location,
    ledger: Ledger,
    desired: Desired,
    seen: tuple[Sighting, ...],
    taken: frozenset[str],
    options: Options,
) -> Desired:
    """The part of what is wanted that another unit has, that is equal, or that is to be replaced."""
    there = {
        file.path for state, file in seen if state == "equal" or (options.backup and state == "differing")
    }
    there.update(file.path for file in desired.files if key_of(location, file.path) in ledger.files)
    files = [
        file._replace(owners=tuple(owner for owner in file.owners if owner in taken))
        for file in desired.files
        if file.path in there and not taken.isdisjoint(file.owners)
    ]
    return Desired({key: desired.units[key] for key in taken}, frozenset(), tuple(files), ())


def _owning(made: Plan, equal: list[File]) -> Plan:
    """The plan with these files, which are there as we would write them, as ours."""
    location, before = made.location, made.ledger_before
    files = dict(made.ledger_after.files)
    for file in equal:
        key = key_of(location, file.path)
        files[key] = files[key]._replace(found=False)
    dirs = {key_of(location, path) for path in _directories(made, equal)}
    after = made.ledger_after._replace(files=files, dirs=made.ledger_after.dirs | dirs)
    steps = tuple(_step(location, file) for file in equal)
    texts = {
        step.after_sha256: file.data
        for step, file in zip(steps, equal, strict=True)
        if b"\0" not in file.data
    }
    work = made.work._replace(steps=made.work.steps + steps, texts={**texts, **made.work.texts})
    return made._replace(
        operations=_operations(made, steps),
        ledger_after=after,
        changed=made.changed or not ledgers.same(before, after),
        work=work,
    )


def _step(location: Location, file: File) -> Step:
    """Compare the file once more when it is time, remember its stat, and set x as wanted."""
    sha256 = digest(file.data)
    found = disk.look(file.path)
    mode = None if found is None else found.st_mode & disk.PERMISSIONS
    right = with_x(mode, executable=file.executable) if disk.POSIX and mode is not None else mode
    key = key_of(location, file.path)
    return Step(
        file.path, file.data, file.data, mode, right, before_sha256=sha256, after_sha256=sha256, key=key
    )


def _operations(made: Plan, steps: tuple[Step, ...]) -> tuple[Operation, ...]:
    changed = {step.path: step for step in steps if step.exact != step.mode_before}
    return tuple(
        item._replace(action="chmod", mode_after=changed[item.path].exact, note="")
        if item.path in changed
        else item
        for item in made.operations
    )


def _directories(made: Plan, equal: list[File]) -> set[str]:
    """Directories below the root in which there is nothing but what is taken over."""
    ours = {file.path for file in equal} | {made.location.ledger}
    found: set[str] = set()
    above = {directory for file in equal for directory in _above(made.location, file)}
    for directory in sorted(above, key=len, reverse=True):  # children first
        if os.path.islink(directory):
            continue
        if ours.issuperset(os.path.join(directory, name) for name in disk.names(directory)):
            ours.add(directory)
            found.add(directory)
    return found


def _above(location: Location, file: File) -> list[str]:
    directories = []
    directory = os.path.dirname(file.path)
    while directory != location.root and inside(directory, file.root):
        directories.append(directory)
        directory = os.path.dirname(directory)
    return directories
