"""Where a command is at work: the machine, and the location of its scope."""

from __future__ import annotations

import argparse
import os

from gsd_install.apply.location import global_location, project_location
from gsd_install.apply.model import Location
from gsd_install.kernel.errors import UsageError
from gsd_install.runtime.platform import Platform, current


def platform_of(args: argparse.Namespace) -> Platform:
    """The platform, with `--home` in force."""
    if args.home is not None and not os.path.isdir(args.home):
        raise UsageError(f"--home {args.home!r} is not a directory", reason="usage", hint="create it first")
    return current(args.home)


def location_of(platform: Platform, scope: str | None, *, search: bool = True) -> Location:
    """The location of a scope, global by default. `search` lets a project be found from a folder below it."""
    if (scope or "global") == "global":
        return global_location(platform)
    return project_location(platform, _project(platform.cwd) if search else platform.cwd)


def stated(platform: Platform) -> str:
    """The `gsd.toml` of the current directory; empty where there is none."""
    file = os.path.join(platform.cwd, "gsd.toml")
    return file if os.path.isfile(file) else ""


def _project(cwd: str) -> str:
    folder = cwd
    while not os.path.isfile(os.path.join(folder, ".gsd", "ledger.json")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return cwd
        folder = parent
    return folder
