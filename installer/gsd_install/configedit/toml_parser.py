"""Where everything stands in a TOML file.

`tomllib` decides what a valid file is and what it means (TOML 1.0); this scanner only finds the spans
of statements and values in text that is already known to be valid.
"""

from __future__ import annotations

import re
import tomllib

from gsd_install.configedit.text import FIX, Text, content_end, line_end, line_start
from gsd_install.configedit.tree import MAX_DEPTH, NOTHING, Comment, Item, Node, Source
from gsd_install.configedit.values import Pointer, depth
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

_BLANK = re.compile(r"[ \t\r\n]*")
_KEY = re.compile(r'[ \t]*([A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\')[ \t]*')
_VALUE = re.compile(
    r'"""(?:[^"\\]++|\\[\s\S]|"{1,2}(?!"))*+"{3,5}+'
    r"|'''(?:[^']++|'{1,2}(?!'))*+'{3,5}+"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'[^'\n]*'"
    r"|\d{4}-\d\d-\d\d \d\d:[^\s,\]}#]+"
    r"|[^\s,\[\]{}#\"'=]+"
)
_PLACE = re.compile(r" ?\(at (?:line (\d+), column (\d+)|end of document)\)")
# Stands between the parts of a dotted key inside an inline table; no key of a valid file holds it.
DOT = "\0"


class Statement(NamedTuple):
    """A header or a key: full path, span from first to last character, and the value of a key.

    In the path the name of an array of tables is followed by the number of the element.
    """

    path: Pointer
    start: int
    end: int
    value: Node = NOTHING


class Section(NamedTuple):
    """A header and the keys below it; the part above the first header has none and the path ()."""

    path: Pointer
    header: Statement | None
    is_element: bool
    pairs: list[Statement]

    @property
    def statements(self) -> list[Statement]:
        """Header and keys in file order."""
        return [self.header, *self.pairs] if self.header else self.pairs


