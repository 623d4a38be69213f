"""What happens to a file of ours that nobody wants any more, and to what lies beside it."""

from __future__ import annotations

import os
import stat

from gsd_install.apply import disk
from gsd_install.apply.context import beside
from gsd_install.apply.journal import Step
from gsd_install.apply.ledger import BACKUP, Owned
from gsd_install.apply.text import digest, matches
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_install.apply.context import Context


def drop_new(ctx: Context, path: str, held: Owned) -> None:
    """Remove what an earlier conflict put beside a file, if it is as we put it."""
    if not held.new:
        return
    path = beside(path)
    found = disk.look(path)
    if found is None:
        return
    data = disk.read(path) if disk.is_file(found) else None
    if data is None or digest(data) != held.new:
        ctx.leave("keep", path, held.owners, "you edited it; it stays")
        return
    _remove(ctx, path, data, found, held)


def _remove(ctx: Context, path: str, data: bytes, found: os.stat_result, held: Owned) -> None:
    mode = found.st_mode & disk.PERMISSIONS
    ctx.report("remove", path, held.owners, data, None, mode)
    ctx.removals.append(Step(path, data, None, mode))


def drop(ctx: Context, key: str, held: Owned, *, again: bool = False) -> bool:
    """Decide on a file of ours that nobody wants any more; say whether it stays because it was edited.

    `again`: that was told before and is still so.
    """
    path = ctx.path(key)
    try:
        place = ctx.confine.directory(os.path.dirname(path), ctx.root_of(path), path)
    except GsdError as error:
        ctx.leave("keep", path, held.owners, f"{error.file}: {error.message}")
        return False
    found = disk.look(path) if place.exists else None
    if held.found:
        ctx.leave("keep", path, held.owners, "it was there before us")
        return False
    free = found is None or _drop_found(ctx, path, held, found, again=again)
    if place.exists:
        if path.endswith(".py") and free:
            ctx.compiled.append(path)
        drop_new(ctx, path, held)
        if held.backup:
            _restore(ctx, path, held, free=free)
    return not free


def _drop_found(ctx: Context, path: str, held: Owned, found: os.stat_result, *, again: bool) -> bool:
    """Remove what is there if it is as we wrote it; say whether it goes."""
    if not disk.is_file(found):
        ctx.leave("keep", path, held.owners, "it is not the file we wrote")
        return False
    data = disk.read(path)
    actual = digest(data)
    if not matches(held, data, actual) and actual != held.new:
        if again:
            ctx.kept.add(path)
        else:
            ctx.leave("keep", path, held.owners, "you edited it; it stays")
        return False
    _remove(ctx, path, data, found, held)
    return True


def _restore(ctx: Context, path: str, held: Owned, *, free: bool) -> None:
    source = path + BACKUP
    found = disk.look(source)
    if found is None:
        return
    if not free:
        ctx.leave("keep", source, held.owners, f"{os.path.basename(path)} is in its place")
        return
    is_link = stat.S_ISLNK(found.st_mode)
    if not is_link and not disk.is_file(found):
        ctx.leave("keep", source, held.owners, "it is not the file we moved aside")
        return
    data = None if is_link else disk.read(source)
    mode = found.st_mode & disk.PERMISSIONS
    note = f"it comes back from {os.path.basename(source)}"
    ctx.report("restore", path, held.owners, None, data, None, mode, note)
    ctx.restores.append(move(source, path, data, mode))


def move(source: str, target: str, data: bytes | None, mode: int) -> Step:
    """The step that renames a file of the user's, or a link (whose `data` is None)."""
    identity = f"link:{os.readlink(source)}" if data is None else digest(data)
    return Step(source, b"", b"", mode, target=target, before_sha256=identity)
