"""What happens to a file that is wanted: created, replaced, merged, or left as the user made it."""

from __future__ import annotations

import os
import stat

from gsd_install.apply import disk
from gsd_install.apply.confine import EscapeError
from gsd_install.apply.context import beside, with_x
from gsd_install.apply.journal import Step
from gsd_install.apply.ledger import BACKUP, Owned
from gsd_install.apply.removal import drop_new, move
from gsd_install.apply.text import digest, lf_digest, matches, merge
from gsd_install.apply.wanted import (
    Wanted,
    is_known,
    keep_text,
    not_a_file,
    remember,
    require_one_link,
    right_mode,
    unchanged,
    write,
)
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_install.apply.context import Context
    from gsd_install.apply.model import File


def want(ctx: Context, key: str, file: File) -> None:
    """Decide on a file that is wanted. Raises GsdError for what must stop the command."""
    held = ctx.ledger.files.get(key)
    owners = tuple(sorted({*file.owners, *ctx.others(held.owners)})) if held else file.owners
    try:
        place = ctx.confine.place(file.path, file.root)
    except EscapeError as escape:
        if held is None:
            raise
        ctx.leave("skip", file.path, owners, f"{escape.file}: {escape.message}")
        ctx.files[key] = held._replace(owners=owners)
        return
    target = Owned(file.sha256 or digest(file.data), file.executable, owners, lf=lf_digest(file.data))
    if held is not None and held.sha256 != target.sha256:
        _require_one_content(ctx, file, held)
    wanted = Wanted(file, key, place, target)
    found = disk.look(file.path) if place.exists else None
    ctx.files[key] = _new(ctx, wanted, found) if held is None else _held(ctx, wanted, held, found)


def _require_one_content(ctx: Context, file: File, held: Owned) -> None:
    """Refuse to replace a file that a unit of another content needs as it is."""
    ours = {_content(owner) for owner in file.owners}
    others = [owner for owner in ctx.others(held.owners) if _content(owner) not in ours]
    if others:
        raise GsdError(
            f"{', '.join(others)} and {', '.join(file.owners)} need different text here",
            reason="output_clash",
            file=file.path,
            hint="change the prefix or the name in one content root, or uninstall the other content",
        )


def _content(unit: str) -> str:
    """The content id in a unit key (`runtime:content`)."""
    return unit.rpartition(":")[2]


def _new(ctx: Context, wanted: Wanted, found: os.stat_result | None) -> Owned:
    if found is None:
        return _create(ctx, wanted)
    data = wanted.file.data
    if disk.is_file(found) and found.st_size == len(data) and disk.read(wanted.path) == data:
        unchanged(ctx, wanted, data, found, "it was there already, with the same bytes")
        return wanted.target._replace(found=True)
    return _foreign(ctx, wanted, found)


def _create(ctx: Context, wanted: Wanted) -> Owned:
    file, _, place, target = wanted
    ctx.confine.require_free(file.path, place)
    mode = ctx.create_mode(executable=file.executable)
    ctx.report("create", file.path, target.owners, None, file.data, None, mode & ~ctx.umask)
    write(ctx, wanted, mode=mode)
    return target


def _foreign(ctx: Context, wanted: Wanted, found: os.stat_result) -> Owned:
    """A file of the user's is where ours should go: it moves aside if the user says so."""
    path, target = wanted.path, wanted.path + BACKUP
    if not stat.S_ISLNK(found.st_mode) and not disk.is_file(found):
        raise not_a_file(path)
    if not ctx.options.backup:
        raise GsdError(
            "a file that is not ours is in this place",
            reason="foreign",
            file=path,
            hint=f"move it away, or use --backup: it waits as {os.path.basename(target)} until you uninstall",
        )
    if disk.look(target) is not None:
        raise GsdError("this is in the way of a backup", reason="foreign", file=target, hint="move it away")
    data = None if stat.S_ISLNK(found.st_mode) else disk.read(path)
    mode = found.st_mode & disk.PERMISSIONS
    note = f"moved to {os.path.basename(target)}"
    ctx.report("backup", path, wanted.target.owners, data, None, mode, None, note)
    ctx.moves.append(move(path, target, data, mode))
    file = wanted.file
    mode = ctx.create_mode(executable=file.executable)
    ctx.report("create", path, wanted.target.owners, None, file.data, None, mode & ~ctx.umask)
    write(ctx, wanted, mode=mode)
    return wanted.target._replace(backup=True)


def _held(ctx: Context, wanted: Wanted, held: Owned, found: os.stat_result | None) -> Owned:
    target = wanted.target
    if held.found or held.backup:
        target = target._replace(found=held.found, backup=held.backup)
        wanted = wanted._replace(target=target)
    if found is None:
        return _create(ctx, wanted) if held.kept else _absent(ctx, wanted, held)
    held = held._replace(kept=False)
    if held.deleted:
        held = held._replace(deleted=False)
    if stat.S_ISLNK(found.st_mode):
        return _linked(ctx, wanted, held)
    if not disk.is_file(found):
        raise not_a_file(wanted.path)
    if held.sha256 == target.sha256 and not held.new and is_known(ctx, wanted.key, held, found):
        return _right_bytes(ctx, wanted, wanted.file.data, found)
    data = disk.read(wanted.path)
    actual = digest(data)
    if matches(target, data, actual):
        remember(ctx, wanted, found, actual)
        drop_new(ctx, wanted.path, held)
        return _right_bytes(ctx, wanted, data, found)
    if held.found:
        if held.sha256 != target.sha256:
            return _foreign(ctx, wanted._replace(target=target._replace(found=False)), found)
        unchanged(ctx, wanted, data, found, "it is yours, and you edited it")
        return target
    if matches(held, data, actual) or actual == held.new:
        return _replace(ctx, wanted, held, data, actual, found)
    return _edited(ctx, wanted, held, data, found)


