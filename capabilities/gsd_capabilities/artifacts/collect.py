"""Remove old artifacts, when somebody asks for it and never otherwise.

Their records stay: whoever asks for one that is gone is told that it is missing.
"""

from __future__ import annotations

from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gsd_capabilities.artifacts.workspace import Stored, Workspace

# A writer that takes longer than this for one file is no longer alive.
ABANDONED_SECONDS = 3600.0


class Collected(NamedTuple):
    """What was removed, or would be: artifacts, remains of killed writers; and the bytes that stay."""

    removed: tuple[Stored, ...]
    remains: int
    kept_bytes: int


def collect(
    workspace: Workspace, *, older_than: float | None, max_bytes: int | None, now: float, dry_run: bool
) -> Collected:
    """Remove what is older than so many seconds, then the oldest until at most `max_bytes` are left.

    `now` is in seconds since 1970. Raises UsageError `no_limit` when neither limit is given, OSError.
    """
    if older_than is None and max_bytes is None:
        hint = "say --older-than 7d, --max-bytes 100000000 or both; --dry-run shows what would go"
        raise UsageError("nothing says what to remove", reason="no_limit", hint=hint)
    chosen, kept = _chosen(workspace, older_than, max_bytes, now)
    for item in () if dry_run else chosen:
        workspace.remove(item.digest)
    return Collected(tuple(chosen), workspace.sweep(now - ABANDONED_SECONDS, dry_run=dry_run), kept)


def _chosen(
    workspace: Workspace, older_than: float | None, max_bytes: int | None, now: float
) -> tuple[list[Stored], int]:
    oldest_first = sorted(workspace.stored(), key=lambda item: (item.modified, item.digest))
    left = sum(item.size for item in oldest_first)
    chosen = []
    for item in oldest_first:
        too_old = older_than is not None and now - item.modified > older_than
        too_much = max_bytes is not None and left > max_bytes
        if too_old or too_much:
            chosen.append(item)
            left -= item.size
    return chosen, left
