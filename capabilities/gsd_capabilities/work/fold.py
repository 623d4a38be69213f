"""Fold events into what is true now.

An event that cannot have happened, such as the start of a task that has ended or is not there, changes
nothing: a ledger that two branches of a project wrote to and git joined still has one meaning. Where both
gave one id to something new, the first in the file has it, and the other one has an id of its own, `T-3.2`.
"""

from __future__ import annotations

from gsd_capabilities.learning.limits import DELIVERABLE_CHANGES_KEPT
from gsd_capabilities.work import model
from gsd_capabilities.work.ids import next_id, own_id
from gsd_capabilities.work.model import (
    MOVES,
    Change,
    Deliverable,
    Message,
    Note,
    Subtask,
    Task,
    Verdict,
    Work,
)
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from gsd_capabilities.work.events import Event


def fold(happened: Iterable[Event]) -> Work:
    """What these events, in their order, amount to."""
    work = Work({}, {}, {})
    for event in happened:
        apply(work, event)
    return work


def apply(work: Work, event: Event) -> None:
    """Let one more event have happened; one of a kind that is not of work changes nothing."""
    step = _STEPS.get(event.kind)
    if step is not None:
        step(work, event)
    elif event.kind in _TASK_STEPS and event.subject in work.tasks:
        _task_step(work, work.tasks[event.subject], event)


def _task_step(work: Work, task: Task, event: Event) -> None:
    move = MOVES.get(event.kind)
    if move is not None:
        if task.state not in move.sources:
            return
        task = task._replace(state=move.target)
    elif event.kind == "task-called":
        # Of the one kind that comes by the thousand nothing else is touched.
        if task.state == model.RUNNING:
            work.tasks[task.id] = _called(task, event)
        return
    work.tasks[task.id] = _TASK_STEPS[event.kind](task, event)._replace(changed=event.at)
    _tell(work, task, event)


def _tell(work: Work, task: Task, event: Event) -> None:
    """What a reviewer wrote reaches the assignee as a message."""
    notes = _text(event, "notes")
    if notes and event.kind in ("task-completed", "task-rejected"):
        text = f"{task.id} {_text(event, 'verdict')}: {notes}"
        made = Message(next_id("M", work.messages), event.who, task.assignee, text, event.at, task=task.id)
        work.messages[made.id] = made


def _added(work: Work, event: Event) -> None:
    made = own_id(event.subject, work.tasks)
    work.tasks[made] = _described(Task(made, ""), event)._replace(
        author=event.who, added=event.at, changed=event.at
    )


def _described(task: Task, event: Event) -> Task:
    """With what the event says of the task; what it is silent about stays."""
    texts = {name: _text(event, name) for name in ("title", "project", "requirement", "predecessor")}
    lists = {name: _texts(event, name) for name in ("tags", "skills")}
    said: Any = {name: value for name, value in (texts | lists).items() if name in event.data}
    return task._replace(**said)


def _assigned(task: Task, event: Event) -> Task:
    return task._replace(assignee=_text(event, "to"))


def _started(task: Task, event: Event) -> Task:
    skills = dict.fromkeys((*task.skills, *_texts(event, "skills")))
    briefed = dict.fromkeys((*task.briefed, task.assignee))
    return task._replace(skills=tuple(skills), briefed=tuple(briefed), blocked="")


def _called(task: Task, event: Event) -> Task:
    return task._replace(calls=(task.calls or 0) + _whole(event, "calls"))


def _noted(task: Task, event: Event) -> Task:
    return task._replace(notes=(*task.notes, Note(event.who, event.at, _text(event, "text"))))


def _blocked(task: Task, event: Event) -> Task:
    return task if task.ended is not None else task._replace(blocked=_text(event, "reason"))


def _submitted(task: Task, event: Event) -> Task:
    summary, handed = _text(event, "summary"), _texts(event, "deliverables")
    return task._replace(submitted=summary, handed=handed, submitter=event.who, blocked="")


def _judged(task: Task, event: Event) -> tuple[Verdict, ...]:
    verdict = _text(event, "verdict")
    made = Verdict(verdict, _text(event, "notes"), event.who, event.at, task.round)
    return (*task.verdicts, made) if verdict else task.verdicts


