"""Work that is handed to the agent: a task with its package, and a job of learning with its prompt."""

from __future__ import annotations

from gsd_capabilities.harness import entries
from gsd_capabilities.work.model import ASSIGNED, RUNNING
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request
    from gsd_capabilities.harness.agent import Given


def begun(project: Project, task_id: str, *, who: str, now: float) -> str:
    """What the agent is told: the package of the task at its first start, feedback, or to go on.

    Raises GsdError `no_task`, `not_yours`, `illegal_transition`.
    """
    from gsd_capabilities.work import tasks

    found = tasks.task(project, task_id)
    if who not in ("", found.assignee):
        message = f"task {task_id} is the task of {found.assignee or 'nobody'!r}"
        raise GsdError(message, reason="not_yours", hint=f"gsd-tools task assign {task_id} {who}")
    if found.state == RUNNING:
        return f"Go on with task {task_id}: {found.title}"
    if found.state != ASSIGNED:
        message = f"task {task_id} is {found.state} and cannot be carried out"
        hint = f"gsd-tools task assign {task_id} NAME, then again"
        raise GsdError(message, reason="illegal_transition", hint=hint)
    started = tasks.start(project, task_id, who=who, now=now)
    tasks.count_call(project, task_id, 0, who=who, now=now)
    feedback = f"The last review said: {started.feedback}" if started.feedback else ""
    parts = (f"Carry out task {task_id}: {found.title}", started.context, feedback)
    return "\n\n".join(filter(None, parts))


def distilled(given: Given, request: Request) -> dict[str, object]:
    """The next job of learning, and how it ended. Nothing is done where none waits.

    Raises what the agent raises; then the job has failed, with the reason as its note.
    """
    from gsd_capabilities.harness.wiring import payload_root
    from gsd_capabilities.learning import jobs

    project, who = given.project, given.who
    job = jobs.next(project, who=who, now=given.clock())
    if job is None:
        return {"job": None, "outcome": "nothing_waits"}
    try:
        text = jobs.prompt(project, job, payload_root(request))
        answer = entries.chat(given, text, scenario=job.scenario)
    except GsdError as error:
        jobs.finish(project, job.id, jobs.FAILED, note=error.reason, who=who, now=given.clock())
        raise
    note = f"conversation {answer.session}"
    ended = jobs.finish(project, job.id, jobs.DONE, note=note, who=who, now=given.clock())
    return {"job": ended.as_json(), "outcome": ended.state, "answer": answer._asdict()}
