"""The composer: choose renditions so that a text fits a budget. The only place that cuts text to one.

    composition = compose(fragments, 12_000, BYTES)

Either the text fits or BudgetError says what it would take. docs/composer.md has the rules, the two
modes, and where `ladder` departs from the five-step contract it is named after.
"""

from __future__ import annotations

from itertools import pairwise
from operator import attrgetter

from gsd_install.kernel.budget import BudgetError, allowed
from gsd_install.kernel.compose_job import Job, Layout
from gsd_install.kernel.compose_note import Trimmed, omission_note
from gsd_install.kernel.compose_units import Problem
from gsd_install.kernel.composition import Composition, Decision, Span
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import Memo
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Literal

    from gsd_install.kernel.fragment import Fragment
    from gsd_install.kernel.measure import Measure

    Mode = Literal["ladder", "optimise"]

MODES = ("ladder", "optimise")

__all__ = ["MODES", "BudgetError", "Composition", "Decision", "Span", "Trimmed", "compose", "omission_note"]


def compose(
    fragments: Iterable[Fragment],
    budget: int,
    measure: Measure,
    *,
    mode: Mode = "ladder",
    reserve: int = 0,
    margin: int = 0,
    separator: str = "",
    note: Callable[[Trimmed], str] | None = omission_note,
    note_after: str | None = None,
) -> Composition:
    """Join the fragments, in their order, into a text of at most `budget` units.

    `margin` percent of the budget stay unused, for a measure that may be wrong. `reserve` units are held
    back under pressure only, for what the caller adds when something is missing. When something is left
    out or shortened, `note` words a line about it, which counts; it stands at the end, or behind the
    fragment `note_after`. `separator` stands between any two pieces.

    Raises BudgetError where nothing fits, and GsdError for arguments that make no sense: reasons
    `bad_budget`, `unknown_mode`, `duplicate_fragment`, `isolate_order`, `unknown_fragment`,
    `note_in_prefix`, `mixed_group`, `over_ceiling`, `unknown_requirement`, `requirement_cycle`.
    """
    pieces = tuple(fragments)
    available = allowed(budget, reserve, margin)
    if mode not in MODES:
        raise GsdError(f"unknown mode {mode!r}", reason="unknown_mode", hint=f"one of {', '.join(MODES)}")
    _check_ids(pieces)
    layout = Layout(separator, note, _note_place(pieces, note_after))
    counted = measure if measure.additive else Memo().of(measure)
    job = Job(Problem(pieces, counted, separator), mode, available, available - reserve, layout)
    return job.run() if measure.additive else job.run_calibrated()


def _check_ids(fragments: Sequence[Fragment]) -> None:
    if len(set(map(attrgetter("id"), fragments))) < len(fragments):
        twice = _twice([fragment.id for fragment in fragments])
        raise GsdError(f"two fragments are called {twice!r}", reason="duplicate_fragment")


def _twice(names: Sequence[str]) -> str:
    ordered = sorted(names)
    return next(name for name, following in pairwise(ordered) if name == following)


def _note_place(fragments: Sequence[Fragment], note_after: str | None) -> int:
    """The number of the fragment before which the note stands."""
    if note_after is None:
        return len(fragments)
    place = next((number for number, fragment in enumerate(fragments, 1) if fragment.id == note_after), 0)
    if not place:
        raise GsdError(f"no fragment is called {note_after!r}", reason="unknown_fragment")
    if place < len(fragments) and fragments[place].isolate:
        raise GsdError(f"a note behind {note_after!r} would change the fixed prefix", reason="note_in_prefix")
    return place
