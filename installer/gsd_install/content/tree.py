"""The files of a content root, listed and read without ever leaving it."""

from __future__ import annotations

import os
import stat

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import NoReturn

PACKED = "catalog.json"
EMITTED = "emitted.pack"

# What tools leave behind, anywhere; and what makes the root of a shipped tree a Python package.
_SKIPPED = frozenset({"__pycache__", ".git", ".DS_Store"})
_JUNCTION = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", 0xA0000003)
_SKIPPED_AT_ROOT = frozenset({"__init__.py", "py.typed", PACKED, EMITTED})


class SourceFile(NamedTuple):
    """`path` is relative to the root, POSIX; `size` in bytes."""

    path: str
    size: int
    executable: bool


def walk(root: str, wanted: Callable[[str], bool] | None = None) -> tuple[SourceFile, ...]:
    """Every file of the tree, sorted by path; with `wanted`, those it says yes to, below such folders.

    Links at the root of such a tree are passed over: repositories have them for other hosts.

    Raises GsdError for a root that is not a directory, for a link or a device in it (following those
    could copy a private file into an installed tree), and for what cannot be read. Hard links are files
    like any other: installers of Python packages make them to their own cache.
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
        for entry in _entries(root, folder):
            path = f"{folder}{entry.name}"
            status = entry.stat(follow_symlinks=False)
            if wanted is not None and not (wanted(path) and (folder or not _leads_away(status))):
                continue
            if stat.S_ISDIR(status.st_mode) and not _leads_away(status):
                pending.append(f"{path}/")
            else:
                found.append(_file(root, path, status))
    return tuple(sorted(found))


def _entries(root: str, folder: str) -> Iterator[os.DirEntry[str]]:
    skipped = _SKIPPED if folder else _SKIPPED | _SKIPPED_AT_ROOT
    try:
        with os.scandir(f"{root}/{folder}") as entries:
            yield from (entry for entry in entries if entry.name not in skipped)
    except OSError as error:
        _unreadable(f"{root}/{folder}".rstrip("/"), error)


def _leads_away(status: os.stat_result) -> bool:
    """Whether this is a symbolic link or, on Windows, a junction, which counts as a folder there."""
    return stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION


def _file(root: str, path: str, status: os.stat_result) -> SourceFile:
    if _leads_away(status):
        raise GsdError(
            "a link is not installed: it could lead out of the content root",
            reason="source_link",
            file=f"{root}/{path}",
            hint="put a copy of the file there",
        )
    if not stat.S_ISREG(status.st_mode):
        raise GsdError("this is neither a file nor a folder", reason="source_device", file=f"{root}/{path}")
    if not path.isprintable():
        raise GsdError(
            "this name holds characters that not every system can store or show",
            reason="source_name",
            file=f"{root}/{ascii(path)[1:-1]}",
            hint="rename it",
        )
    return SourceFile(path, status.st_size, bool(status.st_mode & 0o100))


def read(root: str, path: str) -> bytes:
    """The bytes of one file of the tree. Raises GsdError for a link and for what cannot be read."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(f"{root}/{path}", flags)
        with open(descriptor, "rb") as handle:
            return handle.read()
    except OSError as error:
        _unreadable(f"{root}/{path}", error)


def is_script(file: SourceFile, data: bytes) -> bool:
    """A script says so in its first line: archives and Windows lose the mode, or set it on everything."""
    return data.startswith(b"#!") or (file.executable and b"\0" in data)


def _unreadable(file: str, error: OSError) -> NoReturn:
    raise GsdError(
        f"cannot read this: {error.strerror}", reason="unreadable", file=file, hint="check its permissions"
    ) from error


def case_clash(root: str, path: str, first: str) -> GsdError:
    """The error of a file that would be the same as another where case does not count."""
    return GsdError(
        f"this name differs from {first} in nothing but case",
        reason="case_clash",
        file=f"{root}/{path}",
        hint="rename one of the two: macOS and Windows hold only one of them",
    )
