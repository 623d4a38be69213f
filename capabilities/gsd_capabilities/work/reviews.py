"""Reviews: somebody else than the assignee ends each round of a task that was submitted."""

from __future__ import annotations

from gsd_capabilities.companion.guard import locked
from gsd_capabilities.companion.planning_text import known_word
from gsd_capabilities.work.ledger import (
    add_locked,
    check_move,
    known_deliverable,
    known_task,
    ledger,
    written,
)
from gsd_capabilities.work.model import APPROVED, REJECTED, VERDICTS
from gsd_capabilities.work.tasks import Ended
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.work.model import Task


def submit(
    project: Project,
    task_id: str,
    summary: str = "",
    *,
    deliverables: Sequence[str] = (),
    who: str = "",
    now: float,
) -> Task:
    """Hand a running task in for review, with deliverables or without.

    Raises UsageError `task_required` without an id, GsdError `illegal_transition`, `no_deliverable`,
    `too_long`.
    """
    if not task_id:
        raise task_required()
    data = {"summary": written(summary, "the summary") if summary else "", "deliverables": list(deliverables)}
    with locked(project):
        work = ledger(project)
        found = known_task(work, task_id)
        check_move(found, "task-submitted")
        for one in deliverables:
            known_deliverable(work, one)
        add_locked(project, work, "task-submitted", task_id, who=who or found.assignee, now=now, data=data)
        return work.tasks[task_id]


def verdict(project: Project, task_id: str, word: str, notes: str = "", *, who: str, now: float) -> Ended:
    """End the review of a task as one of VERDICTS.

    Approval completes it; notes do not start a round and reach the assignee. Rejection returns it for the
    next round. Raises GsdError `bad_value` for an unknown verdict and for notes that are missing or do not
    belong there, `illegal_transition`, `self_review`; UsageError `reviewer_required`.
    """
    from gsd_capabilities.work.lessons import considered

    data = {"verdict": known_word(word, VERDICTS, "verdict"), "notes": _notes(word, notes)}
    kind = "task-rejected" if word == REJECTED else "task-completed"
    if not who:
        hint = "say who you are with --as NAME"
        raise UsageError("a review has a reviewer", reason="reviewer_required", hint=hint)
    with locked(project):
        work = ledger(project)
        found = known_task(work, task_id)
        check_move(found, "task-rejected")  # a completion is possible elsewhere, but then it is no verdict
        if who in (found.assignee, found.submitter):
            message = f"{who!r} did the work of task {task_id} and cannot review it"
            hint = "somebody else must look at it"
            raise GsdError(message, reason="self_review", hint=hint)
        add_locked(project, work, kind, task_id, who=who, now=now, data=data)
    lesson = {} if word == REJECTED else considered(project, task_id, now=now)
    return Ended(work.tasks[task_id], lesson)


def task_required() -> UsageError:
    """What is raised where neither the context nor an option says which task is meant; nobody guesses."""
    hint = "pass --task ID, or set GSD_TASK to the task that runs"
    return UsageError("which task is not said", reason="task_required", hint=hint)


def _notes(word: str, notes: str) -> str:
    if word != APPROVED and not notes.strip():
        hint = "say what the assignee should know: --notes TEXT"
        raise GsdError(f"{word} needs notes", reason="bad_value", hint=hint)
    if word != APPROVED:
        return written(notes, "what the assignee should know")
    if notes.strip():
        hint = "use approved_with_notes"
        raise GsdError("an approval without notes has no notes", reason="bad_value", hint=hint)
    return ""
