"""`gsd-install explain PATH`: why is this file here, and where does its text come from?"""

from __future__ import annotations

import argparse
import os
from typing import Any

from gsd_install.apply.ledger import key_of
from gsd_install.cli.context import Context, context, recorded_wishes
from gsd_install.cli.result import Result
from gsd_install.emit.output import Output
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import measure
from gsd_install.pipeline import Prepared, prepare
from gsd_install.plugins import Plugins


def main(args: argparse.Namespace) -> Result:
    """Explain one installed file."""
    here = context(args, scope=args.scope or _scope(args))
    path = here.platform.expand(args.path)
    owned = here.ledger.files.get(key_of(here.location, path))
    if owned is None:
        raise GsdError(f"{here.spell(path)} is not a file of ours", reason="not_ours",
                       hint="gsd-install status lists what is installed")
    wishes, problems = recorded_wishes(here, Plugins(), owned.owners)
    prepared = prepare(here.location, here.ledger, Plugins(), wishes)
    output = next((item for item in prepared.outputs if item.path == path), None)
    if output is None:
        raise GsdError(f"{here.spell(path)} is no longer part of what this version installs", reason="stale",
                       hint="gsd-install upgrade removes it if you did not change it")
    data = _explained(here, output, prepared, owned.owners)
    return Result(data, tuple(_lines(data)), problems)


def _scope(args: argparse.Namespace) -> str:
    project = context(args, scope="project")
    path = project.platform.expand(args.path)
    return "project" if key_of(project.location, path) in project.ledger.files else "global"


def _explained(here: Context, output: Output, prepared: Prepared, owners: tuple[str, ...]) -> dict[str, Any]:
    text = output.data.decode("utf-8", errors="replace")
    siblings = [
        item for item in prepared.outputs
        if (item.kind, item.source) == (output.kind, output.source) and item.path != output.path
    ]
    caps = [
        {"limit": cap.limit, "unit": cap.unit, "used": measure(text, cap.unit), "on_excess": cap.on_excess,
         "source": cap.source.url if cap.source else "unknown"}
        for _, _, limits, emission in prepared.emitted
        if any(item.path == output.path for item in emission.outputs)
        for cap in limits
        if cap.kind == output.kind and cap.field is None
    ]
    return {
        "path": here.spell(output.path),
        "owners": list(owners),
        "source": output.source,
        "kind": output.kind,
        "rendition": output.rendition,
        "bytes": len(output.data),
        "caps": caps,
        "elsewhere": [{"path": here.spell(item.path), "rendition": item.rendition} for item in siblings],
        "exists": os.path.lexists(output.path),
    }


def _lines(data: dict[str, Any]) -> list[str]:
    lines = [
        data["path"] if data["exists"] else f"{data['path']} (deleted)",
        f"  from       {data['source']} ({data['kind']}), rendition: {data['rendition']}",
        f"  needed by  {', '.join(data['owners'])}",
        f"  size       {data['bytes']:,} bytes",
    ]
    for cap in data["caps"]:
        lines.append(f"  limit      {cap['used']:,} of {cap['limit']:,} {cap['unit']} ({cap['source']})")
    lines += [f"  the rest   {item['path']} ({item['rendition']})" for item in data["elsewhere"]]
    return lines
