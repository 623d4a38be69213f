"""Truncation: walk the ladder, check what came out, and walk it again where the check says so."""

from __future__ import annotations

from gsd_capabilities.context.checks import repaired
from gsd_capabilities.context.ladder import fragments, pointer
from gsd_capabilities.context.layout import arranged, by_key
from gsd_capabilities.context.report import BudgetExceededError, Choice
from gsd_install.kernel.budget import BudgetError
from gsd_install.kernel.compose import compose, omission_note
from gsd_install.kernel.fragment import drop
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from gsd_capabilities.context.layout import Piece
    from gsd_capabilities.context.sections import Section
    from gsd_capabilities.context.template import Node
    from gsd_install.kernel.compose import Composition, Trimmed
    from gsd_install.kernel.fragment import Fragment
    from gsd_install.kernel.measure import Measure


class Task(NamedTuple):
    """A context to be fitted: aim at `aim` tokens, never exceed `available`.

    `pieces` are the nodes filled with the sections.
    """

    nodes: Sequence[Node]
    sections: Sequence[Section]
    pieces: Sequence[Piece]
    overdrawn: frozenset[str]
    aim: int
    available: int
    reserve: int


class Fitted(NamedTuple):
    """The text, the composition it comes from, the sections it was made of, and ids that were repaired."""

    text: str
    composition: Composition
    sections: Sequence[Section]
    repaired: tuple[str, ...]


def fitted(task: Task, measure: Measure) -> Fitted:
    """The richest text that the ladder finds, with no heading and no mention of what is gone.

    Raises BudgetExceededError when what may not be cut exceeds `available`.
    """
    gone: dict[str, Section] = {}
    sections, changed = task.sections, dict[str, None]()
    while True:
        composition = _composed(task, sections, gone, measure)
        known = {one.id: one for one in sections}
        new = {name: known[name] for name in composition.omitted if name not in gone}
        gone.update(new)
        mended = repaired(sections, new.values())
        changed.update(dict.fromkeys(name for name in mended.changed if name not in gone))
        if not mended.changed and not _orphans(sections, gone, new):
            return Fitted(composition.text, composition, sections, tuple(changed))
        sections = mended.sections


def choices(done: Fitted, full: Mapping[str, int]) -> tuple[Choice, ...]:
    """What became of each section; `full` are the costs of the sections as they were given."""
    known = {one.id: one for one in done.sections}
    shown = dict(zip((f.id for f in done.composition.fragments), done.composition.renditions, strict=True))
    made = []
    for decision in done.composition.decisions():
        one = known.get(decision.id)
        if one is not None:
            name = _rendition(one, decision.rendition, shown[one.id].text)
            costs = max(decision.best, full[one.id]), decision.cost, decision.reason
            made.append(Choice(one.id, one.title, one.role, one.tier, one.priority, name, *costs))
    return tuple(made)


def _rendition(one: Section, name: str, text: str) -> str:
    if name == "shrunk":
        return "pointer" if text == pointer(one) else "newest"
    return "summary" if name == "outline" else name


def _orphans(sections: Sequence[Section], gone: Collection[str], new: Collection[str]) -> bool:
    """Whether a section that has just gone was the last under its key."""
    lost = {one.key for one in sections if one.id in new}
    return any(all(one.id in gone for one in by_key(sections)[key]) for key in lost)


def _composed(
    task: Task, sections: Sequence[Section], gone: dict[str, Section], measure: Measure
) -> Composition:
    pieces = arranged(task.nodes, sections, gone) if gone else task.pieces
    made = fragments(pieces, task.overdrawn)
    note_after = _note_after(made, sections)
    # A ceiling of nothing keeps what is gone in the note and out of the text.
    made += [drop(name, one.text, ceiling=0) for name, one in gone.items()]
    return _within(task, made, note_after, measure)


def _within(task: Task, made: list[Fragment], note_after: str | None, measure: Measure) -> Composition:
    """Compose within the aim; where what may not be cut exceeds that, within as little more as it takes."""
    limits = [min(task.aim, task.available)]
    while True:
        try:
            return compose(made, limits[-1], measure, mode="optimise", note=_noted, note_after=note_after)
        except BudgetError as error:
            if limits[-1] == task.available:
                raise BudgetExceededError(error, task.available, task.reserve) from error
            enough = limits[-1] < error.required < task.available and len(limits) == 1
            limits.append(error.required if enough else task.available)


def _noted(trimmed: Trimmed) -> str:
    return f"\n{omission_note(trimmed)}"


def _note_after(made: Sequence[Fragment], sections: Sequence[Section]) -> str | None:
    """The fragment behind which the note stands: right before the heading of the request."""
    request = {one.id for one in sections if one.role == "request"}
    place = next((number for number, fragment in enumerate(made) if fragment.id in request), 0)
    return made[place - 2].id if place > 1 else None