def _right_bytes(ctx: Context, wanted: Wanted, data: bytes, found: os.stat_result) -> Owned:
    """The bytes are right; is the mode?"""
    target = wanted.target
    mode = found.st_mode & disk.PERMISSIONS
    right = mode if target.found or not disk.POSIX else right_mode(ctx, wanted.key, target, mode)
    if mode == right:
        unchanged(ctx, wanted, data, found)
        return target
    ctx.report(
        "chmod", wanted.path, target.owners, data, data, mode, right, f"{mode:04o} becomes {right:04o}"
    )
    sha256 = digest(data)
    step = Step(
        wanted.path, data, data, mode, right, before_sha256=sha256, after_sha256=sha256, key=wanted.key
    )
    ctx.writes.append(step)
    return target


def _replace(
    ctx: Context, wanted: Wanted, held: Owned, data: bytes, actual: str, found: os.stat_result
) -> Owned:
    file = wanted.file
    require_one_link(wanted.path, found)
    mode = found.st_mode & disk.PERMISSIONS
    right = with_x(right_mode(ctx, wanted.key, held, mode), executable=file.executable)
    ctx.report("replace", file.path, wanted.target.owners, data, file.data, mode, right)
    write(ctx, wanted, data, mode, right, before=actual)
    drop_new(ctx, wanted.path, held)
    return wanted.target


def _absent(ctx: Context, wanted: Wanted, held: Owned) -> Owned:
    if ctx.options.restore or ctx.is_gone(wanted.path, held.owners):
        return _create(ctx, wanted._replace(target=wanted.target._replace(found=False)))
    ctx.leave("skip", wanted.path, wanted.target.owners, "you deleted it; --restore brings it back")
    return held._replace(owners=wanted.target.owners, deleted=True)


def _linked(ctx: Context, wanted: Wanted, held: Owned) -> Owned:
    note = "a link of yours is in its place"
    if held.sha256 == wanted.target.sha256:
        ctx.report("unchanged", wanted.path, wanted.target.owners, note=note)
        return held._replace(owners=wanted.target.owners)
    return _put_beside(ctx, wanted, held, f"{note}, and stays")


def _edited(ctx: Context, wanted: Wanted, held: Owned, data: bytes, found: os.stat_result) -> Owned:
    """Ours, edited by the user: both changes are wanted."""
    path, target = wanted.path, wanted.target
    if held.new and disk.look(beside(path)) is None:
        # The user dealt with the last conflict: what we had put beside is what they started from.
        held = held._replace(sha256=held.new, new="", lf="")
    if held.sha256 == target.sha256:
        unchanged(ctx, wanted, data, found, "you edited it, and nothing new came for it")
        return held._replace(owners=target.owners, executable=target.executable)
    base = ctx.cache.text(held.sha256)
    merged = merge(base, data, wanted.file.data) if base is not None else None
    if merged is None:
        why = (
            "both versions changed the same lines"
            if base is not None
            else "the version you edited is not at hand"
        )
        return _put_beside(ctx, wanted, held, f"you edited it, and {why}")
    drop_new(ctx, path, held)
    keep_text(ctx, target.sha256, wanted.file.data)
    if merged == data:
        unchanged(ctx, wanted, data, found, "you edited it, and it has all that is new")
        return target
    require_one_link(path, found)
    mode = found.st_mode & disk.PERMISSIONS
    ctx.report("merge", path, target.owners, data, merged, mode, mode, "your changes are kept")
    ctx.writes.append(Step(path, data, merged, mode, mode, users=True))
    return target


def _put_beside(ctx: Context, wanted: Wanted, held: Owned, note: str) -> Owned:
    """The user's file stays; ours goes beside it, for them to compare."""
    path, new, sha256 = beside(wanted.path), wanted.file.data, wanted.target.sha256
    after = held._replace(owners=wanted.target.owners, executable=wanted.target.executable, new=sha256)
    ctx.confine.place(path, wanted.file.root)
    found = disk.look(path)
    before = disk.read(path) if found is not None and disk.is_file(found) else None
    if found is not None and (before is None or digest(before) not in {held.new, sha256}):
        raise GsdError("this is not ours, and our new version should go here", reason="foreign", file=path,
                       hint="move it away")  # fmt: skip
    keep_text(ctx, sha256, new)
    ctx.notes.append(f"{wanted.path}: {note}; compare it with {os.path.basename(path)}, then delete that one")
    if before == new:
        ctx.report("unchanged", wanted.path, after.owners, note=note)
        return after
    mode = ctx.create_mode(executable=False)
    mode_before = None if found is None else found.st_mode & disk.PERMISSIONS
    ctx.report("conflict", path, after.owners, before, new, mode_before, mode & ~ctx.umask, note)
    ctx.writes.append(Step(path, before, new, mode_before, mode=mode, after_sha256=sha256))
    return after
