"""What an agent is told of its team."""

from __future__ import annotations

from gsd_capabilities.learning.limits import (
    ROSTER_ACTIVE_REFLEX,
    ROSTER_HUMANS,
    ROSTER_TEAM_MEMBERS,
    ROSTER_TEAMS,
    SECTION_LINE_CHARS,
)
from gsd_capabilities.prefix import fit
from gsd_capabilities.prefix.fit import Piece
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gsd_capabilities.work.team import Person, Team

_ALL_STOPPED = (
    "All of them are stopped: `gsd-tools agent chat --as NAME TEXT` starts one. Work with the person in this "
    "conversation may go on without them."
)


def shown(team: Team, who: str, most: int, pointer: str) -> Piece:
    """The manager and at most `most` colleagues, active ones first; in the shortest list only they."""
    others = [person for person in team.members if person.name != who]
    brief = most <= ROSTER_ACTIVE_REFLEX
    listed = [one for one in others if one.active] + [one for one in others if not (one.active or brief)]
    leading = [team.manager] if team.manager and team.manager.name != who else []
    told = [f"- manager: {_told(manager)}" for manager in leading]
    told += [f"- {_told(person)}" for person in listed[:most]]
    told += [] if brief else [*_teams(team.teams[:ROSTER_TEAMS]), *_humans(team.humans[:ROSTER_HUMANS])]
    lines, short = fit.lines(told, SECTION_LINE_CHARS)
    left = len(listed[:most]) < len(others) or (bool(team.teams or team.humans) if brief else _more(team))
    if others and not any(person.active for person in (*leading, *others)):
        lines.append(_ALL_STOPPED)
    capped = left or short
    return Piece("\n".join([*lines, pointer] if capped else lines), pointer, capped=capped)


def _humans(humans: Iterable[Person]) -> list[str]:
    return [f"- human: {_told(one)}" for one in humans]


def _teams(teams: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    return [f"- team {name}: {', '.join(members[:ROSTER_TEAM_MEMBERS])}" for name, members in teams]


def _more(team: Team) -> bool:
    long = any(len(members) > ROSTER_TEAM_MEMBERS for _, members in team.teams)
    return long or len(team.teams) > ROSTER_TEAMS or len(team.humans) > ROSTER_HUMANS


def _told(person: Person) -> str:
    status = f" ({person.status})" if person.status else ""
    return f"{person.name}{status}, {person.role}" if person.role else f"{person.name}{status}"
