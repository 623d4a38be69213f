"""New directories are filled under another name and appear at once, with all that is in them.

A file in a directory that did not exist needs no name of its own to wait under: naming it twice costs a
file system more than its bytes do. Where a directory that is in use cannot be renamed (Windows), nothing is
staged, and every file waits by itself.
"""

from __future__ import annotations

import os

from gsd_install.apply import disk
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Staged:
    """Where the directories that a transaction makes lie until it is done with them.

    `tops` are those whose parents were there before.
    """

    __slots__ = ("_at", "_top", "tops")

    def __init__(self, made: Iterable[str], pid: int) -> None:
        self._at: dict[str, str] = {}
        self._top: dict[str, str] = {}
        self.tops: list[str] = []
        for directory in made if disk.POSIX else ():  # parents come first
            parent, _, name = directory.rpartition(os.sep)
            above = self._at.get(parent)
            if above is None:
                self.tops.append(directory)
                self._at[directory], self._top[directory] = disk.temporary(directory, pid), directory
            else:
                self._at[directory], self._top[directory] = f"{above}{os.sep}{name}", self._top[parent]

    def directory(self, path: str) -> str:
        """Where a directory lies for now; the path itself for one that is not staged."""
        return self._at.get(path, path)

    def file(self, path: str) -> str | None:
        """Where a file lies for now; None for one in a directory that is not staged."""
        parent, _, name = path.rpartition(os.sep)
        above = self._at.get(parent)
        return None if above is None else f"{above}{os.sep}{name}"

    def top(self, path: str) -> str | None:
        """Which of the tops a directory is, or is in; None for one that is not staged."""
        return self._top.get(path)

    def drop(self, paths: Iterable[str]) -> None:
        """Remove the files of `paths` and every directory where they lie for now. Raises OSError."""
        for path in paths:
            waiting = self.file(path)
            if waiting is not None:
                disk.drop_file(waiting)
        for directory in reversed(self._at.values()):
            disk.drop_directory(directory)
