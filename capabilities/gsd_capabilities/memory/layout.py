"""Where the memory of a project is, and how its texts are read and changed.

Everything is below `.planning/memory/` and made when it is first needed. What leaves a store goes into the
file of the same name below `archive/`.
"""

from __future__ import annotations

import os

from gsd_capabilities.companion import planning_text
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.files import make_folder
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gsd_capabilities.companion.project import Project

FOLDER, ARCHIVE = "memory", "archive"
KNOWLEDGE, STATE, NOTEBOOK = "knowledge.md", "state.md", "NOTEBOOK.md"
OBSERVATIONS = "observations.jsonl"
MIGRATION = "migration.json"
LEGACY = "MEMORY.md"

TITLES = {KNOWLEDGE: "Knowledge", STATE: "State", NOTEBOOK: "Notebook"}


class Full(GsdError):  # noqa: N818 - it is a limit that is reached, not a mistake
    """More than a store holds: `required` of `unit` would be needed and `available` are allowed."""

    def __init__(self, what: str, required: int, available: int, unit: str, *, file: str, hint: str) -> None:
        message = f"{what}: {required:,} {unit}, and {available:,} are allowed"
        super().__init__(message, reason="full", file=file, hint=hint)
        self.required = required
        self.available = available
        self.unit = unit


def path(project: Project, *names: str) -> str:
    """A path below the folder of memory."""
    return os.path.join(project.shared, FOLDER, *names)


def shown(project: Project, *names: str) -> str:
    """That path as messages and answers name it."""
    return project.shown(path(project, *names))


def text(project: Project, *names: str) -> str:
    """What a file of memory holds, empty where there is none. Raises what `planning_text.read` raises."""
    return planning_text.read_optional(project, path(project, *names)) or ""


def change_locked(project: Project, change: Callable[[str], str], *names: str) -> bool:
    """Replace a file of memory by `change` of its text; whether anything differs. The lock is held."""
    file = path(project, *names)
    if os.path.lexists(file):
        return planning_text.edit(project, file, change)
    made = change("")
    if made:
        planning_text.inside(project, file)
        with planning_text.system_errors(project, file):
            make_folder(os.path.dirname(file))
        planning_text.create(project, file, made)
    return bool(made)
