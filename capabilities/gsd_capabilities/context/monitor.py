"""How a context grows from round to round, and when it will hit the wall.

There is one monitor. A hook that warns during a session asks it too: `level` is its view of the share of
the window that is left, 35 percent for a warning and 25 for a critical one.
"""

from __future__ import annotations

from itertools import pairwise

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    Level = Literal["healthy", "warning", "critical"]

# Growth is the mean of the last rounds that grew; this many rounds ahead is too late.
_ROUNDS = 3
_TOO_FEW = 2

WARNING_PERCENT = 35
CRITICAL_PERCENT = 25


class Monitor(NamedTuple):
    """Tokens that stand in the window, round by round.

    `used` is what the next request holds, not a sum over the life of the session. A round that left fewer
    tokens than there were was a compaction; growth counts from the last of them, behind `since` totals.
    """

    available: int
    initial: int = 0
    rounds: tuple[int, ...] = ()
    since: int = 0

    @property
    def used(self) -> int:
        return self.rounds[-1] if self.rounds else self.initial

    @property
    def current_round(self) -> int:
        """What the last round added; negative when it shrank."""
        before = [self.initial, *self.rounds]
        return before[-1] - before[-2] if len(before) > 1 else 0

    @property
    def remaining(self) -> int:
        return self.available - self.used

    @property
    def growth(self) -> float:
        """Mean tokens a round, of the last three rounds that grew since the last compaction."""
        totals = [self.initial, *self.rounds][self.since :]
        grown = [after - at for at, after in pairwise(totals) if after > at]
        return sum(grown[-_ROUNDS:]) / len(grown[-_ROUNDS:]) if grown else 0.0

    @property
    def projected_rounds(self) -> int | None:
        """Whole rounds until nothing is left at this growth; None when nothing grows."""
        return max(int(self.remaining // self.growth), 0) if self.growth > 0 else None

    @property
    def compaction_due(self) -> bool:
        """Whether the history is to be compacted now, before the wall."""
        projected = self.projected_rounds
        return projected is not None and projected <= _TOO_FEW

    def level(self, window: int) -> Level:
        """How much of a window of that many tokens is left, in a word."""
        left = (window - self.used) * 100
        if left <= CRITICAL_PERCENT * window:
            return "critical"
        return "warning" if left <= WARNING_PERCENT * window else "healthy"

    def observe(self, used: int) -> Monitor:
        """The monitor after a round that left `used` tokens in the window."""
        since = len(self.rounds) + 1 if used < self.used else self.since
        return self._replace(rounds=(*self.rounds, used), since=since)


def watched(available: int, used: Iterable[int]) -> Monitor:
    """A monitor that saw these totals, oldest first; the first is the initial one."""
    first, *rest = [*used] or [0]
    monitor = Monitor(available, first)
    for total in rest:
        monitor = monitor.observe(total)
    return monitor
