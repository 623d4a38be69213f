"""`gsd-install [install]`: put content into runtimes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable

from gsd_install.apply.model import Options
from gsd_install.cli import args as command_line
from gsd_install.cli.changes import Asked, carry_out
from gsd_install.cli.context import Context, context, platform_of
from gsd_install.cli.result import Result
from gsd_install.contents import open_contents, shipped_root
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.pipeline import Wish
from gsd_install.plugins import Plugins, unknown_name


def main(args: argparse.Namespace) -> Result:
    """Install what the command line asks for, or show what that would do."""
    plugins = Plugins()
    if _asks_nothing(args):
        from gsd_install.cli import bare

        return bare.main(args, plugins)
    if args.check and not _names_runtimes(args):
        from gsd_install.cli import check

        return check.main(args, plugins)
    here = context(args, search=False)
    return install(args, here, plugins, runtimes(args, plugins))


def install(args: argparse.Namespace, here: Context, plugins: Plugins, names: Iterable[str]) -> Result:
    """Install the named runtimes with the options of the command line."""
    wish = Wish(args.profile, command_line.surfaces(args.surfaces), args.config_dir)
    content = open_contents(args.content or [shipped_root()], here.platform)
    asked = Asked([(name, root, wish) for name in names for root in content])
    return carry_out(args, here, plugins, lambda _: asked, Options(backup=args.backup, restore=args.restore))


def runtimes(args: argparse.Namespace, plugins: Plugins) -> tuple[str, ...]:
    """The runtime ids that the command line names, each once. Raises UsageError."""
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


def _names_runtimes(args: argparse.Namespace) -> bool:
    return bool(args.runtime or args.all or args.detected)


def _asks_nothing(args: argparse.Namespace) -> bool:
    return not (_names_runtimes(args) or args.check or args.content or args.config_dir)


def on_terminal() -> bool:
    """Is there a person at both ends?"""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("CI") is None
