"""How skills fare: how often each was used, in how many tasks that ended, and what reviews said of them.

Folded from the events of the project and from nothing else, so that no two writers can lose a count. Use and
success are of skills; what anybody thinks of an agent is nothing that is kept here.
"""

from __future__ import annotations

from gsd_capabilities.learning.limits import FEEDBACK_CHARS, FEEDBACK_KEPT
from gsd_capabilities.work.clock import stamp
from gsd_capabilities.work.events import events, record
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.work.events import Event
    from gsd_capabilities.work.model import Task

ACTIVATED_EVENT = "skill-activated"
CUT = " [...]"


class Stats(NamedTuple):
    """What is known of one skill.

    A skill counts once in a task, and each time it is used outside one. `settled` uses are those in tasks
    that ended, `success` those in tasks that were completed. `last_used` is in seconds of the epoch.
    `feedback` are the newest words of reviews that rejected work with it, oldest first.
    """

    usage: int = 0
    success: int = 0
    settled: int = 0
    last_used: float | None = None
    feedback: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """The numbers for JSON, with moments as they are written."""
        used = None if self.last_used is None else stamp(self.last_used)
        return {**self._asdict(), "last_used": used, "feedback": list(self.feedback)}


class History(NamedTuple):
    """What the events of a project say: statistics by skill, every task, and the skills used in each."""

    skills: dict[str, Stats]
    tasks: Mapping[str, Task]
    active: dict[str, list[str]]


def activated(project: Project, skill: str, *, task: str = "", who: str = "", now: float) -> Stats:
    """Record that a skill is used, in a task or outside one; what is known of it then.

    Raises GsdError `no_project`.
    """
    record(project, ACTIVATED_EVENT, skill, who=who, data={"task": task}, now=now)
    return history(project).skills[skill]


def history(project: Project) -> History:
    """Everything that the events of a project say about skills."""
    return folded(events(project))


def folded(happened: Iterable[Event]) -> History:
    """Fold events, in their order."""
    from gsd_capabilities.work import fold
    from gsd_capabilities.work.model import Work

    work = Work({}, {}, {})
    found = History({}, work.tasks, {})
    for event in happened:
        before = work.tasks.get(event.subject)
        fold.apply(work, event)
        after = work.tasks.get(event.subject)
        if event.kind == ACTIVATED_EVENT:
            _used(found, event.subject, _task(event), event.at)
        elif before is not None and after is not None and after is not before:
            _moved(found, before, after, event.at)
    return found


def _moved(found: History, before: Task, after: Task, at: float) -> None:
    """What a change of a task means for the skills that are used in it."""
    from gsd_capabilities.work.model import COMPLETED, REJECTED, RUNNING

    if after.state == RUNNING:
        for skill in after.skills:
            _used(found, skill, after.id, at)
    skills = found.active.get(after.id, ())
    if len(after.verdicts) > len(before.verdicts) and after.verdicts[-1].verdict == REJECTED:
        for skill in skills:
            _told(found, skill, after.verdicts[-1].notes)
    if after.ended is not None and before.ended is None:
        for skill in skills:
            known = found.skills[skill]
            success = known.success + (after.state == COMPLETED)
            found.skills[skill] = known._replace(settled=known.settled + 1, success=success)


def _used(found: History, skill: str, task: str, at: float) -> None:
    active = found.active.setdefault(task, []) if task else []
    if skill in active:
        return
    active.append(skill)
    known = found.skills.get(skill, Stats())
    found.skills[skill] = known._replace(usage=known.usage + 1, last_used=at)


def _told(found: History, skill: str, words: str) -> None:
    """Keep the newest feedback, each at most 500 characters; a rejection without words says nothing."""
    if not words.strip():
        return
    from gsd_install.kernel.cut import shorten
    from gsd_install.kernel.measure import CHARACTERS

    known = found.skills[skill]
    text = shorten(words.strip(), FEEDBACK_CHARS, CHARACTERS, boundary="word", ending=CUT).text
    found.skills[skill] = known._replace(feedback=(*known.feedback, text)[-FEEDBACK_KEPT:])


def _task(event: Event) -> str:
    task = event.data.get("task")
    return task if isinstance(task, str) else ""
