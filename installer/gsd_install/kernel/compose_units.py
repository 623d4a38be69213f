"""What can change together, what each change saves: the composer's view of its fragments.

A `plain` fragment is its own unit and has one move, which is numbered like the fragment. Every other
unit (a group, a fragment with rules) lists the levels it may stand at; its moves are numbered from the
count of fragments on.
"""

from __future__ import annotations

from itertools import compress
from operator import attrgetter, itemgetter

from gsd_install.kernel.compose_requires import link, over_ceiling
from gsd_install.kernel.compose_share import Share
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gsd_install.kernel.compose_share import Priced
    from gsd_install.kernel.fragment import Fragment, Rendition
    from gsd_install.kernel.measure import Measure

# What a move does to a text; in a tier, and for one unit, the later ones come later.
MOVE, SHRINK, OMIT = range(3)

_LOSSLESS = frozenset({"full", "pointer"})


class Step(NamedTuple):
    """A move of `unit` to `level`. `floored` marks one that a floor forbids: it saves nothing."""

    unit: Unit
    level: int
    phase: int
    floored: bool = False

    @property
    def omits(self) -> bool:
        return self.phase == OMIT and not self.floored


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
        self.tier = min([fragment.tier for fragment in fragments])
        self.priority = max([fragment.priority for fragment in fragments])
        self.levels: list[list[Priced]] = []
        self.costs: list[int] = []
        self.floored = False
        self.share: Share | None = None
        self.requires: list[Unit] = []
        self.dependents: list[Unit] = []
        self.moves: list[int] = []

    def add_level(self, renditions: list[Priced]) -> None:
        self.levels.append(renditions)
        self.costs.append(sum([cost for _, cost in renditions]))

    @property
    def omittable(self) -> bool:
        return self.share is None and len(self.levels) > 1 and self.phase(len(self.levels) - 1) == OMIT

    def phase(self, level: int) -> int:
        """Whether `level` omits, loses text, or loses nothing at all."""
        if self.share:
            return SHRINK
        if any(rendition.name == "omitted" for rendition, _ in self.levels[level]):
            return OMIT
        for step in self.levels[: level + 1]:
            for rendition, _ in step:
                if rendition.name not in _LOSSLESS:
                    return SHRINK
        return MOVE

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
        self.start: list[Rendition] = list(map(itemgetter(0), map(attrgetter("renditions"), fragments)))
        self.costs = list(map(measure.cost, map(attrgetter("text"), self.start)))
        if self.gap:
            self.costs = [
                cost + self.gap if rendition.text else 0
                for cost, rendition in zip(self.costs, self.start, strict=True)
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

    def _plain(self) -> Sequence[int]:
        plain: Sequence[int] = range(len(self.fragments))
        if not all(map(attrgetter("plain"), self.fragments)):
            flags = [fragment.plain for fragment in self.fragments]
            self._build_units(flags)
            plain = list(compress(plain, flags))
        return plain if all(self.costs) else [number for number in plain if self.costs[number]]

    def _build_units(self, flags: list[bool]) -> None:
        """Make a unit of whatever has rules or is relied on, and take its flag away."""
        _check_prefix(self.fragments)
        needed = {name for fragment in self.fragments for name in fragment.requires}
        together: dict[str | int, list[int]] = {}
        for number, fragment in enumerate(self.fragments):
            if not flags[number] or fragment.id in needed:
                flags[number] = False
                together.setdefault(fragment.group or number, []).append(number)
                if fragment.wrapper:
                    self.wrapped.append(number)
        self.units = list(map(self._unit, together.values()))
        if needed:
            link(self.units, self.fragments)

    def _unit(self, members: list[int]) -> Unit:
        fragments = [self.fragments[number] for number in members]
        unit = Unit(members, fragments)
        if members[1:] and len({(one.strategy, len(one.renditions)) for one in fragments}) > 1:
            group = fragments[0].group
            raise GsdError(
                f"the fragments of group {group!r} do not share one strategy", reason="mixed_group"
            )
        if fragments[0].strategy == "proportional-truncate" and not fragments[0].isolate:
            unit.share = Share(fragments, self.measure, self.gap)
            unit.add_level(unit.share.start)
        else:
            self._add_levels(unit, fragments)
        for number, (rendition, cost) in zip(members, unit.levels[0], strict=True):
            self.start[number], self.costs[number] = rendition, cost
        return unit

    def _add_levels(self, unit: Unit, fragments: list[Fragment]) -> None:
        """The renditions that keep floors and ceilings and are cheaper than the one before."""
        bounded = any(fragment.floor or fragment.ceiling is not None for fragment in fragments)
        cost = self.measure.cost
        before = [cost(fragment.wrapper) + self.gap for fragment in fragments]
        for level in range(1 if fragments[0].isolate else len(fragments[0].renditions)):
            renditions = [fragment.renditions[level] for fragment in fragments]
            if bounded and any(map(self._above_ceiling, fragments, renditions)):
                continue
            if bounded and any(map(self._below_floor, fragments, renditions)):
                unit.floored = True
                continue
            priced = [
                (one, wrapped + cost(one.text) if one.text else 0)
                for one, wrapped in zip(renditions, before, strict=True)
            ]
            total = sum([price for _, price in priced])
            if not unit.costs or total < unit.costs[-1]:
                unit.levels.append(priced)
                unit.costs.append(total)
        if not unit.levels:
            raise over_ceiling(fragments[0].id)

    def _above_ceiling(self, fragment: Fragment, rendition: Rendition) -> bool:
        return fragment.ceiling is not None and self.measure.cost(rendition.text) > fragment.ceiling

    def _below_floor(self, fragment: Fragment, rendition: Rendition) -> bool:
        cost = self.measure.cost
        return cost(rendition.text) < min(fragment.floor, cost(fragment.source)) if fragment.floor else False


def _check_prefix(fragments: Sequence[Fragment]) -> None:
    isolate = [fragment.isolate for fragment in fragments]
    if not all(isolate[: isolate.count(True)]):
        late = fragments[isolate.index(True, isolate.index(False))].id
        raise GsdError(
            f"{late!r} is part of the fixed prefix and stands behind a fragment that is not",
            reason="isolate_order",
            hint="put the isolate fragments first",
        )


def number_moves(problem: Problem) -> None:
    """Give every move of a unit its number, its step and its saving; done once, under pressure only."""
    if problem.units:
        problem.savings = list(problem.costs)
    for unit in problem.units:
        if unit.share:
            floors = unit.share.floors()
            if sum(cost for _, cost in floors) < unit.costs[0]:
                unit.add_level(floors)
            else:
                unit.floored = any(problem.fragments[number].floor for number in unit.members)
        for level in range(1, len(unit.levels)):
            unit.moves.append(len(problem.savings))
            problem.steps[len(problem.savings)] = Step(unit, level, unit.phase(level))
            problem.savings.append(unit.costs[level - 1] - unit.costs[level])
        if unit.floored:
            unit.moves.append(len(problem.savings))
            problem.steps[len(problem.savings)] = Step(unit, len(unit.levels), OMIT, floored=True)
            problem.savings.append(0)
