"""Memory and tasks as a prompt shows them."""

from __future__ import annotations

from gsd_capabilities.prefix.sources import Tasks, Text
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.work.model import Task


def knowledge(project: Project) -> Text:
    """What stays true; observations are never part of it."""
    from gsd_capabilities.memory import layout, store

    if not project.exists:
        return Text()
    return Text(store.knowledge(project), layout.shown(project, layout.KNOWLEDGE))


def state(project: Project, now: float) -> tuple[str, ...]:
    """How things stand, one line an entry, the newest first; expired ones are left out."""
    from gsd_capabilities.memory import store

    if not project.exists:
        return ()
    entries = sorted(store.state_entries(project, now), key=lambda one: one.updated or 0.0, reverse=True)
    return tuple(f"- {entry.title}: {entry.text}" for entry in entries)


def state_path(project: Project) -> str:
    """The file of state, as messages name it."""
    from gsd_capabilities.memory import layout

    return layout.shown(project, layout.STATE)


def tasks(project: Project) -> Tasks:
    """The board in lines: blocked and failed tasks first, then what runs and what is judged."""
    from gsd_capabilities.work.tasks import board

    if not project.exists:
        return Tasks()
    found = board(project)
    stuck = [_line("blocked", task, task.blocked) for task in found.blocked]
    stuck += [_line("failed", task, task.reason) for task in found.failed]
    rest = [task for task in (*found.running, *found.review) if not task.blocked]
    going = (_line(task.state, task, task.assignee) for task in rest)
    return Tasks(tuple(found.counts.items()), tuple(stuck), tuple(going))


def _line(word: str, task: Task, about: str) -> str:
    return f"- {word}: {task.id} {task.title}{f' ({about})' if about else ''}"
