"""When finished work is worth looking back at: three triggers, each enough by itself.

Nothing here reads or writes: what is known of a task comes in, the decision goes out.
"""

from __future__ import annotations

import re

from gsd_capabilities.learning.limits import DISTIL_SIMILAR_TASKS, DISTIL_TITLE_SHARE, DISTIL_TOOL_CALLS
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

COMPLETED = "completed"
_WORD = re.compile(r"\w+")
_SMALL = frozenset(
    {"a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"}
)


class Finished(NamedTuple):
    """What is known of a task that ended.

    `calls` are its tool calls, None where nobody counted; `round` is 1 until a review rejects it; `similar`
    counts recent completed tasks that are like it. `agent` did the work.
    """

    state: str
    calls: int | None
    round: int
    similar: int
    agent: str = ""


class Decision(NamedTuple):
    """Whether to look back, the triggers that said so, and whether only the missing count did."""

    fires: bool
    reasons: tuple[str, ...] = ()
    transitional: bool = False


def decide(task: Finished) -> Decision:
    """Whether a task is worth a distillation; one whose calls nobody counted is, and is marked as such."""
    if task.state != COMPLETED:
        return Decision(fires=False)
    unknown = task.calls is None
    tried = {
        "tool-calls": task.calls is not None and task.calls >= DISTIL_TOOL_CALLS,
        "rejected": task.round > 1,
        "similar": task.similar >= DISTIL_SIMILAR_TASKS,
    }
    reasons = tuple(name for name, hit in tried.items() if hit)
    return Decision(bool(reasons) or unknown, reasons or (("calls-unknown",) if unknown else ()), unknown)


def alike(title: str, project: str, others: Iterable[tuple[str, str]]) -> int:
    """How many of `others`, pairs of title and project, are of the same project and share its words."""
    return sum(1 for other, where in others if where == project and overlap(title, other))


def overlap(one: str, other: str) -> bool:
    """Whether two titles share at least half of the words of the shorter one, as whole words."""
    first, second = words(one), words(other)
    fewer = min(len(first), len(second))
    return fewer > 0 and len(first & second) / fewer >= DISTIL_TITLE_SHARE


def words(text: str) -> frozenset[str]:
    """The words of a text in small letters, without those that every title has."""
    return frozenset(_WORD.findall(text.casefold())) - _SMALL
