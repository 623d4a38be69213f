"""Add and remove whole lines and blocks of lines.

A block that is added at the end of a text is set off by an empty line, and ends without a line end
where the text did; so it can be cut out again exactly, whatever else was added or removed meanwhile.
A file that begins with a block, and has no empty line before it, is one that was created for it.
"""

from __future__ import annotations

from gsd_install.configedit.text import Edit, line_end, line_start, splice
from gsd_install.configedit.tree import Comment


def append(body: str, block: str, newline: str) -> str:
    """The text with a block of lines (given without its last line end) at the end."""
    if body and body[-1] not in "\r\n":
        return f"{body}{newline}{newline}{block}"
    return f"{body}{newline}{block}{newline}"


def below(body: str, offset: int, lines: str, newline: str) -> Edit:
    """Insert lines (given without their last line end) below the line that holds `offset`."""
    at = line_end(body, offset)
    if body[:at][-1:] in ("\n", "\r"):
        return Edit(at, at, lines + newline)
    return Edit(at, at, newline + lines)


def remove(body: str, spans: list[tuple[int, int]], comments: list[Comment], newline: str) -> str:
    """The text without some whole lines; comments on them stay."""
    pieces = _pieces(body, spans, comments)
    return splice(body, [Edit(start, end, "") for start, end in _close_end(body, pieces, newline)])


def remove_block(
    body: str,
    spans: list[tuple[int, int]],
    comments: list[Comment],
    newline: str,
    *,
    first: bool = False,
    leads: bool = True,
) -> str | None:
    """The text without a block and the empty line that sets it off; None when it was created for it.

    `first` says that the file was created with this block, so that no empty line above it is ours;
    `leads` that an empty line below a block at the very top belongs to another block, which then takes
    its place as the one that the file was created with.
    """
    pieces = _pieces(body, spans, comments)
    start, end = pieces[0]
    set_off = not first and _empty_line_before(body, start, newline)
    if set_off:
        pieces[0] = (start - len(newline), end)
    elif leads and start == 0 and body.startswith(newline, pieces[-1][1]):
        pieces[-1] = (pieces[-1][0], pieces[-1][1] + len(newline))
    left = splice(body, [Edit(start, end, "") for start, end in _close_end(body, _merged(pieces), newline)])
    return left if left or set_off else None


def _pieces(body: str, spans: list[tuple[int, int]], comments: list[Comment]) -> list[tuple[int, int]]:
    """What to cut of the lines in `spans`: all of a line, or what stands before a comment."""
    pieces: list[tuple[int, int]] = []
    for start, stop in spans:
        at = start
        while at < stop:
            end = line_end(body, at)
            kept = next((comment.start for comment in comments if at <= comment.start < end), None)
            if kept is None:
                pieces.append((at, end))
            elif body[at:kept].strip():
                pieces.append((at, kept))
            at = end
    return _merged(pieces)


def _merged(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in pieces:
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def _close_end(body: str, pieces: list[tuple[int, int]], newline: str) -> list[tuple[int, int]]:
    """When the last line of a text without final line end goes, so does the line end before it."""
    start, end = pieces[-1]
    if end == len(body) and body[-1:] not in ("\n", "\r") and body[:start].endswith(newline):
        return [*pieces[:-1], (start - len(newline), end)]
    return pieces


def _empty_line_before(body: str, start: int, newline: str) -> bool:
    if start != line_start(body, start) or not body[:start].endswith(newline):
        return False
    before = body[: start - len(newline)]
    return not before or before[-1] in "\r\n"
