"""What a librarian would suggest about skills and observations. Pure: nothing here changes anything.

Each rule looks at what is known and answers with suggestions and their evidence; a person decides. The only
thing that acts by itself is the expiry of state, which is the memory's own.
"""

from __future__ import annotations

from gsd_capabilities.learning.limits import (
    ARCHIVE_UNUSED_DAYS,
    PROMOTE_SEEN,
    REVISE_FEEDBACK,
    REVISE_LEAST_USES,
    REVISE_SUCCESS_SHARE,
    TEAM_SKILL_AGENTS,
)
from gsd_capabilities.learning.triggers import words
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gsd_capabilities.learning.stats import Stats

_DAY = 86_400


class Skill(NamedTuple):
    """A skill that a person approved, with its tags in small letters; live `since` (seconds of the epoch)."""

    name: str
    tags: frozenset[str]
    since: float


class Seen(NamedTuple):
    """One observation: what it is about, and who made it."""

    theme: str
    who: str


class Suggestion(NamedTuple):
    """`kind` is archive, revise, merge, promote, revision-task or team-skill; `evidence` says why."""

    kind: str
    subject: str
    evidence: str


class Shelf(NamedTuple):
    """Everything the rules look at."""

    skills: tuple[Skill, ...]
    stats: Mapping[str, Stats]
    observations: tuple[Seen, ...]


def suggestions(shelf: Shelf, *, now: float) -> list[Suggestion]:
    """What every rule has to say, in the order of the rules and then of their subjects."""
    return [
        *archive(shelf, now=now),
        *(suggestion for rule in RULES for suggestion in rule(shelf)),
    ]


def archive(shelf: Shelf, *, now: float) -> Iterator[Suggestion]:
    """A skill that nobody has used and that is older than thirty days."""
    for skill in shelf.skills:
        days = int((now - skill.since) // _DAY)
        used = skill.name in shelf.stats and shelf.stats[skill.name].usage
        if not used and now - skill.since > ARCHIVE_UNUSED_DAYS * _DAY:
            yield Suggestion("archive", skill.name, f"not used once in {days} days")


def revise(shelf: Shelf) -> Iterator[Suggestion]:
    """A skill with which fewer than half of at least three tasks came to their end.

    Uses in tasks that still run, or in none, say nothing either way.
    """
    for name, known in sorted(shelf.stats.items()):
        if known.settled >= REVISE_LEAST_USES and known.success / known.settled < REVISE_SUCCESS_SHARE:
            yield Suggestion(
                "revise", name, f"{known.success} of {known.settled} tasks with it were completed"
            )


def merge(shelf: Shelf) -> Iterator[Suggestion]:
    """Two skills whose names have the same words, or whose tags are the same."""
    for number, one in enumerate(shelf.skills):
        for other in shelf.skills[number + 1 :]:
            shared = ", ".join(sorted(one.tags))
            if words(one.name.replace("-", " ")) == words(other.name.replace("-", " ")):
                yield Suggestion("merge", f"{one.name} {other.name}", "their names have the same words")
            elif one.tags and one.tags == other.tags:
                yield Suggestion("merge", f"{one.name} {other.name}", f"both have the tags {shared}")


def revision_task(shelf: Shelf) -> Iterator[Suggestion]:
    """A skill with three pieces of feedback from rejected reviews."""
    for name, known in sorted(shelf.stats.items()):
        if len(known.feedback) >= REVISE_FEEDBACK:
            yield Suggestion(
                "revision-task", name, f"{len(known.feedback)} reviews of work with it were rejected"
            )


def promote(shelf: Shelf) -> Iterator[Suggestion]:
    """A theme that was observed three times."""
    for theme, seen in _themes(shelf.observations):
        if len(seen) >= PROMOTE_SEEN:
            yield Suggestion("promote", theme, f"observed {len(seen)} times")


def team_skill(shelf: Shelf) -> Iterator[Suggestion]:
    """A theme that three agents observed."""
    for theme, seen in _themes(shelf.observations):
        agents = sorted({one.who for one in seen if one.who})
        if len(agents) >= TEAM_SKILL_AGENTS:
            yield Suggestion("team-skill", theme, f"observed by {', '.join(agents)}")


RULES: tuple[Callable[[Shelf], Iterator[Suggestion]], ...] = (
    revise,
    merge,
    revision_task,
    promote,
    team_skill,
)


def _themes(observations: Sequence[Seen]) -> list[tuple[str, list[Seen]]]:
    """Observations by theme, in small letters; one without a theme is about nothing in common."""
    found: dict[str, list[Seen]] = {}
    for one in observations:
        theme = " ".join(one.theme.casefold().split())
        if theme:
            found.setdefault(theme, []).append(one)
    return sorted(found.items())
