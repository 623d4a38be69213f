"""Files of a folder whose path matches a pattern, without following links to folders."""

from __future__ import annotations

import os

from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

_DEEP = "**"
_GIT = ".git"


def matching(root: str, pattern: str) -> list[str]:
    """The files below `root`, relative and with slashes, in order; none of git's own.

    `*`, `?` and `[...]` stay within a name and `**` stands for any folders. A name that begins with a dot is
    matched by a part that does. What a system refuses to list is passed over.
    """
    wanted = [part for part in pattern.replace("\\", "/").split("/") if part not in ("", ".")]
    if wanted[-1:] == [_DEEP]:
        wanted.append("*")
    return sorted(_below(root, "", wanted, {0}))


def _below(folder: str, prefix: str, wanted: Sequence[str], at: AbstractSet[int]) -> Iterator[str]:
    """Files of a folder that is reached having matched the parts before each of `at`."""
    for entry in _entries(folder):
        after = _after(entry.name, wanted, at)
        if not after or entry.name.lower() == _GIT:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path, f"{prefix}{entry.name}/", wanted, after)
        elif len(wanted) in after and entry.is_file():
            yield prefix + entry.name


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def _after(name: str, wanted: Sequence[str], at: AbstractSet[int]) -> set[int]:
    """How many parts are matched once this name is."""
    from fnmatch import fnmatch

    found = set()
    for number in _open(wanted, at):
        if number == len(wanted):
            continue
        part = wanted[number]
        if name.startswith(".") and not part.startswith("."):
            continue
        if part == _DEEP:
            found.add(number)
        elif fnmatch(name, part):
            found.add(number + 1)
    return _open(wanted, found)


def _open(wanted: Sequence[str], at: AbstractSet[int]) -> set[int]:
    """With what is matched where `**` stands for no folder."""
    found = set(at)
    for number, part in enumerate(wanted):
        if number in found and part == _DEEP:
            found.add(number + 1)
    return found
