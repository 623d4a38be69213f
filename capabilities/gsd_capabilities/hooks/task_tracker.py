"""After a tool: count the call for the task that runs."""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.hooks.envelopes import Answer
    from gsd_capabilities.hooks.event import Asked


def answer(asked: Asked) -> Answer | None:
    """Add one event to the ledger where a task of this agent runs; never has anything to say.

    The ledger is not read: which tasks run stands in a small file. Raises OSError, GsdError.
    """
    try:
        from gsd_capabilities.work.running import chosen, path, stored
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("gsd_capabilities.work"):
            raise
        return None  # the capability that has it is not installed
    project = asked.project
    found = stored(path(project)) if project.exists else {}
    if not found:
        return None
    from gsd_capabilities.work.clock import AGENT
    from gsd_capabilities.work.events import record

    agent = asked.environ.get(AGENT, "")
    task = chosen(found, asked.environ, agent)
    if task:
        record(project, "task-called", task, who=agent, data={"calls": 1})
    return None
