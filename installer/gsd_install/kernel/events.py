"""How an event of a project is written down: one line of JSON each, in `.planning/work/events.jsonl`.

The companion keeps the file; the installer adds to it what a person decided.
"""

from __future__ import annotations

import json
import os

from gsd_install.kernel.appending import Log
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.files import make_folder
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

FOLDER, FILE = "work", "events.jsonl"
# Moments that a calendar has, the years 1 to 9999, in seconds of the epoch.
_FIRST, _LAST = -62_135_596_800, 253_402_300_799


class Event(NamedTuple):
    """`kind` is a word such as `task-added`, `subject` the id it is about, `who` the agent or person.

    `at` is in seconds of the epoch.
    """

    kind: str
    subject: str
    who: str
    at: float
    data: Mapping[str, object]


_FIELDS = frozenset(Event._fields)


def path(planning: str) -> str:
    """The file of events below a project's folder of planning files."""
    return os.path.join(planning, FOLDER, FILE)


def append(planning: str, event: Event) -> None:
    """Add an event. Raises GsdError `bad_value` for what is no text of Unicode, OSError."""
    try:
        line = json.dumps(event._asdict(), ensure_ascii=False, sort_keys=True).encode()
    except UnicodeEncodeError:
        hint = "send it as UTF-8"
        raise GsdError("this is not a text of Unicode", reason="bad_value", hint=hint) from None
    file = path(planning)
    make_folder(os.path.dirname(file))
    Log(file).append(line)


def read(planning: str, kinds: Collection[str] = ()) -> Iterator[Event]:
    """The events in their order, of all kinds or of these; a line that is no event is passed over.

    Only lines that could be of these kinds are parsed, for calls of tools come by the ten thousand. Raises
    OSError.
    """
    lines = Log(path(planning)).fresh()
    for line in _possible(lines, kinds) if kinds else lines:
        event = _parsed(line)
        if event is not None and (not kinds or event.kind in kinds):
            yield event


def _possible(lines: Iterable[bytes], kinds: Iterable[str]) -> Iterator[bytes]:
    import re

    words = (re.escape(json.dumps(kind, ensure_ascii=False).encode()) for kind in kinds)
    return filter(re.compile(b"|".join(words)).search, lines)


def _parsed(line: bytes) -> Event | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict) or row.keys() != _FIELDS:
        return None
    kind, subject, who, at, data = row["kind"], row["subject"], row["who"], row["at"], row["data"]
    texts = isinstance(kind, str) and isinstance(subject, str) and isinstance(who, str)
    good = texts and is_moment(at) and isinstance(data, dict)
    return Event(kind, subject, who, at, data) if good else None


def is_moment(value: object) -> bool:
    """Whether something is in seconds of the epoch, of a day that a calendar has."""
    return isinstance(value, float | int) and not isinstance(value, bool) and _FIRST <= value <= _LAST
