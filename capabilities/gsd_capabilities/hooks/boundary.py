"""When the agent stops while a phase is executed: a reminder to record where the work stands."""

from __future__ import annotations

import os

from gsd_capabilities.hooks.envelopes import Answer
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.hooks.event import Asked

_HOOK = "phase-boundary"


def answer(asked: Asked) -> Answer | None:
    """A word to the user, once for each state that went unrecorded since the last stop; None otherwise."""
    from gsd_capabilities.companion import state

    project = asked.project
    path = project.path(state.FILE)
    if not project.exists or not os.path.isfile(path):
        return None
    fields = state.read(project)
    if fields.get("status") != "executing":
        return None
    if asked.event != "session-end" and not _overdue(asked, f"{project.root}\n{os.stat(path).st_mtime_ns}"):
        return None
    phase = fields.get("phase") or "the current one"
    return Answer(
        "notice",
        f"phase {phase} is being executed and STATE.md has not changed since the last stop: record where the "
        "work stands (pause-work, or state set), so that another session can go on from there",
    )


def _overdue(asked: Asked, seen: str) -> bool:
    """Whether the same state was seen at the stop before and nothing has been said about it yet."""
    from gsd_capabilities.hooks import memory

    session = asked.session or "project"
    before = memory.recalled(asked.environ, session, _HOOK)
    overdue = before.get("seen") == seen and not before.get("said")
    if before.get("seen") != seen or overdue:
        memory.note(asked.environ, session, _HOOK, {"seen": seen, "said": overdue})
    return overdue
