"""Reading the work of a project, and adding to it what is allowed."""

from __future__ import annotations

from gsd_capabilities.companion.project import require
from gsd_capabilities.learning.limits import TASK_TITLE_CHARS, WORK_TEXT_CHARS
from gsd_capabilities.work import events, running
from gsd_capabilities.work.fold import apply, fold
from gsd_capabilities.work.model import MOVES
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.work.model import Deliverable, Message, Task, Work

    Found = TypeVar("Found")


def ledger(project: Project) -> Work:
    """What is true now. Raises GsdError `no_project`, and what the system refuses."""
    return fold(events.events(require(project)))


def add_locked(
    project: Project,
    work: Work,
    kind: str,
    subject: str,
    *,
    who: str,
    now: float,
    data: Mapping[str, object] | None = None,
) -> None:
    """Record an event and let it happen in `work`, which was read under the lock that the caller holds."""
    apply(work, events.record(project, kind, subject, who=who, data=data, now=now))
    running.keep(project, work)


def known_task(work: Work, task_id: str) -> Task:
    """The task of this id. Raises GsdError `no_task`."""
    return _known(work.tasks, task_id, "task", "task list")


def known_deliverable(work: Work, deliverable_id: str) -> Deliverable:
    """The deliverable of this id. Raises GsdError `no_deliverable`."""
    return _known(work.deliverables, deliverable_id, "deliverable", "deliverable list")


def known_message(work: Work, message_id: str) -> Message:
    """The message of this id. Raises GsdError `no_message`."""
    return _known(work.messages, message_id, "message", "message list")


def _known(found: Mapping[str, Found], wanted: str, name: str, verb: str) -> Found:
    if wanted in found:
        return found[wanted]
    hint = f"see gsd-tools {verb}"
    raise GsdError(f"there is no {name} {wanted!r}", reason=f"no_{name}", hint=hint)


def check_move(task: Task, kind: str) -> None:
    """Raises GsdError `illegal_transition` when the task cannot make this move from where it is."""
    move = MOVES[kind]
    if task.state in move.sources:
        return
    possible = [one.word for one in MOVES.values() if task.state in one.sources]
    hint = f"it can be {', '.join(possible)}" if possible else "it has ended; add a task that comes after it"
    message = f"task {task.id} is {task.state} and cannot be {move.word}"
    raise GsdError(message, reason="illegal_transition", hint=hint)


def check_open(task: Task) -> None:
    """Raises GsdError `task_ended` when the task has ended."""
    if task.ended is not None:
        hint = "it is a record now; add a task that comes after it"
        raise GsdError(f"task {task.id} is {task.state}", reason="task_ended", hint=hint)


def titled(title: str) -> str:
    """A title without blanks around it. Raises GsdError `bad_value`."""
    from gsd_capabilities.companion.planning_text import one_line

    bare = one_line(title, "a title")
    if 0 < len(bare) <= TASK_TITLE_CHARS:
        return bare
    hint = f"use 1 to {TASK_TITLE_CHARS} characters and put the rest into the text"
    raise GsdError(f"a title of {len(bare):,} characters", reason="bad_value", hint=hint)


def written(text: str, name: str) -> str:
    """A text that the ledger keeps, without blanks around it. Raises GsdError `bad_value`, `too_long`."""
    bare = text.strip()
    if not bare:
        raise GsdError(f"{name} is empty", reason="bad_value", hint="say it in a few words")
    if len(bare) > WORK_TEXT_CHARS:
        message = f"{name} has {len(bare):,} characters, {WORK_TEXT_CHARS:,} are kept at most"
        hint = "store the long text with deliverable create and name its id here"
        raise GsdError(message, reason="too_long", hint=hint)
    return bare
