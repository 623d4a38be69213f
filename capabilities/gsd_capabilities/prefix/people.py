"""The team of an agent, from `.planning/agent/team.json`, which people write."""

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
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

STOPPED = "stopped"
_NOT_RUNNING = frozenset({"offline", "stopped", "off", ""})
_ALL_STOPPED = (
    "All of them are stopped: `gsd-tools agent chat --as NAME TEXT` starts one. Work with the person in this "
    "conversation may go on without them."
)


class Person(NamedTuple):
    """Somebody to work with; `status` is empty for people, who have none."""

    name: str
    role: str = ""
    status: str = ""

    @property
    def active(self) -> bool:
        """Whether a message would be read now."""
        return self.status != STOPPED


class Team(NamedTuple):
    """Everybody; `teams` are names with the names of their members."""

    manager: Person | None = None
    members: tuple[Person, ...] = ()
    teams: tuple[tuple[str, tuple[str, ...]], ...] = ()
    humans: tuple[Person, ...] = ()


def parse(data: str, file: str) -> Team:
    """The team in a team.json. Raises GsdError `bad_team`."""
    import json

    try:
        table = json.loads(data)
        manager = table.get("manager")
        return Team(
            _agent(manager) if manager else None,
            tuple(map(_agent, table.get("members", ()))),
            tuple(map(_team, table.get("teams", ()))),
            tuple(_agent(row)._replace(status="") for row in table.get("humans", ())),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        hint = '{"manager": {"name", "role", "status"}, "members": [...], "teams": [...], "humans": [...]}'
        why = f"somebody or some team has no {error}" if isinstance(error, KeyError) else str(error)
        raise GsdError(f"this is no team: {why}", reason="bad_team", file=file, hint=hint) from error


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


def _agent(row: Mapping[str, Any]) -> Person:
    status = str(row.get("status", "")).strip().lower()
    name, role = str(row["name"]), str(row.get("role", ""))
    return Person(name, role, STOPPED if status in _NOT_RUNNING else status)


def _team(row: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    return str(row["name"]), tuple(map(_name, row.get("members", ())))


def _name(row: object) -> str:
    return str(row["name"]) if isinstance(row, dict) else str(row)
