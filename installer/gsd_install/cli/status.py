"""`gsd-install status`: what is installed, with which version, and what has changed since."""

from __future__ import annotations

import argparse

from gsd_install.apply.drift import unmanaged
from gsd_install.apply.ledger import path_of
from gsd_install.cli.check import as_data, drift, unfinished
from gsd_install.cli.context import Context, context
from gsd_install.cli.result import Result
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.plugins import Plugins
from gsd_install.version import VERSION

if TYPE_CHECKING:
    from typing import Any


def main(args: argparse.Namespace) -> Result:
    """Report the asked scope, or both."""
    plugins = Plugins()
    places: list[dict[str, Any]] = []
    lines: list[str] = []
    warnings: list[str] = []
    for scope in (args.scope,) if args.scope else ("global", "project"):
        here = context(args, scope=scope)
        warnings += unfinished(here)
        if not here.units:
            continue
        data, text, said = _place(here, plugins)
        places.append(data)
        lines += text
        warnings += said
    if not places:
        lines = ["nothing is installed"]
    return Result({"running": VERSION, "places": places}, tuple(lines), tuple(warnings))


def _place(here: Context, plugins: Plugins) -> tuple[dict[str, Any], list[str], tuple[str, ...]]:
    findings, notes = drift(here, plugins)
    lines = [f"{here.location.scope}: {here.location.root}"]
    for key, record in sorted(here.units.items()):
        version = record.get("installer", "?")
        behind = "" if version == VERSION else f", this is {VERSION}: run gsd-install upgrade"
        surfaces = f", with {', '.join(record['with'])}" if record.get("with") else ""
        what = f"content {record.get('content')}  profile {record.get('profile')}{surfaces}"
        lines.append(f"  {key}  {what}  (by {version}{behind})")
    lines += [
        f"  {item.drift:<9} {here.spell(item.path)}{f'  ({item.note})' if item.note else ''}"
        for item in findings
    ]
    waiting = [
        here.spell(path_of(here.location, key)) for key, owned in here.ledger.files.items() if owned.new
    ]
    lines += [f"  conflict  {path}: our version waits as {path}.gsd-new" for path in waiting]
    own = [here.spell(path) for path in unmanaged(here.location)]
    lines += [f"  yours     {path}" for path in own]
    lines.append(
        "  everything is as it should be" if not findings else f"  paths that differ: {len(findings)}"
    )
    data = {
        "scope": here.location.scope,
        "root": here.location.root,
        "units": {key: dict(record) for key, record in here.units.items()},
        "drift": [as_data(here, item) for item in findings],
        "conflicts": waiting,
        "yours": own,
    }
    return data, lines, notes
