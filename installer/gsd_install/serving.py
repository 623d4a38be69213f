"""What `--with mcp` writes down: how a host starts the server that serves the installed content.

A user's settings name the console script of an installation that stays; a project is shared between
machines, so there it is found by name. What was written down before stays while it is there.
"""

from __future__ import annotations

import os
import sys

from gsd_install.apply.model import Location
from gsd_install.content.feature import Server
from gsd_install.emit.interpreter import is_ephemeral
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

SURFACE = "mcp"


class Serving(NamedTuple):
    """`command` starts the server, empty where there is none; `note` is a sentence for the report."""

    command: str = ""
    note: str = ""

    def entry(self, location: Location, runtime: str) -> dict[str, object]:
        """The server as `mcp.json` would hold it; `runtime` is empty where several read the same file."""
        words = ["--scope", location.scope, *(("--runtime", runtime) if runtime else ())]
        names = location.platform.path
        if location.scope == "global" and location.payload != names.join(location.root, ".gsd"):
            words += ["--payload", location.payload]
        return {"command": self.command, "args": words}


def serving(
    server: Server,
    distribution: str,
    location: Location,
    recorded: str,
    *,
    asked: bool,
    insisted: bool,
    prefixes: Sequence[str] | None = None,
) -> Serving:
    """How a unit's host is to start the server.

    `recorded` is what the ledger says of the unit. `asked`: this command says what to write to the user's
    files; `insisted`: it names this surface. `prefixes` are the folders of scripts of this installation.
    Raises GsdError `no_server` where somebody insists and nothing that stays could be started.
    """
    if not asked and not recorded:
        return Serving()
    if recorded and (location.scope == "project" or os.path.exists(recorded)):
        return Serving(recorded)
    found = _lasting(server, location, _folders() if prefixes is None else prefixes)
    if found:
        return Serving(server.script if location.scope == "project" else found)
    hint = f"pipx install '{distribution}[{server.extra}]'"
    if insisted:
        message = f"the server {server.script} is not installed where it would stay"
        raise GsdError(message, reason="no_server", hint=hint)
    what = f"{recorded} is gone" if recorded else f"there is no lasting {server.script} to start"
    return Serving(recorded, f"{SURFACE}: {what}; {hint}")


def _lasting(server: Server, location: Location, folders: Sequence[str]) -> str:
    """The console script beside this Python, if what it needs is there too and neither is in a cache."""
    from importlib.util import find_spec

    if find_spec(server.needs) is None:
        return ""
    suffix = ".exe" if location.platform.os == "windows" else ""
    candidates = (os.path.join(folder, server.script + suffix) for folder in folders)
    lasting = (path for path in candidates if os.path.isfile(path))
    return next((path for path in lasting if not is_ephemeral(path, location.platform)), "")


def _folders() -> tuple[str, ...]:
    """Where console scripts of this installation are: beside its Python, else beside the running one."""
    return tuple(os.path.dirname(os.path.abspath(path)) for path in (sys.executable, sys.argv[0]) if path)
