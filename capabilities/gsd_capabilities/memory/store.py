"""What a project has learnt for good, in knowledge.md, and the ways to the other stores.

The first of these functions that is called for a project migrates an old MEMORY.md; so they take the lock
of the project and must not be called under it. Nothing is ever cut: what does not fit is refused.
"""

from __future__ import annotations

from gsd_capabilities.companion.project import require
from gsd_capabilities.learning.limits import KNOWLEDGE_FILE_CHARS, KNOWLEDGE_SECTION_CHARS
from gsd_capabilities.memory import layout, migrate, sections
from gsd_capabilities.memory.layout import Full
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.memory.observations import Observed
    from gsd_capabilities.memory.search import Found
    from gsd_capabilities.memory.state import StateEntry

_SPLIT = "keep what lasts and say it shorter, or give a part of it a title of its own"
_ROOM = "make room: gsd-tools memory update, or gsd-tools memory remove"


class Entry(NamedTuple):
    """Something to know: a title on one line and a text."""

    title: str
    text: str


class Saved(NamedTuple):
    """`store` is the file as seen from the project's root; `changed` says whether its bytes differ now."""

    store: str
    title: str
    changed: bool


def save(project: Project, entry: Entry, *, now: float) -> Saved:
    """Add an entry to knowledge.

    The same entry again changes nothing. Raises GsdError `exists` for another text under a title that is
    taken, `bad_value`, and Full.
    """
    with migrate.opened(project, now):
        return save_locked(project, entry)


def save_locked(project: Project, entry: Entry) -> Saved:
    """As `save`, under the lock and after the migration."""
    title, inner = sections.heading(entry.title), _inner(project, entry)
    file = layout.shown(project, layout.KNOWLEDGE)
    same = [
        piece for piece in sections.entries(layout.text(project, layout.KNOWLEDGE)) if piece.title == title
    ]
    if any(piece.text == inner for piece in same):
        return Saved(file, title, changed=False)
    if same:
        hint = f"replace it: gsd-tools memory update {title!r}, or choose another title"
        raise GsdError(f"there is an entry {title!r} already", reason="exists", file=file, hint=hint)

    def change(old: str) -> str:
        after = sections.added(old, title, inner, file=file, top=layout.TITLES[layout.KNOWLEDGE])
        return _fitting(old, after, file)

    return Saved(file, title, layout.change_locked(project, change, layout.KNOWLEDGE))


def update(project: Project, entry: Entry, *, now: float) -> Saved:
    """Replace the text of an entry of knowledge. Raises GsdError `no_entry`, `ambiguous`, and as `save`."""
    with migrate.opened(project, now):
        return update_locked(project, entry)


def update_locked(project: Project, entry: Entry) -> Saved:
    """As `update`, under the lock and after the migration."""
    title, inner = sections.heading(entry.title), _inner(project, entry)
    file = layout.shown(project, layout.KNOWLEDGE)

    def change(old: str) -> str:
        piece = sections.found(old, title, file=file)
        return (
            old
            if piece.text == inner
            else _fitting(old, sections.replaced(old, piece, inner, file=file), file)
        )

    if not layout.text(project, layout.KNOWLEDGE):
        sections.found("", title, file=file)
    return Saved(file, title, layout.change_locked(project, change, layout.KNOWLEDGE))


def remove(project: Project, title: str, *, now: float, name: str = layout.KNOWLEDGE) -> Saved:
    """Move an entry of a store into its archive. Raises GsdError `no_entry` or `ambiguous`."""
    from gsd_capabilities.memory.archive import keep_locked

    with migrate.opened(project, now):
        file = layout.shown(project, name)
        piece = sections.found(layout.text(project, name), title, file=file)
        keep_locked(project, name, (piece,))
        layout.change_locked(project, lambda old: sections.without(old, (piece,)), name)
    return Saved(layout.shown(project, layout.ARCHIVE, name), title, changed=True)


def knowledge(project: Project, *, now: float | None = None) -> str:
    """The whole text of knowledge.md, empty where there is none."""
    migrate.loaded(project, _clock(now))
    return layout.text(project, layout.KNOWLEDGE)


def state_entries(project: Project, now: float) -> tuple[StateEntry, ...]:
    """The entries of state that have not expired, in the order of the file."""
    from gsd_capabilities.memory.state import all_entries

    migrate.loaded(project, now)
    return tuple(entry for entry in all_entries(layout.text(project, layout.STATE)) if not entry.expired(now))


def snapshot(project: Project, title: str, text: str, *, now: float) -> Saved:
    """Write down how something stands now; entries whose time is over go into the archive on the way."""
    from gsd_capabilities.memory.expire import expire_locked
    from gsd_capabilities.memory.state import put_locked

    with migrate.opened(project, now):
        expire_locked(project, now)
        put_locked(project, title, text, now=now)
    return Saved(layout.shown(project, layout.STATE), title.strip(), changed=True)


def observe(project: Project, text: str, *, theme: str = "", who: str = "", now: float) -> Observed:
    """Add an observation to the buffer. Raises GsdError `bad_value`."""
    from gsd_capabilities.memory.observations import observe_locked

    with migrate.opened(project, now):
        return observe_locked(project, text, theme=theme, who=who, now=now)


def search(project: Project, words: Sequence[str], *, now: float | None = None) -> tuple[Found, ...]:
    """The entries of all stores that hold every word, best first. Raises GsdError `bad_value`."""
    from gsd_capabilities.memory.search import searched

    moment = _clock(now)
    migrate.loaded(require(project), moment)
    return searched(project, words, moment)


def _inner(project: Project, entry: Entry) -> str:
    inner = sections.body(entry.text)
    if len(inner) > KNOWLEDGE_SECTION_CHARS:
        file = layout.shown(project, layout.KNOWLEDGE)
        raise Full(
            "this entry is too long",
            len(inner),
            KNOWLEDGE_SECTION_CHARS,
            "characters",
            file=file,
            hint=_SPLIT,
        )
    return inner


def _fitting(old: str, after: str, file: str) -> str:
    """`after`, if it is within the bound of the file or brings an old text nearer to it."""
    if len(after) > max(KNOWLEDGE_FILE_CHARS, len(old)):
        raise Full(
            "knowledge would be too long",
            len(after),
            KNOWLEDGE_FILE_CHARS,
            "characters",
            file=file,
            hint=_ROOM,
        )
    return after


def _clock(now: float | None) -> float:
    import time

    return time.time() if now is None else now
