"""Prefixes for people and scripts: what they are made of, their limits, and what was measured."""

from __future__ import annotations

from gsd_capabilities.learning.limits import COLD_CONVERSE_FIXED_GOAL
from gsd_capabilities.packs.scenarios import CONVERSE
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.prefix.build import Prefix
    from gsd_capabilities.work.events import Event

MEASURED = "prefix-measured"


def told(made: Prefix) -> dict[str, object]:
    """A prefix without its text."""
    return {
        **numbers(made),
        "sections": [one._asdict() for one in made.sections],
        "warnings": list(made.warnings),
    }


def numbers(made: Prefix) -> dict[str, object]:
    """The sizes of a prefix in tokens, and the limit of its pack."""
    return {
        "scenario": made.scenario,
        "pack": made.pack.name,
        "system_tokens": made.system_tokens,
        "tool_tokens": made.tool_tokens,
        "fixed_tokens": made.system_tokens + made.tool_tokens,
        "limit": made.pack.fixed_tokens,
        "over": made.over,
    }


def contract(every: Iterable[Prefix]) -> dict[str, object]:
    """Whether each scenario holds the limit of its pack; the goal is what converse should stay below."""
    rows = list(every)
    goal = COLD_CONVERSE_FIXED_GOAL
    over = [made.scenario for made in rows if made.over]
    largest = max(made.system_tokens + made.tool_tokens for made in rows if made.pack is CONVERSE)
    return {
        "holds": not over,
        "over": over,
        "goal": {"tokens": goal, "largest": largest, "holds": largest <= goal},
        "scenarios": [numbers(made) for made in rows],
        "warnings": list(dict.fromkeys(text for made in rows for text in made.warnings)),
    }


def record(project: Project, made: Prefix, *, who: str, now: float) -> Event | None:
    """Write the sizes down; None where there is no project to write them in."""
    from gsd_capabilities.work import events

    if not project.exists:
        return None
    return events.record(project, MEASURED, made.scenario, who=who, data=numbers(made), now=now)


def measured(project: Project) -> Iterator[dict[str, object]]:
    """What was written down, the oldest first."""
    from gsd_capabilities.work import events
    from gsd_capabilities.work.clock import stamp

    for event in events.events(project, (MEASURED,)):
        yield {"at": stamp(event.at), "who": event.who, **event.data}
