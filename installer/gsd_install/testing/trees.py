"""Compare whole trees: names, bytes, modes, links and empty directories, not times."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from gsd_install.kernel.record import NamedTuple


class Node(NamedTuple):
    """One path of a tree: what it is, its permission bits, and its bytes or link target."""

    kind: str
    mode: int
    content: bytes


Tree = dict[str, Node]


def snapshot(root: str | Path) -> Tree:
    """Every path below `root`, links not followed."""
    tree: Tree = {}
    for folder, names, files in os.walk(root):
        for name in [*names, *files]:
            path = Path(folder) / name
            tree[path.relative_to(root).as_posix()] = _node(path)
    return tree


def _node(path: Path) -> Node:
    status = path.lstat()
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return Node("link", 0, os.fsencode(os.readlink(path)))
    if stat.S_ISDIR(status.st_mode):
        return Node("directory", mode, b"")
    if not stat.S_ISREG(status.st_mode):
        return Node("device", mode, b"")
    return Node("file", mode, path.read_bytes())


def differences(expected: Tree, found: Tree) -> list[str]:
    """One line for each path that is missing, extra or not the same."""
    lines = [f"missing  {path}" for path in sorted(expected.keys() - found.keys())]
    lines += [f"extra    {path}" for path in sorted(found.keys() - expected.keys())]
    for path in sorted(expected.keys() & found.keys()):
        old, new = expected[path], found[path]
        if old.kind != new.kind:
            lines.append(f"kind     {path}: {old.kind} became {new.kind}")
        elif old.mode != new.mode:
            lines.append(f"mode     {path}: {old.mode:o} became {new.mode:o}")
        elif old.content != new.content:
            lines.append(f"content  {path}")
    return lines


def assert_same(expected: Tree, found: Tree) -> None:
    """Raise AssertionError with every difference named."""
    lines = differences(expected, found)
    if lines:
        raise AssertionError("\n".join(lines))


def rewritten(root: str | Path, stamps: dict[str, tuple[int, int]]) -> list[str]:
    """One line for each file whose inode or modification time is not the one in `stamps`."""
    now = file_stamps(root)
    return [f"written  {path}" for path in sorted(now) if now[path] != stamps.get(path)]


def file_stamps(root: str | Path) -> dict[str, tuple[int, int]]:
    """Inode and modification time (nanoseconds) of every file below `root`: a rewrite changes one of them."""
    stamps = {}
    for folder, _, files in os.walk(root):
        for name in files:
            status = os.lstat(os.path.join(folder, name))
            path = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
            stamps[path] = (status.st_ino, status.st_mtime_ns)
    return stamps
