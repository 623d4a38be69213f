"""Remove old artifacts, when somebody asks for it and never otherwise.

Their records stay: whoever asks for one that is gone is told that it is missing. What an event of the project
names as its `reference`, the body of a deliverable, is held: it goes only when that is asked for too.
"""

from __future__ import annotations

from gsd_capabilities.artifacts.reference import digest_of, is_reference
from gsd_install.kernel import events
from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from gsd_capabilities.artifacts.workspace import Stored, Workspace

# A writer that takes longer than this for one file is no longer alive.
ABANDONED_SECONDS = 3600.0


class Collected(NamedTuple):
    """What was removed, or would be: artifacts, remains of killed writers; and the bytes that stay.

    `held_bytes` of them are of artifacts that are held.
    """

    removed: tuple[Stored, ...]
    remains: int
    kept_bytes: int
    held_bytes: int = 0


def held(planning: str) -> frozenset[str]:
    """The digests of artifacts that the events below a folder of planning files name. Raises OSError."""
    named = (event.data.get("reference") for event in events.read(planning))
    return frozenset(digest_of(reference) for reference in named if is_reference(reference))


def collect(
    workspace: Workspace,
    *,
    older_than: float | None,
    max_bytes: int | None,
    now: float,
    dry_run: bool,
    keep: Collection[str] = (),
) -> Collected:
    """Remove what is older than so many seconds, then the oldest until at most `max_bytes` are left.

    Artifacts with a digest of `keep` stay. `now` is in seconds since 1970. Raises UsageError `no_limit` when
    neither limit is given, OSError.
    """
    if older_than is None and max_bytes is None:
        hint = "say --older-than 7d, --max-bytes 100000000 or both; --dry-run shows what would go"
        raise UsageError("nothing says what to remove", reason="no_limit", hint=hint)
    stored = sorted(workspace.stored(), key=lambda item: (item.modified, item.digest))
    free = [item for item in stored if item.digest not in keep]
    total = sum(item.size for item in stored)
    stays = total - sum(item.size for item in free)
    chosen = _chosen(free, total, older_than, max_bytes, now)
    for item in () if dry_run else chosen:
        workspace.remove(item.digest)
    remains = workspace.sweep(now - ABANDONED_SECONDS, dry_run=dry_run)
    return Collected(tuple(chosen), remains, total - sum(item.size for item in chosen), stays)


def _chosen(
    oldest_first: Iterable[Stored], left: int, older_than: float | None, max_bytes: int | None, now: float
) -> list[Stored]:
    """What goes, of `left` bytes in all."""
    chosen = []
    for item in oldest_first:
        too_old = older_than is not None and now - item.modified > older_than
        too_much = max_bytes is not None and left > max_bytes
        if too_old or too_much:
            chosen.append(item)
            left -= item.size
    return chosen
