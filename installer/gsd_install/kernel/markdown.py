"""What each line of a Markdown text is: the one pass that every other module builds on.

Fences, HTML comments, headings, tables, lists and frontmatter are told apart in a single interleaved
walk, because each of them hides the others. Nothing is changed: the spans of all lines, put together,
are the text, with its CRLF, lone CR, tabs and byte-order mark. Offsets count characters.

The rules are those of CommonMark 0.31 and, for tables, GitHub's extension, cut down to what decides
where a text may be taken apart. Deliberate differences: setext headings are text; a comment that opens
in the middle of a line is text; a fence ends at its closing line or at the end of the text, even where
the list around it ends earlier.
"""

from __future__ import annotations

import re

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    Span = tuple[int, int]
    Kind = Literal["text", "blank", "fence", "comment", "heading", "table", "list", "frontmatter"]

# A closed block of frontmatter at the very top; the group is what stands between its two `---` lines.
FRAME = re.compile(r"\ufeff?---[ \t]*(?:\r\n?|\n)((?:[^\r\n]*+(?:\r\n?|\n))*?)---[ \t]*(?:\r\n?|\n|\Z)")

_LINE = re.compile(r"([^\r\n]*+)(?:\r\n?|\n|\Z)")
_ITEM = re.compile(r"(?:[-*+]|([0-9]{1,9})[.)])(?:([ \t]+)|$)")
_PIPE = re.compile(r"(?<!\\)\|")
_STARTERS = frozenset("<`~#-*+0123456789")


class Line(NamedTuple):
    """One line; `end` is behind its line end.

    `joined` says that it belongs to the same block as the last line before it that is not blank.
    `inner` says that an earlier line opened the fence, comment or frontmatter it stands in. `level` and
    `title` are those of a heading.
    """

    start: int
    end: int
    kind: Kind
    joined: bool = False
    inner: bool = False
    level: int = 0
    title: str = ""


class Heading(NamedTuple):
    """A heading and what it governs: `start` to `end`, where the next one of its level or above begins."""

    level: int
    title: str
    start: int
    end: int


class Block(NamedTuple):
    """A span nobody may cut inside: a paragraph (`text`), a whole list, table, fence, comment, ..."""

    kind: Kind
    start: int
    end: int


def lines(text: str, start: int = 0) -> Iterator[tuple[int, int, str]]:
    """Start, end and content of each line from offset `start`; a line ends at LF, CRLF or a lone CR.

    Other characters that `str.splitlines` breaks at (form feed, U+2028, ...) stay inside their line.
    """
    for match in _LINE.finditer(text, start):
        if match.start() < len(text):
            yield match.start(), match.end(), match[1]


def scan(text: str, *, frontmatter: bool = True) -> tuple[Line, ...]:
    """The lines of `text`. Pass `frontmatter=False` for a body, whose leading `---` is a rule."""
    scanner = _Scanner()
    frame = FRAME.match(text) if frontmatter else None
    if frame:
        for start, end, _ in lines(frame[0]):
            scanner.found.append(Line(start, end, "frontmatter", start > 0, start > 0))
        scanner.last = "frontmatter"
    for start, end, content in lines(text, frame.end() if frame else 0):
        scanner.line((start, end), content if start else content.removeprefix("\ufeff"))
    return tuple(scanner.found)


def headings(text: str, *, frontmatter: bool = True) -> tuple[Heading, ...]:
    """The headings of `text` in order; one nests in another when its span lies inside it."""
    ends: dict[int, int] = {}
    found = [line for line in scan(text, frontmatter=frontmatter) if line.kind == "heading"]
    result = []
    for line in reversed(found):
        end = min((ends[level] for level in ends if level <= line.level), default=len(text))
        result.append(Heading(line.level, line.title, line.start, end))
        ends[line.level] = line.start
    return tuple(reversed(result))


