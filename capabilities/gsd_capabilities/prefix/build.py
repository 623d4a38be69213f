"""The fixed prefix of a prompt: system text and tools, measured before any history is looked at.

The system text leads with what never changes while an agent works; it depends on no tool and on nothing that
is volatile, so that a provider can keep its bytes. What does change stands in the tail. Always-on sections
are whole whatever happens; the others are short by their own rule, and where even that is too much for the
pack they give way to the line that says where they are.
"""

from __future__ import annotations

from gsd_capabilities.learning.limits import ROLE_PROMPT_MAX_TOKENS, SYSTEM_PROMPT_BUDGET_CONVERSE
from gsd_capabilities.packs.scenarios import CONVERSE, pack_of
from gsd_capabilities.prefix.profile import SECTIONS, rule
from gsd_capabilities.prefix.sections import NOTHING, Asked, shown
from gsd_install.kernel.compose import BudgetError, compose
from gsd_install.kernel.fragment import Rendition, drop, verbatim
from gsd_install.kernel.measure import estimated
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gsd_capabilities.packs.scenarios import Pack
    from gsd_capabilities.packs.select import Selection
    from gsd_capabilities.prefix.fit import Piece
    from gsd_capabilities.prefix.profile import Section
    from gsd_capabilities.prefix.sources import Sources
    from gsd_install.kernel.composition import Composition
    from gsd_install.kernel.fragment import Fragment

_BETWEEN = "\n\n"


class Shown(NamedTuple):
    """What became of a section: `tokens` it takes; `form` is whole, capped, pointer, omitted or absent."""

    name: str
    place: str
    tokens: int
    form: str
    pointer: str


class Prefix(NamedTuple):
    """`segments` are the system text, the one that never changes first; `tail` follows the conversation.

    `system_tokens` count both. `over` says that with `tool_tokens` they exceed `fixed_tokens` of the pack:
    then nothing else may be packed for it.
    """

    scenario: str
    pack: Pack
    segments: tuple[str, ...]
    tail: str
    system_tokens: int
    tool_tokens: int
    warnings: tuple[str, ...]
    over: bool
    sections: tuple[Shown, ...]

    @property
    def system(self) -> str:
        """The whole system text, without the tail."""
        return _BETWEEN.join(filter(None, self.segments))


def build(sources: Sources, scenario: str, selection: Selection) -> Prefix:
    """The prefix of a scenario. Raises UsageError `unknown_scenario`."""
    pack = pack_of(scenario)
    pieces = [(one, _piece(one, sources, selection, pack, scenario)) for one in SECTIONS]
    room = pack.fixed_tokens - pack.tool_tokens
    system = _composed([row for row in pieces if row[0].place != "tail"], room)
    tail = _composed([row for row in pieces if row[0].place == "tail"], max(room - system.used, 0))
    forms = {**_forms(system), **_forms(tail)}
    sections = tuple(_told(section, piece, forms.get(section.name)) for section, piece in pieces)
    tokens = estimated().cost(system.text + _BETWEEN + tail.text)
    over = tokens + selection.tokens > pack.fixed_tokens
    made = Prefix(scenario, pack, _segments(system), tail.text, tokens, selection.tokens, (), over, sections)
    return made._replace(warnings=tuple(_warnings(made, sources, selection)))


def _piece(section: Section, sources: Sources, selection: Selection, pack: Pack, scenario: str) -> Piece:
    if section.name != "deferred":
        return shown(section.name, Asked(sources, scenario, rule(section, pack, scenario)))
    from gsd_capabilities.packs.deferred import listing

    return NOTHING._replace(text=listing(selection.deferred))


def _composed(rows: Iterable[tuple[Section, Piece]], room: int) -> Composition:
    """The sections within `room` tokens; what is always there takes more where it must."""
    fragments = [_fragment(section, piece) for section, piece in rows if piece.text.strip()]
    try:
        return _fitted(fragments, room)
    except BudgetError as error:
        return _fitted(fragments, error.required)


def _fitted(fragments: Sequence[Fragment], room: int) -> Composition:
    return compose(fragments, room, estimated(), mode="optimise", separator=_BETWEEN, note=None)


def _fragment(section: Section, piece: Piece) -> Fragment:
    text = _titled(section, piece.text.strip("\n"))
    if section.always:
        return verbatim(section.name, text, isolate=section.place == "stable")
    short = _titled(section, piece.pointer)
    shorter = [Rendition("pointer", short)] if piece.pointer and len(short) < len(text) else []
    return drop(section.name, text, shorter)


def _titled(section: Section, text: str) -> str:
    return f"## {section.title}\n\n{text}" if section.title else text


def _segments(system: Composition) -> tuple[str, ...]:
    stable = system.prefix
    return (stable, system.text[len(stable) :].strip("\n"))


def _forms(made: Composition) -> dict[str, Rendition]:
    return {fragment.id: shown for fragment, shown in zip(made.fragments, made.renditions, strict=True)}


def _told(section: Section, piece: Piece, found: Rendition | None) -> Shown:
    if found is None:
        return Shown(section.name, section.place, 0, "absent", "")
    whole = found.name == "full"
    form = ("capped" if piece.capped else "whole") if whole else found.name
    return Shown(section.name, section.place, estimated().cost(found.text), form, piece.pointer)


def _warnings(made: Prefix, sources: Sources, selection: Selection) -> Iterator[str]:
    role = estimated().cost(sources.role.text)
    if role > ROLE_PROMPT_MAX_TOKENS:
        yield f"the role takes {role:,} tokens, more than {ROLE_PROMPT_MAX_TOKENS:,}; it is not shortened"
    if made.pack is CONVERSE and made.system_tokens > SYSTEM_PROMPT_BUDGET_CONVERSE:
        both = f"{made.system_tokens:,} tokens, more than {SYSTEM_PROMPT_BUDGET_CONVERSE:,}"
        yield f"the system text takes {both}; nothing is shortened for it"
    for one in made.sections:
        if one.form in ("pointer", "omitted"):
            yield f"there is no room for the section {one.name!r}: {one.pointer or 'it is left out'}"
    if selection.unsatisfied is not None:
        needed, budget = selection.unsatisfied.required, selection.unsatisfied.available
        yield f"tools that are always there take {needed:,} tokens, more than the {budget:,} of the pack"
    if made.over:
        both = f"{made.system_tokens:,} tokens of text and {made.tool_tokens:,} of tools"
        limit = f"{made.pack.fixed_tokens:,} of {made.pack.name}"
        yield f"the fixed prefix is too large: {both} are more than the {limit}"
