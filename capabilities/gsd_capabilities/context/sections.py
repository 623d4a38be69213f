"""What a context is made of: sections with an id, a place in the template, a tier and a priority.

The tier says how a section may give way, the priority only orders sections of one tier. A section is known
by its id; its title is for readers.
"""

from __future__ import annotations

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    Tier = Literal["immutable", "summarizable", "discardable"]

TIERS: Mapping[str, Tier] = {
    "immutable": "immutable",
    "summarizable": "summarizable",
    "discardable": "discardable",
}


class Role(NamedTuple):
    """Where sections of a role stand in a template, from which pool they come and how they give way.

    `tier` is empty where the priority decides.
    """

    key: str
    title: str
    pool: str
    tier: str
    priority: int


ROLES: Mapping[str, Role] = {
    "core": Role("systemReference", "System Reference", "system", "immutable", 100),
    "project": Role("projectReference", "Project Reference", "references", "summarizable", 50),
    "session": Role("sessionReference", "Session Reference", "references", "summarizable", 50),
    "plan": Role("planState", "Current Plan", "state", "summarizable", 80),
    "history": Role("sessionHistory", "Session History", "state", "summarizable", 70),
    "git": Role("gitState", "Working Directory Changes", "state", "summarizable", 60),
    "tree": Role("fileTree", "File Tree", "state", "discardable", 40),
    "request": Role("userRequest", "User Request", "request", "immutable", 100),
    "output": Role("outputInstructions", "Output Instructions", "request", "immutable", 100),
    "environment": Role("environment", "Environment", "state", "discardable", 10),
    "debug": Role("debugOutput", "Debug Output", "state", "discardable", 5),
    "extra": Role("extra", "Further Material", "references", "", 50),
}

KEYS = tuple(role.key for role in ROLES.values())


class Section(NamedTuple):
    """One piece of context.

    `source` says where the text stands in full, for the pointer that may replace it. `deprecated` text may
    lose its head. `middle` marks what the tail strategy takes first: the inner messages of an older round.
    `requires` are ids of other sections.
    """

    id: str
    role: str
    text: str
    title: str
    tier: Tier
    priority: int
    source: str = ""
    deprecated: bool = False
    middle: bool = False
    requires: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return ROLES[self.role].key

    @property
    def pool(self) -> str:
        return ROLES[self.role].pool


def section(
    id: str,  # noqa: A002
    role: str,
    text: str,
    *,
    title: str = "",
    tier: str = "",
    priority: int | None = None,
    source: str = "",
    deprecated: bool = False,
    middle: bool = False,
    requires: tuple[str, ...] = (),
) -> Section:
    """A section with the defaults of its role; an explicit tier wins over the role's and the priority's.

    Deprecated text is discardable. Raises GsdError (reason `unknown_role` or `unknown_tier`).
    """
    if role not in ROLES:
        raise GsdError(f"unknown role {role!r}", reason="unknown_role", hint=f"one of {', '.join(ROLES)}")
    known = ROLES[role]
    number = known.priority if priority is None else priority
    chosen = tier or ("discardable" if deprecated else known.tier or band(number))
    return Section(
        id, role, text, title or known.title, _tier(chosen), number, source, deprecated, middle, requires
    )


def band(priority: int) -> Tier:
    """The tier that a priority maps to where nothing else decides: from 90, from 50, below."""
    if priority >= 90:
        return "immutable"
    return "summarizable" if priority >= 50 else "discardable"


def _tier(word: str) -> Tier:
    if word in TIERS:
        return TIERS[word]
    raise GsdError(f"unknown tier {word!r}", reason="unknown_tier", hint=f"one of {', '.join(TIERS)}")
