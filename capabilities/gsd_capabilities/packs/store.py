"""The tools of a session on disk, so that whoever serves one and whoever asks about it agree.

`.planning/work/packs/<session>.json`. A file that cannot be read as one is as good as none: what was
activated must be activated again, and nothing else is lost.
"""

from __future__ import annotations

import json
import os

from gsd_capabilities.companion.guard import locked
from gsd_capabilities.companion.planning_text import system_errors
from gsd_capabilities.packs.discovery import State
from gsd_capabilities.work.unshared import prepare
from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.files import write_atomic
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from gsd_capabilities.companion.project import Project

    T = TypeVar("T")

_FOLDER = ("work", "packs")
_VERSION = 1


def load(project: Project, session: str) -> State:
    """The state of a session, a new one where none is kept. Raises UsageError `bad_session`, GsdError."""
    path = _path(project, session)
    with system_errors(project, path):
        try:
            with open(path, "rb") as file:
                found = json.loads(file.read())
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return State()
    return _state(found) or State()


def change(project: Project, session: str, made: Callable[[State], tuple[State, T]]) -> T:
    """Replace the state of a session by what `made` makes of it, under the lock of the project.

    Raises UsageError `bad_session`, GsdError `no_project`, LockedError, and what `made` raises: then
    nothing is changed.
    """
    path = _path(project, session)
    with locked(project):
        before = load(project, session)
        after, answer = made(before)
        if after != before:
            with system_errors(project, path):
                prepare(project, path)
                write_atomic(path, _bytes(after))
    return answer


def _path(project: Project, session: str) -> str:
    plain = session.isascii() and session.replace("-", "").replace("_", "").replace(".", "").isalnum()
    if not plain or session.startswith(".") or len(session) > 100:
        hint = "letters, digits, dashes, dots and underscores, at most 100, the first no dot"
        raise UsageError(f"{session!r} is no name of a session", reason="bad_session", hint=hint)
    return os.path.join(project.shared, *_FOLDER, f"{session}.json")


def _bytes(state: State) -> bytes:
    return json.dumps({"version": _VERSION, **state._asdict()}, ensure_ascii=False, indent=1).encode() + b"\n"


def _state(found: object) -> State | None:
    if not isinstance(found, dict) or found.get("version") != _VERSION:
        return None
    activated, recent = _names(found.get("activated")), _names(found.get("recent"))
    used, streak = found.get("used"), found.get("streak")
    if activated is None or recent is None or type(streak) is not int or not isinstance(used, dict):
        return None
    return (
        State(activated, used, streak, recent) if all(type(tick) is int for tick in used.values()) else None
    )


def _names(value: object) -> tuple[str, ...] | None:
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return tuple(value)
    return None
