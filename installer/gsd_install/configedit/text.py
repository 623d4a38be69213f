"""The text of a file somebody else owns: decoding that loses nothing, positions, edits by span."""

from __future__ import annotations

import re

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import NamedTuple

BOM = "\ufeff"
FIX = "correct the file, then run the command again"

_NEWLINE = re.compile(r"\r\n|\n|\r")


class Text(NamedTuple):
    """A file as characters. `body` is all of it but the byte-order mark; `newline` is its first line end."""

    body: str
    bom: str
    newline: str
    file: str

    def encode(self, body: str) -> bytes:
        """The bytes of this file with another body."""
        return (self.bom + body).encode("utf-8", "surrogateescape")

    def failure(self, offset: int, message: str, *, reason: str = "syntax", hint: str = FIX) -> GsdError:
        """The error that says where in the file something is wrong."""
        line, column = position(self.body, offset)
        return GsdError(f"column {column}: {message}", reason=reason, file=self.file, line=line, hint=hint)


class Edit(NamedTuple):
    """Replace `body[start:end]` by `text`."""

    start: int
    end: int
    text: str


def decode(data: bytes | None, file: str, *, lenient: bool = False) -> Text:
    """Read a file's bytes; None stands for no file. Raises GsdError when they are not UTF-8.

    `lenient` lets other bytes through unharmed, for formats that never look at them.
    """
    raw = data or b""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise GsdError("column 1: is UTF-16, not UTF-8", reason="encoding", file=file, line=1, hint=_RESAVE)
    try:
        body = raw.decode("utf-8", "surrogateescape" if lenient else "strict")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8")
        raise Text(before, "", "\n", file).failure(
            len(before), "is not UTF-8", reason="encoding", hint=_RESAVE
        ) from None
    bom = BOM if body.startswith(BOM) else ""
    body = body[len(bom) :]
    found = _NEWLINE.search(body)
    return Text(body, bom, found.group() if found else "\n", file)


_RESAVE = "save the file as UTF-8, then run the command again"


def position(body: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    before = body[:offset]
    return len(_NEWLINE.findall(before)) + 1, offset - line_start(body, offset) + 1


def splice(body: str, edits: list[Edit]) -> str:
    """Apply edits that do not overlap; those at one offset keep their order."""
    parts: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        parts += (body[done : edit.start], edit.text)
        done = edit.end
    parts.append(body[done:])
    return "".join(parts)


def line_start(body: str, offset: int) -> int:
    """Where the line that holds `offset` begins."""
    return max(body.rfind("\n", 0, offset), body.rfind("\r", 0, offset)) + 1


def content_end(body: str, offset: int) -> int:
    """Where the line that holds `offset` ends, before its line end."""
    found = _NEWLINE.search(body, offset)
    return found.start() if found else len(body)


def line_end(body: str, offset: int) -> int:
    """Where the line that holds `offset` ends, after its line end."""
    found = _NEWLINE.search(body, offset)
    return found.end() if found else len(body)


def indent_at(body: str, offset: int) -> str:
    """The blanks that the line of `offset` begins with."""
    start = line_start(body, offset)
    end = start
    while end < offset and body[end] in " \t":
        end += 1
    return body[start:end]
