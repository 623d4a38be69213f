"""What verbs answer about work: the same fields under the same names everywhere, moments as text."""

from __future__ import annotations

from gsd_capabilities.work.clock import stamp
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.work.model import Change, Deliverable, Message, Note, Subtask, Task, Verdict
    from gsd_capabilities.work.tasks import Board

_BRIEF = ("id", "title", "project", "state", "assignee", "round", "calls", "blocked", "reason")


def brief(task: Task) -> dict[str, object]:
    """A task in a list."""
    found = task._asdict()
    return {**{name: found[name] for name in _BRIEF}, "changed": stamp(task.changed)}


def whole(task: Task) -> dict[str, object]:
    """A task with everything that is known of it."""
    shown = task._asdict()
    del shown["numbered"]  # how the next subtask is numbered concerns nobody else
    return {
        **shown,
        "tags": list(task.tags),
        "skills": list(task.skills),
        "briefed": list(task.briefed),
        "handed": list(task.handed),
        "subtasks": [subtask(one) for one in task.subtasks],
        "notes": [_stamped(one) for one in task.notes],
        "verdicts": [_stamped(one) for one in task.verdicts],
        "added": stamp(task.added),
        "changed": stamp(task.changed),
        "ended": None if task.ended is None else stamp(task.ended),
    }


def subtask(one: Subtask) -> dict[str, object]:
    """A part of a task."""
    return one._asdict()


def review(task: Task) -> dict[str, object]:
    """Where the review of a task stands."""
    shown = whole(task)
    names = ("id", "title", "state", "assignee", "round", "submitted", "submitter", "handed", "verdicts")
    return {name: shown[name] for name in names}


def deliverable(one: Deliverable) -> dict[str, object]:
    """A deliverable without its body."""
    return {
        "id": one.id,
        "title": one.title,
        "task": one.task,
        "version": one.version,
        "reference": one.reference,
        "size": one.newest.size,
        "changelog": [_stamped(change) for change in one.changes],
    }


def message(one: Message) -> dict[str, object]:
    """A message."""
    return _stamped(one)


def board(found: Board) -> dict[str, object]:
    """The board, its tasks as in a list."""
    groups = {name: [brief(task) for task in group] for name, group in zip(_GROUPS, found[1:], strict=True)}
    return {"counts": dict(found.counts), **groups}


_GROUPS = ("blocked", "failed", "running", "review")


def _stamped(one: Note | Verdict | Change | Message) -> dict[str, object]:
    return {**one._asdict(), "at": stamp(one.at)}
