"""The vocabulary of surfaces: entries that are the same for many hosts."""

from __future__ import annotations

from gsd_install.runtime.model import Entry, Source, Surface


def instructions(source: Source, *, home: str = "", project: str = "") -> tuple[Surface, ...]:
    """A marked block in the instructions file of each scope that has one; paths are spelled as in `Place`."""
    block = (Entry(("{block}",), "{text}"),)
    found = []
    if home:
        found.append(Surface("instructions", "block", (home,), block, scope="global", source=source))
    if project:
        found.append(Surface("instructions", "block", (project,), block, scope="project", source=source))
    return tuple(found)
