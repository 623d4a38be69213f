"""What can change together, what each change saves: the composer's view of its fragments.

A `plain` fragment is its own unit and has one move, which is numbered like the fragment. Every other
unit (a group, a fragment with rules) lists the levels it may stand at; its moves are numbered from the
count of fragments on.
"""

from __future__ import annotations

from itertools import compress
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from gsd_install.kernel.compose_share import Share
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import unit as unit_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gsd_install.kernel.compose_share import Priced
    from gsd_install.kernel.fragment import Fragment, Rendition
    from gsd_install.kernel.measure import Measure

MOVE, SHRINK, OMIT = range(3)


class Step(NamedTuple):
    """A move of `unit` to `level`. `floored` marks one that a floor forbids: it saves nothing."""

    unit: Unit
    level: int
    phase: int
    floored: bool = False


class Unit:
    """Fragments that change together.

    `levels` holds the admissible renditions of the members, dearest first; a `share` fills the space
    between its two levels. `requires` and `dependents` are other units.
    """

    __slots__ = (
        "costs",
        "dependents",
        "floored",
        "levels",
        "members",
        "moves",
        "priority",
        "requires",
        "share",
        "tier",
    )

    def __init__(self, members: list[int], fragments: list[Fragment]) -> None:
        self.members = members
        self.tier = min(fragment.tier for fragment in fragments)
        self.priority = max(fragment.priority for fragment in fragments)
        self.levels: list[list[Priced]] = []
        self.costs: list[int] = []
        self.floored = False
        self.share: Share | None = None
        self.requires: list[Unit] = []
        self.dependents: list[Unit] = []
        self.moves: list[int] = []

    def add_level(self, renditions: list[Priced]) -> None:
        self.levels.append(renditions)
        self.costs.append(sum(cost for _, cost in renditions))

    @property
    def omittable(self) -> bool:
        return self.share is None and len(self.levels) > 1 and self.phase(len(self.levels) - 1) == OMIT

    def phase(self, level: int) -> int:
        """Whether `level` omits, loses text, or loses nothing at all."""
        if self.share:
            return SHRINK
        names = {rendition.name for step in self.levels[: level + 1] for rendition, _ in step}
        if "omitted" in {rendition.name for rendition, _ in self.levels[level]}:
            return OMIT
        return SHRINK if names - {"full", "pointer"} else MOVE

    def pin(self) -> None:
        """Take away the level that leaves the unit out, because something that stays relies on it."""
        if self.omittable:
            self.levels.pop()
            self.costs.pop()


class Problem:
    """The fragments with the cost of everything.

    `gap` is the cost of the separator; every piece pays for one, the output has one less. `start` and
    `costs` are the best renditions and their prices, `total` their sum. `plain` and `units` hold what may
    move, `wrapped` what has a wrapper; `savings` and `steps` are filled by `number_moves`.
    """

    __slots__ = (
        "costs",
        "fragments",
        "gap",
        "measure",
        "plain",
        "savings",
        "start",
        "steps",
        "total",
        "units",
        "wrapped",
    )

    def __init__(self, fragments: Sequence[Fragment], measure: Measure, separator: str) -> None:
        self.fragments = fragments
        self.measure = measure
        self.gap = measure.cost(separator) if separator else 0
        self.start: list[Rendition] = [fragment.renditions[0] for fragment in fragments]
        texts = [rendition.text for rendition in self.start]
        self.costs = list(map(measure.cost, texts))
        if self.gap:
            self.costs = [
                cost + self.gap if text else 0 for cost, text in zip(self.costs, texts, strict=True)
            ]
        self.units: list[Unit] = []
        self.wrapped: list[int] = []
        self.plain = self._plain()
        self.savings = self.costs
        self.steps: dict[int, Step] = {}
        self.total = sum(self.costs)

    def used(self, total: int) -> int:
        """Units of an output whose pieces cost `total`."""
        return max(total - self.gap, 0)

    def _plain(self) -> list[int]:
        flags = list(map(attrgetter("plain"), self.fragments))
        if not all(flags):
            self._build_units(flags)
        plain = list(compress(range(len(flags)), flags))
        return plain if all(self.costs) else [number for number in plain if self.costs[number]]

    def _build_units(self, flags: list[bool]) -> None:
        needed = {name for fragment in self.fragments for name in fragment.requires}
        groups: dict[str, list[int]] = {}
        units: dict[int, Unit] = {}
        for number, fragment in enumerate(self.fragments):
            if flags[number] and fragment.id not in needed:
                continue
            flags[number] = False
            if fragment.wrapper:
                self.wrapped.append(number)
            members = groups.setdefault(fragment.group, []) if fragment.group else []
            members.append(number)
            if len(members) == 1:
                units[number] = Unit(members, [fragment])
        self.units = [self._priced(unit) for unit in units.values()]
        if needed:
            link(self.units, self.fragments)

    def _priced(self, unit: Unit) -> Unit:
        fragments = [self.fragments[number] for number in unit.members]
        first = fragments[0]
        if any(f.strategy != first.strategy or len(f.renditions) != len(first.renditions) for f in fragments):
            raise GsdError(
                f"the fragments of group {first.group!r} do not share one strategy", reason="mixed_group"
            )
        unit.tier = min(fragment.tier for fragment in fragments)
        unit.priority = max(fragment.priority for fragment in fragments)
        if first.strategy == "proportional-truncate" and not first.isolate:
            unit.share = Share(fragments, self.measure, self.gap)
            unit.add_level(unit.share.start)
        else:
            self._add_levels(unit, fragments)
        for number, (rendition, cost) in zip(unit.members, unit.levels[0], strict=True):
            self.start[number], self.costs[number] = rendition, cost
        return unit

    def _add_levels(self, unit: Unit, fragments: list[Fragment]) -> None:
        overheads = [self.measure.cost(fragment.wrapper) + self.gap for fragment in fragments]
        floors = [
            min(fragment.floor, self.measure.cost(fragment.source)) if fragment.floor else 0
            for fragment in fragments
        ]
        count = 1 if fragments[0].isolate else len(fragments[0].renditions)
        for level in range(count):
            texts = [fragment.renditions[level] for fragment in fragments]
            prices = [self.measure.cost(rendition.text) if rendition.text else 0 for rendition in texts]
            if any(
                f.ceiling is not None and price > f.ceiling
                for f, price in zip(fragments, prices, strict=True)
            ):
                continue
            if any(price < floor for price, floor in zip(prices, floors, strict=True)):
                unit.floored = True
                continue
            priced = [
                (rendition, price + overhead if rendition.text else 0)
                for rendition, price, overhead in zip(texts, prices, overheads, strict=True)
            ]
            if not unit.costs or sum(cost for _, cost in priced) < unit.costs[-1]:
                unit.add_level(priced)
        if not unit.levels:
            raise _above_ceiling(fragments, self.measure)


