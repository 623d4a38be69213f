"""The files of a content root, listed and read without ever leaving it."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from gsd_install.kernel.errors import GsdError

_SKIPPED = frozenset({"__pycache__", ".git", ".DS_Store", "__init__.py", "py.typed", "catalog.json"})


class SourceFile(NamedTuple):
    """`path` is relative to the root, POSIX; `size` in bytes."""

    path: str
    size: int
    executable: bool


def walk(root: str) -> tuple[SourceFile, ...]:
    """Every file of the tree, sorted by path.

    Raises GsdError for a root that is not a directory, and for a link, a hard link or a device in it:
    following those could copy a private file into an installed tree.
    """
    if not os.path.isdir(root):
        what = "is a file, not a folder" if os.path.exists(root) else "does not exist"
        raise GsdError(
            f"the content root {what}",
            reason="no_content_root",
            file=root,
            hint="--content takes the folder that holds content.toml",
        )
    found: list[SourceFile] = []
    pending = [""]
    while pending:
        folder = pending.pop()
        with os.scandir(f"{root}/{folder}") as entries:
            for entry in entries:
                if entry.name in _SKIPPED:
                    continue
                path = f"{folder}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    pending.append(f"{path}/")
                else:
                    found.append(_file(root, path, entry.stat(follow_symlinks=False)))
    return tuple(sorted(found))


def _file(root: str, path: str, status: os.stat_result) -> SourceFile:
    if stat.S_ISLNK(status.st_mode):
        raise GsdError(
            "a link is not installed: it could lead out of the content root",
            reason="source_link",
            file=f"{root}/{path}",
            hint="put a copy of the file there",
        )
    if not stat.S_ISREG(status.st_mode):
        raise GsdError("this is neither a file nor a folder", reason="source_device", file=f"{root}/{path}")
    return SourceFile(path, status.st_size, bool(status.st_mode & 0o100))


def read(root: str, file: SourceFile) -> bytes:
    """The bytes of one file of the tree."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(f"{root}/{file.path}", flags)
    with open(descriptor, "rb") as handle:
        return handle.read()
