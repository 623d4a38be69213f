"""One heartbeat: whether there is something to do, and if so, one turn of the agent.

No call is made while a person speaks with the agent or their message is taken up or waits, none while another
beat of the agent is under way, and none from the third beat in a row on that finds nothing to do. Any task,
review, message or planned wake-up that is due wakes. A beat is an activity that ends well or badly, recorded
as the event `heartbeat`; a rejected prompt ends it badly.
"""

from __future__ import annotations

from gsd_capabilities.harness import beats, entries
from gsd_capabilities.harness.afford import RejectedError
from gsd_capabilities.harness.toolbox import NAMELESS
from gsd_capabilities.work.clock import stamp
from gsd_capabilities.work.events import record
from gsd_capabilities.work.model import ASSIGNED, REVIEW, RUNNING
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.harness.afford import Verdict
    from gsd_capabilities.harness.agent import Agent, Given
    from gsd_capabilities.harness.beats import Rhythm

EVENT = "heartbeat"
CALLED, DEFERRED, ASLEEP, NOT_DUE, FAILED = "called", "deferred", "asleep", "not_due", "failed"
UNDER_WAY = "under_way"
_TEXT = "This is a heartbeat. Waiting for you:\n{found}"
_NOTHING = "- nothing that is known; look once whether something should be done, else stop"


class Activity(NamedTuple):
    """What a beat came to. `why` says what there was to do, or why there was none.

    `interval` is in seconds, `next` a moment. `numbers` are those of a rejected prompt.
    """

    success: bool
    outcome: str
    calls: int
    why: tuple[str, ...]
    idle: int
    interval: int
    next: str
    text: str = ""
    reason: str = ""
    numbers: Verdict | None = None

    def as_json(self) -> dict[str, object]:
        """The activity for JSON."""
        numbers = self.numbers._asdict() if self.numbers else None
        return {**self._asdict(), "why": list(self.why), "numbers": numbers}


def beat(
    project: Project, who: str, now: float, make: Callable[[], Given], *, only_due: bool = False
) -> Activity:
    """One beat. `make` is asked for the agent only where it is to be called.

    With `only_due`, a beat that comes before its time counts for nothing, unless the last one had nothing to
    do and this one has, or a wake-up is due; and so does one while another is under way.
    """
    while True:
        rhythm = beats.load(project, who)
        if rhythm.held > now:
            return _activity(rhythm, UNDER_WAY, ())
        human = waits(project, who, rhythm, now)
        found = () if human else tuple(work(project, who, rhythm, now))
        woken = bool(beats.due(rhythm, now)) or bool(found and rhythm.idle)
        if only_due and now < rhythm.next and not (human or woken):
            return _activity(rhythm, NOT_DUE, ())
        after = (beats.busy if human or found else beats.quiet)(rhythm, now)
        given = None if human or after.asleep else make()
        if given is not None:
            after = beats.taken(after, now)
        if beats.replaced(project, who, rhythm, after):
            break
    if human:
        return _told(project, who, after, now, DEFERRED, (human,))
    if given is None:
        return _told(project, who, after, now, ASLEEP, ())
    try:
        return _run(project, who, given, after, found, now)
    finally:
        beats.change(project, who, lambda one: beats.released(one, after.held))


def waits(project: Project, who: str, rhythm: Rhythm, now: float) -> str:
    """What a beat yields to: a person who speaks, or whose message is taken up or waits; else empty."""
    from gsd_capabilities.work.messages import human_waits

    if rhythm.talking > now:
        return "a person is speaking with it"
    state = human_waits(project, who or NAMELESS)
    return f"a message of a person is {state}" if state else ""


def work(project: Project, who: str, rhythm: Rhythm, now: float) -> Iterator[str]:
    """What there is to do for an agent, a line each."""
    from gsd_capabilities.work.messages import inbox
    from gsd_capabilities.work.tasks import all_tasks

    name = who or NAMELESS
    for task in all_tasks(project):
        if task.state in (ASSIGNED, RUNNING) and task.assignee == name and not task.blocked:
            yield f"task {task.id} is {task.state}: {task.title}"
        elif task.state == REVIEW and name not in (task.assignee, task.submitter):
            yield f"task {task.id} waits for a review: {task.title}"
    for message in inbox(project, name):
        yield f"message {message.id} from {message.sender or 'nobody by name'}"
    for one in beats.due(rhythm, now):
        yield f"wake-up {one.id}: {one.reason}"


def _run(
    project: Project, who: str, given: Given, rhythm: Rhythm, found: tuple[str, ...], now: float
) -> Activity:
    """One turn. Only what the provider or the prompt is to blame for ends the beat; a bug is told as one."""
    agent = entries.opened(given, "heartbeat")
    text = _TEXT.format(found="\n".join(f"- {line}" for line in found) or _NOTHING)
    try:
        answer = entries.spoken(agent, text)
    except GsdError as error:
        numbers = error.verdict if isinstance(error, RejectedError) else None
        made = _activity(rhythm, FAILED, found, agent)
        return _recorded(
            project, who, now, made._replace(text=str(error), reason=error.reason, numbers=numbers)
        )
    woken = beats.due(rhythm, now)
    after = beats.change(project, who, lambda one: beats.over(one, woken))
    return _recorded(project, who, now, _activity(after, CALLED, found, agent)._replace(text=answer.text))


def _told(
    project: Project, who: str, rhythm: Rhythm, now: float, outcome: str, why: tuple[str, ...]
) -> Activity:
    return _recorded(project, who, now, _activity(rhythm, outcome, why))


def _activity(rhythm: Rhythm, outcome: str, why: tuple[str, ...], agent: Agent | None = None) -> Activity:
    calls = agent.calls if agent else 0
    due = min((rhythm.next, *(one.at for one in rhythm.wakeups)))
    return Activity(outcome != FAILED, outcome, calls, why, rhythm.idle, rhythm.interval, stamp(due))


def _recorded(project: Project, who: str, now: float, made: Activity) -> Activity:
    data = {"success": made.success, "outcome": made.outcome, "calls": made.calls, "reason": made.reason}
    record(project, EVENT, who, who=who, data=data, now=now)
    return made
