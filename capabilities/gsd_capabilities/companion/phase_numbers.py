"""Numbers for new phases: none is ever given twice."""

from __future__ import annotations

import os
import re

from gsd_capabilities.companion import phases, planning_text, roadmap
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.roadmap import Roadmap

_HEADING = re.compile(r"^## Phase ([0-9]+)", re.MULTILINE)


def next_whole(project: Project, found: Roadmap) -> int:
    """One more than every whole number used so far.

    Earlier milestones count too, unless this one began again at a number that they had.
    """
    own = {roadmap.order_of(number)[0] for number in _used(project, found)}
    earlier = _earlier(project)
    if {roadmap.order_of(row.number)[0] for row in found.rows} & earlier:
        earlier = set()
    return max(own | earlier, default=0) + 1


def next_part(project: Project, found: Roadmap, whole: str) -> int:
    """The decimal of the next phase that is inserted behind phase `whole`."""
    used = (roadmap.order_of(number) for number in _used(project, found))
    return max((part for number, part in used if number == int(whole)), default=0) + 1


def _used(project: Project, found: Roadmap) -> set[str]:
    rows = {row.number for row in found.rows}
    sections = {section.number for section in found.sections}
    folders = set(map(roadmap.number_of, phases.directories(project)))
    return rows | sections | folders | set(found.removed)


def _earlier(project: Project) -> set[int]:
    base = project.path("milestones")
    names = sorted(os.listdir(base)) if os.path.isdir(base) else []
    texts = (planning_text.read_optional(project, os.path.join(base, name, roadmap.FILE)) for name in names)
    return {int(number) for text in texts if text for number in _HEADING.findall(text)}
