"""What happens to our entries in files the user owns. The edits themselves are configedit's."""

from __future__ import annotations

import os
import stat

from gsd_install.apply import disk
from gsd_install.apply.confine import EscapeError, inside
from gsd_install.apply.journal import Step
from gsd_install.apply.ledger import Entry
from gsd_install.apply.wrapped import value_digest, wrapped
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from gsd_install.apply.confine import Confine
    from gsd_install.apply.context import Context
    from gsd_install.apply.model import Edit


class UserFile:
    """One file of the user's and what this plan does to it.

    `path` is where it was declared, `real` where its bytes are. `data` is what it holds after the edits
    so far. `old` are the entries the ledger has there, `new` those that are wanted.
    """

    __slots__ = ("before", "data", "did", "mode", "new", "old", "path", "real")

    def __init__(self, path: str, real: str) -> None:
        self.path = path
        self.real = real
        found = disk.look(real)
        self.before = None if found is None else disk.read(real)
        self.mode = None if found is None else found.st_mode & disk.PERMISSIONS
        self.data = self.before
        self.old: list[Entry] = []
        self.new: list[Edit] = []
        self.did: list[str] = []


class Matched(NamedTuple):
    """The entries of one file: those that stay wanted, those that are new, those that go."""

    pairs: list[tuple[Entry, Edit]]
    added: list[Edit]
    gone: list[Entry]


def plan_entries(ctx: Context, edits: Iterable[Edit]) -> None:
    """Decide on every entry of the ledger and of the wish; errors are collected in the context."""
    files: dict[str, UserFile] = {}
    for edit in edits:
        try:
            file = _file(ctx, files, edit.path, edit.root)
            _add(file.new, edit)
        except GsdError as error:
            ctx.errors.append(error)
    for entry in ctx.ledger.entries:
        _collect(ctx, files, entry)
    for file in files.values():
        if file.new or any(not ctx.affected.isdisjoint(entry.owners) for entry in file.old):
            try:
                _edit(ctx, file)
            except GsdError as error:
                ctx.errors.append(error)
        else:
            ctx.entries += file.old
    ctx.entries.sort(key=lambda entry: entry.path)


def real_path(confine: Confine, path: str, root: str) -> str:
    """Where the bytes of a user's file are: a link of theirs is followed as long as it stays inside.

    Raises GsdError (EscapeError for a link that leaves the root) where we may not write.
    """
    place = confine.directory(os.path.dirname(path), root, path)
    found = disk.look(path) if place.exists else None
    if found is None:
        confine.require_free(path, confine.place(path, root))
        return path
    real = path
    if stat.S_ISLNK(found.st_mode):
        real = os.path.realpath(path)
        if not inside(real, confine.directory(root, root, path).real):
            raise EscapeError(
                f"this link leads out of {root}, to {real}",
                reason="symlink",
                file=path,
                hint="replace the link by the file it leads to, or point it to a place inside",
            )
        found = disk.look(real)
        if found is None and not os.path.isdir(os.path.dirname(real)):
            raise GsdError(f"this link leads to nothing, {real}", reason="symlink", file=path)
    if found is not None and not disk.is_file(found):
        raise GsdError("this is not a file", reason="not_a_file", file=path, hint="move it away")
    if found is not None and found.st_nlink > 1:
        raise GsdError(
            "this file has other names (hard links), which an edit would leave behind",
            reason="hard_link",
            file=path,
            hint="replace it by a copy of itself, or by a symbolic link",
        )
    return real


def _file(ctx: Context, files: dict[str, UserFile], path: str, root: str) -> UserFile:
    if ctx.key(path) in ctx.files:
        raise GsdError("this is a file of ours and one of the user's at once", reason="clash", file=path)
    real = real_path(ctx.confine, path, root)
    if real not in files:
        files[real] = UserFile(path, real)
    return files[real]


def _add(wanted: list[Edit], edit: Edit) -> None:
    """Two units may want the same entry; they may not want two values for one key."""
    for index, other in enumerate(wanted):
        if (other.format, other.pointer) != (edit.format, edit.pointer):
            continue
        if other.value == edit.value:
            owners = tuple(sorted({*other.owners, *edit.owners}))
            wanted[index] = other._replace(owners=owners)
            return
        if edit.pointer[-1] != "-":
            raise GsdError(
                f"{', '.join(other.owners)} and {', '.join(edit.owners)} want different values for "
                f"{'.'.join(edit.pointer)}",
                reason="clash",
                file=edit.path,
                hint="install one of them without that surface",
            )
    wanted.append(edit)


def _collect(ctx: Context, files: dict[str, UserFile], entry: Entry) -> None:
    path = ctx.path(entry.path)
    try:
        _file(ctx, files, path, ctx.root_of(path)).old.append(entry)
    except GsdError as error:
        kept = ctx.others(entry.owners)
        if kept:
            ctx.entries.append(entry._replace(owners=kept))
        else:
            ctx.leave("keep", path, entry.owners, f"our entry stays in it: {error.message}")


def _edit(ctx: Context, file: UserFile) -> None:
    matched = _match(file.old, file.new)
    after: list[Entry] = []
    for entry in matched.gone:
        kept = ctx.others(entry.owners)
        if kept:
            after.append(entry._replace(owners=kept))
        else:
            _take(ctx, file, entry)
    after += [_renew(ctx, file, entry, wish) for entry, wish in matched.pairs]
    after += [_put(ctx, file, wish) for wish in matched.added]
    order = {(entry.format, entry.pointer, entry.value): index for index, entry in enumerate(file.old)}
    ctx.entries += sorted(after, key=lambda item: order.get(item[1:4], len(order)))
    _report(ctx, file, after)


