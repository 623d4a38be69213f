"""What memory there is, as answers and in the few lines that a session begins with."""

from __future__ import annotations

import os

from gsd_capabilities.learning import limits
from gsd_capabilities.memory import layout, sections
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.memory.state import StateEntry


def overview(project: Project, now: float) -> dict[str, object]:
    """Each store with the titles in it and no text of an entry."""
    from gsd_capabilities.memory.observations import observations

    known = layout.text(project, layout.KNOWLEDGE)
    live, over = _state(project, now)
    return {
        "knowledge": {
            "store": layout.shown(project, layout.KNOWLEDGE),
            "entries": [piece.title for piece in sections.entries(known)],
            "characters": len(known),
            "available": limits.KNOWLEDGE_FILE_CHARS,
        },
        "state": {
            "store": layout.shown(project, layout.STATE),
            "entries": [entry.title for entry in live],
            "expired": [entry.title for entry in over],
        },
        "notebook": {
            "store": layout.shown(project, layout.NOTEBOOK),
            "entries": [{"title": note["title"], "who": note["who"]} for note in _notes(project)],
        },
        "observations": {
            "store": layout.shown(project, layout.OBSERVATIONS),
            "kept": len(observations(project)),
            "available": limits.OBSERVATIONS_KEPT,
        },
    }


def knowledge(project: Project) -> dict[str, object]:
    """Knowledge whole."""
    text = layout.text(project, layout.KNOWLEDGE)
    titles = [piece.title for piece in sections.entries(text)]
    return {"store": layout.shown(project, layout.KNOWLEDGE), "entries": titles, "text": text}


def state(project: Project, now: float) -> dict[str, object]:
    """The entries of state that live, with when they were written and end."""
    live, over = _state(project, now)
    rows = [
        {"title": entry.title, "text": entry.text, "updated": _stamp(entry), "expires": _end(entry)}
        for entry in live
    ]
    titles = [entry.title for entry in over]
    return {"store": layout.shown(project, layout.STATE), "entries": rows, "expired": titles}


def notebook(project: Project, who: str) -> dict[str, object]:
    """The notes, all or those of one agent."""
    rows = [note for note in _notes(project) if who in ("", note["who"])]
    return {"store": layout.shown(project, layout.NOTEBOOK), "entries": rows}


def observations(project: Project, last: int, theme: str) -> dict[str, object]:
    """The newest observations, of every theme or of one, and how many older ones are not shown."""
    from gsd_capabilities.memory.observations import observations as read
    from gsd_capabilities.work.clock import stamp

    wanted = [seen for seen in read(project) if theme in ("", seen.theme)]
    first = max(len(wanted) - last, 0)
    rows = [{**seen._asdict(), "at": stamp(seen.at)} for seen in wanted[first:]]
    return {"store": layout.shown(project, layout.OBSERVATIONS), "older": first, "entries": rows}


def lines(project: Project, now: float, launcher: str) -> list[str]:
    """At most three lines for the start of a session: what there is, and what about; none without memory.

    `launcher` starts `gsd-tools`. Nothing is migrated here: a session that only starts changes no file.
    """
    from gsd_capabilities.memory.migrate import due, legacy

    if due(project):
        old = legacy(project) or (layout.path(project, layout.MIGRATION),)
        return [f"memory: {project.shown(old[0])} is not taken over yet; {launcher} memory show does it"]
    if not os.path.isdir(layout.path(project)):
        return []
    known = [piece.title for piece in sections.entries(layout.text(project, layout.KNOWLEDGE))]
    live = [entry.title for entry in _state(project, now)[0]]
    counts = f"{len(known)} of knowledge, {len(live)} of state, {len(_notes(project))} in the notebook"
    said = [f"memory: {counts}; read it with {launcher} memory show, or memory search WORDS"]
    said += [f"known: {'; '.join(known)}"] if known else []
    said += [f"how things stand: {'; '.join(live)}"] if live else []
    return said


def _state(project: Project, now: float) -> tuple[list[StateEntry], list[StateEntry]]:
    """The entries that live and those whose time is over."""
    from gsd_capabilities.memory.state import all_entries

    found = all_entries(layout.text(project, layout.STATE))
    return [one for one in found if not one.expired(now)], [one for one in found if one.expired(now)]


def _notes(project: Project) -> list[dict[str, str]]:
    from gsd_capabilities.memory.notebook import notes

    return [note._asdict() for note in notes(layout.text(project, layout.NOTEBOOK))]


def _stamp(entry: StateEntry) -> str | None:
    from gsd_capabilities.work.clock import stamp

    return None if entry.updated is None else stamp(entry.updated)


def _end(entry: StateEntry) -> str | None:
    from gsd_capabilities.memory.state import LIFE_SECONDS
    from gsd_capabilities.work.clock import stamp

    return None if entry.updated is None else stamp(entry.updated + LIFE_SECONDS)