class Toml:
    """A parsed file. Raises GsdError (`syntax`, `depth`) when it is not valid TOML 1.0."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.data = _loads(text)
        self.source = Source(text.body, text.newline, [])
        self.sections = [Section(path=(), header=None, is_element=False, pairs=[])]
        self._at = 0
        self._counts: dict[Pointer, int] = {}
        self._scan()

    def _scan(self) -> None:
        body = self.text.body
        while True:
            self._at = self._skip(self._at)
            if self._at >= len(body):
                return
            if body[self._at] == "[":
                self._header()
            else:
                self._pair()

    def _skip(self, at: int) -> int:
        """Past blanks, line ends and comments; comments are noted."""
        body = self.text.body
        while True:
            at = _end_of(_BLANK, body, at)
            if not body.startswith("#", at):
                return at
            end = content_end(body, at)
            self.source.comments.append(Comment(at, end))
            at = end

    def _header(self) -> None:
        start = self._at
        width = 2 if self.text.body.startswith("[[", start) else 1
        keys, end = self._keys(start + width)
        path = self._resolved(keys, is_element=width == 2)
        header = Statement(path, start, end + width)
        self.sections.append(Section(path, header, width == 2, []))
        self._at = header.end

    def _resolved(self, keys: tuple[str, ...], *, is_element: bool) -> Pointer:
        """The path that a header means: inside an array of tables it means the last element."""
        path: Pointer = ()
        for key in keys[:-1]:
            path += (key,)
            if path in self._counts:
                path += (self._counts[path] - 1,)
        path += keys[-1:]
        if not is_element:
            return path
        count = self._counts.get(path, 0)
        self._counts[path] = count + 1
        return (*path, count)

    def _pair(self) -> None:
        section = self.sections[-1]
        start = self._at
        path, at = self._keys(start)
        node = self._value(_end_of(_BLANK, self.text.body, at + 1))
        section.pairs.append(Statement((*section.path, *path), start, node.end, node))
        self._at = node.end

    def _keys(self, at: int) -> tuple[tuple[str, ...], int]:
        """A dotted key, and the offset behind it."""
        parts: list[str] = []
        while True:
            found = _KEY.match(self.text.body, at)
            if found is None:
                raise self.text.failure(at, "expected a key")
            parts.append(_key(found.group(1)))
            at = found.end()
            if not self.text.body.startswith(".", at):
                return tuple(parts), at
            at += 1

    def _value(self, at: int) -> Node:
        """A value and all that is in it; `tomllib` has already refused what nests too deep."""
        mark = self.text.body[at]
        if mark not in "[{":
            return Node("scalar", at, _end_of(_VALUE, self.text.body, at))
        node = Node("list" if mark == "[" else "map", at)
        at = self._skip(at + 1)
        while self.text.body[at] not in "]}":
            at = self._item(node, at)
        node.end = at + 1
        return node

    def _item(self, node: Node, at: int) -> int:
        """One item of an array or inline table, with its comma; answers where the next one begins."""
        item = Item(None, at)
        if node.kind == "map":
            keys, at = self._keys(at)
            item.key = DOT.join(keys)
            at = _end_of(_BLANK, self.text.body, at + 1)
        item.node = self._value(at)
        node.items.append(item)
        at = self._skip(item.node.end)
        if self.text.body[at] == ",":
            item.comma = at
            at = self._skip(at + 1)
        return at

    def pair(self, path: Pointer) -> Statement | None:
        """The key with exactly this path."""
        return next((pair for section in self.sections for pair in section.pairs if pair.path == path), None)

    def table(self, path: Pointer) -> Section | None:
        """The table or element with this header; the part above all headers for ()."""
        found = (section for section in self.sections if section.path == path)
        return next(found, None)

    def dotted(self, path: Pointer) -> Statement | None:
        """The last key that defines a table by a dotted name, as `a.b = 1` defines `a`."""
        pairs = [
            pair
            for section in self.sections
            if len(section.path) < len(path)
            for pair in section.pairs
            if len(pair.path) > len(path) and pair.path[: len(path)] == path
        ]
        return pairs[-1] if pairs else None

    def section_of(self, statement: Statement) -> Section:
        """The section that a key stands in."""
        return next(section for section in self.sections if any(pair is statement for pair in section.pairs))

    def parts(self, path: Pointer) -> list[Statement]:
        """Every statement that says something about a table."""
        return [
            statement
            for section in self.sections
            for statement in section.statements
            if statement.path[: len(path)] == path
        ]

    def elements(self, path: Pointer) -> list[list[Statement]]:
        """The statements of each `[[path]]`, with those of the tables below it."""
        elements: list[list[Statement]] = []
        for section in self.sections:
            if section.is_element and section.path[:-1] == path:
                elements.append(list(section.statements))
            elif section.path[: len(path)] == path and elements:
                elements[-1] += section.statements
        return elements

    def first(self, path: Pointer) -> Statement | None:
        """The first statement that says something about a path."""
        return next(iter(self.parts(path)), None)

    def is_solid(self, path: Pointer, statements: list[Statement]) -> bool:
        """Whether a table is written as its own header with its keys, all in one place."""
        section = next((held for held in self.sections if held.header is statements[0]), None)
        if section is None:
            return False
        name = section.path[:-1] if section.is_element else section.path
        return name == path and len(section.statements) == len(statements)


def step_into(text: Text, node: Node, key: str | int) -> Item | None:
    """The item of a key in an inline table, or at a place in an array.

    Raises GsdError where a dotted key hides it.
    """
    if isinstance(key, int):
        return node.items[key]
    for item in node.items:
        if item.key == key:
            return item
        if item.key and item.key.startswith(key + DOT):
            raise text.failure(
                item.start,
                f"{key!r} is written as a dotted key in an inline table",
                reason="unsupported",
                hint=f"write it as {key} = {{ ... }}, then run the command again",
            )
    return None


def line_of(body: str, statement: Statement) -> tuple[int, int]:
    """The whole lines that a statement stands on."""
    return line_start(body, statement.start), line_end(body, statement.end)


def _loads(text: Text) -> dict[str, Any]:
    try:
        data = tomllib.loads(text.body)
    except tomllib.TOMLDecodeError as error:
        raise _syntax(text, str(error)) from None
    except RecursionError:
        raise _too_deep(text) from None
    if depth(data) > MAX_DEPTH:
        raise _too_deep(text)
    return data


def _syntax(text: Text, message: str) -> GsdError:
    found = _PLACE.search(message)
    message = message[:1].lower() + _PLACE.sub("", message[1:])
    if found is None or found.group(1) is None:
        return text.failure(len(text.body), message)
    line, column = found.groups()
    return GsdError(f"column {column}: {message}", reason="syntax", file=text.file, line=int(line), hint=FIX)


def _too_deep(text: Text) -> GsdError:
    return text.failure(0, f"nested deeper than {MAX_DEPTH} levels", reason="depth")


def _key(raw: str) -> str:
    if raw[0] not in "\"'":
        return raw
    return str(tomllib.loads(f"k={raw}")["k"]) if "\\" in raw else raw[1:-1]


def _end_of(pattern: re.Pattern[str], body: str, at: int) -> int:
    found = pattern.match(body, at)
    return found.end() if found else at