def _match(old: list[Entry], new: list[Edit]) -> Matched:
    """Pair what is there with what is wanted: first by value, then by the place in the file."""
    left = list(old)
    pairs: list[tuple[Entry, Edit]] = []
    added: list[Edit] = []
    waiting: list[Edit] = []
    for wish in new:
        same = [
            entry for entry in left if _same_place(entry, wish) and entry.value == value_digest(wish.value)
        ]
        if same:
            left.remove(same[0])
            pairs.append((same[0], wish))
        else:
            waiting.append(wish)
    for wish in waiting:
        same = [entry for entry in left if _same_place(entry, wish) and _is_successor(entry, wish)]
        if same:
            left.remove(same[0])
            pairs.append((same[0], wish))
        else:
            added.append(wish)
    return Matched(pairs, added, left)


def _same_place(entry: Entry, wish: Edit) -> bool:
    return (entry.format, entry.pointer) == (wish.format, wish.pointer)


def _is_successor(entry: Entry, wish: Edit) -> bool:
    return wish.pointer[-1] != "-" or set(entry.owners) <= set(wish.owners)


def _take(ctx: Context, file: UserFile, entry: Entry) -> None:
    from gsd_install.configedit import edit as configedit

    receipt = dict(entry.receipt)
    state = configedit.state(file.data, entry.format, receipt, file=file.path)
    if state == "changed":
        ctx.left.append(f"{file.path}: you changed our entry {'.'.join(entry.pointer)}; it stays")
        ctx.kept.add(file.path)
    elif "mark" in receipt and (state == "missing" or not receipt["ours"]):
        _tell_rest(ctx, file, entry)
    elif state in ("present", "extended") and file.data is not None:
        file.data = configedit.take(file.data, entry.format, receipt, file=file.path)
        file.did.append("removed")


def _tell_rest(ctx: Context, file: UserFile, entry: Entry) -> None:
    """Name what is left of an entry that the user wrote anew."""
    mark = tuple(entry.receipt["mark"])
    if wrapped(file.data, entry.format, entry.pointer, mark, frozenset(), file=file.path) is not None:
        ctx.left.append(f"{file.path}: an entry of yours starts our {mark[0]}, which goes; it stays")
        ctx.kept.add(file.path)


def _renew(ctx: Context, file: UserFile, entry: Entry, wish: Edit) -> Entry:
    from gsd_install.configedit import edit as configedit

    owners = tuple(sorted({*wish.owners, *ctx.others(entry.owners)}))
    entry = entry._replace(owners=owners)
    receipt = dict(entry.receipt)
    state = configedit.state(file.data, entry.format, receipt, file=file.path)
    if state == "missing":
        if _wrapped(file, wish) is not None:
            return _put(ctx, file, wish._replace(owners=owners))
        if ctx.options.restore or ctx.is_gone(file.path, owners):
            return _put(ctx, file, wish._replace(owners=owners))
        ctx.left.append(
            f"{file.path}: you removed our entry {'.'.join(entry.pointer)}; --restore brings it back"
        )
        return entry._replace(deleted=True)
    if state == "changed":
        ctx.left.append(f"{file.path}: you changed our entry {'.'.join(entry.pointer)}; it stays")
        return entry._replace(deleted=False)
    value = value_digest(wish.value)
    if file.data is None or value == entry.value:
        return entry._replace(deleted=False)
    file.data, receipt = configedit.update(file.data, entry.format, receipt, wish.value, file=file.path)
    file.did.append("changed")
    return entry._replace(value=value, receipt=_marked(receipt, wish), deleted=False)


def _put(ctx: Context, file: UserFile, wish: Edit) -> Entry:
    from gsd_install.configedit import edit as configedit

    theirs = _wrapped(file, wish)
    value = wish.value if theirs is None else theirs
    if theirs is not None:
        ctx.left.append(f"{file.path}: an entry of yours starts our {wish.mark[0]}; ours is left out")
    others = [dict(entry.receipt) for entry in file.old]
    data, receipt = configedit.put(file.data, wish.format, wish.pointer, value, file=file.path, others=others)
    if data != file.data:
        file.did.append("added")
    file.data = data
    key = ctx.key(file.path)
    return Entry(
        key, wish.format, wish.pointer, value_digest(wish.value), wish.owners, _marked(receipt, wish)
    )


def _marked(receipt: dict[str, Any], wish: Edit) -> dict[str, Any]:
    return {**receipt, "mark": list(wish.mark)} if wish.mark else receipt


def _wrapped(file: UserFile, wish: Edit) -> Any:
    """The user's own entry that does what `wish` would, if there is one."""
    ours = frozenset((*(entry.value for entry in file.old), *(value_digest(each.value) for each in file.new)))
    return wrapped(file.data, wish.format, wish.pointer, wish.mark, ours, file=file.path)


def _report(ctx: Context, file: UserFile, after: list[Entry]) -> None:
    owners = tuple(sorted({owner for item in (*file.old, *after) for owner in item.owners}))
    before, data, mode = file.before, file.data, file.mode
    if data == before:
        if file.new:
            ctx.report("unchanged", file.path, owners, before, data, mode, mode)
        return
    created = ctx.create_mode(executable=False) & ~ctx.umask
    mode_after = None if data is None else created if mode is None else mode
    note = ", ".join(
        f"{file.did.count(word)} {word}" for word in ("added", "changed", "removed") if word in file.did
    )
    ctx.report("edit", file.path, owners, before, data, mode, mode_after, f"entries: {note}")
    step = Step(file.real, before, data, mode, mode if data is not None else None, users=True)
    (ctx.removals if data is None else ctx.writes).append(step)
