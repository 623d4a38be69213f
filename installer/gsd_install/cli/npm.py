"""Trees that the npm package @opengsd/gsd-core installed: found by their marks, named, never touched.

Marks and the command that removes them: open-gsd/gsd-core 636ec921, bin/install.js (2026-08-08).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from gsd_install.apply.location import target_at
from gsd_install.cli.context import Context
from gsd_install.emit.target import Target
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import NamedTuple
from gsd_install.plugins import Plugins

STATE = "gsd-install-state.json"
# Their own uninstall leaves the state file behind, so it alone is no tree.
MARKS = ("gsd-file-manifest.json", "gsd-core/VERSION", ".gsd-source", STATE)

# A version may be shown on a terminal: nothing but what a version is made of.
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+-]{0,40}")


class Tree(NamedTuple):
    """One directory that holds such a tree, or what is left of one.

    `path` is spelled for reports, `version` empty where nothing tells, `remove` the command that removes
    it, empty where nothing but its state file is left.
    """

    runtime: str
    path: str
    version: str
    marks: tuple[str, ...]
    remove: str

    @property
    def message(self) -> str:
        """A sentence for the report."""
        if not self.remove:
            return f"{self.path}/{STATE} is left of gsd-core from npm; you may delete it"
        version = f" {self.version}" if self.version else ""
        return f"{self.path} holds gsd-core{version} from npm; remove it with: {self.remove}"


def trees(
    here: Context, plugins: Plugins, names: Iterable[str], config_dir: str | None = None
) -> tuple[Tree, ...]:
    """The npm trees in the directories of these runtimes; a plugin that cannot be used is passed over."""
    found = []
    for name in names:
        try:
            directory = own_directory(here, plugins, name, config_dir)
        except GsdError:
            continue  # `runtimes` and `doctor` name it with the reason
        tree = _tree(here, name, directory, config_dir)
        if tree is not None:
            found.append(tree)
    return tuple(found)


def own_directory(here: Context, plugins: Plugins, name: str, config_dir: str | None = None) -> str:
    """A runtime's own directory at this location: as given, recorded, or usual. Raises GsdError."""
    return _target(here, plugins, name, config_dir).own


def _target(here: Context, plugins: Plugins, name: str, config_dir: str | None) -> Target:
    units = here.units.items()
    recorded = (record.get("config_dir") for key, record in units if key.partition(":")[0] == name)
    config_dir = config_dir or next(filter(None, recorded), None)
    return target_at(here.location, plugins.get(name).runtime, config_dir)


def _tree(here: Context, name: str, directory: str, config_dir: str | None) -> Tree | None:
    marks = tuple(mark for mark in MARKS if os.path.isfile(os.path.join(directory, *mark.split("/"))))
    if not marks:
        return None
    path = here.spell(directory)
    remove = "" if marks == (STATE,) else _command(here, name, directory, config_dir)
    return Tree(name, path, _version(directory), marks, remove)


def _command(here: Context, name: str, directory: str, config_dir: str | None) -> str:
    scope = "--global" if here.location.scope == "global" else "--local"
    command = f"npx @opengsd/gsd-core --{name} {scope} --uninstall"
    if config_dir is None or here.location.scope == "project":
        return command
    import shlex

    return f"{command} --config-dir {shlex.quote(directory)}"


def _version(directory: str) -> str:
    try:
        with open(os.path.join(directory, "gsd-core", "VERSION"), "rb") as file:
            text = file.read(200).decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""  # another tool's file: what it does not say is not known
    return text if _VERSION.fullmatch(text) else ""
