"""`gsd-install runtimes`: what can be installed into."""

from __future__ import annotations

import argparse

from gsd_install.cli.context import context
from gsd_install.cli.detect import is_here
from gsd_install.cli.result import Result
from gsd_install.emit.target import home_of
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.plugins import Plugins

if TYPE_CHECKING:
    from typing import Any


def main(args: argparse.Namespace) -> Result:
    """List every declared runtime; one that cannot be used is listed with its reason."""
    here = context(args)
    plugins = Plugins()
    installed = {key.partition(":")[0] for key in here.units}
    rows: list[dict[str, Any]] = []
    warnings: list[str] = []
    for name in plugins.ids():
        try:
            plugin = plugins.get(name)
        except GsdError as error:
            warnings.append(error.message)
            rows.append({"id": name, "usable": False, "reason": error.message})
            continue
        rows.append(
            {
                "id": name,
                "usable": True,
                "title": plugin.runtime.title,
                "home": here.spell(home_of(plugin.runtime.home, here.platform)),
                "project": plugin.runtime.project,
                "kinds": sorted({place.kind for place in plugin.runtime.places}),
                "detected": is_here(plugin.runtime, here.platform),
                "installed": name in installed,
                "distributions": list(plugin.distributions),
            }
        )
    return Result({"runtimes": rows}, _lines(rows), tuple(warnings))


def _lines(rows: list[dict[str, Any]]) -> tuple[str, ...]:
    table = [_cells(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return tuple("  " + "  ".join(map(str.ljust, cells, widths)).rstrip() for cells in table)


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    if not row["usable"]:
        return row["id"], "", "", "", "cannot be used, see warnings"
    marks = ", ".join(word for word in ("detected", "installed") if row[word])
    return row["id"], row["title"], row["home"], ", ".join(row["kinds"]), marks
