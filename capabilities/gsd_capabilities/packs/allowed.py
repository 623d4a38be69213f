"""Which tools are live in a scenario without being asked for, and which can never be.

Whatever is in neither set can be made live by discovery.
"""

from __future__ import annotations

from gsd_capabilities.packs.scenarios import CONVERSE, ENTITY_BOUND, EXECUTE, GOVERN, REFLEX, pack_of
from gsd_capabilities.packs.tool import CORE_SOURCE, namespaced
from gsd_capabilities.packs.tools import CODE, CORE_KEEP, PROTECTED, SERVED, SERVED_READING, WORK_BOUND
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.packs.tool import Tool

DISTILLATION = "distillation"
MANAGERS = frozenset({"team_status"})

REFLEX_TOOLS = frozenset(
    {
        "task_list",
        "task_get",
        "memory_save",
        "memory_search",
        "notify_user",
        "request_user_input",
        "schedule_wakeup",
        "cancel_wakeup",
        "set_heartbeat_interval",
        "discover_tools",
        "check_mailbox",
        "file_read",
        "agent_send_message",
        "update_notebook",
    }
)
# What distilling finished work into memory and skills may use beyond reflex.
DISTILLATION_TOOLS = frozenset(
    {
        "memory_update",
        "memory_update_longterm",
        "file_write",
        "file_edit",
        "package_list",
        "package_install",
    }
)
NEVER_DISTILLING = frozenset({"hub_install"})
# Live by discovery alone: no keyword and no recent use brings one of these into converse.
CONVERSE_DISCOVERED = frozenset({"spawn_subagent", "spawn_subagents", "deliverable_create"})

_PACKS: Mapping[str, frozenset[str]] = {
    REFLEX.name: REFLEX_TOOLS | SERVED_READING,
    CONVERSE.name: PROTECTED | CORE_KEEP | SERVED,
    EXECUTE.name: PROTECTED
    | CORE_KEEP
    | CODE
    | SERVED
    | {"deliverable_create", "deliverable_update", "spawn_subagent"},
    GOVERN.name: PROTECTED | CORE_KEEP | SERVED | {"review_verdict"},
}


def names(scenario: str, *, manager: bool = False) -> frozenset[str]:
    """The core tools that are live in a scenario. Raises UsageError `unknown_scenario`."""
    pack = pack_of(scenario)
    found = _PACKS[pack.name]
    if manager:
        found |= MANAGERS
    if scenario == DISTILLATION:
        found |= DISTILLATION_TOOLS
    if scenario in ENTITY_BOUND:
        found |= WORK_BOUND
    return found


def reachable(scenario: str, tool: Tool) -> bool:
    """Whether discovery may make a tool live in a scenario. Raises UsageError `unknown_scenario`."""
    pack_of(scenario)
    if tool.name in NEVER_DISTILLING and scenario == DISTILLATION:
        return False
    bound = tool.source == CORE_SOURCE and tool.name in WORK_BOUND
    return not bound or scenario in ENTITY_BOUND


def hastened(scenario: str, tool: Tool) -> bool:
    """Whether a keyword or recent use may make a tool live; never one of a skill or of another server."""
    pack = pack_of(scenario)
    if pack is REFLEX or (pack is CONVERSE and tool.name in CONVERSE_DISCOVERED):
        return False
    return not namespaced(tool) and reachable(scenario, tool)
