"""What happened, in the order it happened: one line an event, added and never changed.

`.planning/work/events.jsonl` is the only record of tasks, reviews, deliverables, messages, calls and
learning; what is true now is folded from it. Several processes append at once; whoever must look before it
appends holds the lock of the project (`companion.guard.locked`) around both.
"""

from __future__ import annotations

import json
import os
import time

from gsd_capabilities.companion.planning_text import system_errors
from gsd_capabilities.companion.project import require
from gsd_install.kernel.appending import Log
from gsd_install.kernel.files import make_folder
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from gsd_capabilities.companion.project import Project

FOLDER, FILE = "work", "events.jsonl"


class Event(NamedTuple):
    """`kind` is a word such as `task-added`, `subject` the id it is about, `who` the agent or person.

    `at` is in seconds of the epoch.
    """

    kind: str
    subject: str
    who: str
    at: float
    data: Mapping[str, object]


def path(project: Project) -> str:
    """The file of events."""
    return os.path.join(project.shared, FOLDER, FILE)


def record(
    project: Project,
    kind: str,
    subject: str = "",
    *,
    who: str = "",
    data: Mapping[str, object] | None = None,
    now: float | None = None,
) -> Event:
    """Add an event. Raises GsdError `no_project`, and what the system refuses."""
    event = Event(kind, subject, who, time.time() if now is None else now, dict(data or {}))
    file = path(require(project))
    with system_errors(project, file):
        make_folder(os.path.dirname(file))
        Log(file).append(json.dumps(event._asdict(), ensure_ascii=False, sort_keys=True).encode())
    return event


def events(project: Project, kinds: Collection[str] = ()) -> list[Event]:
    """Events in their order, of all kinds or of these. A line that is no event is passed over."""
    file = path(project)
    with system_errors(project, file):
        lines = Log(file).fresh()
    return [event for event in _read(lines) if not kinds or event.kind in kinds]


def _read(lines: list[bytes]) -> Iterator[Event]:
    for line in lines:
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict) and found.keys() == set(Event._fields) and isinstance(found["data"], dict):
            yield Event(**found)
