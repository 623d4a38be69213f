"""`gsd-install [install]`: put content into runtimes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable

from gsd_install.cli.result import Result
from gsd_install.cli.standing import recalled
from gsd_install.cli.where import location_of, platform_of
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_install.cli.context import Context
    from gsd_install.plugins import Plugins


def main(args: argparse.Namespace) -> Result:
    """Install what the command line asks for, or show what that would do."""
    names_runtimes = bool(args.runtime or args.all or args.detected)
    if not (names_runtimes or args.check or args.content or args.config_dir):
        from gsd_install.cli import bare

        return bare.main(args)
    if args.check and not names_runtimes:
        from gsd_install.cli import check

        return check.main(args)
    return recalled(args, location_of(platform_of(args), args.scope, search=False)) or _planned(args)


def _planned(args: argparse.Namespace) -> Result:
    from gsd_install.cli.context import context
    from gsd_install.plugins import Plugins

    plugins = Plugins()
    here = context(args, search=False)
    return install(args, here, plugins, runtimes(args, plugins))


def install(args: argparse.Namespace, here: Context, plugins: Plugins, names: Iterable[str]) -> Result:
    """Install the named runtimes with the options of the command line."""
    from gsd_install.apply.model import Options
    from gsd_install.cli import args as command_line
    from gsd_install.cli.changes import Asked, carry_out
    from gsd_install.contents import expanded, open_contents
    from gsd_install.shipped import shipped_root
    from gsd_install.units import Wish

    surfaces, named = command_line.surfaces(args.surfaces), command_line.named_surfaces(args.surfaces)
    wish = Wish(args.profile, surfaces, args.config_dir, named)
    content = open_contents(expanded(args.content, here.platform) or [shipped_root()], here.platform)
    asked = Asked([(name, root, wish) for name in names for root in content])
    return carry_out(args, here, plugins, lambda _: asked, Options(backup=args.backup, restore=args.restore))


def runtimes(args: argparse.Namespace, plugins: Plugins) -> tuple[str, ...]:
    """The runtime ids that the command line names, each once. Raises UsageError."""
    from gsd_install.plugins import unknown_name

    for name in args.runtime:
        if name not in plugins.ids():
            raise unknown_name("runtime", name, plugins.ids())
    names = list(args.runtime)
    if args.all:
        names += _placed(plugins.ids(), args, plugins)
    if args.detected:
        from gsd_install.cli.detect import detected

        found = detected(plugins, platform_of(args))
        if not found:
            raise GsdError(
                "no runtime was found on this machine",
                reason="none_detected",
                hint="name one with --runtime; `gsd-install runtimes` lists them",
            )
        names += _placed(found, args, plugins)
    chosen = tuple(dict.fromkeys(names))
    if args.config_dir is not None and len(chosen) != 1:
        raise UsageError(
            "--config-dir goes with exactly one runtime", reason="usage", hint="run once for each directory"
        )
    if not chosen:
        raise UsageError(
            "which runtime?", reason="usage", hint="name one with --runtime, or use --all or --detected"
        )
    return chosen


def _placed(names: Iterable[str], args: argparse.Namespace, plugins: Plugins) -> list[str]:
    """Those of the runtimes that have a place in the asked scope: who asks for all means those."""
    scope = args.scope or "global"
    return [
        name
        for name in names
        if any(place.scope in (None, scope) for place in plugins.get(name).runtime.places)
    ]


def on_terminal() -> bool:
    """Is there a person at both ends?"""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("CI") is None
