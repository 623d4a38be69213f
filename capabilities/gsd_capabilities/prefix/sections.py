"""The text of each section under the rule of a profile."""

from __future__ import annotations

import time

from gsd_capabilities.learning import limits
from gsd_capabilities.prefix import fit, knowledge, people
from gsd_capabilities.prefix.fit import Piece
from gsd_capabilities.prefix.modes import MODES
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gsd_capabilities.prefix.profile import Rule
    from gsd_capabilities.prefix.sources import Listing, Sources, Text

NOTHING = Piece("")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Asked(NamedTuple):
    """What a section is written from."""

    sources: Sources
    scenario: str
    rule: Rule


def shown(name: str, asked: Asked) -> Piece:
    """A section; an empty one where there is nothing to say or the profile does not show it."""
    return NOTHING if asked.rule.how == "absent" else _SECTIONS[name](asked)


def rest(path: str) -> str:
    """The line that says where the rest is."""
    return f"The rest: {path}" if path else "There is more, which nobody wrote down in a file."


def _role(asked: Asked) -> Piece:
    return Piece(asked.sources.role.text)


def _rules(asked: Asked) -> Piece:
    return fit.whole(asked.sources.rules)


def _mode(asked: Asked) -> Piece:
    sources = asked.sources
    name = f" You are called {sources.who}." if sources.who else ""
    place = " You are the manager." if sources.manager else ""
    scenario = sources.mode or asked.scenario
    lines = (
        f"{scenario}: {MODES[scenario]}{name}{place}",
        f"Locale: {sources.locale or 'not stated'}. Answer in the language you are spoken to.",
    )
    return Piece("\n".join(lines))


def _handbook(asked: Asked) -> Piece:
    return Piece(
        f"How memory, tasks, reviews and learning work: read {asked.sources.handbook} when you need it."
    )


def _roster(asked: Asked) -> Piece:
    if asked.sources.team is None:
        return NOTHING
    return people.shown(asked.sources.team, asked.sources.who, asked.rule.most, rest(asked.sources.team_path))


def _knowledge(asked: Asked) -> Piece:
    text, path = asked.sources.knowledge
    return knowledge.shown(text, asked.rule.most, rest(path), asked.sources.now) if text.strip() else NOTHING


def _state(asked: Asked) -> Piece:
    lines, short = fit.lines(asked.sources.state, limits.SECTION_LINE_CHARS)
    return fit.first(lines, asked.rule.most, rest(asked.sources.state_path), short=short)


def _skills(asked: Asked) -> Piece:
    lines, short = fit.lines(_rows(asked.sources.skills), limits.SKILL_LINE_CHARS)
    return fit.listed(lines, asked.rule.most, rest(asked.sources.skills.path), short=short)


def _workflows(asked: Asked) -> Piece:
    rows = asked.sources.workflows.rows
    if asked.rule.how == "pointer":
        return Piece(f"{len(rows)} workflows, listed in {asked.sources.workflows.path}") if rows else NOTHING
    lines, short = fit.lines(_rows(asked.sources.workflows), limits.SYSTEM_WORKFLOW_LINE_CHARS)
    most = asked.rule.most if asked.rule.how == "lines" else len(lines)
    return fit.first(lines, most, rest(asked.sources.workflows.path), short=short)


def _rows(listing: Listing) -> list[str]:
    return [f"- {name}: {about}" if about else f"- {name}" for name, about in listing.rows]


def _habits(asked: Asked) -> Piece:
    if asked.rule.how == "pointer":
        return Piece("## Learning\n\nA lesson for later is recorded with memory_save, in a sentence.")
    return fit.whole(asked.sources.habits.text, rest(asked.sources.habits.path))


def _checklists(asked: Asked) -> Piece:
    return fit.whole(asked.sources.checklists.text, rest(asked.sources.checklists.path))


def _characters(text: Text, rule: Rule) -> Piece:
    clean = knowledge.demoted(text.text.strip("\ufeff\n"))
    if rule.how == "characters":
        return fit.words(clean, rule.most, rest(text.path))
    return fit.whole(clean, rest(text.path))


def _announcements(asked: Asked) -> Piece:
    return _characters(asked.sources.announcements, asked.rule)


def _norms(asked: Asked) -> Piece:
    return _characters(asked.sources.norms, asked.rule)


def _dynamic(asked: Asked) -> Piece:
    return _characters(asked.sources.dynamic, asked.rule)


def _date(asked: Asked) -> Piece:
    from gsd_capabilities.work.clock import stamp

    day = _DAYS[time.gmtime(asked.sources.now).tm_wday]
    return Piece(f"{day}, {stamp(asked.sources.now)}")


def _channel(asked: Asked) -> Piece:
    if not asked.sources.channel:
        return NOTHING
    if asked.rule.how == "pointer":
        return Piece(f"{asked.sources.messages} messages: {asked.sources.channel_path}")
    said = (f"- {role}: {text}" for role, text in asked.sources.channel)
    lines, short = fit.lines(said, limits.SECTION_LINE_CHARS)
    short = short or len(lines) < asked.sources.messages
    return fit.first(lines, asked.rule.most, rest(asked.sources.channel_path), short=short)


def _board(asked: Asked) -> Piece:
    tasks = asked.sources.tasks
    counts = ", ".join(f"{number} {state}" for state, number in tasks.counts if number)
    if not counts:
        empty_says = asked.rule.how == "lines" and asked.scenario == "task_execution"
        return Piece("No tasks.") if empty_says else NOTHING
    told = tasks.stuck if asked.rule.how == "top" else (*tasks.stuck, *tasks.going)
    lines, short = fit.lines(told, limits.SECTION_LINE_CHARS)
    found = fit.first(lines, asked.rule.most, _BOARD, short=short)
    return found._replace(text="\n".join(filter(None, (counts, found.text))))


_BOARD = "All of them: `gsd-tools task board`"

_SECTIONS: Mapping[str, Callable[[Asked], Piece]] = {
    "role": _role,
    "rules": _rules,
    "mode": _mode,
    "handbook": _handbook,
    "roster": _roster,
    "knowledge": _knowledge,
    "state": _state,
    "skills": _skills,
    "workflows": _workflows,
    "habits": _habits,
    "checklists": _checklists,
    "announcements": _announcements,
    "norms": _norms,
    "date": _date,
    "channel": _channel,
    "board": _board,
    "dynamic": _dynamic,
}
