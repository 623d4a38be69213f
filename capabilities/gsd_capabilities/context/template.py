"""The template language of contexts: four forms, read once, filled in one pass.

`{{key}}` stands for a section (`{{{key}}}` too: nothing is ever escaped), `{{?key}}...{{/key}}` for text
that is there when the section is, `{{#key}}...{{/key}}` for text repeated with each item of it. Inside a
repetition `title`, `source` and `text` are those of the item. What is inserted is never read as
a template.
"""

from __future__ import annotations

import re

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Literal, NoReturn

    Kind = Literal["literal", "value", "when", "each"]

ITEM_KEYS = ("title", "source", "text")

_TAG = re.compile(r"\{\{\{\s*([^{}\n]*?)\s*\}\}\}|\{\{([?#/]?)\s*([^{}\n]*?)\s*\}\}")


class Node(NamedTuple):
    """A literal text, a value by its key, or a block (`when`, `each`) with its inner nodes."""

    kind: Kind
    text: str
    inner: tuple[Node, ...] = ()


def parsed(text: str, keys: Collection[str], *, file: str | None = None) -> tuple[Node, ...]:
    """The nodes of a template.

    Raises GsdError (reason `bad_template`) with file, line and column for an unknown key, a block that is
    not closed, and an end that closes nothing.
    """
    return _Parser(text, keys, file).run()


class _Open(NamedTuple):
    kind: Kind
    key: str
    at: int
    nodes: list[Node]


class _Parser:
    __slots__ = ("file", "keys", "stack", "text")

    def __init__(self, text: str, keys: Collection[str], file: str | None) -> None:
        self.text, self.keys, self.file = text, keys, file
        self.stack = [_Open("when", "", 0, [])]

    def run(self) -> tuple[Node, ...]:
        at = 0
        for match in _TAG.finditer(self.text):
            self.literal(self.text[at : match.start()])
            self.tag(match[2] or "", match[3] if match[1] is None else match[1], match.start())
            at = match.end()
        self.literal(self.text[at:])
        if len(self.stack) > 1:
            left = self.stack[-1]
            self.fail(f"the block {left.key!r} is never closed", left.at, f"write {{{{/{left.key}}}}}")
        return tuple(self.stack[0].nodes)

    def literal(self, text: str) -> None:
        if text:
            self.stack[-1].nodes.append(Node("literal", text))

    def tag(self, mark: str, key: str, at: int) -> None:
        if mark == "/":
            return self.close(key, at)
        repeated = any(block.kind == "each" for block in self.stack)
        known = [*self.keys, *(ITEM_KEYS if repeated and mark != "#" else ())]
        if key not in known:
            self.fail(f"unknown key {key!r}", at, f"one of {', '.join(known)}")
        if mark == "#" and repeated:
            self.fail("a repetition inside a repetition", at, "close the outer one first")
        if mark:
            self.stack.append(_Open("when" if mark == "?" else "each", key, at, []))
        else:
            self.stack[-1].nodes.append(Node("value", key))
        return None

    def close(self, key: str, at: int) -> None:
        block = self.stack[-1]
        if len(self.stack) == 1 or block.key != key:
            hint = f"close {block.key!r} first" if len(self.stack) > 1 else "delete it"
            self.fail(f"{key!r} ends here and was not opened last", at, hint)
        self.stack.pop()
        self.stack[-1].nodes.append(Node(block.kind, key, tuple(block.nodes)))

    def fail(self, message: str, at: int, hint: str) -> NoReturn:
        line = self.text.count("\n", 0, at) + 1
        column = at - (self.text.rfind("\n", 0, at) + 1) + 1
        raise GsdError(
            f"{message} in column {column}", reason="bad_template", file=self.file, line=line, hint=hint
        )
