"""Which plugins the installed distributions declare, found without importing one of them.

This reads `entry_points.txt` itself (its format is the entry points specification of the Python
Packaging User Guide). Asking importlib_metadata costs more than writing a whole install does, most of
it in imports; it is still what answers for `sys.path` entries that are not directories, and a test
compares both.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache

from gsd_install.kernel.record import NamedTuple

GROUP = "gsd_install.runtimes"
CAPABILITIES = "gsd_install.capabilities"


class Declared(NamedTuple):
    """One entry point: `name = module` in `distribution` (name and version)."""

    name: str
    module: str
    distribution: str


def declared(paths: Iterable[str] | None = None, group: str = GROUP) -> tuple[Declared, ...]:
    """Every entry point of a group, sorted by name and distribution; `paths` defaults to `sys.path`."""
    seen: set[str] = set()
    found: list[Declared] = []
    for path in dict.fromkeys(sys.path if paths is None else paths):
        for distribution, entry_points in _in(path or os.getcwd()):
            key = _normalised(distribution)
            if key in seen:
                continue  # an earlier sys.path entry shadows it, as it does for imports
            seen.add(key)
            found += [Declared(name, module, distribution) for name, module in _ours(entry_points, group)]
    return tuple(sorted(found))


def _in(path: str) -> tuple[tuple[str, str], ...]:
    try:
        changed = os.stat(path).st_mtime_ns
    except OSError:
        return ()
    return _seen(path, changed)


@cache
def _seen(path: str, changed: int) -> tuple[tuple[str, str], ...]:  # noqa: ARG001 - part of the key
    """The distributions of a `sys.path` entry, read once for each time it changed: a command asks often."""
    return tuple(_distributions(path))


def _distributions(path: str) -> Iterator[tuple[str, str]]:
    """Name-and-version and entry points text of each distribution directly in `path`."""
    if os.path.isfile(path) or path.endswith(".egg"):
        yield from _archived(path)
        return
    try:
        names = sorted(os.listdir(path))
    except OSError:
        return
    for name in names:
        stem, suffix = os.path.splitext(name)
        # pip renames what it is about to remove to ~name, and leaves it so when it is interrupted.
        if suffix in {".dist-info", ".egg-info"} and not name.startswith("~"):
            try:
                with open(
                    os.path.join(path, name, "entry_points.txt"), encoding="utf-8", errors="replace"
                ) as file:
                    text = file.read()
            except OSError:
                text = ""
            yield " ".join(stem.split("-")[:2]), text


def _archived(path: str) -> Iterator[tuple[str, str]]:
    import importlib_metadata

    for distribution in importlib_metadata.distributions(path=[path]):
        try:
            named = f"{distribution.name} {distribution.version}"
            yield named, distribution.read_text("entry_points.txt") or ""
        except (OSError, LookupError, ValueError):
            continue  # without readable metadata it declares nothing


def _normalised(distribution: str) -> str:
    """The name as the Python Packaging User Guide compares names."""
    return re.sub(r"[-_.]+", "_", distribution.split(" ", 1)[0]).lower()


def _ours(entry_points: str, group: str) -> Iterator[tuple[str, str]]:
    if group not in entry_points:
        return
    inside = False
    for line in entry_points.splitlines():
        line = line.strip()
        if line.startswith("["):
            inside = line == f"[{group}]"
        elif inside and "=" in line and not line.startswith(("#", ";")):
            name, _, module = line.partition("=")
            yield name.strip(), module.partition("[")[0].strip()