def blocks(text: str, *, frontmatter: bool = True) -> tuple[Block, ...]:
    """The blocks of `text` in order, blank lines between them as blocks of their own."""
    result: list[Block] = []
    blank = None
    for line in scan(text, frontmatter=frontmatter):
        if line.kind == "blank":
            blank = Block("blank", blank.start if blank else line.start, line.end)
            continue
        if line.joined:
            result[-1] = result[-1]._replace(end=line.end)
        else:
            result.extend([blank] if blank else [])
            result.append(Block(line.kind, line.start, line.end))
        blank = None
    return (*result, blank) if blank else tuple(result)


def heading_title(rest: str) -> str:
    """The title of a heading: what stands behind its opening marks, without closing ones."""
    title = rest.strip(" \t")
    bare = title.rstrip("#")
    return bare.rstrip(" \t") if bare[-1:] in ("", " ", "\t") else title


def enclosed(text: str, start: int) -> int:
    """Where the fence or comment ends that the line at `start` opens; `start` where it opens none.

    For readers that look at few lines of a large text. The line stands in no list.
    """
    scanner = _Scanner()
    for begin, end, content in lines(text, start):
        scanner.line((begin, end), content)
        if not (scanner.fence or scanner.comment):
            return end if scanner.found[0].kind in ("fence", "comment") else start
    return len(text)


