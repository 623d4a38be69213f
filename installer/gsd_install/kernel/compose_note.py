"""The line that tells a reader what a composition lacks."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

# A note must not outgrow what it reports, so long lists end in a count.
_LISTED = 8


class Trimmed(NamedTuple):
    """What a note may tell: the units allowed, what was left out, what was shortened.

    `shrunk` pairs an id with the part of its characters that is gone, in percent, rounded up.
    """

    budget: int
    unit: str
    omitted: tuple[str, ...]
    shrunk: tuple[tuple[str, int], ...]


def omission_note(trimmed: Trimmed) -> str:
    """One line that names what is missing, with its line end."""
    parts = []
    if trimmed.omitted:
        parts.append(f"left out: {_listed(trimmed.omitted[:_LISTED], len(trimmed.omitted))}")
    if trimmed.shrunk:
        named = [f"{name} by {part} %" for name, part in trimmed.shrunk[:_LISTED]]
        parts.append(f"shortened: {_listed(named, len(trimmed.shrunk))}")
    return f"[to fit {trimmed.budget:,} {trimmed.unit}, {'; '.join(parts)}]\n"


def _listed(names: Sequence[str], count: int) -> str:
    more = count - len(names)
    return f"{', '.join(names)} and {more:,} more" if more else ", ".join(names)
