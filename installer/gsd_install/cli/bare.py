"""`gsd-install` with nothing named: apply `gsd.toml`, else a picker on a terminal, else a short help."""

from __future__ import annotations

import argparse
import os

from gsd_install.cli.context import context
from gsd_install.cli.detect import detected
from gsd_install.cli.result import Result
from gsd_install.cli.where import platform_of, stated
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.plugins import Plugins


def main(args: argparse.Namespace) -> Result:
    """Find out what to install, then install it."""
    from gsd_install.cli import install

    plugins = Plugins()
    platform = platform_of(args)
    file = stated(platform)
    if file and args.scope in (None, "project"):
        from gsd_install.cli.projectfile import read

        asked = read(file)
        args.scope = "project"
        args.profile = args.profile or asked.profile
        args.surfaces = args.surfaces or asked.surfaces
        args.content = [os.path.join(platform.cwd, path) for path in asked.content]
        args.runtime = list(asked.runtimes)
        return install.install(args, context(args, search=False), plugins, install.runtimes(args, plugins))
    if not install.on_terminal() or args.json:
        raise UsageError(
            "what shall be installed where?",
            reason="usage",
            hint="gsd-install --runtime NAME (or --detected, --all); gsd-install --help lists everything",
        )
    args.runtime, args.surfaces = _pick(plugins, detected(plugins, platform), args.surfaces)
    return install.install(args, context(args, search=False), plugins, install.runtimes(args, plugins))


def _pick(
    plugins: Plugins, found: tuple[str, ...], surfaces: list[str] | None
) -> tuple[list[str], list[str] | None]:
    """Ask for runtimes, the found ones already chosen, and once about files of the user's."""
    import questionary

    choices = []
    for name in sorted(plugins.ids(), key=lambda name: name not in found):  # what is here comes first
        try:
            title = plugins.get(name).runtime.title
        except GsdError:
            continue
        here = " (found here)" if name in found else ""
        choices.append(questionary.Choice(f"{title}{here}", value=name, checked=name in found))
    chosen = questionary.checkbox("Install for which runtimes?", choices=choices).ask()
    if not chosen:
        raise GsdError("nothing was chosen, nothing was changed", reason="not_confirmed")
    if surfaces is None:
        question = "May it also add its hooks and permissions to settings files of yours?"
        surfaces = ["all"] if questionary.confirm(question, default=False).ask() else []
    return chosen, surfaces