def link(units: list[Unit], fragments: Sequence[Fragment]) -> None:
    """Connect units to what they require.

    What is required is as important as what requires it, and stays as long as that stays. Raises GsdError
    (reason `unknown_requirement` or `requirement_cycle`).
    """
    owner = {fragments[number].id: unit for unit in units for number in unit.members}
    for unit in units:
        names = dict.fromkeys(name for number in unit.members for name in fragments[number].requires)
        for name in names:
            if name not in owner:
                raise GsdError(
                    f"{fragments[unit.members[0]].id!r} requires {name!r}, which is not there",
                    reason="unknown_requirement",
                )
            if owner[name] is not unit:
                unit.requires.append(owner[name])
                owner[name].dependents.append(unit)
    for unit in _dependents_first(units, fragments):
        for required in unit.requires:
            required.tier = min(required.tier, unit.tier)
            required.priority = max(required.priority, unit.priority)
            if not unit.omittable:
                required.pin()
    for unit in units:
        if unit.share and (unit.requires or unit.dependents):
            unit.share.present = True


def _dependents_first(units: list[Unit], fragments: Sequence[Fragment]) -> Iterable[Unit]:
    waiting = {unit: len(unit.dependents) for unit in units}
    ready = [unit for unit in units if not unit.dependents]
    for unit in ready:
        for required in unit.requires:
            waiting[required] -= 1
            if not waiting[required]:
                ready.append(required)
    if len(ready) < len(units):
        stuck = next(unit for unit in units if waiting[unit])
        raise GsdError(
            f"{fragments[stuck.members[0]].id!r} is part of a cycle of requirements",
            reason="requirement_cycle",
            hint="fragments that need each other form a group",
        )
    return ready


def number_moves(problem: Problem) -> None:
    """Give every move of a unit its number, its step and its saving; done once, under pressure only."""
    problem.savings = list(problem.costs)
    for unit in problem.units:
        if unit.share:
            unit.add_level(unit.share.floors())
            if unit.costs[1] >= unit.costs[0]:
                unit.floored = any(problem.fragments[number].floor for number in unit.members)
                unit.levels.pop()
                unit.costs.pop()
        for level in range(1, len(unit.levels)):
            _number(problem, Step(unit, level, unit.phase(level)), unit.costs[level - 1] - unit.costs[level])
        if unit.floored:
            _number(problem, Step(unit, len(unit.levels), OMIT, floored=True), 0)


def _number(problem: Problem, step: Step, saving: int) -> None:
    step.unit.moves.append(len(problem.savings))
    problem.steps[len(problem.savings)] = step
    problem.savings.append(saving)


def _above_ceiling(fragments: list[Fragment], measure: Measure) -> GsdError:
    return GsdError(
        f"nothing of {', '.join(repr(fragment.id) for fragment in fragments)} stays within its ceiling of "
        f"{fragments[0].ceiling:,} {unit_of(measure)}",
        reason="over_ceiling",
        hint="raise the ceiling, or give it a shorter rendition",
    )