class _Scanner:
    """The state between two lines.

    `fence` is the character of the open fence, `size` its length; its closing line is indented by at
    most `reach`, and a line indented by less than `floor` ends it too. `depth` is the indentation that
    continues the current list, -1 outside of lists. `last` is the kind of the last line that is not
    blank (None behind a rule), `gap` whether blank lines followed it, `code` whether it is indented code,
    `head` is its text, and `lazy` whether a line joined the list without being indented and no blank line
    followed yet.
    """

    __slots__ = (
        "code",
        "comment",
        "depth",
        "fence",
        "floor",
        "found",
        "gap",
        "head",
        "last",
        "lazy",
        "reach",
        "size",
    )

    def __init__(self) -> None:
        self.found: list[Line] = []
        self.fence = ""
        self.size = self.reach = self.floor = 0
        self.comment = self.gap = self.code = self.lazy = False
        self.depth = -1
        self.last: Kind | None = None
        self.head = ""

    def line(self, at: Span, content: str) -> None:
        body = content.lstrip(" \t")
        indent = _indent(content[: len(content) - len(body)]) if content[:1] in (" ", "\t") else 0
        if self.fence and not (body and indent < self.floor):
            if indent <= self.reach and self._closes(body):
                self.fence = ""
            self._add(at, "fence", joined=True, inner=True)
        elif self.comment:
            self.comment = "-->" not in body
            self._add(at, "comment", joined=True, inner=True)
        elif not body:
            self.found.append(Line(*at, "blank"))
            self.gap = True
        else:
            self.fence = ""
            self._outside(at, indent, body)

    def _closes(self, body: str) -> bool:
        run = body.rstrip(" \t")
        return len(run) >= self.size and not run.strip(self.fence)

    def _outside(self, at: Span, indent: int, body: str) -> None:
        listed = 0 <= self.depth <= indent
        starts = indent < 4 and body[0] in _STARTERS
        if starts and body.startswith("<!--"):
            self.comment = "-->" not in body
            self._add(at, "comment", joined=listed)
        elif starts and self._opens(body, reach=3, floor=0):
            self._add(at, "fence", joined=listed)
        elif listed:
            self._add(at, "list", joined=True, lazy=self.lazy and not self.gap)
        elif starts and (level := _heading_level(body)):
            self._add(at, "heading")
            self.found[-1] = self.found[-1]._replace(level=level, title=heading_title(body[level:]))
        elif starts and (item := _ITEM.match(body)) and self._begins(item, body):
            self._item(at, indent, item, body)
        else:
            self._plain(at, indent, body)

    def _opens(self, body: str, *, reach: int, floor: int) -> bool:
        """Enter the fence that `body` opens, if it opens one."""
        mark = body[0]
        size = len(body) - len(body.lstrip(mark)) if mark in "`~" else 0
        if size < 3 or (mark == "`" and "`" in body[size:]):
            return False
        self.fence, self.size, self.reach, self.floor = mark, size, reach, floor
        return True

    def _begins(self, item: re.Match[str], body: str) -> bool:
        """Whether what looks like a list item is one: not a rule, and free to interrupt a paragraph."""
        if _is_rule(body):
            return False
        if self.last != "text" or self.gap or self.code:
            return True
        return item.end() < len(body) and item[1] in (None, "1")

    def _item(self, at: Span, indent: int, item: re.Match[str], body: str) -> None:
        column = indent + item.end() - len(item[2] or "")
        space = _indent(" " * column + (item[2] or " ")) - column
        empty = item.end() == len(body)
        offset = column + (1 if empty or space > 4 else space)
        self._add(at, "list", joined=self.depth >= 0, lazy=self.lazy and not self.gap)
        self.depth = offset
        if not empty:
            # The list item ends such a fence, as in CommonMark: `- ``` is how fences look` is prose.
            self._opens(body[item.end() :], reach=offset + 3, floor=offset)

    def _plain(self, at: Span, indent: int, body: str) -> None:
        follows = None if self.gap else self.last
        if follows == "list" and (self.lazy or not _is_rule(body)):
            # Whether this line continues the item decides what a row of dashes below it is: stay on the
            # safe side and keep both.
            self._add(at, "list", joined=True, lazy=True)
        elif follows == "table" and indent < 4 and not _is_rule(body):
            self._add(at, "table", joined=True)
        elif follows == "text" and not self.code and _is_delimiter(body, self.head):
            self.found[-1] = self.found[-1]._replace(kind="table", joined=False)
            self._add(at, "table", joined=True)
        else:
            self._text(at, body, code=indent >= 4 and (follows != "text" or self.code))

    def _text(self, at: Span, body: str, *, code: bool) -> None:
        """A line of a paragraph, of indented code, or a rule or underline, which end a paragraph."""
        paragraph = self.last == "text" and not self.gap and not self.code
        underline = paragraph and _is_underline(body)
        if not code and (underline or _is_rule(body)):
            self._add(at, "text", joined=underline)
            self.last = None
            return
        self._add(at, "text", joined=paragraph or (code and self.code))
        self.head, self.code = body, code

    def _add(
        self, at: Span, kind: Kind, *, joined: bool = False, inner: bool = False, lazy: bool = False
    ) -> None:
        self.found.append(Line(*at, kind, joined, inner))
        if not joined:
            self.depth = -1
        self.last, self.gap, self.code, self.lazy = kind, False, False, lazy


def _indent(space: str) -> int:
    """The width of leading blanks, with tab stops every four columns."""
    return len(space.expandtabs(4))


def _heading_level(body: str) -> int:
    level = len(body) - len(body.lstrip("#"))
    return level if level <= 6 and body[level : level + 1] in ("", " ", "\t") else 0


def _is_rule(body: str) -> bool:
    marks = body.replace(" ", "").replace("\t", "")
    return len(marks) >= 3 and marks[0] in "-*_" and not marks.strip(marks[0])


def _is_underline(body: str) -> bool:
    """Whether `body` makes a heading of the paragraph above it."""
    return not body.rstrip(" \t").strip(body[0]) and body[0] in "-="


def _is_delimiter(body: str, header: str) -> bool:
    """Whether `body` is the row of dashes that makes a table of the line before, `header`."""
    if "|" not in body or "-" not in body or body.strip("|:- \t"):
        return False
    cells = _cells(body)
    return len(cells) == len(_cells(header)) and all(
        re.fullmatch(r":?-+:?", cell.strip(" \t")) for cell in cells
    )


def _cells(row: str) -> list[str]:
    row = row.strip(" \t").removeprefix("|")
    cells = _PIPE.split(row)
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells
