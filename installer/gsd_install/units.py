"""A wish and what is recorded become a unit: what of a content root one runtime gets, and how."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from gsd_install.apply.ledger import Ledger
from gsd_install.apply.location import target_at
from gsd_install.apply.model import Location
from gsd_install.content.feature import Server
from gsd_install.content.model import TIERS
from gsd_install.contents import Content
from gsd_install.emit.companion import Code
from gsd_install.emit.interpreter import Interpreter, stable
from gsd_install.emit.target import Target
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.plugins import Plugin
from gsd_install.shipped import shipped_root
from gsd_install.version import VERSION

if TYPE_CHECKING:
    from typing import Any

SHIPPED = "shipped"
DEFAULT_PROFILE = "standard"


class Wish(NamedTuple):
    """What the command line asks of one unit; None keeps what is recorded, else the default.

    `insisted` are those of the surfaces that were named, not asked for together with all.
    """

    profile: str | None = None
    surfaces: frozenset[str] | None = None
    config_dir: str | None = None
    insisted: frozenset[str] = frozenset()


def unit_key(runtime: str, content: str) -> str:
    """The name of a unit in a ledger, whose scope is the ledger's own."""
    return f"{runtime}:{content}"


class Companion(NamedTuple):
    """What runs beside the content on this machine; `python` is what hooks and launchers start."""

    code: Code
    python: Interpreter
    server: Server | None = None
    distribution: str = ""


class Unit(NamedTuple):
    """One runtime and one content root; `record` is what the ledger says of it.

    `servers` are entries of `mcp.json` beside those of the content. `note` is for the user, or empty.
    """

    plugin: Plugin
    content: Content
    target: Target
    record: Mapping[str, Any]
    companion: Companion
    servers: Mapping[str, Any]
    note: str = ""

    @property
    def key(self) -> str:
        """Its name in a ledger."""
        return unit_key(self.target.runtime.id, self.content.id)

    @property
    def profile(self) -> str:
        """Its install profile."""
        return str(self.record["profile"])


def unit_of(
    location: Location, ledger: Ledger, plugin: Plugin, content: Content, wish: Wish, companion: Companion
) -> Unit:
    """The unit that a wish makes of a runtime and a content root.

    Raises GsdError for an install profile that there is not, and for a server that was named and cannot stay.
    """
    if content.is_bundle or _is_learned(content, location):  # neither brings the companion along
        companion = companion._replace(code=Code())
    recorded = ledger.units.get(unit_key(plugin.runtime.id, content.id), {})
    config_dir = wish.config_dir or recorded.get("config_dir")
    made = target_at(location, plugin.runtime, config_dir)
    record = _record(wish, recorded, location, content, companion)
    if plugin.runtime.cross_reads:
        record["cross_reads"] = True
    if config_dir is not None:
        record["config_dir"] = made.spell(made.own)
    unit = Unit(plugin, content, made, record, companion, {})
    if "mcp" not in record["with"] or companion.server is None or content.root != shipped_root():
        return unit
    return _served(unit, location, str(recorded.get("server", "")), wish)


def _is_learned(content: Content, location: Location) -> bool:
    """Whether this is what the project learned, which works with the companion that is there, or without."""
    if content.root == shipped_root():
        return False
    from gsd_install.kernel.learned import live_folder

    return content.root == live_folder(location.root)


def _record(
    wish: Wish, recorded: Mapping[str, Any], location: Location, content: Content, companion: Companion
) -> dict[str, Any]:
    """What the ledger is to say of a unit whose runtime needs nothing more said."""
    profile = wish.profile or recorded.get("profile") or DEFAULT_PROFILE
    surfaces = recorded.get("with", ()) if wish.surfaces is None else wish.surfaces
    if profile not in TIERS:
        raise GsdError(
            f"there is no install profile {profile!r}", reason="unknown_profile", hint=", ".join(TIERS)
        )
    record: dict[str, Any] = {
        "content": content.version,
        "installer": VERSION,
        "profile": profile,
        "source": _source(content.root, location),
        "with": sorted(surfaces),
    }
    if location.scope == "global" and (companion.code.launchers or "hooks" in surfaces):
        record["python"] = companion.python.exact
    return record


def _served(unit: Unit, location: Location, recorded: str, wish: Wish) -> Unit:
    """The unit with the server of its content, where its host takes servers and there is one to start."""
    from gsd_install.serving import SURFACE, serving

    surfaces = [surface for surface in unit.target.runtime.surfaces if surface.name == SURFACE]
    takes = [surface for surface in surfaces if surface.scope in (None, location.scope)]
    server = unit.companion.server
    if server is None or not takes:
        return unit
    found = serving(
        server,
        unit.companion.distribution,
        location,
        recorded,
        asked=wish.surfaces is not None,
        insisted=SURFACE in wish.insisted,
    )
    if not found.command:
        return unit._replace(note=found.note)
    reader = "" if any(surface.shared for surface in takes) else unit.target.runtime.id
    servers = {unit.content.id: found.entry(location, reader)}
    record = {**unit.record, "server": found.command}
    return unit._replace(record=record, servers=servers, note=found.note)


def _source(root: str, location: Location) -> str:
    """Where the content came from, as the ledger may say it: a project's ledger holds no absolute path."""
    if root == shipped_root():
        return SHIPPED
    if location.scope == "global":
        return root
    relative = os.path.relpath(root, location.root).replace(os.sep, "/")
    return "elsewhere" if relative.startswith("..") else relative


def python_for(location: Location, ledger: Ledger) -> Interpreter:
    """The Python that hooks and launchers start: the recorded one while it is there.

    This process may run another one tomorrow, and its virtual environment may be gone. A project is shared
    between machines, so there it is found by name.
    """
    if location.scope == "project":
        return Interpreter()
    recorded = (str(record.get("python", "")) for record in ledger.units.values())
    there = next((path for path in recorded if path and os.path.exists(path)), "")
    running = (there, getattr(sys, "_base_executable", None) or "", sys.executable)
    return stable(running, location.platform, os.path.exists)
