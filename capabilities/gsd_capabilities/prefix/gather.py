"""What a prompt is made of, from files that people write, memory, tasks and what is installed."""

from __future__ import annotations

import os

from gsd_capabilities.learning import habits, texts
from gsd_capabilities.prefix.sources import Sources, Text
from gsd_capabilities.work import team
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request

FOLDER = "agent"
_DEFAULT_ROLE = """\
# Role

You are a careful engineer on this project. You finish what you begin, say what you do not know, and leave
things tidier than you found them.
"""


def sources(
    project: Project,
    payload_root: str | None,
    *,
    now: float,
    who: str = "",
    manager: bool = False,
    locale: str = "",
    dynamic: Text | None = None,
) -> Sources:
    """Read everything.

    Raises GsdError for what is damaged: `bad_team`, `bad_session`, `missing_text`, `habits_too_long`, ...
    """
    from collections import deque

    from gsd_capabilities.context.history import messages
    from gsd_capabilities.learning.limits import CHANNEL_MESSAGES
    from gsd_capabilities.prefix import listing, remembered

    log = project.path("session.jsonl")
    said = messages(log) or []
    role = _agent_text(project, "ROLE.md")
    return Sources(
        role=role if role.text.strip() else Text(_DEFAULT_ROLE),
        rules=texts.text(payload_root, "rules"),
        handbook=texts.path(payload_root, "handbook"),
        habits=Text(habits.text(payload_root), texts.path(payload_root, "habits")),
        checklists=Text(texts.text(payload_root, "checklists"), texts.path(payload_root, "checklists")),
        team=team.team(project),
        team_path=project.shown(team.path(project)),
        knowledge=remembered.knowledge(project),
        state=remembered.state(project, now),
        state_path=remembered.state_path(project),
        skills=listing.skills(project, payload_root),
        workflows=listing.workflows(payload_root),
        announcements=_agent_text(project, "announcements.md"),
        norms=_agent_text(project, "norms.md"),
        channel=tuple(deque(said, maxlen=CHANNEL_MESSAGES)),
        messages=len(said),
        channel_path=project.shown(log),
        tasks=remembered.tasks(project),
        dynamic=dynamic or Text(),
        now=now,
        who=who,
        manager=manager,
        locale=locale,
    )


def asked(request: Request, project: Project, *, now: float) -> Sources:
    """As `sources`, for whom and with what the options of a request say: `--as`, `--manager`, `--context`.

    Raises GsdError `unreadable` besides.
    """
    from gsd_capabilities.companion import payload
    from gsd_capabilities.work.clock import who_of

    return sources(
        project,
        payload.found(request),
        now=now,
        who=who_of(request),
        manager="manager" in request.options,
        locale=locale_of(request.environ),
        dynamic=_dynamic(request),
    )


def _dynamic(request: Request) -> Text | None:
    name = request.options.get("context")
    if name is None:
        return None
    path = os.path.join(request.cwd, name)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return Text(file.read(), path)
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise GsdError(message, reason="unreadable", file=path, hint="--context FILE") from error


def locale_of(environ: Mapping[str, str]) -> str:
    """The locale of messages as POSIX finds it, without its encoding; empty where none is set."""
    found = next((environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environ.get(name)), "")
    name = found.partition(".")[0]
    return "" if name in ("C", "POSIX") else name


def _agent_text(project: Project, name: str) -> Text:
    from gsd_capabilities.companion.planning_text import read_optional

    path = os.path.join(project.shared, FOLDER, name)
    return Text(read_optional(project, path) or "", project.shown(path))
