"""The parts of a task. Many of them are a sign that the task is several; that is said and hinders nobody."""

from __future__ import annotations

from gsd_capabilities.companion.guard import locked
from gsd_capabilities.companion.planning_text import known_word
from gsd_capabilities.learning.limits import SUBTASK_SOFT_CAP
from gsd_capabilities.work.ledger import add_locked, check_open, known_task, ledger, titled
from gsd_capabilities.work.model import SUBTASK_STATES
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.work.model import Subtask, Task


class Added(NamedTuple):
    """A new subtask, and a warning, empty where there is none."""

    task: Task
    subtask: Subtask
    warning: str


def add(project: Project, task_id: str, title: str, *, who: str = "", now: float) -> Added:
    """Add a subtask. Raises GsdError `bad_value`, `task_ended`."""
    data = {"title": titled(title)}
    after = _changed(project, task_id, "subtask-added", data, who=who, now=now)
    count = len(after.subtasks)
    warning = ""
    if count >= SUBTASK_SOFT_CAP:
        warning = f"task {task_id} has {count} subtasks: is it several tasks?"
    return Added(after, after.subtasks[-1], warning)


def update(
    project: Project,
    task_id: str,
    number: int,
    *,
    title: str | None = None,
    state: str | None = None,
    who: str = "",
    now: float,
) -> Subtask:
    """Change the title or the state of a subtask. Raises GsdError `bad_value`, `no_subtask`, `task_ended`."""
    data: dict[str, object] = {"number": number}
    if title is not None:
        data["title"] = titled(title)
    if state is not None:
        data["state"] = known_word(state, SUBTASK_STATES, "state of a subtask")
    after = _changed(project, task_id, "subtask-changed", data, who=who, now=now)
    return _numbered(after, number)


def delete(project: Project, task_id: str, number: int, *, who: str = "", now: float) -> Task:
    """Remove a subtask. Raises GsdError `no_subtask`, `task_ended`."""
    return _changed(project, task_id, "subtask-deleted", {"number": number}, who=who, now=now)


def _changed(
    project: Project, task_id: str, kind: str, data: Mapping[str, object], *, who: str, now: float
) -> Task:
    with locked(project):
        work = ledger(project)
        found = known_task(work, task_id)
        check_open(found)
        number = data.get("number")
        if isinstance(number, int):
            _numbered(found, number)
        add_locked(project, work, kind, task_id, who=who, now=now, data=data)
        return work.tasks[task_id]


def _numbered(found: Task, number: int) -> Subtask:
    for one in found.subtasks:
        if one.number == number:
            return one
    hint = f"see gsd-tools task subtask list --task {found.id}"
    raise GsdError(f"task {found.id} has no subtask {number}", reason="no_subtask", hint=hint)
