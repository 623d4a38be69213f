"""The skills and workflows that exist, by name and description; never what is in them."""

from __future__ import annotations

import os

from gsd_capabilities.prefix.sources import Listing, Named
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gsd_capabilities.companion.payload import Content
    from gsd_capabilities.companion.project import Project

LEARNED = "learned"


def skills(project: Project, payload_root: str | None) -> Listing:
    """Installed skills and those that were learnt in this project and approved, by name."""
    folder = os.path.join(project.shared, LEARNED, "skills")
    found = {row.name: row for row in _installed(payload_root, "skills")}
    found.update((row.name, row) for row in _learned(project, folder))
    path = project.shown(folder) if os.path.isdir(folder) else ""
    return Listing(tuple(found[name] for name in sorted(found)), _tables(payload_root) or path)


def workflows(payload_root: str | None) -> Listing:
    """Installed workflows, in the order of the content."""
    return Listing(tuple(_installed(payload_root, "workflows")), _tables(payload_root))


def _installed(payload_root: str | None, kind: str) -> Iterator[Named]:
    for content in _contents(payload_root):
        rows: dict[str, dict[str, Any]] = (content.table or {}).get(kind, {})
        for name, row in rows.items():
            yield Named(name, str(row.get("description", "")))


def _tables(payload_root: str | None) -> str:
    """The file in which the installer wrote down what the first content holds."""
    from gsd_capabilities.companion.payload import MANIFEST

    return next((os.path.join(one.root, one.id, MANIFEST) for one in _contents(payload_root)), "")


def _contents(payload_root: str | None) -> tuple[Content, ...]:
    from gsd_capabilities.companion import payload

    return payload.contents(payload_root) if payload_root else ()


def _learned(project: Project, folder: str) -> Iterator[Named]:
    from gsd_capabilities.companion.planning_text import read_optional, system_errors
    from gsd_install.kernel.frontmatter import split

    with system_errors(project, folder):
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for name in names:
        file = os.path.join(folder, name, "SKILL.md")
        text = read_optional(project, file)
        if text is not None:
            fields = split(text, file=project.shown(file)).fields
            yield Named(name, str(fields.get("description", "")))
