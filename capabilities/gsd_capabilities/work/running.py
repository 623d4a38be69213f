"""Which tasks run, by agent, for whoever must know it at every tool call and cannot fold the ledger.

`.planning/work/running.json` is written under the lock whenever that changes and can always be made again.
Where it is behind after a writer was killed, a call is counted for a task that does not run, and counts for
nothing, or is not counted.
"""

from __future__ import annotations

import json
import os

from gsd_capabilities.companion.planning_text import system_errors
from gsd_capabilities.work import events, model
from gsd_capabilities.work.unshared import prepare
from gsd_install.kernel.files import write_atomic
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.work.model import Work

FILE = "running.json"
TASK = "GSD_TASK"


def path(project: Project) -> str:
    """The file."""
    return os.path.join(os.path.dirname(events.path(project)), FILE)


def keep(project: Project, work: Work) -> None:
    """Write down which tasks run, where that differs from what stands there. The caller holds the lock."""
    now: dict[str, list[str]] = {}
    for task in work.tasks.values():
        if task.state == model.RUNNING:
            now.setdefault(task.assignee, []).append(task.id)
    file = path(project)
    if now != stored(file):
        with system_errors(project, file):
            prepare(project, file)
            write_atomic(file, json.dumps(now, ensure_ascii=False, sort_keys=True).encode())


def stored(file: str) -> Mapping[str, Sequence[str]]:
    """What stands there; nothing where there is no file or it is damaged. Raises OSError."""
    try:
        with open(file, "rb") as stream:
            found = json.loads(stream.read())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return {}
    return found if isinstance(found, dict) and all(isinstance(ids, list) for ids in found.values()) else {}


def chosen(found: Mapping[str, Sequence[str]], environ: Mapping[str, str], agent: str) -> str:
    """The task that a tool call belongs to; empty where nobody can say.

    It is the one that `GSD_TASK` names, else the only one of this agent, else, where the agent has no name,
    the only one there is.
    """
    everything = [task for tasks in found.values() for task in tasks]
    named = environ.get(TASK, "")
    if named:
        return named if named in everything else ""
    own = list(found.get(agent, ())) if agent else everything
    return own[0] if len(own) == 1 else ""
