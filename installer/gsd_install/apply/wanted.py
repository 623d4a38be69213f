"""A file that is wanted, and what every decision on one may need to say, to keep or to refuse."""

from __future__ import annotations

from gsd_install.apply import disk
from gsd_install.apply.cache import stat_of
from gsd_install.apply.context import with_x
from gsd_install.apply.journal import Step
from gsd_install.apply.ledger import Owned
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from os import stat_result

    from gsd_install.apply.confine import Directory
    from gsd_install.apply.context import Context
    from gsd_install.apply.model import File


class Wanted(NamedTuple):
    """A file that is wanted, and the ledger entry it gets when it is put in place."""

    file: File
    key: str
    place: Directory
    target: Owned

    @property
    def path(self) -> str:
        """Where it goes."""
        return self.file.path


def is_known(ctx: Context, key: str, held: Owned, found: stat_result) -> bool:
    """Does the stat say that the bytes are still what they were, without reading them?"""
    known = ctx.cache.stats.get(key)
    return (
        known is not None
        and known.mtime_ns == found.st_mtime_ns
        and known.size == found.st_size
        and known.sha256 == held.sha256
    )


def remember(ctx: Context, wanted: Wanted, found: stat_result, actual: str) -> None:
    """Note that the file is in place as it is wanted: its bytes have the digest `actual`."""
    ctx.stats[wanted.key] = stat_of(found, actual)
    keep_text(ctx, wanted.target.sha256, wanted.file.data)


def right_mode(ctx: Context, key: str, held: Owned, mode: int) -> int:
    """The mode this machine recorded; where it has no record, the one that is there; x as wanted."""
    known = ctx.cache.stats.get(key)
    return with_x(known.mode if known else mode, executable=held.executable)


def write(
    ctx: Context,
    wanted: Wanted,
    data: bytes | None = None,
    mode_before: int | None = None,
    exact: int | None = None,
    *,
    mode: int = 0o666,
    before: str = "",
) -> None:
    """Have the file written where `data` is, whose digest is `before`; modes are those of a step."""
    file, key, _, target = wanted
    ctx.writes.append(
        Step(file.path, data, file.data, mode_before, exact, mode, key=key, before_sha256=before,
             after_sha256=target.sha256)
    )  # fmt: skip
    keep_text(ctx, target.sha256, file.data)


def keep_text(ctx: Context, sha256: str, data: bytes) -> None:
    """Remember a text for later merges; what is not text never merges."""
    if sha256 not in ctx.cache.places and b"\0" not in data:
        ctx.texts[sha256] = data


def unchanged(ctx: Context, wanted: Wanted, data: bytes, found: stat_result, note: str = "") -> None:
    """Report that the file stays as it is."""
    mode = found.st_mode & disk.PERMISSIONS
    ctx.report("unchanged", wanted.path, wanted.target.owners, data, data, mode, mode, note)


def require_one_link(path: str, found: stat_result) -> None:
    """Raise GsdError for a file with other names: replacing it would leave them behind."""
    if found.st_nlink > 1:
        raise GsdError(
            "this file has other names (hard links), which a new version would leave behind",
            reason="hard_link",
            file=path,
            hint="replace it by a copy of itself",
        )


def not_a_file(path: str) -> GsdError:
    """The error for a directory or a device where a file of ours should go."""
    return GsdError("this is not a file", reason="not_a_file", file=path, hint="move it away")
