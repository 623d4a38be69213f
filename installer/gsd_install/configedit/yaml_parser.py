"""Where everything stands in a YAML file, from the events of PyYAML.

Only the structure is PyYAML's. Scalars are read by the YAML 1.2 core schema
(https://yaml.org/spec/1.2.2/#103-core-schema), so that `yes` and `012` stay what the user wrote.
"""

from __future__ import annotations

import re

from gsd_install.configedit.text import Text, content_end
from gsd_install.configedit.tree import MAX_DEPTH, Comment, Item, Kind, Node, Source
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_CORE: tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...] = (
    (re.compile(r"null|Null|NULL|~|"), lambda _: None),
    (re.compile(r"true|True|TRUE"), lambda _: True),
    (re.compile(r"false|False|FALSE"), lambda _: False),
    (re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})"), int),
    (re.compile(r"[-+]?(?:\.[0-9]{1,18}|[0-9]{1,18}\.[0-9]{0,18})(?:[eE][-+]?[0-9]{1,3})?"), float),
)


class YamlNode(Node):
    """A value with what is peculiar to YAML.

    `flow` is True for `{}`, `[]` and what is in them; `column` counts from 0; `scalar` is the data of a
    scalar; `anchor` is the node's own, `alias` the one it stands for; `is_block` is True for `|` and `>`.
    The end of a block collection is that of its last scalar.
    """

    __slots__ = ("alias", "anchor", "children", "column", "flow", "is_block", "scalar")

    def __init__(self, kind: Kind, event: Any) -> None:
        super().__init__(kind, event.start_mark.index, event.end_mark.index)
        self.column: int = event.start_mark.column
        self.anchor: str | None = event.anchor
        self.alias: str | None = None
        self.children: list[YamlNode] = []
        self.flow = False
        self.is_block = False
        self.scalar: Any = None

    @property
    def is_nothing(self) -> bool:
        """Whether no character stands for it: `key:` and no more."""
        return self.kind == "scalar" and self.start == self.end


class YamlItem(Item):
    """An entry of a mapping or sequence; `key_end` is where the text of its key ends."""

    __slots__ = ("key_end",)

    def __init__(self, key: str | None, start: int, key_end: int, node: YamlNode) -> None:
        super().__init__(key, start)
        self.key_end = key_end
        self.node: YamlNode = node


