"""The core tools of our own agent, by name, and the groups they belong to."""

from __future__ import annotations

from gsd_capabilities.packs import core_machine, core_self, core_work
from gsd_capabilities.packs.tool import CORE_SOURCE, Tool, cost, namespaced
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CODE",
    "CORE",
    "CORE_KEEP",
    "DISCOVER",
    "PROTECTED",
    "SERVED",
    "WORK_BOUND",
    "Tool",
    "cost",
    "namespaced",
]

CORE: Mapping[str, Tool] = {
    tool.name: tool for tool in (*core_self.TOOLS, *core_work.TOOLS, *core_machine.TOOLS)
}

DISCOVER = "discover_tools"
# Finding tools, and the ways to reach a human.
PROTECTED = frozenset({DISCOVER, "notify_user", "request_user_input", "request_user_approval"})
# Tools that need a task or a review to be about.
WORK_BOUND = frozenset(
    {
        "task_submit_review",
        "task_note",
        "task_assign",
        "subtask_create",
        "subtask_list",
        "subtask_update",
        "subtask_delete",
    }
)
CODE = frozenset({"shell", "code_search", "file_read", "file_write", "file_edit", "file_search"})
# Never evicted; live from the start in converse, execute and govern.
CORE_KEEP = CODE | {
    "task_list",
    "task_get",
    "task_create",
    "task_update",
    "memory_save",
    "memory_search",
    "memory_update",
    "update_notebook",
    "check_mailbox",
    "agent_send_message",
    "team_status",
    "deliverable_get",
}
# The tools of our MCP server, which do on a host what core tools do in our own agent. The first two only
# read: the counterpart of `file_read`.
SERVED_READING = frozenset({"gsd_artifact_get", "gsd_read_state"})
SERVED = SERVED_READING | {"gsd_invoke_command", "gsd_query_predicates", "gsd_render", "gsd_write_state"}


def is_core(tool: Tool) -> bool:
    """Whether a tool is one of those that are never evicted."""
    return tool.source == CORE_SOURCE and tool.name in PROTECTED | CORE_KEEP | SERVED
