"""Which core tools our own agent has, and why it has not the others."""

from __future__ import annotations

from gsd_capabilities.packs.tools import CORE, DISCOVER
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.packs.tool import Tool

_GOALS = "goals are the requirements of the project, in .planning/REQUIREMENTS.md"
_ONE_AGENT = "one agent answers in a session; other agents get tasks and messages"

UNAVAILABLE: Mapping[str, str] = {
    "goal_create": _GOALS,
    "goal_update": _GOALS,
    "goal_status": _GOALS,
    "spawn_subagent": _ONE_AGENT,
    "spawn_subagents": _ONE_AGENT,
    "hub_install": "nothing is fetched from an address that no person has named",
}
# Elsewhere discovery is about tools alone: hosts load skills in ways of their own.
_FINDS = "Makes tools live and loads skills, by name; without names it lists the tools that wait."
_NO_SHELL = "a person allows it with --allow-shell"


def unavailable(*, allow_shell: bool) -> Mapping[str, str]:
    """Tools that are not offered, each with its reason."""
    return UNAVAILABLE if allow_shell else {**UNAVAILABLE, "shell": _NO_SHELL}


def offered(*, allow_shell: bool) -> tuple[Tool, ...]:
    """Every core tool that does something in our own agent."""
    missing = unavailable(allow_shell=allow_shell)
    found = (tool for tool in CORE.values() if tool.name not in missing)
    return tuple(tool._replace(description=_FINDS) if tool.name == DISCOVER else tool for tool in found)
