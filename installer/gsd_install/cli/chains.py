"""Chains of instruction files below a project: a host reads the root's and those on the way to a folder.

The walk leaves out hidden folders and what tools download, and follows no link.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from gsd_install.configedit import edit
from gsd_install.emit.output import Sum
from gsd_install.emit.target import Target
from gsd_install.kernel.measure import measure
from gsd_install.runtime.model import Cap

_SKIPPED = frozenset({"node_modules", "target", "build", "dist", "venv", "vendor"})


def nested(target: Target, caps: tuple[Cap, ...]) -> Iterator[Sum]:
    """The sum for each folder whose chain is over a cap, as the files are on the disk.

    `largest` names the folder's files from the root on.
    """
    limits = [cap for cap in caps if cap.field == "chain" and cap.scope in (None, target.scope)]
    if target.scope != "project" or not limits:
        return
    for name in _names(target):
        for files in _chains(target.base, name):
            for cap in limits:
                found = _sum(target, cap, files)
                if found.over:
                    yield found


def _names(target: Target) -> list[str]:
    """The names of the instruction files that stand at the top of the project."""
    surfaces = [surface for surface in target.runtime.surfaces if surface.name == "instructions"]
    paths = [path for surface in surfaces if surface.scope in (None, "project") for path in surface.paths]
    return [path[2:] for path in paths if path.startswith("./") and "/" not in path[2:]]


def _chains(top: str, name: str) -> Iterator[list[str]]:
    """For each folder below `top` that has such a file: the files from `top` down to it."""
    chains: dict[str, list[str]] = {}
    for folder, folders, files in os.walk(top):
        folders[:] = sorted(each for each in folders if each not in _SKIPPED and not each.startswith("."))
        chain = list(chains.get(os.path.dirname(folder), ())) if folder != top else []
        if name in files:
            chain.append(os.path.join(folder, name))
            if folder != top:
                yield chain
        chains[folder] = chain


def _sum(target: Target, cap: Cap, files: list[str]) -> Sum:
    sizes = [(target.spell(path), _size(path, cap)) for path in files]
    ours = _ours(files[0], cap) if os.path.dirname(files[0]) == target.base else 0
    total = sum(size for _, size in sizes)
    return Sum(target.runtime.id, cap, ours, total - ours, tuple(sizes))


def _size(path: str, cap: Cap) -> int:
    with open(path, "rb") as file:
        data = file.read()
    return len(data) if cap.unit == "bytes" else measure(data.decode(errors="replace"), cap.unit)


def _ours(path: str, cap: Cap) -> int:
    """How much of the root's file stands in blocks of ours."""
    with open(path, "rb") as file:
        blocks = edit.load(file.read(), "block", path).data()
    return sum(measure(text, cap.unit) for text in blocks.values())
