"""`CONTEXT.md` of a content root: facts, one a line, that the companion looks up at run time."""

from __future__ import annotations

import os

from gsd_install.content.tree import read

FILE = "CONTEXT.md"


def context(root: str) -> bytes | None:
    """Its bytes, or None where there is none. Raises GsdError for a link and for what cannot be read."""
    return read(root, FILE) if os.path.lexists(f"{root}/{FILE}") else None
