"""Take a workflow apart at its section markers.

    <!-- gsd:section id="research" when="flag:--research" -->
    ...
    <!-- /gsd:section -->

A marker is the only thing on its line, indented by at most three blanks. Inside fences and comments it
is ordinary text. Sections do not nest. The grammar is that of ADR-1671 (phase 3).
"""

from __future__ import annotations

import re

from gsd_install.kernel import applicability
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.markdown import scan
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

_MARKER = re.compile(
    r"[ \t]*<!--[ \t]*(/?)gsd:section(?=[ \t\r\n]|-->|\Z)((?:(?!-->)[^\r\n])*+)(-->)?[ \t]*(?:[\r\n]|\Z)"
)
_ATTRIBUTE = re.compile(r'[ \t]+([A-Za-z_][\w.:-]*)[ \t]*=[ \t]*"([^"]*)"')
_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_GAP = re.compile(r"gap-[0-9]+")
_EXAMPLE = 'write `<!-- gsd:section id="..." when="..." -->`'


class Section(NamedTuple):
    """A part of a text, without its markers.

    What stands between sections is a gap: id `gap-1`, `gap-2`, ..., when `always`, not `explicit`.
    `line` is where the text starts (1-based).
    """

    id: str
    when: str
    text: str
    explicit: bool
    line: int


class _Marker(NamedTuple):
    """A marker line as found; `rest` is what stands behind the word `gsd:section`."""

    start: int
    end: int
    line: int
    closes: bool
    rest: str
    complete: bool


class _Opened(NamedTuple):
    id: str
    when: str
    line: int


def parse(text: str, *, file: str | None = None, first_line: int = 1) -> tuple[Section, ...]:
    """The sections of `text` and the gaps between them, in order.

    The texts of all of them are `text` without its marker lines, byte for byte; a text without markers is
    one gap. `first_line` is the line of the file `text` starts at; a body that starts further down has no
    frontmatter. Raises GsdError with file and line, `reason` one of `unclosed_section`,
    `unmatched_close`, `nested_section`, `duplicate_id`, `missing_id`, `missing_when`, `malformed_id`,
    `unknown_when`, `malformed_attributes`, `unrecognized_attribute`, `close_with_attributes`.
    """
    parser = _Parser(text, file, first_line)
    for marker in _markers(text, first_line):
        if marker.closes:
            parser.close(marker)
        else:
            parser.open(marker)
    return parser.finish()


class _Parser:
    __slots__ = ("at", "file", "found", "gaps", "ids", "line", "opened", "text")

    def __init__(self, text: str, file: str | None, line: int) -> None:
        self.text, self.file = text, file
        self.at, self.line, self.gaps = 0, line, 0
        self.found: list[Section] = []
        self.ids: dict[str, int] = {}
        self.opened: _Opened | None = None

    def fail(self, reason: str, message: str, line: int, hint: str) -> NoReturn:
        raise GsdError(message, reason=reason, file=self.file, line=line, hint=hint)

    def open(self, marker: _Marker) -> None:
        opened = self.read(marker)
        if self.opened:
            message = f"section {opened.id!r} starts inside section {self.opened.id!r}"
            hint = f"close the one of line {self.opened.line} first; sections do not nest"
            self.fail("nested_section", message, marker.line, hint)
        if opened.id in self.ids:
            hint = f"line {self.ids[opened.id]} has it already; ids are unique in a file"
            self.fail("duplicate_id", f"two sections are called {opened.id!r}", marker.line, hint)
        self.gap(marker.start)
        self.ids[opened.id] = marker.line
        self.opened = opened
        self.skip(marker)

    def close(self, marker: _Marker) -> None:
        if marker.rest.strip(" \t") or not marker.complete:
            hint = "write `<!-- /gsd:section -->`"
            self.fail("close_with_attributes", "a closing marker holds nothing else", marker.line, hint)
        if self.opened is None:
            hint = "delete this line, or open the section above it"
            self.fail("unmatched_close", "no section is open here", marker.line, hint)
        text = self.text[self.at : marker.start]
        self.found.append(Section(self.opened.id, self.opened.when, text, explicit=True, line=self.line))
        self.opened = None
        self.skip(marker)

    def finish(self) -> tuple[Section, ...]:
        if self.opened:
            message = f"section {self.opened.id!r} is never closed"
            hint = "add a line `<!-- /gsd:section -->` where it ends"
            self.fail("unclosed_section", message, self.opened.line, hint)
        self.gap(len(self.text))
        return tuple(self.found)

    def gap(self, end: int) -> None:
        if end > self.at:
            self.gaps += 1
            text = self.text[self.at : end]
            self.found.append(Section(f"gap-{self.gaps}", "always", text, explicit=False, line=self.line))

    def skip(self, marker: _Marker) -> None:
        self.at, self.line = marker.end, marker.line + 1

    def read(self, marker: _Marker) -> _Opened:
        """The id and the condition of an opening marker, checked in the order of the grammar."""
        given = self.attributes(marker)
        for name in given:
            if name not in ("id", "when"):
                message = f"a section has no attribute {name!r}"
                self.fail("unrecognized_attribute", message, marker.line, _EXAMPLE)
        for name in ("id", "when"):
            if name not in given:
                self.fail(f"missing_{name}", f"this section has no `{name}`", marker.line, _EXAMPLE)
        if not _ID.fullmatch(given["id"]) or _GAP.fullmatch(given["id"]):
            hint = "use small letters, digits and inner dashes; `gap-1` and so on are taken"
            self.fail("malformed_id", f"{given['id']!r} cannot be the id of a section", marker.line, hint)
        applicability.atom(given["when"], file=self.file, line=marker.line)
        return _Opened(given["id"], given["when"], marker.line)

    def attributes(self, marker: _Marker) -> dict[str, str]:
        given: dict[str, str] = {}
        at = 0
        while match := _ATTRIBUTE.match(marker.rest, at):
            if match[1] in given:
                message = f"the attribute {match[1]!r} stands here twice"
                self.fail("malformed_attributes", message, marker.line, _EXAMPLE)
            given[match[1]] = match[2]
            at = match.end()
        if marker.rest[at:].strip(" \t") or not marker.complete:
            self.fail("malformed_attributes", "this section marker cannot be read", marker.line, _EXAMPLE)
        return given


def _markers(text: str, first_line: int) -> Iterator[_Marker]:
    """The marker lines of `text`, well formed or not."""
    if "gsd:section" not in text:
        return
    for number, line in enumerate(scan(text, frontmatter=first_line == 1), first_line):
        start = 1 if line.start == 0 and text.startswith("\ufeff") else line.start
        if line.kind == "comment" and not line.inner and (match := _MARKER.match(text, start)):
            yield _Marker(start, line.end, number, match[1] == "/", match[2], match[3] is not None)
