"""Read predicates: facts a project states as `ID=value`, each alone on its line in a code span.

    `RULE.tests.no-sleep=a test waits for an event, never for a time`
    - `PATH.api=src/api`

The grammar is that of gsd-core's context predicates: a line that is only a code span, bare or as a list
item, split at the first equals sign. Fences, comments and block quotes hold none; while one of fence and
comment is open the other cannot begin. A byte that could begin neither a predicate nor one of those is
passed over, which makes reading a long file of prose about as fast as splitting it into lines.
"""

from __future__ import annotations

import re

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    Why = Literal[
        "empty-segment",
        "invalid-id-chars",
        "lowercase-leading-class",
        "empty-value",
        "value-contains-newline",
    ]

_LINE = re.compile(r"[ \t]*(?:(?:[-*+]|[0-9]{1,9}\.)[ \t]+)?`([^`=]*)=([^`]*)`[ \t]*")
_ID = re.compile(r"[A-Z][A-Z0-9_-]*(?:\.[A-Za-z0-9_-]+)*")
_SEGMENT = re.compile(r"[A-Za-z0-9_-]+")
_CLASS = re.compile(r"[A-Z][A-Z0-9_-]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\r\n]*)")
_COMMENT = re.compile(r" {0,3}<!--")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(.*?))?(?:[ \t]+#*)?[ \t]*")
_STARTS = frozenset("` \t-*+#<~0123456789")
_SEPARATORS = ("\u2028", "\u2029")


class Predicate(NamedTuple):
    """One fact; `klass` is the first segment of its id, `line` 1-based, `section` the heading above it."""

    id: str
    klass: str
    value: str
    line: int
    section: str


class Malformed(NamedTuple):
    """A line that has the form of a predicate and is none, and why."""

    line: int
    text: str
    reason: Why


class Reading(NamedTuple):
    """What a text states. `duplicates` pairs each id that occurs several times with how often."""

    predicates: tuple[Predicate, ...]
    duplicates: tuple[tuple[str, int], ...]
    malformed: tuple[Malformed, ...]


def read(text: str) -> Reading:
    """The predicates of a Markdown text, in its order."""
    found: list[Predicate] = []
    malformed: list[Malformed] = []
    section = ""
    for number, line in _outside(_lines(text)):
        if match := _LINE.fullmatch(line):
            name, value = match.groups()
            if why := _wrong(name, value):
                malformed.append(Malformed(number, line.strip(), why))
            else:
                found.append(Predicate(name, name.partition(".")[0], value, number, section))
        elif "#" in line[:4] and (heading := _HEADING.fullmatch(line)):
            section = heading[1] or ""
    return Reading(tuple(found), _duplicates(found), tuple(malformed))


def _lines(text: str) -> list[str]:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removeprefix("\ufeff").split("\n")


def _outside(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The lines that matter and stand in no fence or comment, with their numbers."""
    numbered = [(number, line) for number, line in enumerate(lines) if line[:1] in _STARTS and line]
    closed = -1
    for number, line in numbered:
        if number <= closed:
            continue
        if _COMMENT.match(line):
            closed = number if "-->" in line else _comment_end(lines, number)
        elif ("```" in line or "~~~" in line) and (fence := _opens(line)):
            closed = _fence_end(lines, number, fence)
        else:
            yield number + 1, line


def _opens(line: str) -> str | None:
    """The run of characters that opens a fence; three backticks with another behind them are a span."""
    match = _FENCE.match(line)
    return None if match is None or (match[1][0] == "`" and "`" in match[2]) else match[1]


def _comment_end(lines: list[str], start: int) -> int:
    return next((at for at in range(start + 1, len(lines)) if "-->" in lines[at]), len(lines))


def _fence_end(lines: list[str], start: int, fence: str) -> int:
    closer = re.compile(rf" {{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*")
    return next((at for at in range(start + 1, len(lines)) if closer.fullmatch(lines[at])), len(lines))


def _wrong(name: str, value: str) -> Why | None:
    if not _ID.fullmatch(name):
        return _wrong_id(name.split("."))
    if not value:
        return "empty-value"
    return "value-contains-newline" if any(mark in value for mark in _SEPARATORS) else None


def _wrong_id(segments: list[str]) -> Why:
    if "" in segments:
        return "empty-segment"
    if all(map(_SEGMENT.fullmatch, segments)) and not _CLASS.fullmatch(segments[0]):
        return "lowercase-leading-class"
    return "invalid-id-chars"


def _duplicates(found: list[Predicate]) -> tuple[tuple[str, int], ...]:
    counts: dict[str, int] = {}
    for predicate in found:
        counts[predicate.id] = counts.get(predicate.id, 0) + 1
    return tuple((name, count) for name, count in sorted(counts.items()) if count > 1)
