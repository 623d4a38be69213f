"""News of skills: who is told that a skill went live or changed, and at most once a day.

A skill reaches those whose role or skills have one of its tags as a whole word; one without tags reaches
nobody unless everybody is asked for. Whoever was told today already is told the rest in the same message
while that is unread, else on another day.
"""

from __future__ import annotations

import re

from gsd_capabilities.companion.guard import locked
from gsd_capabilities.learning.limits import NOTICES_PER_DAY
from gsd_capabilities.learning.shelf import skills
from gsd_capabilities.work.events import events, record
from gsd_capabilities.work.team import team
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.learning.librarian import Skill
    from gsd_capabilities.work.events import Event
    from gsd_capabilities.work.model import Work
    from gsd_capabilities.work.team import Person

ANNOUNCED_EVENT = "skill-announced"
# The messages that news go out in say so themselves: one event, so that nobody is told and not known to be.
_SENT, _AMENDED, _NEWS = "message-sent", "message-amended", "news"
_DAY = 86_400
_TOKEN = re.compile(r"[\w+#]+")


class Notice(NamedTuple):
    """One message of news: to whom, its id, and the skills that it names."""

    to: str
    message: str
    skills: tuple[str, ...]


class News(NamedTuple):
    """What was announced to whom, the notices that went out or grew, and who must wait for another day."""

    announced: Mapping[str, tuple[str, ...]]
    notices: tuple[Notice, ...]
    waiting: Mapping[str, tuple[str, ...]]


class Told(NamedTuple):
    """What one recipient is still to be told, and the notices that went out to them, oldest first."""

    pending: tuple[str, ...]
    notices: tuple[tuple[float, Notice], ...]


def recipients(
    tags: Collection[str], agents: Iterable[Person], *, everybody: bool = False
) -> tuple[str, ...]:
    """The names of those that a tag matches: all its words stand in the role, or in one of the skills."""
    wanted = [found for tag in tags if (found := tokens(tag))]

    def matched(member: Person) -> bool:
        texts = [tokens(text) for text in (member.role, *member.skills)]
        return any(tag <= text for tag in wanted for text in texts)

    return tuple(member.name for member in agents if everybody or matched(member))


def tokens(text: str) -> frozenset[str]:
    """The whole words of a text, in small letters; `c++` and `c#` are words."""
    return frozenset(_TOKEN.findall(text.casefold()))


def announce(
    project: Project, names: Sequence[str], *, everybody: bool = False, who: str, now: float
) -> News:
    """Tell the team about these skills, or about each that went live since it was last announced.

    What waited for another day goes out too. Raises GsdError `not_live` and `bad_team`.
    """
    live = {skill.name: skill for skill in skills(project)}
    for name in names:
        if name not in live:
            message = f"there is no live skill {name!r}"
            raise GsdError(message, reason="not_live", hint=f"these are live: {', '.join(live) or 'none'}")
    known = team(project)
    agents = known.agents if known else ()
    with locked(project):
        chosen = names or _fresh(live, events(project, (ANNOUNCED_EVENT,)))
        announced = {name: recipients(live[name].tags, agents, everybody=everybody) for name in chosen}
        for name, to in announced.items():
            record(project, ANNOUNCED_EVENT, name, who=who, data={"to": list(to)}, now=now)
        notices, waiting = _delivered(project, who, now)
    return News(announced, notices, waiting)


def told(happened: Iterable[Event]) -> dict[str, Told]:
    """What each recipient was told and is still to be told."""
    found: dict[str, Told] = {}
    for event in happened:
        if event.kind == ANNOUNCED_EVENT:
            for name in _texts(event, "to"):
                known = found.get(name, Told((), ()))
                pending = tuple(dict.fromkeys((*known.pending, event.subject)))
                found[name] = known._replace(pending=pending)
        elif event.kind in (_SENT, _AMENDED) and _NEWS in event.data:
            notice = Notice(str(event.data.get("to", "")), event.subject, _texts(event, _NEWS))
            known = found.get(notice.to, Told((), ()))
            left = tuple(skill for skill in known.pending if skill not in notice.skills)
            found[notice.to] = Told(left, (*known.notices, (event.at, notice)))
    return found


def _delivered(
    project: Project, who: str, now: float
) -> tuple[tuple[Notice, ...], dict[str, tuple[str, ...]]]:
    """Send what is pending. The caller holds the lock."""
    from gsd_capabilities.work.ledger import ledger

    work = ledger(project)
    notices, waiting = [], {}
    for name, known in told(events(project, (ANNOUNCED_EVENT, _SENT, _AMENDED))).items():
        if not known.pending:
            continue
        notice = _sent(project, work, name, known, who, now)
        if notice is None:
            waiting[name] = known.pending
        else:
            notices.append(notice)
    return tuple(notices), waiting


def _sent(project: Project, work: Work, name: str, known: Told, who: str, now: float) -> Notice | None:
    """The notice of today, new or with more in it; None where today's was taken up already."""
    from gsd_capabilities.work.ids import next_id
    from gsd_capabilities.work.ledger import add_locked

    today = {notice.message: notice for at, notice in known.notices if at // _DAY == now // _DAY}
    last = list(today.values())[-1:]
    named = known.pending
    if len(today) < NOTICES_PER_DAY:
        kind, message = _SENT, next_id("M", work.messages)
    elif last and _waits(work, last[0]):
        kind, message = _AMENDED, last[0].message
        named = tuple(dict.fromkeys((*last[0].skills, *named)))
    else:
        return None
    data = {"to": name, "text": _worded(named), _NEWS: list(named)}
    add_locked(project, work, kind, message, who=who, now=now, data=data)
    return Notice(name, message, named)


def _waits(work: Work, notice: Notice) -> bool:
    """Whether nobody took it up yet. What has its id and other words is another message."""
    from gsd_capabilities.work.model import QUEUED

    found = work.messages.get(notice.message)
    return found is not None and found.state == QUEUED and found.text == _worded(notice.skills)


def _worded(named: Sequence[str]) -> str:
    one = "skill is" if len(named) == 1 else "skills are"
    return f"{len(named)} {one} new or changed: {', '.join(named)}"


def _fresh(live: Mapping[str, Skill], announced: Iterable[Event]) -> list[str]:
    """The skills that went live after they were last announced."""
    last = {event.subject: event.at for event in announced}
    return [name for name, skill in live.items() if skill.since > last.get(name, float("-inf"))]


def _texts(event: Event, name: str) -> tuple[str, ...]:
    value = event.data.get(name)
    return tuple(str(one) for one in value) if isinstance(value, list) else ()
