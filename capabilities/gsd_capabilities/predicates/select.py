"""Choose among predicates."""

from __future__ import annotations

import re

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gsd_install.kernel.predicates import Predicate


_ID = re.compile(r"(?<![\w.-])[A-Z][A-Z0-9_-]*(?:\.[A-Za-z0-9_-]+)+")
_CLASS = re.compile(r"--class[ =]([A-Z][A-Z0-9_-]*)")
_PREFIX = re.compile(r"--prefix[ =]([A-Z][\w.-]*)")


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


def for_workflow(predicates: Iterable[Predicate], workflow: str, text: str) -> tuple[Predicate, ...]:
    """Those an invocation of `workflow` should cite, whose instructions are `text`.

    A segment behind the class names the workflow (`RULE.plan-phase.no-stubs`), or is `any`; or the text
    names the id, or asks for its class or prefix (`--class PLAN`).
    """
    wanted = {workflow, "any"}
    named = set(_ID.findall(text))
    classes = set(_CLASS.findall(text))
    prefixes = tuple(_PREFIX.findall(text))
    return tuple(
        predicate
        for predicate in predicates
        if predicate.id in named
        or predicate.klass in classes
        or predicate.id.startswith(prefixes)
        or not wanted.isdisjoint(predicate.id.split(".")[1:])
    )
