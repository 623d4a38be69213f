"""`gsd-install uninstall`: take out what the ledger says is ours."""

from __future__ import annotations

import argparse

from gsd_install.apply.ledger import load
from gsd_install.apply.recovery import recover
from gsd_install.cli.changes import Asked, carry_out
from gsd_install.cli.confirm import confirm
from gsd_install.cli.context import Context, context
from gsd_install.cli.result import Result
from gsd_install.kernel.errors import GsdError
from gsd_install.plugins import Plugins, unknown_name


def main(args: argparse.Namespace) -> Result:
    """Remove the named units, or all of them."""
    here = context(args)
    plugins = Plugins()
    said: tuple[str, ...] = ()
    if not here.units:
        if not args.dry_run:
            said = recover(here.location)
            here = here._replace(ledger=load(here.location))
        if not here.units:
            return _nothing(args, here, plugins, said)
    keys = _keys(args, here)
    if not args.dry_run:
        confirm(args, f"remove {', '.join(sorted(keys))} from {here.location.root}?")
    return carry_out(args, here, plugins, lambda now: Asked(removed=frozenset(keys & now.units.keys())))


def _nothing(args: argparse.Namespace, here: Context, plugins: Plugins, recovered: tuple[str, ...]) -> Result:
    """A second uninstall finds its work done; a name that nobody knows is still a mistake."""
    location = here.location
    said = f"nothing is installed in {location.root}"
    other = "global" if location.scope == "project" else "project"
    if not set(plugins.ids()).issuperset(args.runtime):
        raise GsdError(said, reason="not_installed", hint=f"for the other scope add --scope {other}")
    data = {
        "scope": location.scope,
        "root": location.root,
        "dry_run": args.dry_run,
        "changed": False,
        "units": [],
        "shared": {"texts": 0, "bytes": 0},
        "operations": [],
    }
    return Result(data, (f"{said} (for the other scope add --scope {other})",), recovered)


def _keys(args: argparse.Namespace, here: Context) -> set[str]:
    runtimes = {key.partition(":")[0] for key in here.units}
    contents = {key.partition(":")[2] for key in here.units}
    for name in args.runtime:
        if name not in runtimes:
            raise unknown_name("installed runtime", name, tuple(sorted(runtimes)))
    for name in args.content:
        if name not in contents:
            raise unknown_name("installed content", name, tuple(sorted(contents)))
    return {
        key
        for key in here.units
        if (not args.runtime or key.partition(":")[0] in args.runtime)
        and (not args.content or key.partition(":")[2] in args.content)
    }
