"""Directories: which of them a plan creates, and which of ours nothing is left in."""

from __future__ import annotations

import os

from gsd_install.apply import disk
from gsd_install.apply.confine import inside
from gsd_install.apply.context import beside
from gsd_install.apply.ledger import BACKUP
from gsd_install.apply.recovery import compiled_from
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gsd_install.apply.context import Context


class Directories(NamedTuple):
    """`made` are created, parents first; `dropped` are removed if empty, children first; `owned` are the
    keys of those that are ours afterwards."""

    made: tuple[str, ...]
    dropped: tuple[str, ...]
    owned: frozenset[str]


def plan_directories(ctx: Context, *, remains: bool) -> Directories:
    """Decide on directories, when everything else is decided; `remains`: there is a ledger afterwards."""
    written = [step.path for step in ctx.writes] + [step.target for step in ctx.restores]
    if remains:
        written.append(ctx.location.ledger)
    made = _missing(ctx, written)
    owned = set(ctx.ledger.dirs)
    dropped: tuple[str, ...] = ()
    if ctx.removals or ctx.kept or not remains:
        dropped = _empty(ctx, remains=remains)
        owned -= {ctx.key(path) for path in dropped}
    owned |= {ctx.key(path) for path in made}
    return Directories(made, dropped, frozenset(owned) if remains else frozenset())


def _missing(ctx: Context, paths: Iterable[str]) -> tuple[str, ...]:
    """The directories above `paths` that do not exist; those for machine facts are made elsewhere."""
    root, state = ctx.location.root, ctx.location.state
    known: set[str] = set()
    missing: list[str] = []
    for path in paths:
        directory = os.path.dirname(path)
        while directory not in known:
            known.add(directory)
            exists = ctx.confine.exists(directory, root)
            if inside(directory, state) or (os.path.isdir(directory) if exists is None else exists):
                break
            missing.append(directory)
            directory = os.path.dirname(directory)
    return tuple(sorted(missing, key=len))


def _empty(ctx: Context, *, remains: bool) -> tuple[str, ...]:
    """Our directories in which nothing is left once the plan is carried out, children first."""
    needed = _needed(ctx) if remains else set()
    leaving = {step.path for step in (*ctx.removals, *ctx.restores)} - {step.target for step in ctx.restores}
    if not remains:
        leaving.add(ctx.location.ledger)
    leaving.update(path for source in ctx.compiled for path in compiled_from(source))
    arriving = {step.target for step in ctx.restores}
    dropped: list[str] = []
    kept: set[str] = set()
    for directory in sorted((ctx.path(key) for key in ctx.ledger.dirs), key=len, reverse=True):
        if directory in needed or os.path.islink(directory) or not os.path.isdir(directory):
            continue
        there = {os.path.join(directory, name) for name in disk.names(directory)} | {
            path for path in arriving if os.path.dirname(path) == directory
        }
        staying = {path for path in there - leaving if not _is_empty_cache(path, leaving)}
        if not staying:
            dropped.append(directory)
            leaving.add(directory)
            continue
        kept.add(directory)
        if staying - kept - ctx.kept - arriving:
            names = ", ".join(sorted(os.path.basename(path) for path in staying - kept - ctx.kept - arriving))
            ctx.left.append(f"{directory}: it holds what is not ours: {names}")
    return tuple(dropped)


def _is_empty_cache(path: str, leaving: set[str]) -> bool:
    """Is this a `__pycache__` with nothing in it but what goes?"""
    if os.path.basename(path) != "__pycache__" or os.path.islink(path):
        return False
    return all(os.path.join(path, name) in leaving for name in disk.names(path))


def _needed(ctx: Context) -> set[str]:
    """Every directory above a path that stays ours."""
    paths = [ctx.path(key) for key in (*ctx.files, *(entry.path for entry in ctx.entries))]
    paths += [beside(ctx.path(key)) for key, owned in ctx.files.items() if owned.new]
    paths += [ctx.path(key) + BACKUP for key, owned in ctx.files.items() if owned.backup]
    needed: set[str] = set()
    for path in (*paths, ctx.location.ledger):
        directory = os.path.dirname(path)
        while directory not in needed and directory != os.path.dirname(directory):
            needed.add(directory)
            directory = os.path.dirname(directory)
    return needed
