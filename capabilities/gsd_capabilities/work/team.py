"""The team of a project, from `.planning/agent/team.json`, which people write."""

from __future__ import annotations

import os

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.learned import TEAM_FILE
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gsd_capabilities.companion.project import Project

STOPPED = "stopped"
_NOT_RUNNING = frozenset({"offline", "stopped", "off", ""})
_HINT = (
    '{"manager": {"name", "role", "status", "skills"}, "members": [...], '
    '"teams": [{"name", "members"}], "humans": [{"name", "role"}]}'
)


class Person(NamedTuple):
    """Somebody to work with: a role in words, the skills of an agent; people have no `status`."""

    name: str
    role: str = ""
    status: str = ""
    skills: tuple[str, ...] = ()

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

    @property
    def agents(self) -> tuple[Person, ...]:
        """The manager, where there is one, and the members."""
        return (*((self.manager,) if self.manager else ()), *self.members)


def path(project: Project) -> str:
    """Where the team is written down."""
    return os.path.join(project.shared, *TEAM_FILE)


def team(project: Project) -> Team | None:
    """The team of a project; None where nobody wrote it down. Raises GsdError `bad_team`."""
    from gsd_capabilities.companion.planning_text import read_optional

    file = path(project)
    text = read_optional(project, file)
    return None if text is None else parse(text, project.shown(file))


def parse(data: str, file: str) -> Team:
    """The team in a team.json. Raises GsdError `bad_team`."""
    import json

    try:
        table = json.loads(data)
        manager = table.get("manager")
        return Team(
            _agent(manager) if manager else None,
            tuple(map(_agent, table.get("members", ()))),
            tuple(map(_group, table.get("teams", ()))),
            tuple(_agent(row)._replace(status="") for row in table.get("humans", ())),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        why = f"somebody or some team has no {error}" if isinstance(error, KeyError) else str(error)
        raise GsdError(f"this is no team: {why}", reason="bad_team", file=file, hint=_HINT) from error


def _agent(row: Mapping[str, Any]) -> Person:
    status = str(row.get("status", "")).strip().lower()
    skills = tuple(map(str, row.get("skills", ())))
    return Person(
        str(row["name"]), str(row.get("role", "")), STOPPED if status in _NOT_RUNNING else status, skills
    )


def _group(row: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    return str(row["name"]), tuple(map(_name, row.get("members", ())))


def _name(row: object) -> str:
    return str(row["name"]) if isinstance(row, dict) else str(row)
