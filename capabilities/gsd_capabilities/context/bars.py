"""The report on a context for a person: a bar for each pool, and what is left of the window."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.context.monitor import Monitor
    from gsd_capabilities.context.report import Survey

WIDTH = 24
_KEPT = "response"
_SPARE = "buffer"


def drawn(survey: Survey, monitor: Monitor | None) -> str:
    """Lines for a terminal; every figure of them is in the report as JSON too."""
    before = survey.before
    counted = "counted exactly" if before.exact else "estimated"
    lines = [
        f"{before.total:,} of {before.available:,} tokens, {counted} ({before.utilisation:.0%})",
        "",
        *(_pool(survey, name, size) for name, size in survey.pools.items()),
        "",
        f"truncated: {survey.trigger}, down to {survey.aim:,} tokens" if survey.trigger else "nothing is cut",
    ]
    if monitor is not None:
        lines.append(_projected(monitor, before.window))
    return "\n".join([*lines, ""])


def _pool(survey: Survey, name: str, size: int) -> str:
    """Used, then free; `>` at the end of a bar that needs more than its pool has."""
    need = survey.need.get(name, 0)
    if name in (_KEPT, _SPARE):
        return f"{name:<11}{'.' * WIDTH}  {size:>9,}  {'kept free' if name == _KEPT else 'to lend'}"
    filled = min(-(-need * WIDTH // size) if size else WIDTH * bool(need), WIDTH)
    bar = "#" * filled + "-" * (WIDTH - filled)
    borrowed, lacking = survey.lending.borrowed.get(name, 0), survey.lending.lacking.get(name, 0)
    remarks = [f"{borrowed:,} borrowed"] if borrowed else []
    remarks += [f"{lacking:,} lacking"] if lacking else []
    end = ">" if need > size else " "
    return f"{name:<11}{bar}{end} {need:>9,} of {size:,}{''.join(f', {remark}' for remark in remarks)}"


def _projected(monitor: Monitor, window: int) -> str:
    rounds = monitor.projected_rounds
    ahead = "no growth" if rounds is None else f"{rounds} rounds left at {monitor.growth:,.0f} tokens a round"
    return f"session: {monitor.used:,} tokens, {monitor.level(window)}; {ahead}"
