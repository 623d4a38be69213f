"""Build a context in five stages: resolve, load, inject, render, validate.

The first three gather, the fourth fills the template, and the last one measures the text and hands what is
too large to `fit`. The same order, sources and measure give the same bytes.
"""

from __future__ import annotations

from gsd_capabilities.context.checks import check_structure
from gsd_capabilities.context.fit import Task, choices, fitted
from gsd_capabilities.context.gather import Order as Order
from gsd_capabilities.context.gather import Sources as Sources
from gsd_capabilities.context.gather import gathered
from gsd_capabilities.context.layout import arranged, rendered
from gsd_capabilities.context.pools import lend, pools
from gsd_capabilities.context.report import Budget, BudgetExceededError, Choice, Report, Survey
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import ERROR_PERCENT, Memo, estimated
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gsd_capabilities.context.fit import Fitted
    from gsd_capabilities.context.gather import Gathered
    from gsd_capabilities.context.layout import Piece
    from gsd_capabilities.context.sections import Section
    from gsd_capabilities.context.settings import Settings
    from gsd_install.kernel.measure import Measure

# From here on an estimate, which may be off by its tested error, is too coarse.
NEAR_PERCENT = 100 - ERROR_PERCENT


class Counters(NamedTuple):
    """How tokens are counted: an estimate, and an exact counter where there is one."""

    estimate: Measure
    exact: Measure | None = None


class Built(NamedTuple):
    """The context and the report on it."""

    text: str
    report: Report


def build(order: Order, sources: Sources, settings: Settings, counters: Counters | None = None) -> Built:
    """The context for an order, within the settings.

    Raises BudgetExceededError when what may not be cut does not fit, GsdError `broken_structure` when the
    template has no place for what must be there, and what `gathered` raises.
    """
    counted = _remembering(counters)
    found, pieces, text, survey, costs = _surveyed(order, sources, settings, counted)
    if survey.aim >= survey.before.total:
        check_structure(found.sections, text)
        return Built(text, Report(survey, survey.before, _in_full(found.sections, costs), ()))
    overdrawn = frozenset(name for name, lacking in survey.lending.lacking.items() if lacking)
    reserve = settings.reserve_tokens
    task = Task(found.nodes, found.sections, pieces, overdrawn, survey.aim, settings.available, reserve)
    done, after = _truncated(task, settings, counted)
    check_structure(found.sections, done.text)
    return Built(done.text, Report(survey, after, choices(done, costs), done.repaired))


def survey(order: Order, sources: Sources, settings: Settings, counters: Counters | None = None) -> Survey:
    """What a context would hold in full, whether or not it fits. Raises what `gathered` raises."""
    return _surveyed(order, sources, settings, _remembering(counters)).survey


def budget(text: str, settings: Settings, counters: Counters) -> Budget:
    """The figures of a text; near the limit it is counted exactly where that is possible."""
    total, exact = counters.estimate.cost(text), False
    if counters.exact and total * 100 >= settings.available * NEAR_PERCENT:
        total, exact = counters.exact.cost(text), True
    return Budget(total, settings.available, settings.max_tokens, exact)


def _remembering(counters: Counters | None) -> Counters:
    given, memo = counters or Counters(estimated()), Memo()
    return Counters(memo.of(given.estimate), memo.of(given.exact) if given.exact else None)


class _Surveyed(NamedTuple):
    found: Gathered
    pieces: Sequence[Piece]
    text: str
    survey: Survey
    costs: Mapping[str, int]


def _surveyed(order: Order, sources: Sources, settings: Settings, counters: Counters) -> _Surveyed:
    """What was gathered, rendered in full, and measured; and the cost of each section."""
    found = gathered(order, sources, settings)
    pieces = arranged(found.nodes, found.sections)
    placed = _placed(pieces)
    text = rendered(pieces)
    costs = {one.id: counters.estimate.cost(one.text) for one in found.sections}
    before = _before(text, pieces, costs, settings, counters)
    have = pools(settings.max_tokens, settings.reserve_tokens, settings.pools)
    need = _need(found.sections, costs)
    trigger, aim = _trigger(before, found, settings, exact=counters.exact is not None)
    lost = {one.id: "no place in the template" for one in found.sections if one.id not in placed}
    stages = (*found.stages, "render", "validate")
    made = Survey(before, trigger, aim, stages, have, need, lend(have, need), {**found.absent, **lost})
    return _Surveyed(found, pieces, text, made, costs)


def _before(
    text: str, pieces: Sequence[Piece], costs: Mapping[str, int], settings: Settings, counters: Counters
) -> Budget:
    """The figures of a text in full.

    A text far too large is not measured whole: the sum of its parts, each rounded up, decides as well.
    """
    cost = counters.estimate.cost
    parts = sum(cost(piece.text) + (costs[piece.section.id] if piece.section else 0) for piece in pieces)
    if parts - 2 * len(pieces) > 2 * settings.available:
        return Budget(parts, settings.available, settings.max_tokens, exact=False)
    return budget(text, settings, counters)


def _placed(pieces: Sequence[Piece]) -> set[str]:
    """The ids that stand in the text. Raises GsdError (reason `placed_twice`)."""
    placed: set[str] = set()
    for piece in pieces:
        if piece.section and piece.section.id in placed:
            hint = "each section has one place in the template and an id of its own"
            raise GsdError(f"{piece.section.id!r} would stand there twice", reason="placed_twice", hint=hint)
        placed |= {piece.section.id} if piece.section else set()
    return placed


def _truncated(task: Task, settings: Settings, counters: Counters) -> tuple[Fitted, Budget]:
    """Fit by the estimate, measure what came out, and fit again by exact counts where it is over."""
    exact = counters.exact
    try:
        done = fitted(task, counters.estimate)
        after = budget(done.text, settings, counters)
        if exact is None or not after.over:
            return done, after
    except BudgetExceededError:
        if exact is None:
            raise
    done = fitted(task, exact)
    return done, Budget(exact.cost(done.text), settings.available, settings.max_tokens, exact=True)


def _trigger(before: Budget, found: Gathered, settings: Settings, *, exact: bool) -> tuple[str, int]:
    """Why the context is truncated, if at all, and how many tokens it aims at."""
    if before.over:
        margin = 0 if exact else ERROR_PERCENT
        most = settings.available * (100 - margin) // 100
        return "forced", min(most, settings.compact) if found.order.compact else most
    if found.order.compact:
        return "requested", min(settings.compact, before.total)
    if before.total > settings.soft:
        return "preventive", settings.soft
    return ("projected" if found.compacted else ""), before.total


def _need(sections: Sequence[Section], costs: Mapping[str, int]) -> dict[str, int]:
    need: dict[str, int] = {}
    for one in sections:
        need[one.pool] = need.get(one.pool, 0) + costs[one.id]
    return need


def _in_full(sections: Sequence[Section], costs: Mapping[str, int]) -> tuple[Choice, ...]:
    """The choice on each section of a context that is not truncated."""
    made = []
    for one in sections:
        cost = costs[one.id]
        made.append(Choice(one.id, one.title, one.role, one.tier, one.priority, "full", cost, cost, "kept"))
    return tuple(made)
