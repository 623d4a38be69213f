"""Tasks: added, assigned, started, and ended once."""

from __future__ import annotations

from gsd_capabilities.companion.guard import locked
from gsd_capabilities.work import model
from gsd_capabilities.work.clock import AGENT
from gsd_capabilities.work.ids import next_id
from gsd_capabilities.work.ledger import (
    add_locked,
    check_move,
    check_open,
    known_task,
    ledger,
    titled,
    written,
)
from gsd_capabilities.work.model import STATES, Task
from gsd_capabilities.work.running import TASK
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.work.model import Work

DESCRIBED = ("title", "project", "requirement", "predecessor", "tags", "skills")


class Board(NamedTuple):
    """How many tasks are in each state, and those that somebody should look at, the newest change first."""

    counts: Mapping[str, int]
    blocked: tuple[Task, ...]
    failed: tuple[Task, ...]
    running: tuple[Task, ...]
    review: tuple[Task, ...]


class Started(NamedTuple):
    """A task that runs now.

    `context` is the package for the assignee's first prompt, empty from the second start on; `feedback` is
    what the last review of this task demands, empty where there was none.
    """

    task: Task
    context: str
    feedback: str


class Ended(NamedTuple):
    """A completed task, and what became of the thought whether there is something to learn from it."""

    task: Task
    lesson: Mapping[str, object]


def all_tasks(project: Project) -> tuple[Task, ...]:
    """Every task, in the order in which they were added."""
    return tuple(ledger(project).tasks.values())


def task(project: Project, task_id: str) -> Task:
    """One task. Raises GsdError `no_task`."""
    return known_task(ledger(project), task_id)


def board(project: Project) -> Board:
    """The board of a project."""
    found = sorted(all_tasks(project), key=lambda one: -one.changed)
    counts = {state: sum(one.state == state for one in found) for state in STATES}

    def within(state: str) -> tuple[Task, ...]:
        return tuple(one for one in found if one.state == state)

    blocked = tuple(one for one in found if one.blocked)
    return Board(counts, blocked, within(model.FAILED), within(model.RUNNING), within(model.REVIEW))


def add(
    project: Project, description: Mapping[str, object], *, to: str = "", who: str = "", now: float
) -> Task:
    """Add a task; `description` has a title and any other of DESCRIBED. With `to` it is assigned at once.

    Raises GsdError `bad_value`, `too_long`, or `no_task` for a predecessor that is not there.
    """
    described = _checked({"title": "", **description})
    with locked(project):
        work = ledger(project)
        _check_predecessor(work, described)
        made = next_id("T", work.tasks)
        add_locked(project, work, "task-added", made, who=who, now=now, data=described)
        if to:
            add_locked(project, work, "task-assigned", made, who=who, now=now, data={"to": to})
        return work.tasks[made]


def update(
    project: Project, task_id: str, description: Mapping[str, object], *, who: str = "", now: float
) -> Task:
    """Change what a task says, of DESCRIBED. Raises GsdError as `add`, and `task_ended`."""
    described = _checked(description)
    with locked(project):
        work = ledger(project)
        check_open(known_task(work, task_id))
        _check_predecessor(work, described)
        add_locked(project, work, "task-changed", task_id, who=who, now=now, data=described)
        return work.tasks[task_id]


def assign(project: Project, task_id: str, to: str, *, who: str = "", now: float) -> Task:
    """Give a task to an agent. Raises UsageError `assignee_required`, GsdError `illegal_transition`."""
    if not to.strip():
        hint = "name the agent: task assign ID NAME, or say who you are with --as NAME"
        raise UsageError("nobody is named", reason="assignee_required", hint=hint)
    return _moved(project, task_id, "task-assigned", who=who, now=now, data={"to": to.strip()})


def start(
    project: Project, task_id: str, *, skills: Sequence[str] = (), who: str = "", now: float
) -> Started:
    """Let the assignee begin, or begin the next round.

    Raises GsdError `illegal_transition`, and `not_yours` when `who` is somebody else.
    """
    from gsd_capabilities.work.context import package_of

    with locked(project):
        work = ledger(project)
        before = known_task(work, task_id)
        check_move(before, "task-started")
        _check_own(before, who)
        context = "" if before.assignee in before.briefed else package_of(project, work, before)
        data = {"skills": list(skills)}
        add_locked(project, work, "task-started", task_id, who=who or before.assignee, now=now, data=data)
    feedback = before.verdicts[-1].notes if before.verdicts else ""
    return Started(work.tasks[task_id], context, feedback)


def count_call(project: Project, task_id: str, calls: int = 1, *, who: str = "", now: float) -> Task:
    """Count tool calls of a running task; 0 says that somebody counts. Raises GsdError `not_running`."""
    if calls < 0:
        raise UsageError(f"{calls} calls", reason="bad_value", hint="count 0 or more")
    with locked(project):
        work = ledger(project)
        found = known_task(work, task_id)
        if found.state != model.RUNNING:
            message = f"task {task_id} is {found.state}, and calls count while it runs"
            raise GsdError(message, reason="not_running", hint=f"task start {task_id}")
        add_locked(project, work, "task-called", task_id, who=who, now=now, data={"calls": calls})
        return work.tasks[task_id]


