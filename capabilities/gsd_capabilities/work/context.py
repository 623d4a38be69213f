"""The package that an agent is given with a task: what it must know to begin, within 2,500 characters."""

from __future__ import annotations

import os

from gsd_capabilities.learning.limits import (
    TASK_CONTEXT_DELIVERABLES,
    TASK_CONTEXT_MAX_CHARS,
    TASK_CONTEXT_NOTES_CHARS,
    TASK_CONTEXT_PREDECESSOR_CHARS,
    TASK_CONTEXT_REQUIREMENT_CHARS,
)
from gsd_capabilities.work.ledger import known_task, ledger
from gsd_install.kernel.compose import compose
from gsd_install.kernel.fragment import drop, proportional_truncate, verbatim
from gsd_install.kernel.measure import CHARACTERS
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.work.model import Deliverable, Task, Verdict, Work
    from gsd_install.kernel.compose import Trimmed
    from gsd_install.kernel.fragment import Fragment

KNOWLEDGE = ("memory", "knowledge.md")
# The least of each text that is still of use.
_FLOOR = 60


def package(project: Project, task_id: str) -> str:
    """The package of a task, to be read and not to be written to. Raises GsdError `no_task`."""
    work = ledger(project)
    return package_of(project, work, known_task(work, task_id))


def package_of(project: Project, work: Work, task: Task) -> str:
    """The package of a task, from what is known already."""
    pieces = [*_texts(project, work, task), *_deliverables(work, task)]
    return compose(pieces, TASK_CONTEXT_MAX_CHARS, CHARACTERS, mode="optimise", note=_left_out).text


def _texts(project: Project, work: Work, task: Task) -> Iterator[Fragment]:
    yield verbatim("task", f"# Task {task.id}: {task.title}\n")
    if task.requirement:
        wrapper = "\n## What is asked for\n\n"
        yield _cut("requirement", task.requirement, wrapper, TASK_CONTEXT_REQUIREMENT_CHARS, task.id, 1)
    told = _last_notes(work, task)
    if told is not None:
        source, verdict = told
        wrapper = f"\n## What the last review said ({source.id}, {verdict.verdict})\n\n"
        yield _cut("notes", verdict.notes, wrapper, TASK_CONTEXT_NOTES_CHARS, source.id, 1)
    before = work.tasks.get(task.predecessor)
    if before is not None:
        wrapper = f"\n## What it comes after: {before.id}, {before.state}\n\n"
        text = _account(before)
        yield _cut("predecessor", text, wrapper, TASK_CONTEXT_PREDECESSOR_CHARS, before.id, 2)
    if os.path.isfile(os.path.join(project.shared, *KNOWLEDGE)):
        file = "/".join((".planning", *KNOWLEDGE))
        yield verbatim("knowledge", f"\nWhat is known already: {file} (gsd-tools memory search WORDS)\n")


def _cut(name: str, text: str, wrapper: str, ceiling: int, source: str, tier: int) -> Fragment:
    """A text that ends in where the whole of it is, when it is cut."""
    ending = f" [...] whole: gsd-tools task get {source}\n"
    text = f"{text.rstrip()}\n"
    return proportional_truncate(
        name, text, wrapper=wrapper, ceiling=ceiling, floor=_FLOOR, tier=tier, boundary="word", ending=ending
    )


def _last_notes(work: Work, task: Task) -> tuple[Task, Verdict] | None:
    """The newest notes of a review: of this task, else of other work of its assignee, else before it."""
    own = [one for one in work.tasks.values() if task.assignee and one.assignee == task.assignee]
    before = [work.tasks[task.predecessor]] if task.predecessor in work.tasks else []
    for group in ([task], own, before):
        found = [(one, verdict) for one in group for verdict in one.verdicts if verdict.notes]
        if found:
            return max(found, key=lambda pair: pair[1].at)
    return None


def _account(task: Task) -> str:
    """What became of a task: its summary, its last note, why it ended, what was asked for."""
    last = task.notes[-1].text if task.notes else ""
    parts = (task.title, task.reason, task.submitted, last, task.requirement)
    return "\n".join(part for part in parts if part)


def _deliverables(work: Work, task: Task) -> Iterator[Fragment]:
    """A line for each of the first few; the heading stands as long as one of them does."""
    found = _listed(work, task)
    wrapper = "\n## What there is (gsd-tools deliverable get ID)\n\n"
    for one in found[:TASK_CONTEXT_DELIVERABLES]:
        yield drop(one.id, f"- {one.id} v{one.version}: {one.title}\n", wrapper=wrapper, tier=3)
        wrapper = ""
    more = len(found) - TASK_CONTEXT_DELIVERABLES
    if more > 0:
        yield verbatim("more", f"\n{more} more: gsd-tools deliverable list\n")


def _listed(work: Work, task: Task) -> list[Deliverable]:
    """Those of the task, then of its predecessor, then of its project; of each the newest first."""

    def of(wanted: Callable[[Task], bool]) -> list[Deliverable]:
        newest = reversed(work.deliverables.values())
        return [one for one in newest if one.task in work.tasks and wanted(work.tasks[one.task])]

    own, before = of(lambda one: one.id == task.id), of(lambda one: one.id == task.predecessor)
    alike = of(lambda one: bool(task.project) and one.project == task.project)
    return list({one.id: one for one in (*own, *before, *alike)}.values())


def _left_out(trimmed: Trimmed) -> str:
    """A text that is cut says so itself; what else is missing are deliverables."""
    count = len(trimmed.omitted)
    return f"\n{count} left out for room: gsd-tools deliverable list\n" if count else ""
