"""Where a project's planning files are.

The layout is that of the reference `planning-files`: everything below `.planning/`, and with workstreams
the files of the active one below `.planning/workstreams/<name>/`.
"""

from __future__ import annotations

import os

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = ".planning"
WORKSTREAMS = "workstreams"

# Folders of the planning files that only verbs change: a lesson, a skill or an event would go live unseen.
_KEPT = frozenset({"agent", "artifacts", "learned", "learning", "memory", "work"})


class Project(NamedTuple):
    """One project: absolute paths, whether or not anything exists there.

    `planning` is the folder of the active workstream, else the shared `.planning`.
    """

    root: str
    planning: str
    workstream: str | None
    exists: bool

    @property
    def shared(self) -> str:
        """The folder with what all workstreams share: PROJECT.md, config.json, codebase/, research/."""
        return os.path.join(self.root, FOLDER)

    def path(self, *names: str) -> str:
        """A path below the folder of the active workstream."""
        return os.path.join(self.planning, *names)

    def shown(self, path: str) -> str:
        """`path` as messages name it: relative to the project with `/`, absolute when it is elsewhere."""
        inside = path.removeprefix(os.path.join(self.root, ""))
        return inside.replace(os.sep, "/")


def find(cwd: str) -> Project:
    """The project that `cwd` lies in: the nearest folder with `.planning/`, else with `.git`, else `cwd`."""
    start = os.path.abspath(cwd)
    root = _above(start, FOLDER, os.path.isdir)
    if root is None:
        root = _above(start, ".git", os.path.exists) or start
        return Project(root, os.path.join(root, FOLDER), None, exists=False)
    shared = os.path.join(root, FOLDER)
    name = _active(shared)
    planning = os.path.join(shared, WORKSTREAMS, name) if name else shared
    return Project(root, planning, name, exists=True)


def require(project: Project) -> Project:
    """`project`, if it has planning files. Raises GsdError `no_project`."""
    if not project.exists:
        hint = "the commands new-project and onboard make it; for memory and work an empty folder is enough"
        message = f"there is no {FOLDER}/ here or above"
        raise GsdError(message, reason="no_project", file=project.root, hint=hint)
    return project


def kept(path: str) -> bool:
    """Whether a file, relative to the shared planning files, is one that only verbs change."""
    return path.replace(os.sep, "/").partition("/")[0].casefold() in _KEPT


def _above(start: str, name: str, is_there: Callable[[str], bool]) -> str | None:
    folder = start
    while not is_there(os.path.join(folder, name)):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def _active(shared: str) -> str | None:
    """The workstream that ACTIVE names, if it is a folder beside it."""
    try:
        with open(os.path.join(shared, WORKSTREAMS, "ACTIVE"), "rb") as file:
            name = file.read().decode("utf-8", "replace").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    plain = name and name not in (".", "..") and not set(name) & set("/\\\0\n\r")
    return name if plain and os.path.isdir(os.path.join(shared, WORKSTREAMS, name)) else None
