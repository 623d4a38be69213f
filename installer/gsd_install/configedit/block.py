"""Marked blocks in Markdown and other texts.

A block is what stands between the lines `<!-- gsd:begin NAME -->` and `<!-- gsd:end NAME -->`; it is
found by its markers wherever it was moved. The rest of the file is never looked at: it may hold any
bytes.
"""

from __future__ import annotations

import re

from gsd_install.configedit import lines
from gsd_install.configedit.document import FILE, Insertion, Slot
from gsd_install.configedit.text import Edit, Text, line_end, splice
from gsd_install.configedit.values import Pointer
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

_MARKER = re.compile(r"(?:(?<=[\r\n])|\A)[ \t]*<!-- gsd:(begin|end) (\S+) -->[ \t]*(?=[\r\n]|\Z)")
_NEWLINE = re.compile(r"\r\n|\r")
_NAME = re.compile(r"(?:(?!--)[^\s>])+")


class _Block(NamedTuple):
    """The lines of a block from `start` to `end`, and of the text in it from `inside` to `close`."""

    start: int
    inside: int
    close: int
    end: int


class BlockDocument:
    """A text with marked blocks. Raises GsdError (`markers`) when markers do not pair up."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self._body = text.body
        self._blocks = self._pair_up()

    def data(self) -> Any:
        """The text of every block by its name."""
        return {name: self._content(block) for name, block in self._blocks.items()}

    def slots(self, pointer: Pointer) -> list[Slot]:
        """The text of the block of that name."""
        block = self._blocks.get(str(pointer[0]))
        return [Slot(self._content(block), block.start, block)] if block else []

    def create(self, pointer: Pointer, value: Any) -> str:
        """A new file."""
        return _render(pointer[0], value, "\n") + "\n"

    def insert(self, pointer: Pointer, value: Any) -> Insertion:
        """Put the block at the end."""
        newline = self.text.newline
        return Insertion(lines.append(self._body, _render(pointer[0], value, newline), newline), 1, -1)

    def delete(self, pointer: Pointer, slot: Slot, made: int, theirs: int) -> str | None:  # noqa: ARG002
        """Cut the block out."""
        block: _Block = slot.place
        after = block.end + len(self.text.newline)
        led = any(other.start == after for other in self._blocks.values())
        spans = [(block.start, block.end)]
        return lines.remove_block(self._body, spans, [], self.text.newline, first=made == FILE, leads=led)

    def replace(self, pointer: Pointer, slot: Slot, value: Any) -> str:
        """Write another text between the markers."""
        block: _Block = slot.place
        _render(pointer[0], value, "\n")
        text = value.replace("\n", self.text.newline) + self.text.newline if value else ""
        return splice(self._body, [Edit(block.inside, block.close, text)])

    def _content(self, block: _Block) -> str:
        return normal(self._body[block.inside : block.close])

    def _pair_up(self) -> dict[str, _Block]:
        blocks: dict[str, _Block] = {}
        opened: re.Match[str] | None = None
        for marker in _MARKER.finditer(self._body):
            kind, name = marker.groups()
            if kind == "begin":
                if opened:
                    raise self._broken(opened, "never ends")
                if name in blocks:
                    raise self._broken(marker, "begins a second time")
                opened = marker
            else:
                if opened is None or opened.group(2) != name:
                    raise self._broken(marker, "ends but never began")
                inside, end = line_end(self._body, opened.end()), line_end(self._body, marker.end())
                blocks[name] = _Block(opened.start(), inside, marker.start(), end)
                opened = None
        if opened:
            raise self._broken(opened, "never ends")
        return blocks

    def _broken(self, marker: re.Match[str], problem: str) -> GsdError:
        name = marker.group(2)
        return self.text.failure(
            marker.start(),
            f"the block {name!r} {problem}",
            reason="markers",
            hint=f"keep one 'gsd:begin {name}' line with one 'gsd:end {name}' line below it, or neither",
        )


def normal(text: str) -> str:
    """A block's text as it is compared: whatever its line ends, and without the last ones."""
    return _NEWLINE.sub("\n", text).rstrip("\n")


def _render(step: str | int, value: str, newline: str) -> str:
    """A block without its last line end. Raises GsdError (`value`) for what cannot be found again."""
    name = str(step)
    if _MARKER.search(value) or not _NAME.fullmatch(name):
        raise GsdError(f"no text for a block: {name!r}", reason="value", hint="leave markers out of it")
    body = [value] if value else []
    return "\n".join([f"<!-- gsd:begin {name} -->", *body, f"<!-- gsd:end {name} -->"]).replace("\n", newline)
