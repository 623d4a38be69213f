"""`gsd-install --check`: is everything that is recorded on disk, byte for byte?"""

from __future__ import annotations

import argparse

from gsd_install.apply.drift import check
from gsd_install.apply.model import Finding
from gsd_install.cli.context import Context, context, recorded_wishes
from gsd_install.cli.result import Result
from gsd_install.cli.where import platform_of, stated
from gsd_install.kernel.errors import DONE, DRIFT, GsdError
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.pipeline import prepare
from gsd_install.plugins import Plugins

if TYPE_CHECKING:
    from typing import Any

REPAIR = "any install or uninstall repairs it first"


def main(args: argparse.Namespace) -> Result:
    """Compare the location with its ledger and with what this version would install."""
    plugins = Plugins()
    # A project that states what it holds is what a bare command in it is about.
    here = context(args, scope=args.scope or ("project" if stated(platform_of(args)) else None))
    if not here.units:
        raise nothing_installed(here, "for a project add --scope project")
    findings, notes = drift(here, plugins)
    notes = (*unfinished(here), *notes)
    if args.sarif:
        from gsd_install.cli import sarif

        shown = sarif.text(here.location.root, findings, notes)
        return Result({}, (shown,), notes, DRIFT if findings else DONE)
    return verdict(here, findings, notes)


def verdict(here: Context, findings: tuple[Finding, ...], notes: tuple[str, ...]) -> Result:
    """What a check came to, as text and as `drift`; exit code 4 when there are findings."""
    lines = [_line(here, finding) for finding in findings] or ["everything is as it should be"]
    data = {"drift": [as_data(here, item) for item in findings]}
    return Result(data, tuple(lines), notes, DRIFT if findings else DONE)


def drift(here: Context, plugins: Plugins) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """Every finding at a location, and a sentence for each unit that only its ledger could vouch for."""
    wishes, problems = recorded_wishes(here, plugins, here.units)
    desired = prepare(here.location, here.ledger, plugins, wishes).desired if wishes else None
    return check(here.location, desired), problems


def interrupted(here: Context) -> GsdError | None:
    """A run at this location that stopped half-way, the first one included; None where none did."""
    from gsd_install.apply import recovery

    if not recovery.interrupted(here.location):
        return None
    message = f"a run in {here.location.root} was interrupted, or is still at work"
    return GsdError(message, reason="interrupted", hint=REPAIR)


def unfinished(here: Context) -> tuple[str, ...]:
    """The same as a sentence with its hint, if there is anything to say."""
    error = interrupted(here)
    return () if error is None else (f"{error.message}; {error.hint}",)


def nothing_installed(here: Context, hint: str) -> GsdError:
    """That nothing is recorded here; where a first install stopped half-way, that instead."""
    message = f"nothing is installed in {here.location.root}"
    return interrupted(here) or GsdError(message, reason="not_installed", hint=hint)


def as_data(here: Context, finding: Finding) -> dict[str, Any]:
    """A finding for scripts."""
    return {
        "drift": finding.drift,
        "path": here.spell(finding.path),
        "owners": list(finding.owners),
        "note": finding.note,
    }


def _line(here: Context, finding: Finding) -> str:
    note = f"  ({finding.note})" if finding.note else ""
    return f"{finding.drift:<9} {here.spell(finding.path)}{note}"
