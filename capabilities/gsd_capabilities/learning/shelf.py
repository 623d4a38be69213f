"""What is on the shelf: the skills that went live in a project, and all that is known of them."""

from __future__ import annotations

import os

from gsd_capabilities.companion.planning_text import system_errors
from gsd_capabilities.learning import stats
from gsd_capabilities.learning.librarian import Seen, Shelf, Skill
from gsd_capabilities.work.events import events
from gsd_install.kernel import learned
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.companion.project import Project


def skills(project: Project) -> tuple[Skill, ...]:
    """The skills that are live, by name. Raises GsdError for a document that is broken."""
    decided = events(project, learned.GO_LIVE)
    since = {event.subject: event.at for event in decided}
    with system_errors(project, learned.live_folder(project.root)):
        found = [one for one in learned.live(project.root) if one.kind == learned.SKILL]
        return tuple(
            Skill(one.name, tags_of(one), since.get(one.name) or os.stat(one.folder).st_mtime)
            for one in found
        )


def shelf(project: Project) -> Shelf:
    """Everything that the rules of the librarian look at."""
    return Shelf(skills(project), stats.history(project).skills, _observed(project))


def tags_of(skill: learned.Proposal) -> frozenset[str]:
    """The tags of a skill: `tags` below `metadata` in its frontmatter, a list or words in a row."""
    from gsd_install.kernel.frontmatter import split

    file = os.path.join(skill.folder, "SKILL.md")
    text = skill.files["SKILL.md"].data.decode("utf-8", "replace")
    metadata = split(text, file=file).fields.get("metadata")
    value = metadata.get("tags", "") if isinstance(metadata, dict) else ""
    words = value if isinstance(value, list) else str(value).replace(",", " ").split()
    return frozenset(word.strip().casefold() for word in words) - {""}


def _observed(project: Project) -> tuple[Seen, ...]:
    from gsd_capabilities.memory.observations import observations

    return tuple(Seen(one.theme, one.who) for one in observations(project))
