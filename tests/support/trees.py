"""Compare whole trees: names, bytes, modes, links and empty directories, not times."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple


class Node(NamedTuple):
    """One path of a tree: what it is, its permission bits, and its bytes or link target."""

    kind: str
    mode: int
    content: bytes


Tree = dict[str, Node]


def snapshot(root: Path) -> Tree:
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
    """Fail with every difference named."""
    lines = differences(expected, found)
    assert not lines, "\n".join(lines)
