"""Which sections a prompt has, in which order, and how much of each a profile shows.

The table of section 4 of the document on context economics. `govern` shares the column of `execute`; two
scenarios of reflex depart from theirs, because one encodes what was learnt and the other must not.
"""

from __future__ import annotations

from gsd_capabilities.learning import limits
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from gsd_capabilities.packs.scenarios import Pack

    How = Literal["whole", "absent", "pointer", "tokens", "characters", "lines", "people", "top"]
    Place = Literal["stable", "slow", "tail"]


class Rule(NamedTuple):
    """How much is shown: `most` tokens, characters, lines, active people or topmost tasks.

    `whole` has no limit, and `pointer` shows only where the section can be read.
    """

    how: How
    most: int = 0


class Section(NamedTuple):
    """A section of the prompt. `always` is never shortened or left out.

    `stable` text leads and depends on nothing that changes while an agent works, `slow` text follows and
    changes with files that people and agents write, and what changes from call to call stands in the `tail`.
    """

    name: str
    title: str
    place: Place
    reflex: Rule
    converse: Rule
    execute: Rule
    always: bool = False


WHOLE, ABSENT, POINTER = Rule("whole"), Rule("absent"), Rule("pointer")


def _everywhere(name: str, title: str, place: Place) -> Section:
    return Section(name, title, place, WHOLE, WHOLE, WHOLE, always=True)


def _characters(name: str, title: str, few: int, many: int) -> Section:
    return Section(
        name, title, "slow", Rule("characters", few), Rule("characters", few), Rule("characters", many)
    )


SECTIONS: tuple[Section, ...] = (
    _everywhere("role", "", "stable"),
    _everywhere("rules", "", "stable"),
    _everywhere("mode", "Interaction mode", "stable"),
    _everywhere("handbook", "Handbook (on demand)", "stable"),
    Section(
        "roster",
        "Team",
        "slow",
        Rule("people", limits.ROSTER_ACTIVE_REFLEX),
        Rule("people", limits.ROSTER_COLLEAGUES),
        Rule("people", limits.ROSTER_COLLEAGUES),
    ),
    Section(
        "knowledge",
        "Knowledge",
        "slow",
        Rule("tokens", limits.KNOWLEDGE_PROMPT_MAX_TOKENS_REFLEX),
        Rule("tokens", limits.KNOWLEDGE_PROMPT_MAX_TOKENS_CONVERSE),
        Rule("tokens", limits.KNOWLEDGE_PROMPT_MAX_TOKENS),
    ),
    Section(
        "state",
        "State",
        "slow",
        Rule("lines", limits.STATE_PROMPT_MAX_LINES_REFLEX),
        Rule("lines", limits.STATE_PROMPT_MAX_LINES),
        Rule("lines", limits.STATE_PROMPT_MAX_LINES),
    ),
    Section(
        "skills",
        "Skills (names only; load one with discover_tools)",
        "slow",
        Rule("characters", limits.SKILL_LISTING_CHARS),
        Rule("characters", limits.SKILL_LISTING_CHARS),
        Rule("characters", limits.SKILL_LISTING_CHARS),
    ),
    Section("habits", "", "slow", POINTER, WHOLE, WHOLE),
    Section("checklists", "", "slow", ABSENT, ABSENT, WHOLE),
    _characters(
        "announcements",
        "Announcements",
        limits.SYSTEM_ANNOUNCEMENTS_CHARS_CONVERSE,
        limits.SYSTEM_ANNOUNCEMENTS_CHARS,
    ),
    _characters("norms", "Norms", limits.SYSTEM_NORMS_CHARS_CONVERSE, limits.SYSTEM_NORMS_CHARS),
    Section(
        "workflows",
        "Workflows",
        "slow",
        POINTER,
        Rule("lines", limits.SYSTEM_WORKFLOWS_MAX_CONVERSE),
        WHOLE,
    ),
    _everywhere("date", "Now", "tail"),
    Section("channel", "Channel", "tail", ABSENT, Rule("lines", limits.CHANNEL_MESSAGES), POINTER),
    Section(
        "board",
        "Tasks",
        "tail",
        Rule("top", limits.BOARD_TOP),
        Rule("lines", limits.BOARD_TASKS),
        Rule("lines", limits.BOARD_TASKS),
    ),
    Section("deferred", "Tools on demand", "tail", WHOLE, WHOLE, WHOLE),
    Section(
        "dynamic",
        "From the caller",
        "tail",
        ABSENT,
        Rule("characters", limits.SYSTEM_DYNAMIC_CONTEXT_CHARS_CONVERSE),
        WHOLE,
    ),
)

_OVERRIDES: Mapping[tuple[str, str], Rule] = {
    ("distillation", "habits"): WHOLE,
    ("memory_consolidation", "habits"): ABSENT,
}


def rule(section: Section, pack: Pack, scenario: str) -> Rule:
    """How much of `section` a prompt of that pack and scenario shows."""
    override = _OVERRIDES.get((scenario, section.name))
    if override is not None:
        return override
    found = {"reflex": section.reflex, "converse": section.converse}.get(pack.name, section.execute)
    return ABSENT if found == Rule("tokens", 0) else found
