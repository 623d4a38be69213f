"""The jobs of learning: one for each finished task that is worth it, folded from the events of the project.

    opened -> started -> done or failed

A distillation looks back at one task or at one remembered conversation; a consolidation goes over the memory
and is about no task. Who begins a job holds it for a while; after that anybody may begin it again, so that
a job outlives whoever died over it.
"""

from __future__ import annotations

from gsd_capabilities.companion.guard import locked
from gsd_capabilities.learning.limits import DISTIL_HOLD_SECONDS, DISTIL_PER_DAY, DISTIL_RECENT_DAYS
from gsd_capabilities.work.clock import stamp
from gsd_capabilities.work.events import events, record
from gsd_capabilities.work.ids import next_id, own_id
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.learning.triggers import Finished
    from gsd_capabilities.work.events import Event

DISTILLATION, CONSOLIDATION = "distillation", "consolidation"
# Each kind of job, and the scenario that it runs in.
SCENARIOS: Mapping[str, str] = {DISTILLATION: "distillation", CONSOLIDATION: "memory_consolidation"}

WAITING, STARTED, DONE, FAILED = "waiting", "started", "done", "failed"
OPENED_EVENT, SKIPPED_EVENT = "job-opened", "job-skipped"
_AFTER: Mapping[str, str] = {
    "job-started": STARTED,
    "job-released": WAITING,
    "job-done": DONE,
    "job-failed": FAILED,
}
_EVENT_OF = {state: kind for kind, state in _AFTER.items()}
_KINDS = frozenset({OPENED_EVENT, *_AFTER})
_DAY = 86_400


class Job(NamedTuple):
    """One job; `at` is when it came into its state and `opened` when it was opened, in seconds of the epoch.

    `task` or `session` is what it is about, `agent` whose work that was, `holder` who began it. A job that is
    `transitional` was opened although nobody had counted the calls of its task.
    """

    id: str
    kind: str
    state: str
    task: str
    session: str
    agent: str
    reasons: tuple[str, ...]
    transitional: bool
    opened: float
    at: float
    holder: str = ""
    note: str = ""

    @property
    def scenario(self) -> str:
        """The scenario of packs/scenarios.py in which the job runs."""
        return SCENARIOS[self.kind]

    @property
    def ended(self) -> bool:
        return self.state in (DONE, FAILED)

    def as_json(self) -> dict[str, object]:
        """The job with its scenario, and moments as they are written."""
        return {
            **self._asdict(),
            "scenario": self.scenario,
            "reasons": list(self.reasons),
            "opened": stamp(self.opened),
            "at": stamp(self.at),
        }


def folded(happened: Iterable[Event]) -> dict[str, Job]:
    """The jobs that events tell of, by id and in the order they were opened."""
    found: dict[str, Job] = {}
    for event in happened:
        if event.kind == OPENED_EVENT and str(event.data.get("kind")) in SCENARIOS:
            made = own_id(event.subject, found)
            found[made] = _opened(event)._replace(id=made)
        elif event.kind in _AFTER and event.subject in found:
            state, note = _AFTER[event.kind], str(event.data.get("note", ""))
            holder = "" if state == WAITING else event.who
            found[event.subject] = found[event.subject]._replace(
                state=state, at=event.at, holder=holder, note=note
            )
    return found


def jobs(project: Project) -> tuple[Job, ...]:
    """Every job of a project, oldest first."""
    return tuple(folded(events(project, _KINDS)).values())


def waiting(project: Project) -> tuple[Job, ...]:
    """The jobs that nobody has begun."""
    return tuple(job for job in jobs(project) if job.state == WAITING)


def job(project: Project, job_id: str) -> Job:
    """One job. Raises UsageError `unknown_job`."""
    found = {one.id: one for one in jobs(project)}
    if job_id not in found:
        raise UsageError(
            f"there is no job {job_id!r}", reason="unknown_job", hint="gsd-tools learn jobs lists them"
        )
    return found[job_id]


def consider(project: Project, task_id: str, *, now: float) -> Job | None:
    """Open a distillation for a task if it is worth one and has none; None otherwise.

    An agent gets at most five a day (UTC); what is over is recorded as skipped. Raises GsdError `no_project`
    and `no_task`, LockedError.
    """
    from gsd_capabilities.learning.triggers import decide

    with locked(project):
        task = _completed(project, task_id, now)
        decision = decide(task)
        known = jobs(project)
        if not decision.fires or any(one.task == task_id for one in known):
            return None
        agent = task.agent
        today = [one for one in known if one.task and one.agent == agent and _same_day(one.opened, now)]
        if len(today) >= DISTIL_PER_DAY:
            data = {"reason": "daily-limit", "agent": agent}
            record(project, SKIPPED_EVENT, task_id, who=agent, data=data, now=now)
            return None
        why = {"reasons": list(decision.reasons), "transitional": decision.transitional}
        return _open(project, DISTILLATION, {"task": task_id, "agent": agent, **why}, now)


def open_session(project: Project, session: str, agent: str, *, now: float) -> Job:
    """Open a distillation about a conversation that a person wants remembered."""
    with locked(project):
        about = {"session": session, "agent": agent, "reasons": ["asked"]}
        return _open(project, DISTILLATION, about, now)


