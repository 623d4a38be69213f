"""What left a store, as it stood there, in the file of the same name below `archive/`."""

from __future__ import annotations

from gsd_capabilities.companion.planning_text import newline
from gsd_capabilities.memory import layout, sections
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.memory.sections import Piece


def keep_locked(project: Project, store: str, gone: Iterable[Piece]) -> None:
    """Add pieces to the archive of a store before they leave it; one that is there already is not doubled.

    Whoever is killed between the two steps archives the same pieces again.
    """

    def change(old: str) -> str:
        known = {(piece.title, piece.text) for piece in sections.pieces(old)}
        for piece in gone:
            if (piece.title, piece.text) not in known:
                old = _joined(old, piece.source)
        return old

    layout.change_locked(project, change, layout.ARCHIVE, store)


def _joined(text: str, source: str) -> str:
    end = newline(text or source)
    if text and not text.endswith(("\n", "\r")):
        text += end
    if text and text.splitlines()[-1].strip():
        text += end
    return text + source
