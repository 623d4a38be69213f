"""STATE.md: the fields at its top, and the log at its end.

The fields are those of the reference `state-rules`: `key: value` lines of plain text, which is not YAML: a
value may be empty or hold any character.
"""

from __future__ import annotations

import re

from gsd_capabilities.companion import guard, planning_text
from gsd_capabilities.companion.roadmap import STATUSES, number_of
from gsd_install.kernel import markdown
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.project import Project

FILE = "STATE.md"
FIELDS = (
    "project",
    "milestone",
    "milestone_base",
    "phase",
    "phase_name",
    "phase_base",
    "plan",
    "status",
    "next",
    "last",
    "updated",
)
MILESTONE_STATUSES = ("milestone-done", "idle")
LOG_LINES = 10

_LINE = re.compile(r"([a-z_]+):[ \t]*(.*?)[ \t]*")
_BLOCK = re.compile(r"^---[ \t]*(?:\r\n?|\n)(?:project|milestone|phase|status):", re.MULTILINE)


class Value(NamedTuple):
    """One field: its text, the offsets of that text, and its line (1-based)."""

    text: str
    start: int
    end: int
    line: int


def read(project: Project) -> dict[str, str]:
    """The fields of STATE.md in their order. Raises GsdError as `parse` and `planning_text.read`."""
    path = project.path(FILE)
    found = parse(planning_text.read(project, path), project.shown(path))
    return {name: value.text for name, value in found.items()}


def parse(text: str, file: str = FILE) -> dict[str, Value]:
    """The fields in `text`. Raises GsdError `bad_state` when the block is not whole or not the only one."""
    frame = markdown.FRAME.match(text)
    if frame is None:
        raise _damaged("the block of fields at the top is missing or never closed", file, 1)
    second = _BLOCK.search(text, frame.end())
    if second:
        raise _damaged("this is a second block of fields", file, planning_text.line_at(text, second.start()))
    found: dict[str, Value] = {}
    for number, (start, _, line) in enumerate(markdown.lines(frame[1]), 2):
        if not line.strip(" \t"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise _damaged(f"{line.strip()!r} is not a `key: value` line", file, number)
        if match[1] in found:
            raise _damaged(f"the field {match[1]!r} stands here twice", file, number)
        at = frame.start(1) + start
        found[match[1]] = Value(match[2], at + match.start(2), at + match.end(2), number)
    return found


def current_phase(values: Mapping[str, Value], file: str = FILE) -> str | None:
    """The number of the current phase; None when none is named. Raises GsdError `bad_number`."""
    value = values.get("phase")
    if value is None or not value.text:
        return None
    try:
        return number_of(value.text)
    except GsdError as error:
        error.file, error.line = file, value.line
        raise


def update(project: Project, fields: Mapping[str, str]) -> bool:
    """Give fields of STATE.md other values, every other line unchanged; whether anything differs.

    Raises GsdError `unknown_field`, `bad_value`, or as `read`; and LockedError.
    """
    checked(fields)
    with guard.locked(project):
        return update_locked(project, fields)


def update_locked(project: Project, fields: Mapping[str, str], log: str | None = None) -> bool:
    """As `update`, for a caller who holds the lock; `log` becomes the newest line of the log."""
    path = project.path(FILE)
    file = project.shown(path)
    values = checked(fields)

    def change(text: str) -> str:
        text = with_fields(text, values, file)
        return with_log(text, log) if log else text

    return planning_text.edit(project, path, change)


def checked(fields: Mapping[str, str]) -> dict[str, str]:
    """`fields` as they are written. Raises GsdError `unknown_field` or `bad_value`."""
    found = {
        known_field(name): planning_text.one_line(value, f"the field {name}")
        for name, value in fields.items()
    }
    if "status" in found:
        planning_text.known_word(found["status"], (*STATUSES, *MILESTONE_STATUSES), "status")
    return found


def known_field(name: str) -> str:
    """`name`, if STATE.md has such a field. Raises GsdError `unknown_field`."""
    if name in FIELDS:
        return name
    guess = planning_text.nearest(name, FIELDS)
    hint = f"did you mean {guess!r}?" if guess else f"the fields are: {', '.join(FIELDS)}"
    raise GsdError(f"STATE.md has no field {name!r}", reason="unknown_field", hint=hint)


def with_fields(text: str, fields: Mapping[str, str], file: str = FILE) -> str:
    """`text` with other values; a field that is missing comes last in the block. Raises as `parse`."""
    for name, value in fields.items():
        found = parse(text, file)
        old = found.get(name)
        if old is None:
            text = _appended(text, name, value)
        elif old.text != value:
            gap = " " if value and text[old.start - 1] == ":" else ""
            text = text[: old.start] + gap + value + text[old.end :]
    return text


def with_log(text: str, entry: str) -> str:
    """`text` with `entry` as the first line below `## Log`, and at most ten lines there."""
    entry = planning_text.one_line(entry, "a log entry")
    end = planning_text.newline(text)
    heading = next((each for each in markdown.headings(text) if each.title == "Log"), None)
    if heading is None:
        gap = "" if text.endswith(end * 2) else end if text.endswith(end) else end * 2
        return f"{text}{gap}## Log{end}{end}- {entry}{end}"
    rows = list(markdown.lines(text[: heading.end], heading.start))
    entries = [row for row in rows if row[2].startswith("- ")]
    for start, stop, _ in reversed(entries[LOG_LINES - 1 :]):
        text = text[:start] + text[stop:]
    at = entries[0][0] if entries else rows[0][1]
    line = f"- {entry}{end}"
    return text[:at] + (line if entries else _first(text[:at], line, end)) + text[at:]


def _first(before: str, line: str, end: str) -> str:
    """The first entry below a heading, which may be the last thing in the file."""
    return (end if before.endswith(("\n", "\r")) else end * 2) + line


def _appended(text: str, name: str, value: str) -> str:
    frame = markdown.FRAME.match(text)
    assert frame is not None  # noqa: S101 - parsed before
    line = f"{name}: {value}".rstrip() + planning_text.newline(text)
    return text[: frame.end(1)] + line + text[frame.end(1) :]


def _damaged(message: str, file: str, line: int) -> GsdError:
    hint = f"repair it, or look for its last good version: git log --oneline -5 -- {file}"
    return GsdError(message, reason="bad_state", file=file, line=line, hint=hint)
