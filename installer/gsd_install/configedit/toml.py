"""Entries in TOML files.

A table of ours becomes a header with its keys at the end of the file: a header needs no container and
may stand anywhere. Only where the user wrote the surrounding value inline does ours go in there.
"""

from __future__ import annotations

from gsd_install.configedit import brackets, lines, toml_values
from gsd_install.configedit.document import FILE, Insertion, Slot, spell, wanted
from gsd_install.configedit.text import Edit, Text, content_end, indent_at, line_end, line_start, splice
from gsd_install.configedit.toml_parser import Statement, Toml, line_of, step_into
from gsd_install.configedit.tree import Node
from gsd_install.configedit.values import APPEND, Pointer, nested
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

_INDENT = "  "
_NAMES: dict[type, str] = {dict: "a table", list: "an array"}


class _Inside(NamedTuple):
    """An item inside the value of a key: the containers down to it, the first being that value."""

    statement: Statement
    path: list[Node]
    at: int


class TomlDocument:
    """A TOML file with its entries. Raises GsdError (`syntax`, `depth`) when it does not parse."""

    def __init__(self, text: Text) -> None:
        self._toml = Toml(text)
        self._source = self._toml.source
        self.text = text
        self._body = text.body

    def data(self) -> Any:
        """All of the file as data."""
        return self._toml.data

    def slots(self, pointer: Pointer) -> list[Slot]:
        """The value of the key, or the elements of the array in file order.

        A place is an `_Inside`, the statement of a key, or the list of statements of a table.
        """
        held = self._held(pointer)
        if held is None:
            return []
        if pointer[-1] != APPEND:
            place = self._inside(pointer) or self._toml.pair(pointer) or self._toml.parts(pointer)
            return [Slot(held, _offset(place), place)]
        holder = self._holder(pointer[:-1])
        if holder is None:
            return [
                Slot(value, _offset(parts), parts)
                for value, parts in zip(held, self._toml.elements(pointer[:-1]), strict=True)
            ]
        statement, path = holder
        items = path[-1].items
        return [
            Slot(value, item.start, _Inside(statement, path, index))
            for index, (value, item) in enumerate(zip(held, items, strict=True))
        ]

    def create(self, pointer: Pointer, value: Any) -> str:
        """A new file."""
        if isinstance(value, dict):
            return _table(pointer, value, "\n") + "\n"
        if pointer[-1] == APPEND:
            return self.create(pointer[:-1], [value])
        header = f"[{toml_values.key(pointer[:-1])}]\n" if pointer[:-1] else ""
        return f"{header}{toml_values.pair(pointer[-1:], value)}\n"

    def insert(self, pointer: Pointer, value: Any) -> Insertion:
        """Put the entry where the user keeps its neighbours, else at the end of the file."""
        holder = self._holder(pointer[:-1])
        if holder:
            return self._insert_inside(pointer, value, *holder)
        if isinstance(value, dict):
            self._check_header(pointer)
            block = _table(pointer, value, self.text.newline)
            return Insertion(lines.append(self._body, block, self.text.newline), len(pointer), -1)
        if pointer[-1] == APPEND:
            added = self.insert(pointer[:-1], [value])
            return added._replace(made=min(added.made, len(pointer) - 1))
        return self._insert_pair(pointer, value)

    def delete(self, pointer: Pointer, slot: Slot, made: int, theirs: int) -> str | None:
        """Remove the item, the line or the table."""
        place = slot.place
        if isinstance(place, list):
            return self._remove_block(place, made)
        if isinstance(place, Statement):
            return self._remove_pair(place, made, theirs)
        path, index, depth = place.path, place.at, len(pointer) - 1
        while self._goes(path[-1], depth, made, theirs):
            if len(path) == 1:
                return self._remove_pair(place.statement, made, theirs)
            index = next(i for i, item in enumerate(path[-2].items) if item.node is path[-1])
            path, depth = path[:-1], depth - 1
        return splice(self._body, brackets.delete(self._source, path[-1], index))

    def replace(self, pointer: Pointer, slot: Slot, value: Any) -> str:
        """Write a new value in the old one's place; a table that is spread out is gathered at the end."""
        place = slot.place
        if isinstance(place, _Inside):
            item = place.path[-1].items[place.at]
            return splice(self._body, brackets.replace(self._source, item, toml_values.inline(value)))
        if isinstance(place, Statement):
            return self._rewrite_pair(place, value)
        path = pointer[:-1] if pointer[-1] == APPEND else pointer
        if isinstance(value, dict) and self._toml.is_solid(path, place):
            return self._rewrite_table(place, value)
        left = self._remove_block(place, len(pointer))
        document = TomlDocument(self.text._replace(body=left or ""))
        return document.create(pointer, value) if left is None else document.insert(pointer, value).body

    def _held(self, pointer: Pointer) -> Any:
        """The data at a pointer, None when there is none; for `-` the array."""
        data = self._toml.data
        for depth, step in enumerate(pointer):
            if not isinstance(data, dict if wanted(pointer, depth) == "map" else list):
                raise self._mismatch(data, pointer, depth)
            if step == APPEND and depth == len(pointer) - 1:
                return data
            if isinstance(data, dict) and step not in data:
                return None
            data = data[step]
        return data

    def _mismatch(self, data: Any, pointer: Pointer, depth: int) -> GsdError:
        expected = _NAMES[dict if wanted(pointer, depth) == "map" else list]
        found = _NAMES.get(type(data), "a plain value")
        return self.text.failure(
            _offset(self._toml.first(pointer[:depth])),
            f"expected {expected} at {spell(pointer[:depth])}, found {found}",
            reason="type",
            hint=f"make it {expected} or remove it, then run the command again",
        )

    def _holder(self, path: Pointer) -> tuple[Statement, list[Node]] | None:
        """The key whose value is, or encloses, what is at a path; the containers from it on down."""
        for size in range(len(path), 0, -1):
            statement = self._toml.pair(path[:size])
            if statement is None:
                continue
            found = [statement.value]
            for step in path[size:]:
                item = step_into(self.text, found[-1], step)
                if item is None:
                    break
                found.append(item.node)
            return statement, found
        return None

    def _inside(self, pointer: Pointer) -> _Inside | None:
        holder = self._holder(pointer[:-1])
        if holder is None:
            return None
        statement, path = holder
        item = step_into(self.text, path[-1], pointer[-1])
        return _Inside(statement, path, path[-1].items.index(item)) if item else None

    def _check_header(self, pointer: Pointer) -> None:
        """A header at the end of the file can only mean the last element of an array of tables."""
        if any(isinstance(step, int) for step in pointer):
            raise self.text.failure(
                _offset(self._toml.first(pointer[:-1])),
                f"nothing can be added to the tables of {spell(pointer)}",
                reason="unsupported",
                hint="write them as an array of inline tables, then run the command again",
            )

    def _insert_inside(
        self, pointer: Pointer, value: Any, statement: Statement, path: list[Node]
    ) -> Insertion:
        depth = len(statement.path) + len(path) - 1
        node, rest = path[-1], pointer[depth:]
        form = brackets.layout(self._source, node, _INDENT, inline_if_empty=True)
        whole = nested(rest[1:], value)
        text = toml_values.inline(whole) if rest[0] == APPEND else toml_values.pair(rest[:1], whole)
        body = splice(self._body, brackets.insert(self._source, node, form, text))
        return Insertion(body, depth + 1, -1 if node.items else depth)

    def _insert_pair(self, pointer: Pointer, value: Any) -> Insertion:
        container, line = pointer[:-1], self.text.newline
        section = self._toml.table(container)
        if section is None:
            above = self._toml.dotted(container)
            if above is None:
                block = f"[{toml_values.key(container)}]{line}{toml_values.pair(pointer[-1:], value)}"
                return Insertion(lines.append(self._body, block, line), len(container), -1)
            section = self._toml.section_of(above)
        else:
            above = section.pairs[-1] if section.pairs else None
        text = toml_values.pair(pointer[len(section.path) :], value)
        if above:
            edit = lines.below(self._body, above.end, indent_at(self._body, above.start) + text, line)
            return Insertion(splice(self._body, [edit]), len(pointer), -1)
        if section.header:
            # The empty line tells a table that was there, without keys, from one of ours.
            edit = lines.below(self._body, section.header.end, line + text, line)
            return Insertion(splice(self._body, [edit]), len(pointer), len(container))
        return Insertion(self._with_first_pair(text), len(pointer), -1)

    def _with_first_pair(self, text: str) -> str:
        """The body with a key above all headers, where there was none."""
        line = self.text.newline
        if len(self._toml.sections) == 1:
            return lines.append(self._body, text, line)
        at = line_start(self._body, _offset(self._toml.sections[1].header))
        while at and self._body[line_start(self._body, at - 1) : at].lstrip(" \t").startswith("#"):
            at = line_start(self._body, at - 1)
        return splice(self._body, [Edit(at, at, text + line + line)])

    def _goes(self, node: Node, depth: int, made: int, theirs: int) -> bool:
        if len(node.items) > 1 or any(text.strip() for text in brackets.around(self._source, node)):
            return False
        return depth >= made or (depth > theirs and brackets.looks_ours(self._source, node))

    def _remove_pair(self, statement: Statement, made: int, theirs: int) -> str | None:
        section = self._toml.section_of(statement)
        start, end = line_of(self._body, statement)
        if len(section.pairs) > 1:
            return self._remove([(start, end)])
        if section.header is None:
            return self._remove_only_root_pair(start, end, made)
        top = line_end(self._body, section.header.end)
        if start == top and len(section.path) > theirs:
            return self._remove_block([section.header, statement], made)
        empty_line = self._body[top:start] == self.text.newline
        return self._remove([(top if empty_line else start, end)])

    def _remove_only_root_pair(self, start: int, end: int, made: int) -> str | None:
        line = self.text.newline
        if len(self._toml.sections) > 1 and self._body.startswith(line, end):
            return self._remove([(start, end + len(line))])
        return lines.remove_block(self._body, [(start, end)], self._source.comments, line, first=made == FILE)

    def _remove(self, spans: list[tuple[int, int]]) -> str:
        return lines.remove(self._body, spans, self._source.comments, self.text.newline)

    def _remove_block(self, statements: list[Statement], made: int) -> str | None:
        spans = [line_of(self._body, statement) for statement in statements]
        # Below a key above all headers stands the empty line that came with the key.
        first = made == FILE and not self._toml.sections[0].pairs
        return lines.remove_block(self._body, spans, self._source.comments, self.text.newline, first=first)

    def _rewrite_pair(self, statement: Statement, value: Any) -> str:
        start, end = statement.value.start, statement.value.end
        top = line_start(self._body, statement.start)
        kept = self._comments(start, end)
        edits = [Edit(top, top, "".join(comment + self.text.newline for comment in kept))]
        return splice(self._body, [*edits, Edit(start, end, toml_values.inline(value))])

    def _rewrite_table(self, statements: list[Statement], value: dict[str, Any]) -> str:
        line = self.text.newline
        start = content_end(self._body, statements[0].end)
        end = max(start, statements[-1].end)
        texts = [toml_values.pair((name,), held) for name, held in value.items()]
        text = "".join(line + text for text in [*texts, *self._comments(start, end)])
        return splice(self._body, [Edit(start, end, text)])

    def _comments(self, start: int, end: int) -> list[str]:
        return [self._body[a:b] for a, b in self._source.comments_in(start, end)]


def _table(pointer: Pointer, value: dict[str, Any], newline: str) -> str:
    """A header with its keys, without the last line end."""
    is_element = pointer[-1] == APPEND
    name = toml_values.key(pointer[:-1] if is_element else pointer)
    header = f"[[{name}]]" if is_element else f"[{name}]"
    return newline.join([header, *(toml_values.pair((name,), held) for name, held in value.items())])


def _offset(place: Any) -> int:
    """Where a place begins."""
    if isinstance(place, list):
        place = place[0] if place else None
    if isinstance(place, _Inside):
        return place.path[-1].items[place.at].start
    return place.start if isinstance(place, Statement) else 0
