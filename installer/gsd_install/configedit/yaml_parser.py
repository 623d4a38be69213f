"""Where everything stands in a YAML file, from the events of PyYAML.

Scalars are read by the YAML 1.2 core schema (https://yaml.org/spec/1.2.2/#103-core-schema), so that
`yes` and `012` stay what the user wrote. Only the structure is PyYAML's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gsd_install.configedit.text import FIX, Text, content_end
from gsd_install.configedit.tree import MAX_DEPTH, Comment, Item, Node, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gsd_install.kernel.errors import GsdError

_COMMENT = re.compile(r"(?:(?<=[ \t\r\n])|^)#", re.MULTILINE)
_CORE = (
    (re.compile(r"null|Null|NULL|~|"), lambda text: None),
    (re.compile(r"true|True|TRUE"), lambda text: True),
    (re.compile(r"false|False|FALSE"), lambda text: False),
    (re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})"), int),
    (re.compile(r"[-+]?(?:\.[0-9]{1,18}|[0-9]{1,18}\.[0-9]{0,18})(?:[eE][-+]?[0-9]{1,3})?"), float),
)


class YamlNode(Node):
    """A value with what is peculiar to YAML.

    `flow` is True inside and of `{}` and `[]`; `column` counts from 0; `anchor` is its own and `alias`
    the one that it stands for; `block_scalar` is True for `|` and `>`.
    """

    __slots__ = ("alias", "anchor", "block_scalar", "column", "flow", "scalar")

    def __init__(self, event: Any, kind: Any) -> None:
        super().__init__(kind, event.start_mark.index, event.end_mark.index)
        self.column: int = event.start_mark.column
        self.flow: bool = bool(getattr(event, "flow_style", False))
        self.anchor: str | None = None
        self.alias: str | None = None
        self.block_scalar = False
        self.scalar: Any = None

    @property
    def is_nothing(self) -> bool:
        """Whether no character stands for it: `key:` and nothing else."""
        return self.kind == "scalar" and self.start == self.end and not self.alias and not self.anchor


class Yaml:
    """A parsed file: spans, comments, and the root, None in a file without a value.

    Raises GsdError: `syntax`, `depth`, and `unsupported` for several documents in one file.
    """

    def __init__(self, text: Text) -> None:
        self.text = text
        self.root: YamlNode | None = None
        self.aliases: set[str] = set()
        self.closed = False
        self._open: list[YamlNode] = []
        self._leaves: list[tuple[int, int]] = []
        for event in _events(text):
            getattr(self, f"_on_{type(event).__name__}", _ignore)(event)
        self.source = Source(text.body, text.newline, self._comments())
        if self.root is not None and self.root.is_nothing:
            self.root = None

    def _on_DocumentStartEvent(self, event: Any) -> None:  # noqa: N802
        if self.root is not None:
            raise self.text.failure(
                event.start_mark.index,
                "a second document begins here",
                reason="unsupported",
                hint="keep one document in this file, then run the command again",
            )

    def _on_DocumentEndEvent(self, event: Any) -> None:  # noqa: N802
        self.closed = bool(event.explicit)

    def _on_MappingStartEvent(self, event: Any) -> None:  # noqa: N802
        self._begin(YamlNode(event, "map"), event)

    def _on_SequenceStartEvent(self, event: Any) -> None:  # noqa: N802
        self._begin(YamlNode(event, "list"), event)

    def _on_MappingEndEvent(self, event: Any) -> None:  # noqa: N802
        node = self._open.pop()
        last = node.items[-1] if node.items else None
        node.end = event.end_mark.index if node.flow or last is None else last.end
        if node.flow:
            self._find_commas(node)

    _on_SequenceEndEvent = _on_MappingEndEvent

    def _on_AliasEvent(self, event: Any) -> None:  # noqa: N802
        node = YamlNode(event, "scalar")
        node.alias = event.anchor
        node.scalar = ["alias", event.anchor]
        self.aliases.add(event.anchor)
        self._place(node, event)

    def _on_ScalarEvent(self, event: Any) -> None:  # noqa: N802
        node = YamlNode(event, "scalar")
        node.block_scalar = event.style in ("|", ">")
        plain = event.implicit[0] and not event.style
        node.scalar = _core(event.value) if plain else event.value
        if event.tag not in (None, "!", "tag:yaml.org,2002:str"):
            node.scalar = [event.tag, event.value]
        self._place(node, event)

    def _begin(self, node: YamlNode, event: Any) -> None:
        if len(self._open) == MAX_DEPTH:
            raise self.text.failure(node.start, f"nested deeper than {MAX_DEPTH} levels", reason="depth")
        if node.flow:
            # The mark may include an anchor or a tag.
            node.start = event.end_mark.index - 1
        self._place(node, event)
        self._open.append(node)

    def _place(self, node: YamlNode, event: Any) -> None:
        if node.kind == "scalar":
            self._leaves.append((node.start, node.end))
        if not node.alias:
            node.anchor = event.anchor
        if not self._open:
            self.root = node
            return
        holder = self._open[-1]
        items = holder.items
        if holder.kind == "map" and not (items and items[-1].node.start < 0):
            items.append(_key_item(node))
            return
        if holder.kind == "list":
            items.append(Item(None, event.start_mark.index))
        if node.is_nothing and holder.kind == "map":
            # PyYAML may put nothing at the next token; it belongs behind its key.
            node.start = node.end = max(items[-1].start, getattr(items[-1], "key_end", 0))
        items[-1].node = node

    def _find_commas(self, node: YamlNode) -> None:
        for index, item in enumerate(node.items):
            limit = node.items[index + 1].start if index + 1 < len(node.items) else node.end - 1
            item.comma = _comma(self.text.body, item.end, limit)

    def _comments(self) -> list[Comment]:
        """Every `#` that no scalar holds."""
        comments: list[Comment] = []
        body, at = self.text.body, 0
        for start, end in [*sorted(self._leaves), (len(body), len(body))]:
            at = _comments_between(body, at, start, comments)
            at = max(at, end)
        return comments
