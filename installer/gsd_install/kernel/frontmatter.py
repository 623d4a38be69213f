"""The block of `key: value` lines at the top of a document, read strictly.

The reader takes a subset of YAML 1.2 in which nothing is a surprise: strings (plain, quoted, block),
`true` and `false`, integers, lists of strings, one level of nested mapping, comments. What hosts read
differently (anchors, tags, `null`, tabs, inline mappings, text that only looks plain) is refused with
its line. The writer is `frontmatter_writer`.
"""

from __future__ import annotations

import re

from gsd_install.kernel import scalars
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.frontmatter_writer import quote as quote
from gsd_install.kernel.frontmatter_writer import render as render
from gsd_install.kernel.markdown import FRAME, lines
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import NoReturn

    Scalar = str | int | bool
    Field = Scalar | list[str] | dict[str, "Field"]

_OPENING = re.compile(r"---[ \t]*(?:[\r\n]|\Z)")
_KEY = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.-]*):(?: +|$)")
# What YAML does not allow in a file, and NEL's neighbours. Not compiled on import: few rows come to it.
_UNPRINTABLE = "[\0-\b\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]"


class Frontmatter(NamedTuple):
    """A document taken apart.

    `lines` holds the line of each field; `body` starts at line `body_line` (both 1-based, of the file).
    """

    fields: dict[str, Field]
    lines: dict[str, int]
    body: str
    body_line: int

    @property
    def present(self) -> bool:
        """Whether there is a block at all, empty or not."""
        return self.body_line > 1


def split(text: str, *, file: str | None = None) -> Frontmatter:
    """Read the block at the top of `text`; without one there are no fields and the body is the text.

    A byte-order mark is dropped, every other byte of the body stays. Raises GsdError with file and
    line: `unclosed_frontmatter`, `duplicate_key`, or `bad_frontmatter` for anything outside the subset.
    """
    frame = FRAME.match(text)
    if frame is None:
        body = text.removeprefix("\ufeff")
        if _OPENING.match(body):
            hint = "add a line `---` below the last field"
            message = "the frontmatter is never closed"
            raise GsdError(message, reason="unclosed_frontmatter", file=file, line=1, hint=hint)
        return Frontmatter({}, {}, body, 1)
    reader = _Reader([content for _, _, content in lines(frame[1])])
    try:
        reader.check()
        numbers: dict[str, int] = {}
        fields = reader.mapping(0, numbers)
    except GsdError as error:
        error.file = file
        error.line = error.line or reader.at + 1
        raise
    return Frontmatter(fields, numbers, text[frame.end() :], len(reader.rows) + 3)