class Yaml:
    """A parsed file: spans, comments, and the root, None in a file without a value.

    Raises GsdError: `syntax`, `depth`, and `unsupported` for several documents in one file.
    """

    def __init__(self, text: Text) -> None:
        self.text = text
        self.root: YamlNode | None = None
        self.aliases: set[str] = set()
        self.is_closed = False
        self._open: list[YamlNode] = []
        self._leaves: list[tuple[int, int]] = []
        self._flows: list[YamlNode] = []
        for event in _events(text):
            self._take(event)
        self.source = Source(text.body, text.newline, self._comments())
        for node in self._flows:
            self._find_commas(node)
        if self.root is not None and self.root.is_nothing:
            self.root = None

    def _take(self, event: Any) -> None:
        name = type(event).__name__
        if name == "ScalarEvent":
            self._place(self._scalar(event))
        elif name == "AliasEvent":
            self._place(self._alias(event))
        elif name in ("MappingStartEvent", "SequenceStartEvent"):
            self._begin(YamlNode("map" if name[0] == "M" else "list", event), event)
        elif name in ("MappingEndEvent", "SequenceEndEvent"):
            self._close(self._open.pop(), event)
        elif name == "DocumentStartEvent" and self.root is not None:
            raise self.text.failure(
                event.start_mark.index,
                "a second document begins here",
                reason="unsupported",
                hint="keep one document in this file, then run the command again",
            )
        elif name == "DocumentEndEvent":
            self.is_closed = bool(event.explicit)

    def _scalar(self, event: Any) -> YamlNode:
        node = YamlNode("scalar", event)
        node.is_block = event.style in ("|", ">")
        if event.tag not in (None, "!", "tag:yaml.org,2002:str"):
            node.scalar = [event.tag, event.value]
        else:
            node.scalar = _core(event.value) if event.implicit[0] else event.value
        if not node.is_nothing:
            self._leaves.append((node.start, node.end))
        return node

    def _alias(self, event: Any) -> YamlNode:
        node = YamlNode("scalar", event)
        node.anchor, node.alias = None, event.anchor
        node.scalar = ["*", event.anchor]
        self.aliases.add(event.anchor)
        self._leaves.append((node.start, node.end))
        return node

    def _begin(self, node: YamlNode, event: Any) -> None:
        if len(self._open) == MAX_DEPTH:
            raise self.text.failure(node.start, f"nested deeper than {MAX_DEPTH} levels", reason="depth")
        node.flow = bool(event.flow_style)
        if node.flow and node.end > node.start:
            # The event's span may begin with an anchor or a tag; its last character is the bracket.
            node.start = node.end - 1
            self._flows.append(node)
        self._place(node)
        self._open.append(node)

    def _place(self, node: YamlNode) -> None:
        if self._open:
            self._open[-1].children.append(node)
        else:
            self.root = node

    def _close(self, node: YamlNode, event: Any) -> None:
        children = node.children
        if node.kind == "list":
            node.items = [YamlItem(None, child.start, child.start, child) for child in children]
        else:
            pairs = zip(children[::2], children[1::2], strict=True)
            node.items = [_entry(key, value) for key, value in pairs]
        if node.flow:
            node.end = event.end_mark.index
        else:
            node.end = node.items[-1].end if node.items else node.start

    def _comments(self) -> list[Comment]:
        """Every comment: a `#` behind a blank that is in no scalar."""
        comments: list[Comment] = []
        body, at = self.text.body, 0
        for start, end in [*sorted(self._leaves), (len(body), len(body))]:
            while (found := body.find("#", at, start)) >= 0:
                at = found + 1
                if found == 0 or body[found - 1] in " \t\r\n":
                    at = content_end(body, found)
                    comments.append(Comment(found, at))
            at = max(at, end)
        return comments

    def _find_commas(self, node: YamlNode) -> None:
        ends = [*(item.start for item in node.items[1:]), node.end - 1]
        for item, limit in zip(node.items, ends):  # noqa: B905 - an empty container has one end too many
            at = item.end
            for comment in self.source.comments_in(at, limit):
                if "," in self.text.body[at : comment.start]:
                    break
                at = comment.end
            item.comma = self.text.body.find(",", at, limit)


def plain(node: Node) -> Any:
    """The value as data. Of a doubled key the last counts; the others stay under a name no file can have."""
    if node.kind == "list":
        return [plain(item.node) for item in node.items]
    if node.kind == "scalar":
        return node.scalar if isinstance(node, YamlNode) else None
    data: dict[str, Any] = {}
    for count, item in enumerate(node.items):
        key = f"\0{count}" if item.key is None else item.key
        if key in data:
            data[f"{key}\0{count}"] = data.pop(key)
        data[key] = plain(item.node)
    return data


def _entry(key: YamlNode, value: YamlNode) -> YamlItem:
    if value.is_nothing:
        # PyYAML may set nothing at the next token; it belongs behind its key.
        value.start = value.end = key.end
    name = None
    if key.kind == "scalar" and key.alias is None:
        name = key.scalar if isinstance(key.scalar, str) else _word(key)
    return YamlItem(name, key.start, key.end, value)


def _word(key: YamlNode) -> str:
    """The name of a key that is no string: `on`, `1`, `true`."""
    return str(key.scalar).lower() if isinstance(key.scalar, bool | None) else str(key.scalar)


def _core(text: str) -> Any:
    return next((convert(text) for pattern, convert in _CORE if pattern.fullmatch(text)), text)


def _events(text: Text) -> Iterator[Any]:
    import yaml

    try:
        yield from yaml.parse(text.body, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise text.failure(mark.index if mark else 0, error.problem or "is not valid") from None
    except yaml.reader.ReaderError as error:
        raise text.failure(int(error.position), "a character that yaml does not allow") from None
