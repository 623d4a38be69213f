"""What an install of the shipped content holds, in memory: every file of a runtime, scope and profile."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from gsd_install.apply.ledger import Ledger
from gsd_install.apply.location import global_location, project_location
from gsd_install.contents import Content, open_contents
from gsd_install.emit.output import Output
from gsd_install.emit.target import Target
from gsd_install.payload import Payload, payload
from gsd_install.pipeline import prepare
from gsd_install.plugins import Plugins
from gsd_install.runtime.words import Scope
from gsd_install.shipped import shipped_root
from gsd_install.units import Wish
from support.content import LINUX

SCOPES: tuple[Scope, ...] = ("global", "project")


class Emitted(NamedTuple):
    """All outputs of one unit."""

    runtime: str
    target: Target
    outputs: tuple[Output, ...]

    def __str__(self) -> str:
        return f"{self.runtime} {self.target.scope}"

    def of(self, *kinds: str) -> list[Output]:
        """The outputs of these kinds."""
        return [output for output in self.outputs if output.kind in kinds]


@cache
def plugins() -> Plugins:
    """Every runtime there is."""
    return Plugins()


@cache
def content() -> Content:
    """The shipped content, parsed once."""
    [found] = open_contents([shipped_root()], LINUX)
    return found


@cache
def _brought() -> Payload:
    return payload()


def emitted(runtime: str, scope: Scope, profile: str) -> Emitted:
    """What one runtime gets, the companion and the shared texts included."""
    location = global_location(LINUX) if scope == "global" else project_location(LINUX, LINUX.cwd)
    wishes = [(runtime, content(), Wish(profile, frozenset()))]
    found = prepare(location, Ledger(), plugins(), wishes, brought=_brought())
    [(_, target, _, _)] = found.emitted
    return Emitted(runtime, target, found.outputs)
