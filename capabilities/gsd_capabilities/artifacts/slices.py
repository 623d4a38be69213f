"""A part of a body, picked while the whole of it streams by.

Only what was asked for is kept, and of that no more than the budget: memory does not grow with the artifact.
"""

from __future__ import annotations

from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

BYTES, LINES = "bytes", "lines"


class Slice(NamedTuple):
    """Bytes from 0 or lines from 1, the last included; `last` None means to the end."""

    unit: str
    first: int
    last: int | None = None


def parse(unit: str, text: str) -> Slice:
    """The slice that `FIRST-LAST`, `FIRST-` or `FIRST` means. Raises UsageError `bad_slice`."""
    first, dash, last = text.partition("-")
    if not (_is_number(first) and (not last or _is_number(last))):
        raise _refused(unit)
    end = int(last) if last else (None if dash else int(first))
    return checked(Slice(unit, int(first), end))


def checked(wanted: Slice) -> Slice:
    """`wanted`, if it can be taken. Raises UsageError `bad_slice`."""
    least = {BYTES: 0, LINES: 1}.get(wanted.unit)
    if least is None or wanted.first < least or (wanted.last is not None and wanted.last < wanted.first):
        raise _refused(wanted.unit)
    return wanted


class Picker:
    """Takes pieces of a body in order and keeps the slice; `size` is how many bytes that is.

    When it comes to more than `most` bytes, nothing of it is kept.
    """

    __slots__ = ("_at", "_most", "_part", "_parts", "_wanted", "size")

    def __init__(self, wanted: Slice | None, most: int) -> None:
        self._wanted = checked(wanted or Slice(BYTES, 0))
        self._part: Callable[[bytes], bytes] = (
            self._of_bytes if self._wanted.unit == BYTES else self._of_lines
        )
        self._at = 0 if self._wanted.unit == BYTES else 1
        self._most = most
        self._parts: list[bytes] = []
        self.size = 0

    def take(self, piece: bytes) -> None:
        """Look at the next piece."""
        part = self._part(piece)
        self.size += len(part)
        if self.size > self._most:
            self._parts.clear()
        elif part:
            self._parts.append(part)

    def body(self) -> bytes:
        """What was kept."""
        return b"".join(self._parts)

    def _of_bytes(self, piece: bytes) -> bytes:
        start = max(self._wanted.first - self._at, 0)
        end = len(piece) if self._wanted.last is None else max(self._wanted.last + 1 - self._at, 0)
        self._at += len(piece)
        return piece[start:end]

    def _of_lines(self, piece: bytes) -> bytes:
        """`_at` is the number of the line that the piece begins in."""
        first, last = self._wanted.first, self._wanted.last
        if last is not None and self._at > last:
            return b""
        feeds = piece.count(b"\n")
        if self._at + feeds < first:
            self._at += feeds
            return b""
        start = self._after(piece, 0, first - self._at)
        self._at = max(self._at, first)
        if last is None:
            return piece[start:]
        end = self._after(piece, start, last + 1 - self._at)
        self._at += piece.count(b"\n", start, end)
        return piece[start:end]

    @staticmethod
    def _after(piece: bytes, start: int, feeds: int) -> int:
        """The position behind so many line feeds, or the end."""
        for _ in range(feeds):
            start = piece.find(b"\n", start) + 1
            if start == 0:
                return len(piece)
        return start


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _refused(unit: str) -> UsageError:
    hint = "write FIRST-LAST, FIRST- or FIRST: bytes count from 0, lines from 1, and the last is included"
    return UsageError(f"this is no range of {unit}", reason="bad_slice", hint=hint)
