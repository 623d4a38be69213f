"""`capability.toml`: what a capability says about itself, its content and the code it brings along."""

from __future__ import annotations

import re

from gsd_install.content import extension
from gsd_install.content.feature import Capability, Server
from gsd_install.content.model import TIERS
from gsd_install.content.toml import NAME, Table, parsed

FILE = "capability.toml"
ROLES = ("feature", "support")

_FEATURE_KEYS = ("tier", "agents", "commands", "skills", "config", "step", "contribution", "gate")
KEYS = ("id", "role", "title", "requires", "payload", *_FEATURE_KEYS)
_PAYLOAD_KEYS = ("packages", "launchers", "render", "server")
_PACKAGE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
_FUNCTION = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


def capability(data: bytes, *, file: str) -> Capability:
    """Read a `capability.toml`. Raises GsdError for anything that is not as `Capability` says."""
    table = parsed(data, "a capability", file)
    table.known(KEYS)
    said = Capability(
        table.name("id"),
        table.text("title"),
        role=table.word("role", ROLES, "support"),
        requires=table.names("requires"),
    )
    said = _with_payload(said, Table(table.values.get("payload", {}), "payload", file))
    if said.role == "feature":
        return _with_extension(said, table)
    odd = [key for key in _FEATURE_KEYS if key in table.values]
    if odd:
        raise table.bad(f"{odd[0]} is for features", 'write role = "feature"')
    return said


def _with_payload(said: Capability, table: Table) -> Capability:
    table.known(_PAYLOAD_KEYS)
    launchers = _launchers(Table(table.values.get("launchers", {}), "payload.launchers", table.file))
    render = table.values.get("render", "")
    if render != "" and render not in dict(launchers):
        raise table.bad(f"render names no launcher of this capability: {render!r}", "add it to launchers")
    packages = table.names("packages", _PACKAGE, "use a dotted name of Python")
    server = _server(table.values["server"], table.file) if "server" in table.values else None
    return said._replace(packages=packages, launchers=launchers, render=str(render), server=server)


def _server(values: object, file: str) -> Server:
    table = Table(values, "payload.server", file)
    table.known(Server._fields)
    needs = table.matched("needs", _PACKAGE, "use the name of a package of Python")
    return Server(table.name("script"), needs, table.name("extra"))


def _launchers(table: Table) -> tuple[tuple[str, str], ...]:
    found = []
    for name in table.values:
        if not NAME.fullmatch(name):
            raise table.bad(f"launcher cannot be {name!r}", "use small letters, digits and single hyphens")
        found.append((name, table.matched(name, _FUNCTION, 'write "package.module:function"')))
    return tuple(found)


def _with_extension(said: Capability, table: Table) -> Capability:
    return said._replace(
        tier=table.word("tier", TIERS, "standard"),
        agents=table.names("agents"),
        commands=table.names("commands"),
        skills=table.names("skills"),
        settings=extension.settings(table),
        steps=extension.steps(table),
        contributions=extension.contributions(table),
        gates=extension.gates(table),
    )
