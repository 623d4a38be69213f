"""Texts as a row of headed pieces, each of which can be added, replaced or taken out.

A piece begins at a heading of level one or two and ends at the next. All pieces together are the text, with
its byte-order mark and line ends; a change moves nothing else. What is written into a piece can open no
piece beside it: its own headings become level three.
"""

from __future__ import annotations

from gsd_capabilities.companion.planning_text import newline, one_line, unicode_text
from gsd_install.kernel import markdown
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

BOM = "\ufeff"
_DEEPEST = 2
_CONFLICT = ("<<<<<<< ", ">>>>>>> ")


class Piece(NamedTuple):
    """`head` is the line of the heading, `body` all up to the next; the first may have level 0 and none."""

    level: int
    title: str
    head: str
    body: str

    @property
    def source(self) -> str:
        return self.head + self.body

    @property
    def text(self) -> str:
        """The body without blank lines around it, with LF."""
        return bare(self.body)

    @property
    def is_entry(self) -> bool:
        """Whether somebody wrote it down: not what stands before the headings, nor a title of the file."""
        return self.level == _DEEPEST or (self.level == 1 and bool(self.body.strip()))


def pieces(text: str) -> tuple[Piece, ...]:
    """The pieces of a text in their order."""
    text = text.removeprefix(BOM)
    heads = [line for line in markdown.scan(text) if 0 < line.level <= _DEEPEST]
    ends = [*(line.start for line in heads[1:]), len(text)]
    first = heads[0].start if heads else len(text)
    found = [Piece(0, "", "", text[:first])] if first else []
    for line, end in zip(heads, ends, strict=False):
        found.append(Piece(line.level, line.title, text[line.start : line.end], text[line.end : end]))
    return tuple(found)


def entries(text: str) -> tuple[Piece, ...]:
    """The pieces of a text that are entries."""
    return tuple(piece for piece in pieces(text) if piece.is_entry)


def found(text: str, title: str, *, file: str) -> Piece:
    """The entry of that title. Raises GsdError `no_entry` or `ambiguous`."""
    same = [piece for piece in entries(text) if piece.title == title]
    if len(same) == 1:
        return same[0]
    if same:
        hint = "give them titles of their own in the file"
        raise GsdError(f"{len(same)} entries are called {title!r}", reason="ambiguous", file=file, hint=hint)
    known = [piece.title for piece in entries(text)]
    from gsd_capabilities.companion.planning_text import nearest

    guess = nearest(title, known)
    hint = f"did you mean {guess!r}?" if guess else f"there are: {', '.join(known) or 'none'}"
    raise GsdError(f"there is no entry {title!r}", reason="no_entry", file=file, hint=hint)


def bare(text: str) -> str:
    """`text` with LF as line ends and without blank lines before and behind."""
    rows = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    filled = [number for number, row in enumerate(rows) if row.strip(" \t")]
    return "\n".join(rows[filled[0] : filled[-1] + 1]) if filled else ""


def body(text: str) -> str:
    """`text` as it may stand in a piece: bare, its headings of level one and two made level three.

    Raises GsdError `bad_value` for what is no text or would be taken for a conflict.
    """
    checked = unicode_text(bare(text))
    if not checked:
        raise GsdError("there is no text", reason="bad_value", hint="say what to keep")
    if any(row.startswith(_CONFLICT) for row in checked.split("\n")):
        hint = "indent its lines: at their start they are marks of git"
        raise GsdError("the text holds a conflict of git", reason="bad_value", hint=hint)
    rows = []
    for line in markdown.scan(checked, frontmatter=False):
        row = checked[line.start : line.end]
        rows.append(_lowered(row, line.level) if 0 < line.level <= _DEEPEST else row)
    return "".join(rows)


def heading(title: str) -> str:
    """A title as it may stand in a heading. Raises GsdError `bad_value`."""
    checked = one_line(title, "a title")
    if not checked or markdown.heading_title(checked) != checked:
        hint = "give it a few words that do not end in a separate #"
        raise GsdError(f"{title!r} cannot be a title", reason="bad_value", hint=hint)
    return checked


def added(text: str, title: str, inner: str, *, file: str, top: str) -> str:
    """`text` with one more piece at its end; a text that is empty begins with the heading `top`."""
    end = newline(text)
    before = text if text.removeprefix(BOM) else f"{text}# {top}{end}{end}"
    if not before.endswith(("\n", "\r")):
        before += end
    if before.splitlines()[-1].strip():
        before += end
    return _verified(before + _made(title, inner, end), text, title, inner, file)


def replaced(text: str, old: Piece, inner: str, *, file: str) -> str:
    """`text` with another body in one of its pieces."""
    end = newline(text)
    whole = list(pieces(text))
    at = whole.index(old)
    head = old.head if old.head.endswith(("\n", "\r")) else old.head + end
    tail = end if at + 1 < len(whole) else ""
    whole[at] = old._replace(head=head, body=end + inner.replace("\n", end) + end + tail)
    after = _mark(text) + "".join(piece.source for piece in whole)
    return _verified(after, text, old.title, inner, file)


def without(text: str, gone: Collection[Piece]) -> str:
    """`text` without some of its pieces."""
    return _mark(text) + "".join(piece.source for piece in pieces(text) if piece not in gone)


def _made(title: str, inner: str, end: str) -> str:
    return f"## {title}{end}{end}{inner.replace(chr(10), end)}{end}"


def _lowered(row: str, level: int) -> str:
    at = len(row) - len(row.lstrip(" \t"))
    return f"{row[:at]}###{row[at + level :]}"


def _mark(text: str) -> str:
    return BOM if text.startswith(BOM) else ""


def _verified(after: str, before: str, title: str, inner: str, file: str) -> str:
    """`after`, if it reads as meant and as many pieces as before and at most one more stand in it."""
    stands = any(piece.title == title and piece.text == bare(inner) for piece in pieces(after))
    grown = len(entries(after)) - len(entries(before))
    if stands and grown in (0, 1) and not _open(after):
        return after
    hint = "close every code fence and comment, in the text and in the file"
    message = "a code fence or comment that is not closed would swallow what follows"
    raise GsdError(message, reason="bad_value", file=file, hint=hint)


def _open(text: str) -> bool:
    """Whether a piece that is put behind `text` would be lost in something that it leaves open."""
    return len(pieces(f"{text}\n## x\n")) == len(pieces(text))
