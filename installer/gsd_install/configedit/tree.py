"""The span tree: where every value, key and comma of a bracketed text stands."""

from __future__ import annotations

from typing import Literal

from gsd_install.kernel.record import NamedTuple

MAX_DEPTH = 200

Kind = Literal["map", "list", "scalar"]


class Item:
    """One entry of a container: `start` is where its key or value begins, `comma` the next comma or -1."""

    __slots__ = ("comma", "key", "node", "start")

    def __init__(self, key: str | None, start: int) -> None:
        self.key = key
        self.start = start
        self.node: Node = NOTHING
        self.comma = -1

    @property
    def end(self) -> int:
        """Where its value ends."""
        return self.node.end


class Node:
    """One value: `start` and `end` are offsets of its text; containers have items in file order."""

    __slots__ = ("end", "items", "kind", "start")

    def __init__(self, kind: Kind, start: int, end: int = -1) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.items: list[Item] = []

    def get(self, key: str | int) -> Item | None:
        """The item that counts for a key: the last, as every parser has it; or the one at a place."""
        if isinstance(key, int):
            return self.items[key]
        for item in reversed(self.items):
            if item.key == key:
                return item
        return None


NOTHING = Node("scalar", -1, -1)


class Comment(NamedTuple):
    """The offsets of one comment, without the line end."""

    start: int
    end: int


class Source(NamedTuple):
    """A parsed text: what the bracket editor needs to know of it."""

    body: str
    newline: str
    comments: list[Comment]

    def comments_in(self, start: int, end: int) -> list[Comment]:
        """The comments that begin inside a span."""
        return [comment for comment in self.comments if start <= comment.start < end]

    def is_line_comment(self, comment: Comment) -> bool:
        """Whether the comment lasts to the end of its line."""
        return not self.body.startswith("/*", comment.start)
