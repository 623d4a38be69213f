"""Add and remove items of `{...}` and `[...]` as spans of text.

An item that is added and removed again leaves the very bytes there were, whatever was added, removed
or edited around it meanwhile. No record is needed for that, because the text itself tells two cases
apart: a container of ours holds its first item right at the brackets, one that stood there empty
keeps its text and gets an empty line (or one blank, on one line) in front of the item.
"""

from __future__ import annotations

import re

from gsd_install.configedit.text import Edit, indent_at, line_end
from gsd_install.configedit.tree import Comment, Item, Node, Source
from gsd_install.kernel.record import NamedTuple

_BREAK = r"(?:\r\n|\n|\r)"
_LEAD = re.compile(_BREAK + r"[ \t]*\Z| \Z")
_LEAD_IN_EMPTY = re.compile(_BREAK + r"{2}[ \t]*\Z|" + _BREAK + r"[ \t]*\Z| \Z")
_TRAIL = re.compile(_BREAK + r"[ \t]*| ")
_OWN_LINE = re.compile(_BREAK + r"[ \t]*")


class Layout(NamedTuple):
    """How a container is written: on one line, or with `indent` before items and `close` before its end."""

    inline: bool
    indent: str
    close: str


def layout(source: Source, node: Node, unit: str, *, inline_if_empty: bool) -> Layout:
    """The layout in which a new item of `node` looks like the ones that are there."""
    base = indent_at(source.body, node.start)
    if not node.items:
        inside = source.body[node.start + 1 : node.end - 1]
        return Layout(inline_if_empty and not _has_break(inside), base + unit, base)
    last = node.items[-1]
    gap = source.body[_gap_start(node, len(node.items) - 1) : last.start]
    return Layout(not _has_break(gap), indent_at(source.body, last.start), base)


def insert(source: Source, node: Node, form: Layout, text: str) -> list[Edit]:
    """Put `text` behind the last item, with the commas that the container's style asks for."""
    if not node.items:
        return [_first(source, node, form, text)]
    last = node.items[-1]
    end = max(last.end, last.comma + 1)
    comma = [] if last.comma >= 0 else [Edit(end, end, ",")]
    if last.comma >= 0:
        text += ","
    if form.inline:
        return [*comma, Edit(end, end, " " + text)]
    at = _past_comments(source, end)
    return [*comma, Edit(at, at, source.newline + form.indent + text)]


def delete(source: Source, node: Node, index: int) -> list[Edit]:
    """Take one item out; comments that stand inside it stay in its place."""
    item = node.items[index]
    if len(node.items) == 1:
        return _empty(source, node, item)
    start = _start_of_lead(source.body, _gap_start(node, index), item, _LEAD)
    if index == len(node.items) - 1 and item.comma < 0:
        comma = node.items[index - 1].comma
        return [_erase(source, start, item, source.body[item.end :]), Edit(comma, comma + 1, "")]
    comma = item.comma
    rest = source.body[item.end : comma] + source.body[comma + 1 :]
    edits = [_erase(source, start, item, rest), Edit(comma, comma + 1, "")]
    if start == item.start and source.body.startswith(" ", comma + 1):
        edits.append(Edit(comma + 1, comma + 2, ""))
    return edits


def replace(source: Source, item: Item, text: str) -> list[Edit]:
    """Give an item another value; comments inside the old one move in front of the item."""
    edits = [Edit(item.node.start, item.node.end, text)]
    comments = source.comments_in(item.node.start, item.node.end)
    if comments:
        apart = any(map(source.is_line_comment, comments)) or _on_own_line(source.body, item.start)
        gap = source.newline + indent_at(source.body, item.start) if apart else " "
        kept = "".join(source.body[start:end] + gap for start, end in comments)
        edits.insert(0, Edit(item.start, item.start, kept))
    return edits


def looks_ours(source: Source, node: Node) -> bool:
    """Whether a container with one item is written as we write a new one, with nothing else in it."""
    before, after = around(source, node)
    return (before == after == "") or bool(_OWN_LINE.fullmatch(before) and _OWN_LINE.fullmatch(after))


def around(source: Source, node: Node) -> tuple[str, str]:
    """The text between the brackets before and after the only item, without its comma."""
    item = node.items[0]
    end = max(item.end, item.comma)
    after = source.body[item.end : end] + source.body[max(item.end, item.comma + 1) : node.end - 1]
    return source.body[node.start + 1 : item.start], after


def _first(source: Source, node: Node, form: Layout, text: str) -> Edit:
    at = node.end - 1
    if form.inline:
        return Edit(at, at, f" {text} ")
    line = source.newline
    return Edit(at, at, f"{line}{line}{form.indent}{text}{line}{form.close}")


def _empty(source: Source, node: Node, item: Item) -> list[Edit]:
    body, close = source.body, node.end - 1
    start = _start_of_lead(body, node.start + 1, item, _LEAD_IN_EMPTY)
    end = max(item.end, item.comma + 1)
    after = body[end:close]
    trail = _TRAIL.match(after) if not after.strip() else None
    # Behind a comment one line end has to stay: the one that was there before us.
    if trail and _ends_line_comment(source, start) and _has_break(trail.group()):
        trail = None
    cut = end + trail.end() if trail else end
    edits = [_erase(source, start, item, body[item.end : max(item.comma, item.end)] + body[cut:])]
    if item.comma >= 0:
        edits.append(Edit(item.comma, item.comma + 1, ""))
    return [*edits, Edit(end, cut, "")]


def _erase(source: Source, start: int, item: Item, rest: str) -> Edit:
    """Remove an item and the blanks before it, but no comment and no line end that a comment needs."""
    body = source.body
    if _ends_line_comment(source, start) and not rest.startswith(("\n", "\r")):
        start = line_end(body, start)
    comments = source.comments_in(item.start, item.end)
    return Edit(start, item.end, _kept(source, comments, body[start : item.start], rest) if comments else "")


def _kept(source: Source, comments: list[Comment], lead: str, rest: str) -> str:
    if not _has_break(lead):
        lead = source.newline if any(map(source.is_line_comment, comments)) else " "
    text = "".join(lead + source.body[start:end] for start, end in comments)
    unsafe = source.is_line_comment(comments[-1]) and not rest.startswith(("\n", "\r"))
    return text + source.newline if unsafe else text


def _ends_line_comment(source: Source, offset: int) -> bool:
    return any(comment.end == offset and source.is_line_comment(comment) for comment in source.comments)


def _gap_start(node: Node, index: int) -> int:
    return node.items[index - 1].comma + 1 if index else node.start + 1


def _start_of_lead(body: str, floor: int, item: Item, pattern: re.Pattern[str]) -> int:
    found = pattern.search(body, floor, item.start)
    return found.start() if found else item.start


def _past_comments(source: Source, at: int) -> int:
    """Where the comments end that stand on the same line, right behind `at`."""
    body = source.body
    for start, end in source.comments:
        if start < at:
            continue
        if body[at:start].strip(" \t") or _has_break(body[start:end]):
            break
        at = end
    return at


def _has_break(text: str) -> bool:
    return "\n" in text or "\r" in text


def _on_own_line(body: str, offset: int) -> bool:
    return body[:offset].rstrip(" \t")[-1:] in ("\n", "\r")
