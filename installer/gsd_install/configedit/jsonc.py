"""Entries in JSON files, with or without comments."""

from __future__ import annotations

import json

from gsd_install.configedit import brackets
from gsd_install.configedit.document import FILE, Insertion, Slot, spell, wanted
from gsd_install.configedit.jsonc_parser import Jsonc, plain
from gsd_install.configedit.text import Text, indent_at, splice
from gsd_install.configedit.tree import Node
from gsd_install.configedit.values import APPEND, Pointer, nested
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_NAMES = {"map": "an object", "list": "an array", '"': "a string", "t": "true", "f": "false", "n": "null"}
_INDENT = "  "


class JsoncDocument:
    """A JSON file with its entries. Raises GsdError (`syntax`, `depth`) when it does not parse."""

    def __init__(self, text: Text) -> None:
        parsed = Jsonc(text)
        self.text = parsed.text
        self._body = text.body
        self._source = parsed.source
        self._root = parsed.root
        self._data: Any = None

    def data(self) -> Any:
        """All of the file as data; None when it holds no value."""
        if self._data is None and self._root:
            self._data = plain(self._body, self._root)
        return self._data

    def slots(self, pointer: Pointer) -> list[Slot]:
        """The value of the key (more than one where the key is doubled), or the items of the array."""
        path = self._path(pointer)
        if len(path) < len(pointer):
            return []
        key = None if pointer[-1] == APPEND else pointer[-1]
        items = path[-1].items
        return [
            Slot(plain(self._body, item.node), item.start, (path, index))
            for index, item in enumerate(items)
            if item.key == key
        ]

    def create(self, pointer: Pointer, value: Any) -> str:
        """A new file, two blanks a level."""
        return _dump(nested(pointer, value), _INDENT) + "\n"

    def insert(self, pointer: Pointer, value: Any) -> Insertion:
        """Append to the deepest container there is, with what is missing below it."""
        path = self._path(pointer)
        if not path:
            return Insertion(self._with_root(nested(pointer, value)), 0, -1)
        node, depth = path[-1], len(path) - 1
        rest = pointer[depth:]
        form = brackets.layout(self._source, node, self._unit(), inline_if_empty=self._inline(path[:-1]))
        text = self._item(rest[0], nested(rest[1:], value), form)
        body = splice(self._body, brackets.insert(self._source, node, form, text))
        theirs = depth if not node.items else 0 if self._is_theirs(path[0]) else -1
        return Insertion(body, depth + 1, theirs)

    def delete(self, pointer: Pointer, slot: Slot, made: int, theirs: int) -> str | None:
        """Remove the item, or the outermost container that only ever held it."""
        path, index = slot.place
        depth = len(pointer) - 1
        while self._goes(path[depth], depth, made, theirs):
            if depth == 0:
                return self._without_root(path[0], made)
            depth -= 1
            index = next(i for i, item in enumerate(path[depth].items) if item.node is path[depth + 1])
        return splice(self._body, brackets.delete(self._source, path[depth], index))

    def replace(self, pointer: Pointer, slot: Slot, value: Any) -> str:  # noqa: ARG002
        """Write a new value at the item's own indentation."""
        path, index = slot.place
        item = path[-1].items[index]
        inline = self._inline(path)
        text = self._render(value, self._unit(), indent_at(self._body, item.start), inline=inline)
        return splice(self._body, brackets.replace(self._source, item, text))

    def _path(self, pointer: Pointer) -> list[Node]:
        """The containers on the way, as far as there are any."""
        path: list[Node] = []
        node = self._root
        for depth, step in enumerate(pointer):
            if node is None:
                break
            if node.kind != wanted(pointer, depth):
                raise self._mismatch(node, pointer, depth)
            path.append(node)
            item = node.get(step)
            node = item.node if item else None
        return path

    def _mismatch(self, node: Node, pointer: Pointer, depth: int) -> GsdError:
        found = _NAMES.get(node.kind) or _NAMES.get(self._body[node.start], "a number")
        expected = _NAMES[wanted(pointer, depth)]
        return self.text.failure(
            node.start,
            f"expected {expected} at {spell(pointer[:depth])}, found {found}",
            reason="type",
            hint=f"make it {expected} or remove it, then run the command again",
        )

    def _inline(self, path: list[Node]) -> bool:
        """Whether new items of the innermost container stand on its line; a new root has lines."""
        for node in reversed(path):
            form = brackets.layout(self._source, node, _INDENT, inline_if_empty=True)
            if node.items or not form.inline:
                return form.inline
        return False

    def _item(self, step: str | int, value: Any, form: brackets.Layout) -> str:
        text = self._render(value, self._unit(), form.indent, inline=form.inline)
        return text if step == APPEND else f"{_dump(step)}: {text}"

    def _render(self, value: Any, unit: str, indent: str, *, inline: bool) -> str:
        text = _dump(value, None if inline else unit)
        return text.replace("\n", self.text.newline + indent)

    def _unit(self) -> str:
        """One level of indentation, as the root's items show it."""
        if self._root is None or not self._root.items:
            return _INDENT
        base = indent_at(self._body, self._root.start)
        indent = indent_at(self._body, self._root.items[-1].start)
        return indent[len(base) :] if indent.startswith(base) and indent != base else _INDENT

    def _is_theirs(self, root: Node) -> bool:
        """Whether the root shows that somebody else wrote it: it is not just as we write one."""
        ours = self._render(self.data(), _INDENT, "", inline=False)
        return ours != self._body[root.start : root.end]

    def _with_root(self, value: Any) -> str:
        body, line = self._body, self.text.newline
        text = self._render(value, _INDENT, "", inline=False)
        # The line end in front tells an empty file from none, and ends a comment on the last line.
        return f"{body}{line}{text}{line}"

    def _goes(self, node: Node, depth: int, made: int, theirs: int) -> bool:
        if len(node.items) > 1 or any(text.strip() for text in brackets.around(self._source, node)):
            return False
        if depth == 0 and self._source.comments_in(node.start, node.end):
            return False
        return depth >= made or (depth > theirs and brackets.looks_ours(self._source, node))

    def _without_root(self, root: Node, made: int) -> str | None:
        line = self.text.newline
        before, after = self._body[: root.start], self._body[root.end :]
        after = after.removeprefix(line)
        if not before and not after and not self.text.bom:
            return None
        shorter = before.removesuffix(line) if made > FILE else before
        joins = shorter[-1:] not in ("", "\r", "\n") and after[:1] not in ("", "\r", "\n")
        return (before if joins else shorter) + after


def _dump(value: Any, indent: str | None = None) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