def _rejected(task: Task, event: Event) -> Task:
    return task._replace(verdicts=_judged(task, event), round=task.round + 1)


def _ended(task: Task, event: Event) -> Task:
    reason = _text(event, "reason")
    return task._replace(verdicts=_judged(task, event), reason=reason, blocked="", ended=event.at)


def _subtask_added(task: Task, event: Event) -> Task:
    number = task.numbered + 1
    made = Subtask(number, _text(event, "title"))
    return task._replace(subtasks=(*task.subtasks, made), numbered=number)


def _subtask_changed(task: Task, event: Event) -> Task:
    number = _whole(event, "number")
    said: Any = {name: _text(event, name) for name in ("title", "state") if name in event.data}
    parts = (one._replace(**said) if one.number == number else one for one in task.subtasks)
    return task._replace(subtasks=tuple(parts))


def _subtask_deleted(task: Task, event: Event) -> Task:
    number = _whole(event, "number")
    return task._replace(subtasks=tuple(one for one in task.subtasks if one.number != number))


def _created(work: Work, event: Event) -> None:
    made = own_id(event.subject, work.deliverables)
    title, task = _text(event, "title"), _text(event, "task")
    work.deliverables[made] = Deliverable(made, title, task, (_version(event, 1),))


def _updated(work: Work, event: Event) -> None:
    found = work.deliverables.get(event.subject)
    if found is not None and _whole(event, "base") == found.version:
        changes = (*found.changes, _version(event, found.version + 1))
        work.deliverables[found.id] = found._replace(
            title=_text(event, "title") or found.title, changes=changes[-DELIVERABLE_CHANGES_KEPT:]
        )


def _version(event: Event, number: int) -> Change:
    reference, body, summary = (_text(event, name) for name in ("reference", "body", "summary"))
    return Change(number, reference, body, _whole(event, "size"), summary, event.who, event.at)


def _sent(work: Work, event: Event) -> None:
    made = own_id(event.subject, work.messages)
    to, text, task = (_text(event, name) for name in ("to", "text", "task"))
    human = event.data.get("human") is True
    work.messages[made] = Message(made, event.who, to, text, event.at, human, model.QUEUED, task)


def _amended(work: Work, event: Event) -> None:
    found = work.messages.get(event.subject)
    if found is not None and found.state == model.QUEUED:
        work.messages[found.id] = found._replace(text=_text(event, "text"), at=event.at)


def _focused(work: Work, event: Event) -> None:
    found = work.messages.get(event.subject)
    if found is not None and found.state == model.QUEUED:
        work.messages[found.id] = found._replace(state=model.FOCUSED)


def _read(work: Work, event: Event) -> None:
    found = work.messages.get(event.subject)
    if found is not None:
        work.messages[found.id] = found._replace(state=model.READ)


def _text(event: Event, name: str) -> str:
    value = event.data.get(name)
    return value if isinstance(value, str) else ""


def _texts(event: Event, name: str) -> tuple[str, ...]:
    value = event.data.get(name)
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list | tuple) else ()


def _whole(event: Event, name: str) -> int:
    value = event.data.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


_STEPS: Mapping[str, Callable[[Work, Event], None]] = {
    "task-added": _added,
    "deliverable-created": _created,
    "deliverable-updated": _updated,
    "message-sent": _sent,
    "message-amended": _amended,
    "message-focused": _focused,
    "message-read": _read,
}
_TASK_STEPS: Mapping[str, Callable[[Task, Event], Task]] = {
    "task-changed": _described,
    "task-assigned": _assigned,
    "task-started": _started,
    "task-called": _called,
    "task-noted": _noted,
    "task-blocked": _blocked,
    "task-submitted": _submitted,
    "task-rejected": _rejected,
    "task-completed": _ended,
    "task-failed": _ended,
    "task-cancelled": _ended,
    "subtask-added": _subtask_added,
    "subtask-changed": _subtask_changed,
    "subtask-deleted": _subtask_deleted,
}
