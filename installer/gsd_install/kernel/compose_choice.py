"""How the composer chooses: an order of moves, made from the first on until the rest fits.

`ladder` moves in declaration order and takes no move back. `optimise` first moves what loses nothing,
then shortens a whole tier before it leaves out any of it, the lowest priority and the later declaration
first; at the end it takes moves back, the most important first, as long as there is room.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from operator import attrgetter

from gsd_install.kernel.compose_requires import in_front
from gsd_install.kernel.compose_units import MOVE, OMIT, number_moves
from gsd_install.kernel.fragment import OMITTED
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_install.kernel.compose_share import Priced
    from gsd_install.kernel.compose_units import Problem, Step, Unit
    from gsd_install.kernel.fragment import Rendition

# More than any fragment has renditions.
_LEVELS = 1 << 20


class Order:
    """Moves in the order they are made, with the running sum of what they save."""

    __slots__ = ("moves", "refill", "sums")

    def __init__(self, problem: Problem, moves: list[int], *, refill: bool) -> None:
        self.moves = in_front(problem, moves)
        self.sums = list(accumulate(map(problem.savings.__getitem__, self.moves)))
        self.refill = refill


class Choice:
    """One rendition for each fragment, and the sum of their prices.

    `prices` are those of fragments that stand neither at their best nor at nothing. `floored` are
    fragments that a floor kept from giving way, `restored` those that gave way and came back, by number.
    """

    __slots__ = ("floored", "prices", "renditions", "restored", "total")

    def __init__(self, problem: Problem) -> None:
        self.renditions: list[Rendition] = list(problem.start)
        self.total = problem.total
        self.floored: set[int] = set()
        self.restored: set[int] = set()
        self.prices: dict[int, int] = {}

    def put(self, unit: Unit, level: list[Priced]) -> None:
        """Let the members of `unit` stand at `level`."""
        for number, (rendition, cost) in zip(unit.members, level, strict=True):
            self.renditions[number], self.prices[number] = rendition, cost


def ladder(problem: Problem) -> Order:
    """Every move in declaration order, those of a group where its first member stands."""
    number_moves(problem)
    return Order(problem, _declared(problem), refill=False)


def optimise(problem: Problem) -> Order:
    """Every move in the order in which it is missed least."""
    number_moves(problem)
    steps = problem.steps.values()
    # Stable sorts, the least important key first; on many fragments much faster than one on tuples.
    moves = _declared(problem, last_first=True)
    priorities = list(map(attrgetter("priority"), problem.fragments))
    priorities += [step.unit.priority for step in steps]
    moves.sort(key=priorities.__getitem__)
    if steps or len(set(map(attrgetter("tier"), problem.fragments))) > 1:
        stages = [_stage(fragment.tier, OMIT, 1) for fragment in problem.fragments]
        stages += [_stage(step.unit.tier, step.phase, step.level) for step in steps]
        moves.sort(key=stages.__getitem__)
    return Order(problem, moves, refill=True)


def choose(problem: Problem, order: Order, target: int) -> Choice:
    """Make moves until the output costs at most `target`, or all of them."""
    choice = Choice(problem)
    need = problem.total - problem.gap - target
    if need <= 0 or not order.moves:
        return choice
    count = min(bisect_left(order.sums, need) + 1, len(order.moves))
    _Walk(problem, choice, order, count).run(target + problem.gap)
    return choice


class _Walk:
    """The first moves of an order, made and partly taken back.

    `levels` is where each unit that moved stands; `grown` are shares that got some of their room back.
    """

    __slots__ = ("choice", "done", "grown", "levels", "order", "problem", "room", "saved")

    def __init__(self, problem: Problem, choice: Choice, order: Order, count: int) -> None:
        self.problem = problem
        self.choice = choice
        self.order = order
        self.done = order.moves[:count]
        self.saved = order.sums[count - 1]
        self.levels: dict[Unit, int] = {}
        self.grown: dict[Unit, list[Priced]] = {}

    def run(self, limit: int) -> None:
        refused = self._make()
        room = limit - (self.problem.total - self.saved)
        if self.order.refill:
            left = self._take_back(room)
        else:
            step = self.problem.steps.get(self.done[-1])
            left = room - self._grow(step.unit, room) if step and step.unit.share else room
        self.choice.total = limit - left
        self._settle(refused)

    def _make(self) -> list[Unit]:
        """Make the moves; the units whose floor forbade one."""
        count, renditions, refused = len(self.problem.fragments), self.choice.renditions, []
        for move in self.done:
            if move < count:
                renditions[move] = OMITTED
                continue
            step = self.problem.steps[move]
            if step.floored:
                refused.append(step.unit)
            else:
                self.levels[step.unit] = step.level
        return refused

    def _take_back(self, room: int) -> int:
        """Take moves back in reverse order while they fit; what is left of the room."""
        count, savings = len(self.problem.fragments), self.problem.savings
        smallest = 1 if self.problem.steps else min(savings)
        back = []
        for move in reversed(self.done):
            if room < smallest:
                break
            if move >= count:
                room -= self._restore(self.problem.steps[move], savings[move], room)
            elif savings[move] <= room:
                room -= savings[move]
                back.append(move)
        for move in back:
            self.choice.renditions[move] = self.problem.start[move]
        self.choice.restored.update(back)
        return room

    def _restore(self, step: Step, saving: int, room: int) -> int:
        """Take one move of a unit back if it fits and nothing stands in its way; what that costs."""
        unit = step.unit
        if unit.share and not step.floored:
            return self._grow(unit, room)
        if saving > room or self.levels.get(unit) != step.level or any(map(self._gone, unit.requires)):
            return 0
        self.levels[unit] = step.level - 1
        self.choice.restored.update(unit.members)
        return saving

    def _grow(self, unit: Unit, room: int) -> int:
        """Give a share that was cut to its floors the room back that there is; what that costs."""
        if unit.share is None or room <= 0 or self.levels.get(unit) != 1:
            return 0
        filled = unit.share.fill(unit.costs[1] + room)
        self.grown[unit] = filled
        return sum(cost for _, cost in filled) - unit.costs[1]

    def _gone(self, unit: Unit) -> bool:
        level = self.levels.get(unit, 0)
        return level > 0 and unit.phase(level) == OMIT

    def _settle(self, refused: list[Unit]) -> None:
        """Put the renditions of the units where they stand, and note whom a floor held."""
        for unit, level in self.levels.items():
            self.choice.put(unit, self.grown.get(unit, unit.levels[level]))
        for unit in refused:
            if self.levels.get(unit, 0) == len(unit.levels) - 1 and unit not in self.grown:
                self.choice.floored.update(filter(self._floor, unit.members))
        for unit in self.levels:
            if unit.share:
                held = zip(unit.members, unit.levels[1], strict=True)
                self.choice.floored.update(
                    number
                    for number, (rendition, _) in held
                    if self._floor(number) and self.choice.renditions[number] is rendition
                )

    def _floor(self, number: int) -> int:
        return self.problem.fragments[number].floor


def _declared(problem: Problem, *, last_first: bool = False) -> list[int]:
    """The moves by the place of their fragments; those of one unit go down one level at a time."""
    if not problem.units:
        return list(reversed(problem.plain) if last_first else problem.plain)
    positions = list(range(len(problem.fragments)))
    positions += [step.unit.members[0] for step in problem.steps.values()]
    return sorted([*problem.plain, *problem.steps], key=positions.__getitem__, reverse=last_first)


def _stage(tier: int, phase: int, level: int) -> int:
    """Where a move stands before priority counts: lossless moves, then by tier, phase and level."""
    if phase == MOVE:
        return -(1 << 62)
    return (-tier * 4 + phase) * _LEVELS + level
