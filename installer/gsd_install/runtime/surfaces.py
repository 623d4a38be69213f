"""The vocabulary of surfaces: entries that are the same for many hosts."""

from __future__ import annotations

from gsd_install.runtime.model import Entry, Source, Surface


def instructions(
    source: Source, *, home: str = "", project: str = "", imports: bool = False
) -> tuple[Surface, ...]:
    """A marked block in the instructions file of each scope that has one; paths are spelled as in `Place`."""
    block = Surface("instructions", "block", (), (Entry(("{block}",), "{text}"),), source=source)
    scoped = (
        block._replace(paths=(home,), scope="global"),
        block._replace(paths=(project,), scope="project"),
    )
    return tuple(surface._replace(imports=imports) for surface in scoped if surface.paths[0])
