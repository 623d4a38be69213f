"""A file of lines that several processes append to at once.

A line goes out in one write to a file opened for appending, between two line feeds and with a mark at its
end. What a killed writer left of its line is a line of its own without the mark: it is passed over and
spoils no other. A carriage return at the end of a line is git's, which writes line ends as a system has them.
"""

from __future__ import annotations

import os
import sys

from gsd_install.kernel.files import write_all, write_atomic
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MARK = b" ."
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


def rewrite(path: str, lines: Iterable[bytes]) -> None:
    """Begin a log anew with these lines. Raises OSError."""
    write_atomic(path, b"".join(b"\n" + line + _MARK + b"\n" for line in lines), mode=0o600)


class Log:
    """Lines of bytes; `fresh` gives those that were added since it was last asked, by whomever.

    `restarted` says that the last time the file was shorter than before: somebody began it anew, and what
    was read of the old one counts no more.
    """

    __slots__ = ("_path", "_position", "restarted")

    def __init__(self, path: str) -> None:
        self._path = path
        self._position = 0
        self.restarted = False

    def append(self, line: bytes) -> bool:
        """Add one line; whether it was the only thing new, so that `fresh` will not give it again.

        Raises OSError.
        """
        data = b"\n" + line + _MARK + b"\n"
        descriptor = os.open(self._path, _APPEND, 0o600)
        try:
            if sys.platform == "win32":
                _wait(descriptor)
            write_all(descriptor, data)
            alone = os.fstat(descriptor).st_size == self._position + len(data)
        finally:
            os.close(descriptor)
        if alone:
            self._position += len(data)
        return alone

    def fresh(self) -> list[bytes]:
        """The complete lines that are new. Raises OSError."""
        size = self._size()
        self.restarted = size < self._position
        if self.restarted:
            self._position = 0
        if size == self._position:
            return []
        with open(self._path, "rb") as file:
            file.seek(self._position)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._position += len(whole)
        lines = whole.replace(b"\r\n", b"\n").split(b"\n")
        return [line.removesuffix(_MARK) for line in lines if line.endswith(_MARK)]

    def _size(self) -> int:
        try:
            return os.stat(self._path).st_size
        except FileNotFoundError:
            return 0


if sys.platform == "win32":
    import msvcrt

    # A byte that no log is long enough to have.
    _BYTE = 0x7FFF_FFF0

    def _wait(descriptor: int) -> None:
        """Wait until no other process appends: this system does not go to the end and write in one step.

        The lock ends when the file is closed. Raises OSError after ten seconds.
        """
        os.lseek(descriptor, _BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
