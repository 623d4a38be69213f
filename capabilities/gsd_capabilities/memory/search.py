"""Find what memory holds by words."""

from __future__ import annotations

from gsd_capabilities.memory import layout, sections
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gsd_capabilities.companion.project import Project


class Found(NamedTuple):
    """An entry that holds every word: its store, its title or theme, and the lines with any of the words."""

    store: str
    title: str
    lines: tuple[str, ...]
    score: int


def searched(project: Project, words: Sequence[str], now: float) -> tuple[Found, ...]:
    """The entries that hold every word, those that hold them oftener first.

    Letter case does not matter, nor how letters with accents are put together. A word in a title counts
    tenfold. Raises GsdError `bad_value` without a word.
    """
    wanted = [part for word in words for part in _folded(word).split()]
    if not wanted:
        raise GsdError("there is no word to search for", reason="bad_value", hint="name one or more words")
    hits = (_hit(*row, wanted) for row in _rows(project, now))
    return tuple(sorted((hit for hit in hits if hit), key=lambda hit: -hit.score))


def _rows(project: Project, now: float) -> Iterator[tuple[str, str, str]]:
    """Store, title and text of everything: knowledge, live state, notes, the newest observations first."""
    from gsd_capabilities.memory.notebook import notes
    from gsd_capabilities.memory.observations import observations
    from gsd_capabilities.memory.state import all_entries

    for piece in sections.entries(layout.text(project, layout.KNOWLEDGE)):
        yield layout.shown(project, layout.KNOWLEDGE), piece.title, piece.text
    for entry in all_entries(layout.text(project, layout.STATE)):
        if not entry.expired(now):
            yield layout.shown(project, layout.STATE), entry.title, entry.text
    for note in notes(layout.text(project, layout.NOTEBOOK)):
        yield layout.shown(project, layout.NOTEBOOK), note.title, note.text
    for seen in reversed(observations(project)):
        yield layout.shown(project, layout.OBSERVATIONS), seen.theme, seen.text


def _hit(store: str, title: str, text: str, wanted: Sequence[str]) -> Found | None:
    head, body, rows = _folded(title), _folded(text), text.split("\n")
    if not all(word in head or word in body for word in wanted):
        return None
    score = sum(10 * head.count(word) + body.count(word) for word in wanted)
    lines = tuple(row for row in rows if any(word in _folded(row) for word in wanted))
    return Found(store, title, lines, score)


def _folded(text: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFC", text.casefold())