class _Reader:
    """The rows between the two `---` lines, and how many of them are read.

    An error without a line is one of the row that was read last.
    """

    __slots__ = ("at", "rows")

    def __init__(self, rows: list[str]) -> None:
        self.rows, self.at = rows, 0

    def check(self) -> None:
        for number, row in enumerate(self.rows):
            if not row.isprintable() and (bad := re.search(_UNPRINTABLE, row)):
                self.fail(f"control character {bad[0]!r} in the frontmatter", "delete it", number)

    def fail(self, message: str, hint: str, row: int, *, reason: str = "bad_frontmatter") -> NoReturn:
        raise GsdError(message, reason=reason, line=row + 2, hint=hint)

    def peek(self) -> str | None:
        """The next row that says something; blank rows and comments are skipped."""
        while self.at < len(self.rows):
            row = self.rows[self.at]
            if row.strip(" \t") and not row.lstrip(" \t").startswith("#"):
                return row
            self.at += 1
        return None

    def indent(self, row: str) -> int:
        bare = row.lstrip(" ")
        if bare.startswith("\t"):
            self.fail("a tab indents this line", "indent with spaces", self.at)
        return len(row) - len(bare)

    def mapping(self, indent: int, numbers: dict[str, int]) -> dict[str, Field]:
        """The fields at `indent`; `numbers` takes the line of each."""
        fields: dict[str, Field] = {}
        while (row := self.peek()) is not None and (found := self.indent(row)) >= indent:
            if found > indent:
                self.fail("this line is indented too far", "start it below the key above", self.at)
            key, rest = self.key(row[indent:])
            if key in fields:
                hint = f"line {numbers[key]} has it already; keep one of the two"
                self.fail(f"the key {key!r} stands here twice", hint, self.at - 1, reason="duplicate_key")
            numbers[key] = self.at + 1
            fields[key] = self.value(rest, indent)
        return fields

    def key(self, row: str) -> tuple[str, str]:
        match = _KEY.match(row)
        self.at += 1
        if match is None:
            missing = re.match(r"[A-Za-z0-9_.-]+:", row)
            wrong = "no space behind the colon" if missing else f"{row.strip()!r} is not a `key: value` line"
            scalars.refuse(wrong, "write `key: value`, with one space behind the colon")
        return match[1], row[match.end() :]

    def value(self, rest: str, indent: int) -> Field:
        """What stands behind a key, on its line or on the rows below."""
        bare = scalars.uncommented(rest)
        if rest[:1] in ("", "#"):
            return self.below(indent)
        if rest[0] in "|>":
            return self.block(bare, indent)
        if rest[0] == "[":
            items, end = scalars.inline_list(rest)
            _nothing(rest[end:])
            return items
        if bare == "{}":
            return {}
        return _quoted(rest) if rest[0] in "\"'" else scalars.typed(self.plain(rest, indent))

    def below(self, indent: int) -> Field:
        key = self.at - 1
        row = self.peek()
        found = -1 if row is None else self.indent(row)
        item = row is not None and row[found:].startswith("-")
        if row is None or found < indent or (found == indent and not item):
            self.fail("this key has no value", 'write `key: ""` for an empty text, or delete the line', key)
        if item:
            return self.block_list(found)
        if not _KEY.match(row[found:]):
            self.at += 1
            return scalars.typed(self.plain(row[found:], indent))
        if indent:
            self.fail("mappings nest only once", "move this key up one level", self.at)
        return self.mapping(found, {})

    def block_list(self, indent: int) -> list[str]:
        items = []
        while (row := self.peek()) is not None and self.indent(row) == indent and row[indent] == "-":
            self.at += 1
            rest = row[indent + 1 :].lstrip(" ")
            if row[indent + 1 : indent + 2] != " ":
                scalars.refuse("a list item is a dash, a space and a text", "write `- item`")
            quoted = rest[:1] in ("'", '"')
            items.append(_quoted(rest) if quoted else scalars.plain(scalars.uncommented(rest)))
        return items

    def plain(self, rest: str, indent: int) -> str:
        """A string without quotes, with the more indented rows that continue it."""
        parts = [scalars.plain(scalars.uncommented(rest))]
        whole = rest.rstrip(" \t")
        while parts[-1] == whole and (count := self.continuation(indent)):
            rows = self.rows[self.at : self.at + count]
            self.at += count
            whole = rows[-1].strip(" \t")
            parts.extend([""] * (count - 1))
            parts.append(scalars.plain(scalars.uncommented(whole)))
        return scalars.folded(parts)

    def continuation(self, indent: int) -> int:
        """How many rows lead up to one that continues a plain string; 0 if none does."""
        for at in range(self.at, len(self.rows)):
            row = self.rows[at]
            bare = row.lstrip(" ")
            if bare.strip("\t"):
                return at - self.at + 1 if len(row) - len(bare) > indent and bare[0] not in "#\t" else 0
        return 0

    def block(self, style: str, indent: int) -> str:
        """A block scalar: `|` keeps its rows, `>` folds them; `-` drops the line end at the end."""
        if style not in ("|", "|-", ">", ">-"):
            scalars.refuse(f"{style!r} does not start a block of text", "use one of | |- > >-")
        rows = self.block_rows(indent)
        text = "\n".join(rows) if style[0] == "|" else scalars.folded(rows)
        return text if style.endswith("-") or not rows else text + "\n"

    def block_rows(self, indent: int) -> list[str]:
        """The rows of a block scalar without their common indentation and the blank rows behind them."""
        depth, started = 0, False
        rows: list[str] = []
        for row in self.rows[self.at :]:
            width = len(row) - len(row.lstrip(" "))
            if not started:
                depth, started = max(depth, width), width < len(row)
            if width < len(row) and width < max(depth, indent + 1):
                break
            rows.append(row)
        self.at += len(rows)
        rows = [row[depth:] for row in rows]
        while rows and not rows[-1]:
            rows.pop()
        return rows


def _quoted(rest: str) -> str:
    value, end = scalars.string(rest)
    _nothing(rest[end:])
    return value


def _nothing(rest: str) -> None:
    """Refuse text behind a value; a comment may stand there."""
    if scalars.uncommented(rest):
        scalars.refuse("there is text behind the value", "put all of it in one pair of quotes or brackets")
