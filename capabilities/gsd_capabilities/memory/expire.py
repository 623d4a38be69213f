"""Entries of state whose time is over move into an archive; nothing is lost."""

from __future__ import annotations

from gsd_capabilities.memory import layout, migrate, sections, state
from gsd_capabilities.memory.archive import keep_locked
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gsd_capabilities.companion.project import Project


class Expired(NamedTuple):
    """Titles of the entries that moved into `archive`, how many are left, and lines that name no moment."""

    expired: tuple[str, ...]
    archive: str
    kept: int
    unreadable: tuple[str, ...]


def expire(project: Project, now: float) -> Expired:
    """Move every entry of state that is older than seven days. Takes the lock."""
    with migrate.opened(project, now):
        return expire_locked(project, now)


def expire_locked(project: Project, now: float) -> Expired:
    """As `expire`, under the lock and after the migration."""
    text = layout.text(project, layout.STATE)
    all_of_them = sections.entries(text)
    over = [piece for piece in all_of_them if state.parsed(piece).expired(now)]
    if over:
        keep_locked(project, layout.STATE, over)
        layout.change_locked(project, lambda old: sections.without(old, over), layout.STATE)
    left = [state.parsed(piece) for piece in all_of_them if piece not in over]
    unreadable = tuple(f"{entry.title}: {entry.unreadable}" for entry in left if entry.unreadable)
    archive = layout.shown(project, layout.ARCHIVE, layout.STATE)
    return Expired(tuple(piece.title for piece in over), archive, len(left), unreadable)
