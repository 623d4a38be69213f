"""Read predicates: facts a project states as `ID=value`, each alone on its line in a code span.

    `RULE.tests.no-sleep=a test waits for an event, never for a time`
    - `PATH.api=src/api`

The grammar is that of gsd-core's context predicates: a line that is only a code span, bare or as a list
item, split at the first equals sign. Fences, comments and block quotes hold none; where a fence or comment
ends and what a heading says is asked of `markdown`. Prose is passed over in one scan, because these files
grow to hundreds of kilobytes and are read whenever a workflow starts.
"""

from __future__ import annotations

import re

from gsd_install.kernel import markdown
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Literal

    Why = Literal[
        "empty-segment",
        "invalid-id-chars",
        "lowercase-leading-class",
        "empty-value",
        "value-contains-newline",
    ]

# One line that matters, with the line end before it. The look at its first character rejects prose at once.
_MARK = re.compile(
    r"\n(?=[`~<#*+\- \t0-9])(?:"
    r"[ \t]*(?:(?:[-*+]|[0-9]{1,9}\.)[ \t]+)?`(?:"
    r"(([A-Z][A-Z0-9_-]*)(?:\.[A-Za-z0-9_-]+)*)=([^`\n\u2028\u2029]+)"
    r"|([^`=\n]*)=([^`\n]*)"
    r")`[ \t]*(?=\n|\Z)"
    r"| {0,3}(?:(#{1,6}(?:[ \t][^\n]*)?(?=\n|\Z))|<!--|`{3}|~{3})"
    r")"
)
_WELL_FORMED, _MALFORMED, _HEADING = 3, 5, 6
_STATED = (_WELL_FORMED, _MALFORMED)
_SEGMENT = re.compile(r"[A-Za-z0-9_-]+")
_CLASS = re.compile(r"[A-Z][A-Z0-9_-]*")


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
    text = _with_line_feeds(text)
    found: list[tuple[str, str, str, int, str]] = []
    malformed: list[Malformed] = []
    section, number, counted, closed = "", 0, 0, 0
    for mark in _MARK.finditer(text):
        start = mark.start()
        kind = mark.lastindex
        if start < closed:
            continue
        if kind in _STATED:
            number += text.count("\n", counted, start + 1)
            counted = start + 1
            if kind == _WELL_FORMED:
                name, klass, value = mark.group(1, 2, 3)
                found.append((name, klass, value, number, section))
            else:
                malformed.append(Malformed(number, mark[0].strip(), _wrong(mark[4], mark[5])))
        elif kind == _HEADING:
            section = markdown.heading_title(mark[_HEADING].lstrip("#"))
        else:
            closed = markdown.enclosed(text, start + 1) - 1
    return Reading(tuple(map(Predicate._make, found)), _duplicates(found), tuple(malformed))


def _with_line_feeds(text: str) -> str:
    """`text` with a line feed before each line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "\n" + text.removeprefix("\ufeff")


def _wrong(name: str, value: str) -> Why:
    segments = name.split(".")
    if "" in segments:
        return "empty-segment"
    if not all(map(_SEGMENT.fullmatch, segments)):
        return "invalid-id-chars"
    if not _CLASS.fullmatch(segments[0]):
        return "lowercase-leading-class"
    return "value-contains-newline" if value else "empty-value"


def _duplicates(found: list[tuple[str, str, str, int, str]]) -> tuple[tuple[str, int], ...]:
    names = [name for name, *_ in found]
    if len(set(names)) == len(names):
        return ()
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return tuple((name, count) for name, count in sorted(counts.items()) if count > 1)
