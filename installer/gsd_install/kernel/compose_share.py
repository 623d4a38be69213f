"""Share room among texts that may be cut anywhere: in proportion to their length, never below a floor."""

from __future__ import annotations

from gsd_install.kernel.compose_requires import over_ceiling
from gsd_install.kernel.cut import least, shorten
from gsd_install.kernel.fragment import Rendition
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gsd_install.kernel.cut import Cut
    from gsd_install.kernel.fragment import Fragment
    from gsd_install.kernel.measure import Measure

    # A rendition and what it costs as a piece of the output, its wrapper and separator included.
    Priced = tuple[Rendition, int]


class Share:
    """One `proportional-truncate` fragment or a group of them.

    `start` is each text as large as its ceiling lets it be. `present` makes sure that something of each
    text stays, for fragments that others rely on.
    """

    __slots__ = ("_floors", "_fragments", "_gap", "_measure", "present", "start")

    def __init__(self, fragments: Sequence[Fragment], measure: Measure, gap: int) -> None:
        self._fragments = fragments
        self._measure = measure
        self._gap = gap
        self._floors: list[Priced] | None = None
        self.present = False
        self.start = [self._priced(fragment, self._ceiling(fragment)) for fragment in fragments]

    def floors(self) -> list[Priced]:
        """Each text cut as far as its floor lets it be."""
        if self._floors is None:
            self._floors = list(map(self._floor, self._fragments, self.start))
        return self._floors

    def fill(self, room: int) -> list[Priced]:
        """The renditions that make the most of `room`, which is at least the cost of the floors."""
        overheads = [self._overhead(fragment) for fragment in self._fragments]
        wants = [max(cost - overhead, 0) for (_, cost), overhead in zip(self.start, overheads, strict=True)]
        floors = [
            max(cost - overhead, 0) for (_, cost), overhead in zip(self.floors(), overheads, strict=True)
        ]
        fixed = sum(
            overhead for (rendition, _), overhead in zip(self.start, overheads, strict=True) if rendition.text
        )
        shares = water_fill(wants, floors, room - fixed)
        return [self._cut(number, share) for number, share in enumerate(shares)]

    def _cut(self, number: int, units: int) -> Priced:
        fragment, start, floor = self._fragments[number], self.start[number], self.floors()[number]
        if units >= start[1] - self._overhead(fragment):
            return start
        cut = self._priced(fragment, self._shorten(fragment, units))
        return cut if cut[1] >= floor[1] else floor

    def _ceiling(self, fragment: Fragment) -> Rendition:
        """The text as far as its ceiling lets it, or its floor where a clean cut would fall below that."""
        whole = fragment.renditions[0]
        if fragment.ceiling is None or self._measure.cost(whole.text) <= fragment.ceiling:
            return whole
        rendition = self._shorten(fragment, fragment.ceiling)
        if self._measure.cost(rendition.text) < fragment.floor:
            rendition = self._least(fragment, fragment.floor)
            if self._measure.cost(rendition.text) > fragment.ceiling:
                raise over_ceiling(fragment.id)
        return rendition

    def _shorten(self, fragment: Fragment, units: int) -> Rendition:
        cut = shorten(
            fragment.source, units, self._measure, boundary=fragment.boundary, ending=fragment.ending
        )
        return _rendition(fragment, cut)

    def _floor(self, fragment: Fragment, start: Priced) -> Priced:
        floor = max(fragment.floor, 1) if self.present else fragment.floor
        priced = self._priced(fragment, self._least(fragment, floor))
        return priced if priced[1] < start[1] else start

    def _least(self, fragment: Fragment, floor: int) -> Rendition:
        return _rendition(fragment, least(fragment.source, floor, self._measure, ending=fragment.ending))

    def _priced(self, fragment: Fragment, rendition: Rendition) -> Priced:
        if not rendition.text:
            return rendition, 0
        return rendition, self._measure.cost(rendition.text) + self._overhead(fragment)

    def _overhead(self, fragment: Fragment) -> int:
        return self._measure.cost(fragment.wrapper) + self._gap


def water_fill(wants: Sequence[int], floors: Sequence[int], room: int) -> list[int]:
    """Divide `room` in proportion to `wants`, at least `floors` each; together never more than `room`.

    Where floors exceed their proportion and rounding does not make up for it, the others share what is
    left. Each want is at least its floor; with less room than the floors need, the floors are the answer.
    """
    wanted, held = sum(wants), 0
    if room >= wanted:
        return list(wants)
    shares = [max(want * room // wanted, floor) for want, floor in zip(wants, floors, strict=True)]
    if sum(shares) <= room:
        return shares
    # The texts held at their floors come first: once one floor is within its proportion, all that follow are.
    order = sorted((i for i, want in enumerate(wants) if want), key=lambda i: (-floors[i] / wants[i], i))
    while held < len(order) and floors[order[held]] * wanted >= wants[order[held]] * room:
        room -= floors[order[held]]
        wanted -= wants[order[held]]
        held += 1
    shares = list(floors)
    for number in order[held:]:
        shares[number] = max(wants[number] * room // wanted, floors[number])
    return shares


def _rendition(fragment: Fragment, cut: Cut) -> Rendition:
    if cut.kept == len(fragment.source):
        return fragment.renditions[0]
    return Rendition("shrunk" if cut.text else "omitted", cut.text, cut.kept)
