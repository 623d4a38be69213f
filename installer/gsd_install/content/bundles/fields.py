"""The frontmatter of a bundle's document: any YAML, and what is not even that, line by line.

Nothing here aborts: hosts differ in what they take, and an author's slip must not keep a whole bundle out.
What had to be read leniently is said.
"""

from __future__ import annotations

import re

from gsd_install.kernel import frontmatter, scalars
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.markdown import FRAME, lines
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

_OPENED = re.compile(r"\ufeff?---[ \t]*(?:\r\n?|\n|\Z)")
_KEY = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*)|)$")


class Front(NamedTuple):
    """Fields in their order; `body` starts at line `line` of its file. `said` is empty where all was well."""

    fields: dict[str, Any]
    body: str
    line: int
    said: str


def read(text: str) -> Front:
    """Take the block at the top off a text. One that is never closed ends where its lines are no fields."""
    frame = FRAME.match(text)
    if frame is None:
        opened = _OPENED.match(text)
        return _unclosed(text, opened.end()) if opened else Front({}, text.removeprefix("\ufeff"), 1, "")
    line = 3 + sum(1 for _ in lines(frame[1]))
    body = text[frame.end() :]
    try:
        return Front(frontmatter.split(text).fields, body, line, "")
    except GsdError:
        fields, said = _lenient(frame[1])
        return Front(fields, body, line, said)


def one_line(value: object) -> str:
    """A value as a text of one line."""
    if isinstance(value, list):
        value = ", ".join(map(one_line, value))
    if isinstance(value, dict):
        value = ", ".join(f"{key}: {one_line(item)}" for key, item in value.items())
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return " ".join(text.split())


def is_writable(value: object) -> bool:
    """Whether a frontmatter writer can hold a value: texts, numbers, lists of texts, mappings of those."""
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    if isinstance(value, dict):
        return bool(value) and all(isinstance(key, str) and is_writable(item) for key, item in value.items())
    return isinstance(value, (str, int, bool))


def _unclosed(text: str, start: int) -> Front:
    end = start
    for _, behind, row in lines(text, start):
        if not _KEY.match(row):
            break
        end = behind
    said = "its frontmatter is never closed, and ends where its lines are no fields"
    return Front(_by_line(text[start:end]), text[end:], 1 + text.count("\n", 0, end), said)


def _lenient(block: str) -> tuple[dict[str, Any], str]:
    import yaml

    try:
        node = yaml.compose(block, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, ValueError):
        return _by_line(block), "its frontmatter is no YAML, and was read line by line"
    if node is None:
        return {}, ""
    if not isinstance(node, yaml.MappingNode):
        return _by_line(block), "its frontmatter holds no fields, and was read line by line"
    keys = [str(key.value) for key, _ in node.value]
    twice = next((key for key in keys if keys.count(key) > 1), "")
    said = f"the key {twice!r} stands twice in its frontmatter, and the last one counts" if twice else ""
    try:
        return {str(key.value): _value(value) for key, value in node.value}, said
    except RecursionError:
        return _by_line(block), "its frontmatter is no YAML that ends, and was read line by line"


def _value(node: Any) -> Any:
    """What a node of YAML says; only a plain text can be a number or true or false (and those are few)."""
    if node.id == "mapping":
        return {str(key.value): _value(value) for key, value in node.value}
    if node.id == "sequence":
        return [_value(item) for item in node.value]
    text = str(node.value)
    return scalars.typed(text) if node.style is None else text


def _by_line(block: str) -> dict[str, Any]:
    """`key: the rest of the line`; what is indented below it or is no such line continues it."""
    found: dict[str, Any] = {}
    last = ""
    for _, _, row in lines(block):
        match = _KEY.match(row)
        if match:
            last = match[1]
            found[last] = _unquoted((match[2] or "").strip())
        elif last and row.strip() and not row.lstrip().startswith("#"):
            found[last] = f"{found[last]} {row.strip()}".strip()
    return found


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text
