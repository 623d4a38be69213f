"""Snapshots of how things stand, in state.md: each lives seven days from its line `updated:`.

The line is the first of the entry, `updated: 2026-12-01T00:00:00Z` or a date alone. No other date counts,
and an entry without the line lives until somebody removes it.
"""

from __future__ import annotations

from gsd_capabilities.learning.limits import STATE_TTL_DAYS
from gsd_capabilities.memory import layout, sections
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.memory.sections import Piece

LIFE_SECONDS = STATE_TTL_DAYS * 86_400
_FIELD = "updated:"


class StateEntry(NamedTuple):
    """One snapshot; `updated` is in seconds of the epoch, None for one that never expires.

    `unreadable` is what its line `updated:` says where that is no moment: it never expires either.
    """

    title: str
    text: str
    updated: float | None
    unreadable: str = ""

    def expired(self, now: float) -> bool:
        """Whether it is older than its life; one of exactly that age is not."""
        return self.updated is not None and now - self.updated > LIFE_SECONDS


def parsed(piece: Piece) -> StateEntry:
    """The entry that a piece of state.md is."""
    first, _, rest = piece.text.partition("\n")
    if not first.startswith(_FIELD):
        return StateEntry(piece.title, piece.text, None)
    said = first.removeprefix(_FIELD).strip()
    moment = _moment(said)
    return StateEntry(piece.title, sections.bare(rest), moment, "" if moment is not None else first)


def all_entries(text: str) -> tuple[StateEntry, ...]:
    """Every entry of the text of state.md, expired or not."""
    return tuple(parsed(piece) for piece in sections.entries(text))


def put_locked(project: Project, title: str, text: str, *, now: float) -> bool:
    """Write down how something stands now, in place of what was said of it; whether it was there before."""
    title, inner = sections.heading(title), sections.body(text)
    file = layout.shown(project, layout.STATE)
    whole = f"{line(now)}\n\n{inner}"
    known = any(piece.title == title for piece in sections.entries(layout.text(project, layout.STATE)))

    def change(old: str) -> str:
        if known:
            return sections.replaced(old, sections.found(old, title, file=file), whole, file=file)
        return sections.added(old, title, whole, file=file, top=layout.TITLES[layout.STATE])

    layout.change_locked(project, change, layout.STATE)
    return known


def line(updated: float) -> str:
    """The line that says since when an entry counts."""
    from gsd_capabilities.work.clock import stamp

    return f"{_FIELD} {stamp(updated)}"


def _moment(said: str) -> float | None:
    from gsd_capabilities.work.clock import seconds
    from gsd_install.kernel.errors import UsageError

    try:
        return seconds(said if "T" in said else f"{said}T00:00:00Z")
    except UsageError:
        return None
