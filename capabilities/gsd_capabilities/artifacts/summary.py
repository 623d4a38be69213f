"""Counts over decisions: how many of which kind, and how many bytes stayed out of the conversation."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gsd_capabilities.artifacts.diagnostics import Diagnostics


def summarise(decisions: Iterable[Diagnostics]) -> dict[str, object]:
    """`decisions` in all, `saved_bytes`, and `by`: operation -> outcome -> reason -> number."""
    by: dict[str, dict[str, dict[str, int]]] = {}
    total = saved = 0
    for made in decisions:
        reasons = by.setdefault(made.operation, {}).setdefault(made.outcome, {})
        reasons[made.reason] = reasons.get(made.reason, 0) + 1
        total += 1
        saved += made.saved_bytes
    return {"decisions": total, "saved_bytes": saved, "by": by}
