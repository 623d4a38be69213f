"""A file of lines that several processes append to at once.

A line goes out in one write to a file opened for appending, between two line feeds and with a mark at its
end. What a killed writer left of its line is a line of its own without the mark: it is passed over and
spoils no other.
"""

from __future__ import annotations

import os

from gsd_install.kernel.files import write_all
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARK = b" ."
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


class Log:
    """Lines of bytes; `fresh` gives those that were added since it was last asked, by whomever."""

    __slots__ = ("_path", "_position")

    def __init__(self, path: str) -> None:
        self._path = path
        self._position = 0

    def append(self, line: bytes) -> bool:
        """Add one line; whether it was the only thing new, so that `fresh` will not give it again.

        Raises OSError.
        """
        data = b"\n" + line + _MARK + b"\n"
        descriptor = os.open(self._path, _APPEND, 0o600)
        try:
            write_all(descriptor, data)
            alone = os.fstat(descriptor).st_size == self._position + len(data)
        finally:
            os.close(descriptor)
        if alone:
            self._position += len(data)
        return alone

    def fresh(self) -> Iterator[bytes]:
        """The complete lines that are new. Raises OSError."""
        try:
            if os.stat(self._path).st_size == self._position:
                return
            with open(self._path, "rb") as file:
                file.seek(self._position)
                data = file.read()
        except FileNotFoundError:
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._position += len(whole)
        for line in whole.split(b"\n"):
            if line.endswith(_MARK):
                yield line.removesuffix(_MARK)
