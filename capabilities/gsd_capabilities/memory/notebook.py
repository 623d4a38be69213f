"""The situation at hand, in NOTEBOOK.md: each agent has a few entries of bounded size."""

from __future__ import annotations

from gsd_capabilities.companion.planning_text import one_line
from gsd_capabilities.learning.limits import NOTEBOOK_ENTRIES, NOTEBOOK_ENTRY_CHARS
from gsd_capabilities.memory import layout, migrate, sections
from gsd_capabilities.memory.layout import Full
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.memory.sections import Piece

_FIELD, _AT = "by: ", ", "


class Note(NamedTuple):
    """One entry: `who` is the agent, empty for nobody in particular; `at` is the stamp of its writing."""

    title: str
    text: str
    who: str
    at: str


class Written(NamedTuple):
    """Where a note is, and whether it took the place of one of the same agent and title."""

    store: str
    title: str
    replaced: bool


def write(project: Project, text: str, *, who: str, now: float, title: str = "") -> Written:
    """Write a note; without a title it is called by the moment and is always a new one.

    A note of the same agent and title is replaced. Raises Full for one that is too long, or one too many.
    Takes the lock.
    """
    with migrate.opened(project, now):
        return write_locked(project, text, who=who, now=now, title=title)


def write_locked(project: Project, text: str, *, who: str, now: float, title: str = "") -> Written:
    """As `write`, under the lock and after the migration."""
    from gsd_capabilities.work.clock import stamp

    who, inner = one_line(who, "a name"), sections.body(text)
    file = layout.shown(project, layout.NOTEBOOK)
    if len(inner) > NOTEBOOK_ENTRY_CHARS:
        hint = "keep what the next step needs; what lasts belongs into knowledge"
        raise Full(
            "this note is too long", len(inner), NOTEBOOK_ENTRY_CHARS, "characters", file=file, hint=hint
        )
    old = layout.text(project, layout.NOTEBOOK)
    name = sections.heading(title) if title else _free(old, stamp(now))
    known = _own(old, who, name)
    if not known:
        _require_room(old, who, file)
    whole = f"{_FIELD}{who}{_AT}{stamp(now)}\n\n{inner}"

    def change(before: str) -> str:
        own = _own(before, who, name)
        if own:
            return sections.replaced(before, own[0], whole, file=file)
        return sections.added(before, name, whole, file=file, top=layout.TITLES[layout.NOTEBOOK])

    layout.change_locked(project, change, layout.NOTEBOOK)
    return Written(file, name, bool(known))


def notes(text: str) -> tuple[Note, ...]:
    """The entries of the text of NOTEBOOK.md."""
    return tuple(map(_parsed, sections.entries(text)))


def _parsed(piece: Piece) -> Note:
    first, _, rest = piece.text.partition("\n")
    if not first.startswith(_FIELD):
        return Note(piece.title, piece.text, "", "")
    who, _, at = first.removeprefix(_FIELD).rpartition(_AT)
    return Note(piece.title, sections.bare(rest), who, at)


def _own(text: str, who: str, title: str) -> Sequence[Piece]:
    found = [piece for piece in sections.entries(text) if piece.title == title]
    return [piece for piece in found if _parsed(piece).who == who]


def _free(text: str, title: str) -> str:
    """A title that no note has, from one that may be taken."""
    taken = {piece.title for piece in sections.entries(text)}
    names = (title, *(f"{title} ({count})" for count in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def _require_room(text: str, who: str, file: str) -> None:
    titles = [note.title for note in notes(text) if note.who == who]
    if len(titles) < NOTEBOOK_ENTRIES:
        return
    hint = f"replace one with --title, or remove one: {'; '.join(titles)}"
    what = f"the notebook of {who!r} is full" if who else "the notebook is full"
    raise Full(what, len(titles) + 1, NOTEBOOK_ENTRIES, "entries", file=file, hint=hint)
