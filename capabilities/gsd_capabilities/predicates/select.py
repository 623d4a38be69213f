"""Choose among predicates."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gsd_capabilities.predicates.reader import Predicate


def select(
    predicates: Iterable[Predicate],
    *,
    klass: str | None = None,
    prefix: str | None = None,
    contains: str | None = None,
) -> tuple[Predicate, ...]:
    """Those of one class, whose id begins with `prefix`, and that contain a text: all that is given counts.

    `contains` looks in the id, a blank and the value together, and lets letter case be.
    """
    needle = None if contains is None else contains.casefold()
    return tuple(
        predicate
        for predicate in predicates
        if (klass is None or predicate.klass == klass)
        and (prefix is None or predicate.id.startswith(prefix))
        and (needle is None or needle in f"{predicate.id} {predicate.value}".casefold())
    )


def for_workflow(predicates: Iterable[Predicate], workflow: str) -> tuple[Predicate, ...]:
    """Those an invocation of `workflow` should cite: a segment behind the class names it.

    `RULE.plan-phase.no-stubs=...` concerns plan-phase; `any` in its place concerns every workflow.
    """
    wanted = {workflow, "any"}
    return tuple(predicate for predicate in predicates if wanted & set(predicate.id.split(".")[1:]))
