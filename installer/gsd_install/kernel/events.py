"""How an event of a project is written down: one line of JSON each, in `.planning/work/events.jsonl`.

The companion keeps the file; the installer adds to it what a person decided.
"""

from __future__ import annotations

import json
import os

from gsd_install.kernel.appending import Log
from gsd_install.kernel.files import make_folder
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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


def path(planning: str) -> str:
    """The file of events below a project's folder of planning files."""
    return os.path.join(planning, FOLDER, FILE)


def append(planning: str, event: Event) -> None:
    """Add an event. Raises OSError."""
    file = path(planning)
    make_folder(os.path.dirname(file))
    Log(file).append(json.dumps(event._asdict(), ensure_ascii=False, sort_keys=True).encode())


def read(planning: str) -> Iterator[Event]:
    """The events in their order; a line that is no event is passed over. Raises OSError."""
    for line in Log(path(planning)).fresh():
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict) and found.keys() == set(Event._fields) and isinstance(found["data"], dict):
            yield Event(**found)
