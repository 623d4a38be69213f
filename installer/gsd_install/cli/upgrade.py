"""`gsd-install upgrade`: apply the recorded selection with this version."""

from __future__ import annotations

import argparse

from gsd_install.apply.model import Options
from gsd_install.cli.changes import Asked, carry_out
from gsd_install.cli.check import nothing_installed
from gsd_install.cli.context import Context, context, recorded_wishes
from gsd_install.cli.result import Result
from gsd_install.cli.standing import recalled
from gsd_install.cli.where import location_of, platform_of
from gsd_install.plugins import Plugins


def main(args: argparse.Namespace) -> Result:
    """Plan every recorded unit anew."""
    found = recalled(args, location_of(platform_of(args), args.scope))
    return found or _planned(args)


def _planned(args: argparse.Namespace) -> Result:
    here = context(args)
    if not here.units:
        raise nothing_installed(here, "install something first: gsd-install --runtime NAME")
    plugins = Plugins()

    def ask(now: Context) -> Asked:
        wishes, problems = recorded_wishes(now, plugins, now.units)
        return Asked(wishes, problems=problems)

    return carry_out(args, here, plugins, ask, Options(backup=args.backup, restore=args.restore))
