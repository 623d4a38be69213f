"""The few lines a person sees after a change."""

from __future__ import annotations

from gsd_install.apply.plan import Plan
from gsd_install.cli.context import Context
from gsd_install.cli.result import many
from gsd_install.pipeline import Prepared, UnitReport

# What was written, as opposed to looked at.
WRITING = frozenset(
    {"create", "replace", "merge", "conflict", "edit", "chmod", "remove", "backup", "restore"}
)


def summary(
    here: Context, prepared: Prepared, plan: Plan, removed: frozenset[str], seconds: float
) -> tuple[str, ...]:
    """One line a unit, one for the shared texts, and what it all came to."""
    rows = [_unit(unit) for unit in prepared.units]
    if prepared.units:
        texts, size = prepared.shared
        runtimes = len({unit.runtime for unit in prepared.units})
        readers = "read by both" if runtimes == 2 else "read by all" if runtimes > 2 else ""
        rows.append(
            (
                "shared",
                here.spell(here.location.payload),
                ", ".join(filter(None, (many(texts, "text"), readers))),
                _size(size),
                "",
            )
        )
    lines = _table(rows)
    lines += [f"  removed  {key}" for key in sorted(removed)]
    for unit in prepared.units:
        if unit.absent:
            lines.append(f"  {unit.runtime} has no place for: {', '.join(unit.absent)}")
        if unit.missing_surfaces:
            lines.append(f"  {unit.runtime} got nothing for: {', '.join(unit.missing_surfaces)}")
    lines.append(_outcome(here, prepared, plan, removed, seconds))
    lines += _next(here, prepared)
    return tuple(lines)


def _unit(unit: UnitReport) -> tuple[str, str, str, str, str]:
    placed = "   ".join(many(number, kind) for kind, number in unit.placed)
    return (
        unit.runtime,
        ", ".join(unit.places),
        placed,
        _size(unit.bytes),
        "within every limit" if not unit.warnings else "see warnings",
    )


def _table(rows: list[tuple[str, str, str, str, str]]) -> list[str]:
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(5)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(w) if at == 3 else cell.ljust(w)
            for at, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "   ".join(cells).rstrip())
    return lines


def _outcome(here: Context, prepared: Prepared, plan: Plan, removed: frozenset[str], seconds: float) -> str:
    if not plan.changed:
        return "everything was already in place; no file was written"
    written = sum(operation.action in WRITING for operation in plan.operations)
    edits = (item for item in plan.operations if item.action == "edit")
    edited = {item.path for item in edits if item.before is not None and item.after is not None}
    if edited:
        names = ", ".join(sorted(here.spell(path) for path in edited))
        yours = f"{many(len(edited), 'file')} of yours edited: {names}"
    else:
        yours = "no file of yours was changed"
        asked = any(unit.surfaces or unit.missing_surfaces for unit in prepared.units)
        yours += "" if removed or asked else " (hooks, MCP, permissions: add --with all)"
    verb = "uninstalled" if removed and not prepared.units else "installed"
    took = f"{seconds:.1f} s" if seconds >= 0.05 else "under 0.1 s"
    return f"{verb} in {took}, {many(written, 'file')} written or removed; {yours}"


def _next(here: Context, prepared: Prepared) -> list[str]:
    start = next((unit.start for unit in prepared.units if unit.start), "")
    if not start:
        return []
    scope = "" if here.location.scope == "global" else " --scope project"
    return [f"next: {start}     undo: gsd-install uninstall{scope}"]


def _size(size: int) -> str:
    return f"{size} B" if size < 1_000 else f"{size / 1_000:.0f} KB"
