"""JSON with comments and trailing commas, parsed to spans.

The grammar is RFC 8259 plus `//` and `/* */` comments and a comma behind the last item. It is read
without recursion; nesting beyond `MAX_DEPTH` is an error.
"""

from __future__ import annotations

import json
import re
from typing import Literal

from gsd_install.configedit.text import Text
from gsd_install.configedit.tree import MAX_DEPTH, Comment, Item, Node, Source
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_TOKEN = re.compile(
    r"[ \t\r\n]*+(?:"
    r'("(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")'
    r"|([{}\[\],:])"
    r"|(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?|true|false|null)"
    r"|(//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)"
    r"|$)"
)
_STRING, _MARK, _WORD, _COMMENT = 1, 2, 3, 4
_LONE_RETURN = re.compile(r"\r(?!\n)")

_State = Literal["value", "item", "colon", "next", "done"]
_EXPECTED = {
    "value": "expected a value",
    "colon": "expected ':'",
    "done": "expected the end of the file",
}


class Jsonc:
    """A parsed file: its text, its spans, and the root value, None in a file without any."""

    def __init__(self, text: Text) -> None:
        if _LONE_RETURN.search(text.body):
            text = text._replace(newline="\r")
        self.text = text
        self.source = Source(text.body, text.newline, [])
        self.root: Node | None = None
        self._open: list[Node] = []
        self._state: _State = "value"
        self._parse()

    def _parse(self) -> None:
        body, match, take = self.text.body, _TOKEN.match, self._take
        at, size = 0, len(self.text.body)
        while at < size:
            token = match(body, at)
            if token is None:
                raise self._unexpected(size - len(body[at:].lstrip(" \t\r\n")))
            at = token.end()
            kind = token.lastindex
            if kind == _COMMENT:
                self._comment(*token.span(kind))
            elif kind:
                take(kind, *token.span(kind))
        if self._open:
            opened = self._open[-1]
            raise self.text.failure(opened.start, f"this {_name(opened)} is never closed")

    def _take(self, kind: int, start: int, end: int) -> None:
        mark = self.text.body[start]
        if kind == _MARK:
            if mark in "{[":
                self._begin(mark, start)
            elif mark in "}]":
                self._close(mark, end)
            else:
                self._separate(mark, start)
        elif kind == _STRING and self._state == "item" and self._open[-1].kind == "map":
            self._open[-1].items.append(Item(_string(self.text.body, start, end), start))
            self._state = "colon"
        else:
            self._place(Node("scalar", start, end))

    def _comment(self, start: int, end: int) -> None:
        body = self.text.body
        if body.startswith("//", start) and body.startswith("\r", end) and not body.startswith("\r\n", end):
            raise self.text.failure(
                end, "a lone carriage return in a comment", hint="end the comment's line with a line feed"
            )
        self.source.comments.append(Comment(start, end))

    def _begin(self, mark: str, start: int) -> None:
        if len(self._open) == MAX_DEPTH:
            raise self.text.failure(start, f"nested deeper than {MAX_DEPTH} levels", reason="depth")
        node = Node("map" if mark == "{" else "list", start)
        self._place(node)
        self._open.append(node)
        self._state = "item"

    def _place(self, node: Node) -> None:
        """A value begins: it is the root, an array's next item, or what a key stands for."""
        if self._state == "value" and not self._open:
            self.root = node
        elif self._state == "value":
            self._open[-1].items[-1].node = node
        elif self._state == "item" and self._open[-1].kind == "list":
            self._open[-1].items.append(Item(None, node.start))
            self._open[-1].items[-1].node = node
        else:
            raise self._unexpected(node.start)
        self._state = "next" if self._open else "done"

    def _close(self, mark: str, end: int) -> None:
        fits = self._open and self._open[-1].kind == ("map" if mark == "}" else "list")
        if not fits or self._state not in ("item", "next"):
            raise self._unexpected(end - 1)
        self._open.pop().end = end
        self._state = "next" if self._open else "done"

    def _separate(self, mark: str, start: int) -> None:
        if mark == "," and self._state == "next":
            self._open[-1].items[-1].comma = start
            self._state = "item"
        elif mark == ":" and self._state == "colon":
            self._state = "value"
        else:
            raise self._unexpected(start)

    def _unexpected(self, offset: int) -> GsdError:
        inside = self._open[-1] if self._open else None
        close = "'}'" if inside and inside.kind == "map" else "']'"
        if self._state == "next":
            return self.text.failure(offset, f"expected ',' or {close}")
        if self._state == "item":
            wanted = "a key in double quotes" if close == "'}'" else "a value"
            return self.text.failure(offset, f"expected {wanted} or {close}")
        return self.text.failure(offset, _EXPECTED[self._state])


def plain(body: str, node: Node) -> Any:
    """The value as data. Of a doubled key the last counts; the others stay under a name no file can have."""
    if node.kind == "list":
        return [plain(body, item.node) for item in node.items]
    if node.kind == "scalar":
        return _scalar(body, node)
    data: dict[str, Any] = {}
    for count, item in enumerate(node.items):
        key = item.key or ""
        if key in data:
            data[f"{key}\0{count}"] = data.pop(key)
        data[key] = plain(body, item.node)
    return data


def _scalar(body: str, node: Node) -> Any:
    word = body[node.start : node.end]
    if word[0] == '"':
        return _string(body, node.start, node.end)
    # Huge numbers stay text: int() refuses them and float() would round them.
    return json.loads(word) if len(word) < 40 else ["number", word]


def _string(body: str, start: int, end: int) -> str:
    raw = body[start + 1 : end - 1]
    return str(json.loads(body[start:end])) if "\\" in raw else raw


def _name(node: Node) -> str:
    return "object" if node.kind == "map" else "array"