def open_consolidation(project: Project, *, who: str, now: float) -> Job:
    """Open a consolidation, which is about the memory and no task; or give the one that is open."""
    with locked(project):
        for one in jobs(project):
            if one.kind == CONSOLIDATION and not one.ended:
                return one
        return _open(project, CONSOLIDATION, {"agent": who, "reasons": ["asked"]}, now)


def next(project: Project, *, who: str, now: float) -> Job | None:  # noqa: A001 - it reads `jobs.next`
    """Begin a job: the one that `who` holds, else the oldest that nobody holds and that `who` may do.

    None when there is none.
    """
    with locked(project):
        known = jobs(project)
        found = _free(known, who, now, _elsewhere(project, known))
        if found is None:
            return None
        record(project, _EVENT_OF[STARTED], found.id, who=who, now=now)
        return found._replace(state=STARTED, holder=who, at=now)


def release(project: Project, job_id: str, *, who: str, now: float) -> None:
    """Give a job back that was begun and cannot be done now."""
    with locked(project):
        if job(project, job_id).state == STARTED:
            record(project, _EVENT_OF[WAITING], job_id, who=who, now=now)


def prompt(
    project: Project,
    one: Job,
    payload_root: str | None,
    environ: Mapping[str, str] | None = None,
    *,
    habits: bool = True,
) -> str:
    """What an agent is told that does a job. Raises as `learning.prompt.written`."""
    from gsd_capabilities.learning.prompt import written

    return written(project, one, payload_root, environ, habits=habits)


def finish(project: Project, job_id: str, outcome: str, *, note: str = "", who: str, now: float) -> Job:
    """End a job as `done` or `failed`; one that ended so already stays as it is.

    Raises UsageError `unknown_job` and `bad_outcome`, GsdError `job_ended`, and `job_held` where another one
    by name holds it.
    """
    if outcome not in (DONE, FAILED):
        raise UsageError(f"{outcome!r} is no end of a job", reason="bad_outcome", hint="it is done or failed")
    with locked(project):
        found = job(project, job_id)
        if found.state == outcome:
            return found
        if found.ended:
            message = f"job {job_id!r} has ended as {found.state} already"
            raise GsdError(message, reason="job_ended", hint="gsd-tools learn next begins another one")
        _require_holder(found, who, now)
        record(project, _EVENT_OF[outcome], job_id, who=who, data={"note": note}, now=now)
        return found._replace(state=outcome, at=now, holder=who, note=note)


def _require_holder(found: Job, who: str, now: float) -> None:
    held = found.state == STARTED and now - found.at <= DISTIL_HOLD_SECONDS
    if held and found.holder and who not in ("", found.holder):
        message = f"{found.holder!r} is at job {found.id!r}, not {who!r}"
        raise GsdError(message, reason="job_held", hint="gsd-tools learn next begins one of yours")


def _open(project: Project, kind: str, about: Mapping[str, object], now: float) -> Job:
    made = next_id("job", {one.id for one in jobs(project)})
    who = str(about.get("agent", ""))
    data = {"kind": kind, **about}
    return _opened(record(project, OPENED_EVENT, made, who=who, data=data, now=now))


def _opened(event: Event) -> Job:
    reasons = event.data.get("reasons")
    return Job(
        id=event.subject,
        kind=str(event.data["kind"]),
        state=WAITING,
        task=str(event.data.get("task", "")),
        session=str(event.data.get("session", "")),
        agent=str(event.data.get("agent", "")),
        reasons=tuple(map(str, reasons)) if isinstance(reasons, list) else (),
        transitional=event.data.get("transitional") is True,
        opened=event.at,
        at=event.at,
    )


def _free(known: Sequence[Job], who: str, now: float, last: frozenset[str]) -> Job | None:
    """What `who` may begin; a job about a conversation only its owner may, and those in `last` after others.

    Nobody by name holds nothing: two who have no name must not get the same job.
    """
    allowed = [one for one in known if not one.session or one.agent in ("", who)]
    own = [one for one in allowed if one.state == STARTED and who and one.holder == who]
    late = [one for one in allowed if one.state == STARTED and now - one.at > DISTIL_HOLD_SECONDS]
    free = [one for one in allowed if one.state == WAITING or one in late]
    free.sort(key=lambda one: one.id in last)
    return (own or free)[0] if own or free else None


def _elsewhere(project: Project, known: Sequence[Job]) -> frozenset[str]:
    """Jobs about conversations that are not on this machine."""
    about = [one for one in known if one.session and not one.ended]
    if not about:
        return frozenset()
    from gsd_capabilities.learning import recall

    return frozenset(one.id for one in about if not recall.exists(project, one.session))


def _same_day(one: float, other: float) -> bool:
    return one // _DAY == other // _DAY


def _completed(project: Project, task_id: str, now: float) -> Finished:
    """What the triggers look at. Raises GsdError `no_task`."""
    from gsd_capabilities.learning.triggers import COMPLETED, Finished, alike
    from gsd_capabilities.work.ledger import known_task, ledger

    work = ledger(project)
    task = known_task(work, task_id)
    others = [
        (one.title, one.project)
        for one in work.tasks.values()
        if one.id != task_id and one.state == COMPLETED and _recent(one.ended, now)
    ]
    similar = alike(task.title, task.project, others)
    return Finished(task.state, task.calls, task.round, similar, task.assignee)


def _recent(ended: float | None, now: float) -> bool:
    return ended is not None and now - ended <= DISTIL_RECENT_DAYS * _DAY
