"""Messages among agents and people.

A message waits (`queued`) until it is taken up (`focused`) and done with (`read`), or read at once.
"""

from __future__ import annotations

from gsd_capabilities.companion.guard import locked
from gsd_capabilities.work.ids import next_id
from gsd_capabilities.work.ledger import add_locked, known_message, known_task, ledger, written
from gsd_capabilities.work.model import FOCUSED, QUEUED, READ
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.work.model import Message


def send(
    project: Project, to: str, text: str, *, human: bool = False, task: str = "", who: str = "", now: float
) -> Message:
    """Send a message. Raises UsageError `recipient_required`, GsdError `too_long`, `no_task`."""
    if not to.strip():
        hint = "message send NAME TEXT"
        raise UsageError("nobody is named", reason="recipient_required", hint=hint)
    data = {"to": to.strip(), "text": written(text, "the message"), "human": human, "task": task}
    with locked(project):
        work = ledger(project)
        if task:
            known_task(work, task)
        made = next_id("M", work.messages)
        add_locked(project, work, "message-sent", made, who=who, now=now, data=data)
        return work.messages[made]


def inbox(project: Project, who: str, *, everything: bool = False) -> tuple[Message, ...]:
    """What waits for somebody (for anybody where `who` is empty), oldest first; or what ever came."""
    found = ledger(project).messages.values()
    return tuple(
        one for one in found if who in ("", one.to) and (everything or one.state in (QUEUED, FOCUSED))
    )


def human_waits(project: Project, who: str) -> str:
    """How a person's message to somebody waits: `focused`, else `queued`; empty where none does."""
    states = {one.state for one in inbox(project, who) if one.human}
    return next((state for state in (FOCUSED, QUEUED) if state in states), "")


def focus(project: Project, message_id: str, *, who: str = "", now: float) -> Message:
    """Take a message up. Raises GsdError `no_message`, `not_yours`."""
    return _seen(project, message_id, "message-focused", FOCUSED, who=who, now=now)


def read(project: Project, message_id: str, *, who: str = "", now: float) -> Message:
    """Be done with a message. Raises GsdError `no_message`, `not_yours`."""
    return _seen(project, message_id, "message-read", READ, who=who, now=now)


def _seen(project: Project, message_id: str, kind: str, state: str, *, who: str, now: float) -> Message:
    with locked(project):
        work = ledger(project)
        found = known_message(work, message_id)
        if who not in ("", found.to):
            message = f"message {message_id} is for {found.to!r}, not for {who!r}"
            raise GsdError(message, reason="not_yours", hint="gsd-tools message list has yours")
        if found.state not in (state, READ):
            add_locked(project, work, kind, message_id, who=who, now=now)
        return work.messages[message_id]
