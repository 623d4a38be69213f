"""What every verb starts from: the platform, the location of its scope, and what is recorded there."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping

from gsd_install.apply.ledger import Ledger, load
from gsd_install.apply.model import Location
from gsd_install.cli.where import location_of, platform_of
from gsd_install.contents import Content, open_contents
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.plugins import Plugins
from gsd_install.runtime.platform import Platform
from gsd_install.shipped import shipped_root
from gsd_install.units import SHIPPED, Wish

if TYPE_CHECKING:
    from typing import Any


class Context(NamedTuple):
    """One command at one location."""

    platform: Platform
    location: Location
    ledger: Ledger

    @property
    def units(self) -> Mapping[str, Mapping[str, Any]]:
        """The recorded units by key."""
        return self.ledger.units

    def spell(self, path: str) -> str:
        """A path as the report names it: below `~` or the project where it is, else absolute."""
        root = self.location.root.rstrip("/\\")
        if path != root and not path.startswith(root + self.platform.path.sep):
            return path
        rest = path[len(root) + 1 :].replace("\\", "/")
        return (f"~/{rest}" if self.location.scope == "global" else rest) or "."


def context(args: argparse.Namespace, *, search: bool = True, scope: str | None = None) -> Context:
    """The context of a command. `search` lets a project be found from a folder below it."""
    platform = platform_of(args)
    location = location_of(platform, scope or args.scope, search=search)
    return Context(platform, location, load(location))


def content_root(source: str, here: Context) -> str | None:
    """The content root that a unit's record names, or None where it is not to be found."""
    if source == SHIPPED:
        return shipped_root()
    path = os.path.join(here.location.root, source)
    return path if os.path.isdir(path) else None


def recorded_wishes(
    here: Context, plugins: Plugins, keys: Iterable[str]
) -> tuple[list[tuple[str, Content, Wish]], tuple[str, ...]]:
    """Wishes that repeat what is recorded, and a sentence for each unit that cannot be planned anew."""
    wishes: list[tuple[str, Content, Wish]] = []
    problems: list[str] = []
    loaded: dict[str, Content | GsdError] = {}
    for key in keys:
        runtime, _, content = key.partition(":")
        root = content_root(str(here.units[key]["source"]), here)
        if root is None:
            problems.append(
                f"{key} stays as it is: its content root is not here "
                f"(gsd-install --runtime {runtime} --content PATH installs it anew)"
            )
            continue
        try:
            plugins.get(runtime)
        except GsdError as error:
            problems.append(f"{key} stays as it is: {error.message}")
            continue
        if root not in loaded:
            loaded[root] = _opened(root, here.platform)
        found = loaded[root]
        if isinstance(found, GsdError):
            problems.append(f"{key} stays as it is: {'; '.join(str(found).splitlines())}")
        elif found.id != content:
            problems.append(f"{key} stays as it is: {root} now holds the content {found.id!r}")
        else:
            wishes.append((runtime, found, Wish()))
    return wishes, tuple(problems)


def _opened(root: str, platform: Platform) -> Content | GsdError:
    """The content of one root, or what is wrong with it: that is no reason to leave other units alone."""
    try:
        [content] = open_contents([root], platform)
    except GsdError as error:
        return error
    return content
