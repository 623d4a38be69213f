"""Work that is handed to the agent: a task with its package, and a job of learning with its prompt."""

from __future__ import annotations

from gsd_capabilities.harness import entries, sessions
from gsd_capabilities.harness.provider import NOT_NOW
from gsd_capabilities.work.model import ASSIGNED, RUNNING
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request
    from gsd_capabilities.harness.agent import Given
    from gsd_capabilities.work.model import Task

_WITH_TOOLS = """\
You have tools for all of this: memory_search and memory_save, memory_update, and package_install for a
proposal; discover_tools makes live what is not. The job is closed for you when you stop."""


def begun(project: Project, task_id: str, *, who: str, now: float) -> str:
    """What the agent is told: the package of the task at its first start, feedback, or to go on.

    A task that was started without a word of it to our agent gets its package now.

    Raises GsdError `no_task`, `not_yours`, `illegal_transition`.
    """
    from gsd_capabilities.work import context, tasks

    found = tasks.task(project, task_id)
    if who not in ("", found.assignee):
        message = f"task {task_id} is the task of {found.assignee or 'nobody'!r}"
        raise GsdError(message, reason="not_yours", hint=tasks.in_other_hands(found, who))
    if found.state == RUNNING and sessions.known(project, sessions.of_task(project, task_id, who=who)):
        return f"Go on with task {task_id}: {found.title}"
    if found.state == RUNNING:
        return _carry_out(found, context.package(project, task_id))
    if found.state != ASSIGNED:
        message = f"task {task_id} is {found.state} and cannot be carried out"
        hint = f"gsd-tools task assign {task_id} NAME, then again"
        raise GsdError(message, reason="illegal_transition", hint=hint)
    started = tasks.start(project, task_id, who=who, now=now)
    tasks.count_call(project, task_id, 0, who=who, now=now)
    feedback = f"The last review said: {started.feedback}" if started.feedback else ""
    return _carry_out(found, started.context, feedback)


def _carry_out(task: Task, *parts: str) -> str:
    return "\n\n".join(filter(None, (f"Carry out task {task.id}: {task.title}", *parts)))


def distilled(given: Given, request: Request) -> dict[str, object]:
    """The next job of learning, and how it ended. Nothing is done where none waits.

    Raises what the agent raises. Then the job has failed, with the reason as its note; where the provider
    could not be asked, or a person broke off, it waits again.
    """
    from gsd_capabilities.companion import payload
    from gsd_capabilities.learning import jobs

    project, who = given.project, given.who
    job = jobs.next(project, who=who, now=given.clock())
    if job is None:
        return {"job": None, "outcome": "nothing_waits"}
    try:
        text = jobs.prompt(project, job, payload.found(request), request.environ, habits=False)
        answer = entries.chat(given, f"{text}\n{_WITH_TOOLS}", scenario=job.scenario)
    except BaseException as error:
        if isinstance(error, GsdError) and error.reason not in NOT_NOW:
            jobs.finish(project, job.id, jobs.FAILED, note=error.reason, who=who, now=given.clock())
        else:
            jobs.release(project, job.id, who=who, now=given.clock())
        raise
    note = f"conversation {answer.session}"
    ended = jobs.finish(project, job.id, jobs.DONE, note=note, who=who, now=given.clock())
    return {"job": ended.as_json(), "outcome": ended.state, "answer": answer._asdict()}
