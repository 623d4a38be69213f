"""Entries in YAML files.

Block collections are edited by whole lines, `{}` and `[]` like brackets anywhere.
"""

from __future__ import annotations

from gsd_install.configedit import brackets, lines, yaml_values
from gsd_install.configedit.document import FILE, Insertion, Slot, spell, wanted
from gsd_install.configedit.text import Edit, Text, content_end, line_end, line_start, splice
from gsd_install.configedit.tree import Node
from gsd_install.configedit.values import APPEND, Pointer, nested
from gsd_install.configedit.yaml_parser import Yaml, YamlItem, YamlNode, plain
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_INDENT = "  "
_NAMES = {"map": "a mapping", "list": "a sequence", "scalar": "a plain value"}


class YamlDocument:
    """A YAML file with its entries.

    Raises GsdError (`syntax`, `depth`) when it does not parse, and `unsupported` for what cannot be
    edited without changing more than the entry.
    """

    def __init__(self, text: Text) -> None:
        self._yaml = Yaml(text)
        self._source = self._yaml.source
        self._root = self._yaml.root
        self.text = text
        self._body = text.body

    def data(self) -> Any:
        """All of the file as data; None when it holds no value."""
        return plain(self._root) if self._root else None

    def slots(self, pointer: Pointer) -> list[Slot]:
        """The value of the key (more than one where the key is doubled), or the items of the sequence."""
        path = self._path(pointer)
        if len(path) < len(pointer):
            return []
        key = None if pointer[-1] == APPEND else pointer[-1]
        return [
            Slot(plain(item.node), item.start, (path, index))
            for index, item in enumerate(path[-1].items)
            if item.key == key
        ]

    def create(self, pointer: Pointer, value: Any) -> str:
        """A new file, two blanks a level."""
        return "\n".join(yaml_values.block(pointer[0], nested(pointer[1:], value), _INDENT)) + "\n"

    def insert(self, pointer: Pointer, value: Any) -> Insertion:
        """Append to the deepest container there is, with what is missing below it."""
        path = self._path(pointer)
        depth = max(len(path) - 1, 0)
        rest = pointer[depth:]
        whole = nested(rest[1:], value)
        texts = yaml_values.block(rest[0], whole, self._unit())
        if not path:
            return Insertion(self._with_root(texts), 0, -1)
        node = path[-1]
        theirs = -1 if node.items else depth
        if node.flow:
            self._check_last(node)
            form = brackets.layout(self._source, node, _INDENT, inline_if_empty=True)
            text = (
                yaml_values.flow(whole) if rest[0] == APPEND else yaml_values.flow_pair(str(rest[0]), whole)
            )
            edits = brackets.insert(self._source, node, form, text)
        elif node.is_nothing:
            edits = [self._fill(path, texts)]
        else:
            edits = [self._append(node, texts)]
        return Insertion(splice(self._body, edits), depth + 1, theirs)

    def delete(self, pointer: Pointer, slot: Slot, made: int, theirs: int) -> str | None:
        """Remove the item, or the outermost container that only ever held it."""
        path, index = slot.place
        self._check_anchors(path[-1].items[index].node)
        depth = len(pointer) - 1
        while depth > theirs and self._goes(path, depth):
            depth -= 1
            index = next(i for i, item in enumerate(path[depth].items) if item.node is path[depth + 1])
        node, item = path[depth], path[depth].items[index]
        if node.flow:
            return splice(self._body, brackets.delete(self._source, node, index))
        span = self._lines_of(node, item)
        if len(node.items) > 1:
            return lines.remove(self._body, [span], self._source.comments, self.text.newline)
        if depth == 0:
            first = made == FILE
            return lines.remove_block(
                self._body, [span], self._source.comments, self.text.newline, first=first
            )
        newline, spans = self.text.newline, [span]
        top = line_end(self._body, _holder(path, depth).key_end)
        if top < span[0] and self._body.startswith(newline, top):
            spans.insert(0, (top, top + len(newline)))
        return lines.remove(self._body, spans, self._source.comments, newline)

    def replace(self, pointer: Pointer, slot: Slot, value: Any) -> str:
        """Write a new value in the item's place; comments inside the old one follow it."""
        path, index = slot.place
        node, item = path[-1], path[-1].items[index]
        self._check_anchors(item.node)
        if node.flow:
            return splice(self._body, brackets.replace(self._source, item, yaml_values.flow(value)))
        if value == [] and item.node.items and not item.node.flow:
            return self._emptied(item)
        start, end = self._lines_of(node, item)
        end = content_end(self._body, self._last(item))
        kept = [self._body[a:b] for a, b in self._source.comments_in(start, end)]
        texts = [*yaml_values.block(pointer[-1], value, self._unit()), *kept]
        return splice(self._body, [Edit(start, end, self._indented(texts, node.column))])

    def _emptied(self, item: YamlItem) -> str:
        """Leave `[]` of a sequence in lines: its key may share its line with a dash."""
        node = item.node
        colon = self._body.index(":", item.key_end) + 1
        spans = [self._lines_of(node, held) for held in node.items]
        body = lines.remove(self._body, spans, self._source.comments, self.text.newline)
        return splice(body, [Edit(colon, colon, " []")])

    def _path(self, pointer: Pointer) -> list[YamlNode]:
        """The containers on the way, as far as there are any; the last may be an empty place for one."""
        path: list[YamlNode] = []
        node: Node | None = self._root
        for depth, step in enumerate(pointer):
            if not isinstance(node, YamlNode):
                break
            self._check_container(node, pointer, depth, in_flow=bool(path) and path[-1].flow)
            path.append(node)
            item = node.get(step)
            node = item.node if item else None
        return path

    def _check_container(self, node: YamlNode, pointer: Pointer, depth: int, *, in_flow: bool) -> None:
        shared = node.alias or (node.anchor if node.anchor in self._yaml.aliases else None)
        if shared:
            raise self.text.failure(
                node.start,
                f"{spell(pointer[:depth])} is shared with other places as {shared!r}",
                reason="unsupported",
                hint="write it out instead of using an alias, then run the command again",
            )
        expected = wanted(pointer, depth)
        if node.kind != expected and (in_flow or not node.is_nothing):
            raise self.text.failure(
                node.start,
                f"expected {_NAMES[expected]} at {spell(pointer[:depth])}, found {_NAMES[node.kind]}",
                reason="type",
                hint=f"make it {_NAMES[expected]} or remove it, then run the command again",
            )

    def _check_last(self, node: YamlNode) -> None:
        last = node.items[-1] if node.items else None
        if last and isinstance(last.node, YamlNode) and last.node.is_nothing:
            raise self.text.failure(
                last.start,
                "nothing can be added behind a key without a value",
                reason="unsupported",
                hint="give it a value, such as null, then run the command again",
            )

    def _check_anchors(self, node: Node) -> None:
        if isinstance(node, YamlNode) and node.anchor in self._yaml.aliases:
            raise self.text.failure(
                node.start,
                f"other places refer to this entry as {node.anchor!r}",
                reason="unsupported",
                hint="remove those references, then run the command again",
            )
        for item in node.items:
            self._check_anchors(item.node)

    def _unit(self) -> str:
        """One level of indentation, as the first nested mapping shows it."""
        for item in self._root.items if self._root else ():
            child = item.node
            if isinstance(child, YamlNode) and child.kind == "map" and not child.flow and child.column:
                return " " * child.column
        return _INDENT

    def _indented(self, texts: list[str], column: int) -> str:
        return self.text.newline.join(" " * column + text for text in texts)

    def _with_root(self, texts: list[str]) -> str:
        if self._yaml.is_closed:
            raise self.text.failure(
                len(self._body),
                "the document is closed by '...' before it begins",
                reason="unsupported",
                hint="remove that line, then run the command again",
            )
        return lines.append(self._body, self._indented(texts, 0), self.text.newline)

    def _fill(self, path: list[YamlNode], texts: list[str]) -> Edit:
        """Lines for a key that has no value yet; the empty line tells it from a key of ours."""
        holder = path[-2]
        block = self._indented(texts, holder.column + len(self._unit()))
        newline = self.text.newline
        return lines.below(self._body, _holder(path, len(path) - 1).key_end, newline + block, newline)

    def _append(self, node: YamlNode, texts: list[str]) -> Edit:
        body, newline = self._body, self.text.newline
        block = self._indented(texts, node.column)
        last = node.items[-1]
        leaf = _leaf(last.node)
        if leaf.is_block:
            at = leaf.end
            if body[at - 1] not in "\r\n":
                # A line end behind it would become part of that text; so the entry goes before it.
                start, _ = self._lines_of(node, last)
                return Edit(start, start, block + newline)
        else:
            at = line_end(body, self._last(last))
        if body[at - 1] not in "\r\n":
            return Edit(at, at, newline + block)
        at = self._past_deeper_comments(at, node.column)
        return lines.below(body, at - 1, block, newline)

    def _past_deeper_comments(self, at: int, column: int) -> int:
        """Comments that are indented further belong to what stands above them."""
        while True:
            end = line_end(self._body, at)
            line = self._body[at:end]
            blanks = len(line) - len(line.lstrip(" "))
            if end == at or blanks <= column or not line[blanks:].startswith("#"):
                return at
            at = end

    def _goes(self, path: list[YamlNode], depth: int) -> bool:
        node = path[depth]
        if depth == 0 or len(node.items) > 1:
            return False
        if node.flow:
            return path[depth - 1].flow and brackets.looks_ours(self._source, node)
        return self._looks_ours(node, _holder(path, depth))

    def _looks_ours(self, node: YamlNode, holder: YamlItem) -> bool:
        """Whether a collection follows its key on the very next line, with nothing else around."""
        end = content_end(self._body, holder.key_end)
        first, _ = self._lines_of(node, node.items[0])
        return self._body[holder.key_end : end].strip() == ":" and line_end(self._body, end) == first

    def _lines_of(self, node: YamlNode, item: Any) -> tuple[int, int]:
        """The whole lines of an item of a block collection."""
        start = self._first_line(node, item)
        if start is None:
            raise self.text.failure(
                item.start,
                "this entry shares its line with something else",
                reason="unsupported",
                hint="put it on lines of its own, then run the command again",
            )
        return start, line_end(self._body, self._last(item))

    def _first_line(self, node: YamlNode, item: YamlItem) -> int | None:
        """Where the line begins that holds the key or the dash of an item, and nothing before it."""
        start = line_start(self._body, item.start)
        if node.kind == "map":
            return None if self._body[start : item.start].strip() else start
        while True:
            dash = start + node.column
            if self._body.startswith("-", dash) and not self._body[start:dash].strip():
                return start
            if start <= node.start:
                return None
            start = line_start(self._body, start - 1)

    def _last(self, item: Any) -> int:
        """The last character's offset of an item, or the end of its key when it has no value."""
        end = max(item.key_end, item.end)
        return len(self._body[:end].rstrip())


def _leaf(node: Node) -> YamlNode:
    while node.items and isinstance(node, YamlNode) and not node.flow:
        node = node.items[-1].node
    if not isinstance(node, YamlNode):
        raise TypeError(node)
    return node


def _holder(path: list[YamlNode], depth: int) -> YamlItem:
    """The entry whose value is the container at a depth."""
    return next(
        item for item in path[depth - 1].items if isinstance(item, YamlItem) and item.node is path[depth]
    )