def note(project: Project, task_id: str, text: str, *, who: str = "", now: float) -> Task:
    """Write something down about a task, in whatever state it is."""
    data = {"text": written(text, "the note")}
    with locked(project):
        work = ledger(project)
        known_task(work, task_id)
        add_locked(project, work, "task-noted", task_id, who=who, now=now, data=data)
        return work.tasks[task_id]


def block(project: Project, task_id: str, reason: str, *, who: str = "", now: float) -> Task:
    """Say what stands in the way of a task; an empty reason says that nothing does any more.

    Raises GsdError `task_ended`.
    """
    data = {"reason": written(reason, "the reason") if reason else ""}
    with locked(project):
        work = ledger(project)
        check_open(known_task(work, task_id))
        add_locked(project, work, "task-blocked", task_id, who=who, now=now, data=data)
        return work.tasks[task_id]


def complete(project: Project, task_id: str, *, who: str = "", now: float) -> Ended:
    """End a running task well; afterwards, think about what there is to learn.

    Raises GsdError `illegal_transition`, `not_yours`, and `needs_review` for a task that a review sent back.
    """
    from gsd_capabilities.work.lessons import considered

    with locked(project):
        work = ledger(project)
        before = known_task(work, task_id)
        _check_completes(before)
        _check_own(before, who)
        add_locked(project, work, "task-completed", task_id, who=who or before.assignee, now=now)
    return Ended(work.tasks[task_id], considered(project, task_id, now=now))


def fail(project: Project, task_id: str, reason: str, *, who: str = "", now: float) -> Task:
    """End a task badly. Raises GsdError `illegal_transition`."""
    data = {"reason": written(reason, "the reason")}
    return _moved(project, task_id, "task-failed", who=who, now=now, data=data)


def cancel(project: Project, task_id: str, reason: str, *, who: str = "", now: float) -> Task:
    """Give a task up. Raises GsdError `illegal_transition`."""
    data = {"reason": written(reason, "the reason")}
    return _moved(project, task_id, "task-cancelled", who=who, now=now, data=data)


def assert_not_executing(project: Project, who: str, environ: Mapping[str, str] | None = None) -> None:
    """Raises GsdError `task_running` while a task of the asker runs; skills are written afterwards.

    The asker is whoever it says it is, and whoever the environment says: an agent in a task cannot take
    another name. Where nobody says who asks, any running task counts: it may be the asker's.
    """
    around = environ or {}
    askers = {who, around.get(AGENT, "")} - {""}
    within = around.get(TASK, "")
    running = [one for one in all_tasks(project) if one.state == model.RUNNING]
    active = [one for one in running if not askers or one.assignee in askers or one.id == within]
    if active:
        message = f"task {active[0].id} of {active[0].assignee!r} runs: no skill is written meanwhile"
        hint = "complete it first; what it taught is worked through with: gsd-tools learn next"
        raise GsdError(message, reason="task_running", hint=hint)


def _moved(
    project: Project, task_id: str, kind: str, *, who: str, now: float, data: Mapping[str, object]
) -> Task:
    with locked(project):
        work = ledger(project)
        check_move(known_task(work, task_id), kind)
        add_locked(project, work, kind, task_id, who=who, now=now, data=data)
        return work.tasks[task_id]


def _check_own(found: Task, who: str) -> None:
    if who not in ("", found.assignee):
        message = f"task {found.id} is assigned to {found.assignee!r}, not to {who!r}"
        raise GsdError(message, reason="not_yours", hint=in_other_hands(found, who))


def in_other_hands(found: Task, who: str) -> str:
    """How somebody else comes by the work of a task, for a hint."""
    if found.state in (model.OPEN, model.ASSIGNED):
        return f"take it over first: gsd-tools task assign {found.id} {who}"
    return f"it does not change hands any more; go on in another: task add TITLE --predecessor {found.id}"


def _check_completes(found: Task) -> None:
    check_move(found, "task-completed")
    if found.state == model.REVIEW or found.rejected:
        message = f"task {found.id} was rejected once, so that only a review can complete it"
        hint = f"hand it in: gsd-tools review submit --task {found.id}"
        if found.state == model.REVIEW:
            message = f"task {found.id} is in review, and only a verdict completes it"
            hint = f"somebody else says: gsd-tools review verdict {found.id} approved"
        raise GsdError(message, reason="needs_review", hint=hint)


def _check_predecessor(work: Work, described: Mapping[str, object]) -> None:
    predecessor = described.get("predecessor")
    if isinstance(predecessor, str) and predecessor:
        known_task(work, predecessor)


def _checked(described: Mapping[str, object]) -> dict[str, object]:
    made = {name: described[name] for name in DESCRIBED if name in described}
    if "title" in made:
        made["title"] = titled(str(made["title"]))
    if made.get("requirement"):
        made["requirement"] = written(str(made["requirement"]), "the requirement")
    return made
