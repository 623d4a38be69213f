"""One run of the composer: drafts are chosen, noted and measured until one fits."""

from __future__ import annotations

from itertools import compress, repeat
from operator import attrgetter, is_

from gsd_install.kernel.budget import refusal
from gsd_install.kernel.compose_choice import Choice, choose, ladder, optimise
from gsd_install.kernel.compose_note import Trimmed
from gsd_install.kernel.composition import Composition
from gsd_install.kernel.fragment import OMITTED
from gsd_install.kernel.measure import unit
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gsd_install.kernel.budget import BudgetError
    from gsd_install.kernel.compose_choice import Order
    from gsd_install.kernel.compose_units import Problem
    from gsd_install.kernel.fragment import Rendition

# A note changes with the choice and the choice with the room the note leaves; two rounds settle that
# unless a note is written to prevent it.
_ROUNDS = 8


class Layout(NamedTuple):
    """How the pieces become one text; the note stands before the fragment number `note_at`."""

    separator: str
    note: Callable[[Trimmed], str] | None
    note_at: int


class _Draft(NamedTuple):
    """A choice with its note; `changed` are fragment numbers by rendition; `used` sums the parts up."""

    choice: Choice
    changed: Mapping[str, list[int]]
    note: str
    used: int


class Job:
    """A problem with its budget: `available` units in all, of which fragments aim at `target`."""

    __slots__ = ("_order", "available", "layout", "mode", "problem", "target")

    def __init__(self, problem: Problem, mode: str, available: int, target: int, layout: Layout) -> None:
        self.problem = problem
        self.mode = mode
        self.available = available
        self.target = target
        self.layout = layout
        self._order: Order | None = None

    def run(self) -> Composition:
        """Compose under an additive measure: the sum of the parts is the cost of the text."""
        draft = self._draft(Choice(self.problem))
        pressure = draft.used > self.available
        if pressure:
            draft = self._fit(self.available)
        if draft.used > self.available:
            raise self._refusal(draft, draft.used)
        return self._finish(draft, self._text(draft), draft.used, pressure=pressure)

    def run_calibrated(self) -> Composition:
        """Compose under another measure: at most two finished texts are measured, and they decide."""
        draft = self._draft(Choice(self.problem))
        # The texts, wrappers and separators may each have been rounded up.
        pressure = draft.used > self.available + 3 * len(self.problem.fragments)
        limit = self.available
        for tries in (1, 2):
            if pressure:
                draft = self._fit(limit)
            text = self._text(draft)
            used = self.problem.measure.cost(text)
            if used <= self.available:
                return self._finish(draft, text, used, pressure=pressure)
            if tries == 2 or (pressure and draft.used > limit):
                break
            joining = max(used - draft.used, 0)
            limit -= joining + joining // 4
            pressure = True
        raise self._refusal(draft, used)

    def _fit(self, limit: int) -> _Draft:
        """The richest draft of at most `limit`; where there is none, the leanest of all."""
        if self._order is None:
            self._order = (ladder if self.mode == "ladder" else optimise)(self.problem)
        target, best = min(self.target, limit), None
        for _ in range(_ROUNDS):
            draft = self._draft(choose(self.problem, self._order, target))
            room = limit - self._price(draft.note)
            if draft.used <= limit:
                if best and draft.choice.total <= best.choice.total:
                    return best
                best, wider = draft, min(self.target, room)
                if wider <= target:
                    return best
                target = wider
            elif best or self.problem.used(draft.choice.total) > target:
                return best or draft
            else:
                target = room
        return best or self._draft(choose(self.problem, self._order, -1))

    def _draft(self, choice: Choice) -> _Draft:
        changed = _changed(self.problem, choice)
        note = self._note(choice, changed) if self.layout.note else ""
        return _Draft(choice, changed, note, self.problem.used(choice.total + self._price(note)))

    def _note(self, choice: Choice, changed: Mapping[str, list[int]]) -> str:
        fragments, renditions = self.problem.fragments, choice.renditions
        shrunk = tuple(
            [
                (fragments[number].id, _percent_gone(len(fragments[number].source), renditions[number]))
                for number in _shrunk(changed)
            ]
        )
        omitted = self._ids(changed.get("omitted", ()))
        if self.layout.note is None or not (omitted or shrunk):
            return ""
        return self.layout.note(Trimmed(self.available, unit(self.problem.measure), omitted, shrunk))

    def _price(self, note: str) -> int:
        return self.problem.measure.cost(note) + self.problem.gap if note else 0

    def _ids(self, numbers: Iterable[int]) -> tuple[str, ...]:
        fragments = self.problem.fragments
        return tuple([fragments[number].id for number in numbers])

    def _text(self, draft: _Draft) -> str:
        renditions, fragments = draft.choice.renditions, self.problem.fragments
        pieces = [rendition.text for rendition in renditions]
        for number in self.problem.wrapped:
            pieces[number] = pieces[number] and fragments[number].wrapper + pieces[number]
        pieces.insert(self.layout.note_at, draft.note)
        return self.layout.separator.join(filter(None, pieces))

    def _finish(self, draft: _Draft, text: str, used: int, *, pressure: bool) -> Composition:
        choice, changed = draft.choice, draft.changed
        return Composition(
            text=text,
            used=used,
            available=self.available,
            measure_id=self.problem.measure.id,
            mode=self.mode,
            pressure=pressure,
            fragments=self.problem.fragments,
            renditions=choice.renditions,
            best=self.problem.costs,
            prices=choice.prices,
            omitted=self._ids(changed.get("omitted", ())),
            shrunk=self._ids(_shrunk(changed)),
            moved=self._ids(changed.get("pointer", ())),
            floored=self._ids(sorted(choice.floored)),
            restored=self._ids(sorted(choice.restored)),
            note=draft.note,
            note_at=self.layout.note_at,
            separator=self.layout.separator,
        )

    def _refusal(self, draft: _Draft, required: int) -> BudgetError:
        leanest = self._finish(draft, "", required, pressure=True).decisions()
        costs = {decision.id: decision.cost for decision in leanest if decision.cost}
        return refusal(costs, required, self.available, unit(self.problem.measure))


def _percent_gone(whole: int, rendition: Rendition) -> int:
    return -(-100 * max(whole - len(rendition.text), 0) // whole)


def _changed(problem: Problem, choice: Choice) -> dict[str, list[int]]:
    """The numbers of the fragments that are not shown in full, by the name of their rendition."""
    if choice.total == problem.total and not problem.units:
        return {}
    if not problem.units:
        gone = map(is_, choice.renditions, repeat(OMITTED))
        return {"omitted": list(compress(range(len(choice.renditions)), gone))}
    names = list(map(attrgetter("name"), choice.renditions))
    found = sorted(set(names) - {"full"})
    return {kind: [number for number, name in enumerate(names) if name == kind] for kind in found}


def _shrunk(changed: Mapping[str, list[int]]) -> list[int]:
    return sorted([*changed.get("shrunk", ()), *changed.get("outline", ())])
