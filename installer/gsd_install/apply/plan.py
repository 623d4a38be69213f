"""Decide everything before anything is written: from what is on disk and what is wanted to a plan."""

from __future__ import annotations

import os

from gsd_install.apply import cache as caches
from gsd_install.apply import directories, files, removal
from gsd_install.apply import ledger as ledgers
from gsd_install.apply.confine import inside
from gsd_install.apply.context import Context
from gsd_install.apply.model import Options
from gsd_install.kernel.errors import GsdError, ManyErrors
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gsd_install.apply.cache import Cache, Stat
    from gsd_install.apply.directories import Directories
    from gsd_install.apply.journal import Step
    from gsd_install.apply.ledger import Ledger
    from gsd_install.apply.memo import Memo
    from gsd_install.apply.model import Desired, File, Location, Operation

_DEFAULTS = Options()

# Operations that leave the disk as it is.
STILL = frozenset({"unchanged", "skip", "keep"})


class Work(NamedTuple):
    """What the transaction does, in order: `made`, `steps`, the ledger, then `compiled` and `dropped`.

    `stats`, `texts` and `keep` go into the cache: files found as recorded, new base texts, and the
    digests of older ones that are still needed; `memo` too, if the caller knows what to remember.
    """

    made: tuple[str, ...]
    steps: tuple[Step, ...]
    dropped: tuple[str, ...]
    compiled: tuple[str, ...]
    stats: Mapping[str, Stat]
    texts: Mapping[str, bytes]
    keep: frozenset[str]
    memo: Memo | None = None


class Plan(NamedTuple):
    """What a command would change at a location.

    `operations` has one entry for each path that was looked at; `changed` says whether anything would
    be written. `left` are sentences about paths that are left alone, `notes` about the rest.
    """

    location: Location
    operations: tuple[Operation, ...]
    ledger_before: Ledger
    ledger_after: Ledger
    changed: bool
    notes: tuple[str, ...]
    left: tuple[str, ...]
    work: Work
    cache: Cache


def plan(location: Location, desired: Desired, options: Options = _DEFAULTS) -> Plan:
    """Compare what is wanted with what is there. Reads the disk, writes nothing.

    Raises GsdError, or ManyErrors with all there are, for whatever must stop the command before its
    first write.
    """
    _require_sound(desired)
    ledger = ledgers.load(location)
    affected = desired.removed.union(desired.units)
    ctx = Context(location, ledger, caches.load(location.state), options, affected)
    _confine_ledger(ctx)
    _decide(ctx, desired)
    if ctx.errors:
        _raise(ctx.errors)
    return _planned(ctx, desired)


def _decide(ctx: Context, desired: Desired) -> None:
    wanted = set()
    for file in _distinct(ctx, desired.files):
        try:
            key = ctx.key(file.path)
            wanted.add(key)
            files.want(ctx, key, file)
        except GsdError as error:
            ctx.errors.append(error)
    if desired.edits or ctx.ledger.entries:
        from gsd_install.apply.entries import plan_entries  # most installs edit no file of the user's

        plan_entries(ctx, desired.edits)
    for key, held in ctx.ledger.files.items():
        if key in wanted:
            continue
        others = ctx.others(held.owners)
        if others:
            ctx.files[key] = held if others == held.owners else held._replace(owners=others)
            continue
        try:
            owners = tuple(owner for owner in held.owners if owner in desired.units)
            if removal.drop(ctx, key, held, again=held.kept and bool(owners)) and owners:
                ctx.files[key] = held._replace(owners=owners, new="", deleted=False, kept=True)
        except GsdError as error:
            ctx.errors.append(error)


def _planned(ctx: Context, desired: Desired) -> Plan:
    before = ctx.ledger
    units = {key: record for key, record in before.units.items() if key not in desired.removed}
    units.update(desired.units)
    dirs = directories.plan_directories(ctx, remains=bool(units or ctx.files or ctx.entries))
    after = ledgers.Ledger(
        units=units,
        files=ctx.files,
        entries=tuple(ctx.entries),
        dirs=dirs.owned,
        roots=_roots(ctx, desired),
        home=ctx.location.root if ctx.location.scope == "global" else "",
    )
    changed = any(operation.action not in STILL for operation in ctx.operations)
    return Plan(
        location=ctx.location,
        operations=tuple(ctx.operations),
        ledger_before=before,
        ledger_after=after,
        changed=changed or not ledgers.same(before, after),
        notes=tuple(ctx.notes),
        left=tuple(ctx.left),
        work=_work(ctx, dirs, after),
        cache=ctx.cache,
    )


def _work(ctx: Context, dirs: Directories, after: Ledger) -> Work:
    stats = {key: known for key, known in ctx.cache.stats.items() if key in after.files}
    return Work(
        made=dirs.made,
        steps=(*ctx.moves, *ctx.removals, *ctx.writes, *ctx.restores),
        dropped=dirs.dropped,
        compiled=tuple(ctx.compiled),
        stats={**stats, **ctx.stats},
        texts=ctx.texts,
        keep=frozenset(
            sha256 for item in after.files.values() for sha256 in (item.sha256, item.new) if sha256
        ),
    )


def _roots(ctx: Context, desired: Desired) -> tuple[str, ...]:
    """The declared roots outside the location's own, as far as something of ours is still in them."""
    outside = [
        ctx.path(key) for key in (*ctx.files, *(entry.path for entry in ctx.entries)) if _is_absolute(key)
    ]
    roots = (
        {file.root for file in desired.files} | {edit.root for edit in desired.edits} | set(ctx.ledger.roots)
    )
    return tuple(sorted(root for root in roots if any(inside(path, root) for path in outside)))


def _is_absolute(key: str) -> bool:
    return key.startswith("/") or key[1:2] == ":"


def _distinct(ctx: Context, wanted: Iterable[File]) -> list[File]:
    """Each path once; owners of equal files are joined, different files for one path are an error."""
    found: dict[str, File] = {}
    for file in wanted:
        other = found.get(file.path)
        if other is None:
            found[file.path] = file
        elif (other.data, other.executable) == (file.data, file.executable):
            owners = tuple(sorted({*other.owners, *file.owners}))
            found[file.path] = other._replace(owners=owners)
        else:
            names = f"{', '.join(other.owners)} and {', '.join(file.owners)}"
            ctx.errors.append(
                GsdError(f"{names} want different files here", reason="clash", file=file.path,
                         hint="install one of them without the other")
            )  # fmt: skip
    return list(found.values())


def _confine_ledger(ctx: Context) -> None:
    location = ctx.location
    if location.scope == "project":
        if not os.path.isdir(location.root):
            raise GsdError("this project does not exist", reason="no_project", file=location.root)
        ctx.confine.place(location.ledger, location.root)


def _require_sound(desired: Desired) -> None:
    both = desired.removed.intersection(desired.units)
    if both:
        raise ValueError(f"wanted and removed at once: {', '.join(sorted(both))}")
    owners = {file.owners: file.path for file in desired.files}
    owners |= {edit.owners: edit.path for edit in desired.edits}
    for names, path in owners.items():
        if not names or not desired.units.keys() >= set(names):
            raise ValueError(f"{path} has owners that are no units: {names}")


def _raise(errors: list[GsdError]) -> None:
    distinct = {str(error): error for error in errors}
    if len(distinct) == 1:
        raise errors[0]
    raise ManyErrors(tuple(distinct.values()))
