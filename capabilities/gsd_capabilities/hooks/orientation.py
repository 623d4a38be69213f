"""When a session starts: where the project stands, in at most 1,200 characters; new artifacts are its own.

What memory the project has is told in at most three of its lines.
"""

from __future__ import annotations

import os

from gsd_capabilities.hooks.envelopes import Answer
from gsd_capabilities.hooks.spelling import typed
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.hooks.event import Asked

LIMIT = 1200
_VALUE_CHARACTERS = 200
_BLOCKERS = 3


def answer(asked: Asked) -> Answer | None:
    """The state of the project; None where there is none. Raises GsdError for damaged planning files."""
    project = asked.project
    if not project.exists:
        return None
    _begin(project, asked)
    text = orientation(project, asked)
    return Answer("context", text) if text else None


def orientation(project: Project, asked: Asked) -> str:
    """The fields of STATE.md that matter, a line each, then what memory there is; empty without both."""
    return _shortened("\n".join(_position(project, asked) + _remembered(project, asked)))


def _position(project: Project, asked: Asked) -> list[str]:
    """Lines about the state of the work; none without STATE.md."""
    from gsd_capabilities.companion import planning_text, state

    path = project.path(state.FILE)
    text = planning_text.read_optional(project, path)
    if text is None:
        return []
    values = state.parse(text, project.shown(path))
    found = {name: _clean(value.text) for name, value in values.items() if value.text}
    lines = ["This repository is worked on in phases (.planning/). State:"]
    lines += [f"{name}: {value}" for name, value in _rows(found, text, asked) if value]
    handoff = project.path("HANDOFF.md")
    if os.path.isfile(handoff):
        lines.append(f"work was interrupted: read {project.shown(handoff)} first")
    return lines


def _remembered(project: Project, asked: Asked) -> list[str]:
    """At most three lines about memory. Memory that is damaged is no reason to say nothing else."""
    import time

    from gsd_capabilities.hooks.memory import log

    try:
        from gsd_capabilities.memory.report import lines
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("gsd_capabilities.memory"):
            raise
        return []  # the capability that has it is not installed
    from gsd_capabilities.companion.payload import launcher

    try:
        return [_clean(line) for line in lines(project, time.time(), launcher(asked.payload))]
    except (OSError, GsdError) as error:
        log(asked.environ, f"session-orientation: {error}")
        return []


def _rows(found: Mapping[str, str], text: str, asked: Asked) -> tuple[tuple[str, str], ...]:
    def joined(glue: str, *names: str) -> str:
        return glue.join(found[name] for name in names if name in found)

    return (
        ("project", joined(", ", "project", "milestone")),
        ("phase", joined(" ", "phase", "phase_name")),
        ("status", joined(", plan ", "status", "plan")),
        ("last", found.get("last", "")),
        ("next", typed(found.get("next", ""), asked)),
        ("blocked", "; ".join(_blockers(text))),
    )


def _blockers(text: str) -> list[str]:
    """Lines of the section Blockers, unless it says none."""
    _, heading, rest = f"\n{text}".replace("\r\n", "\n").partition("\n## Blockers")
    rows = rest.split("\n## ")[0].split("\n")[1:] if heading else []
    items = [_clean(row.strip().lstrip("-")) for row in rows if row.strip()]
    return [] if items and items[0].lower().rstrip(".") == "none" else items[:_BLOCKERS]


def _clean(value: str) -> str:
    """One printable line: state is read by agents, so control characters are not passed on."""
    return "".join(c if c.isprintable() else " " for c in value).strip()[:_VALUE_CHARACTERS]


def _shortened(text: str) -> str:
    if len(text) <= LIMIT:
        return text
    from gsd_install.kernel.cut import shorten
    from gsd_install.kernel.measure import CHARACTERS

    return shorten(text, LIMIT, CHARACTERS, ending=" ...").text


def _begin(project: Project, asked: Asked) -> None:
    """Give artifacts to this session. A store that cannot be written is no reason to say nothing."""
    from gsd_capabilities.artifacts.binding import begin_session
    from gsd_capabilities.artifacts.verbs import FOLDER
    from gsd_capabilities.hooks.memory import log

    session = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in asked.session)
    if not session:
        return
    try:
        begin_session(os.path.join(project.shared, FOLDER), session)
    except (OSError, GsdError) as error:
        log(asked.environ, f"session-orientation: {error}")
