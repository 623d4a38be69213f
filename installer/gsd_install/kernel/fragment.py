"""What the composer chooses among: a fragment is an ordered list of renditions, best first.

The five strategies are closed. `verbatim` has one rendition and is load-bearing; `head_shrink` may fall
back to its first lines; `proportional_truncate` may be cut anywhere above its floor; `drop` may be left
out; `extract` may move to a file of its own and leave a pointer. Nothing here knows a budget.
"""

from __future__ import annotations

from typing import TypedDict

from gsd_install.kernel.cut import BOUNDARIES, head
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal, Self, Unpack

    from gsd_install.kernel.cut import Boundary

    Name = Literal["full", "shrunk", "outline", "pointer", "omitted"]
    Strategy = Literal["verbatim", "head-shrink", "proportional-truncate", "drop", "extract"]

STRATEGIES = ("verbatim", "head-shrink", "proportional-truncate", "drop", "extract")


class Rendition(NamedTuple):
    """One way to present a fragment.

    `kept` says how many characters at the start of `text` are the source's own first characters; the
    rest was written for this rendition. A `pointer` loses nothing: the text stands elsewhere.
    """

    name: Name
    text: str
    kept: int = 0


OMITTED = Rendition("omitted", "")


class _Fields(NamedTuple):
    id: str
    renditions: tuple[Rendition, ...]
    strategy: Strategy
    tier: int
    priority: int
    wrapper: str
    group: str
    floor: int
    ceiling: int | None
    requires: tuple[str, ...]
    isolate: bool
    boundary: Boundary
    ending: str
    plain: bool


class Rules(TypedDict, total=False):
    """What every strategy may be told; the meaning of each is at `Fragment`."""

    tier: int
    priority: int
    wrapper: str
    group: str
    floor: int
    ceiling: int | None
    requires: tuple[str, ...]
    isolate: bool


class Fragment(_Fields):
    """An addressable piece of content; make one with the function named after its strategy.

    `renditions` starts with the source, `full`. `tier` and `priority` order fragments in `optimise` mode:
    the highest tier gives way first, and in a tier the lowest priority. `wrapper` is put before the text
    as long as there is one. Fragments of one `group` share a strategy and change together. Measured in
    units of the composer's measure and without the wrapper, the text never falls below `floor`, unless
    the source is shorter, and never exceeds `ceiling`. `requires` names fragments without which this one
    is useless. `isolate` marks the leading prefix that no pressure touches. `boundary` and `ending` say
    where a proportional cut falls and what marks it.

    `plain` is derived: a text that may be left out, with no other rule, which the composer handles in
    bulk. Raises GsdError (reason `bad_fragment`) for rules that contradict each other.
    """

    __slots__ = ()

    def __new__(
        cls,
        id: str,  # noqa: A002
        renditions: tuple[Rendition, ...],
        strategy: Strategy,
        *,
        tier: int = 2,
        priority: int = 0,
        wrapper: str = "",
        group: str = "",
        floor: int = 0,
        ceiling: int | None = None,
        requires: tuple[str, ...] = (),
        isolate: bool = False,
        boundary: Boundary = "line",
        ending: str = "",
    ) -> Self:
        special = bool(wrapper or group or floor or requires or isolate or ceiling is not None)
        plain = strategy == "drop" and renditions[1:] == (OMITTED,) and not special
        made = super().__new__(
            cls, id, renditions, strategy, tier, priority, wrapper, group, floor, ceiling, requires,
            isolate, boundary, ending, plain,
        )  # fmt: skip
        problem = _problem(made)
        if problem:
            raise GsdError(f"fragment {id!r} {problem}", reason="bad_fragment")
        return made

    @property
    def load_bearing(self) -> bool:
        """Declared verbatim: never omitted, shrunk or moved."""
        return self.strategy == "verbatim"

    @property
    def source(self) -> str:
        """The text as its author wrote it."""
        return self.renditions[0].text


def verbatim(id: str, text: str, **rules: Unpack[Rules]) -> Fragment:  # noqa: A002
    """A load-bearing text: whole under every budget."""
    return Fragment(id, (_full(text),), "verbatim", **rules)


def head_shrink(id: str, text: str, lines: int, **rules: Unpack[Rules]) -> Fragment:  # noqa: A002
    """A text that may fall back to its first `lines` lines; 0 lines leave nothing of it."""
    kept, short = head(text, lines)
    rendition = Rendition("shrunk", short, kept) if short else OMITTED
    return Fragment(id, (_full(text), rendition), "head-shrink", **rules)


def proportional_truncate(
    id: str,  # noqa: A002
    text: str,
    *,
    boundary: Boundary = "line",
    ending: str = "",
    **rules: Unpack[Rules],
) -> Fragment:
    """A text that may be cut to any length down to its floor; a group shares the room by length.

    A cut falls at the coarsest `boundary` that wastes little and is marked with `ending`.
    """
    return Fragment(id, (_full(text),), "proportional-truncate", boundary=boundary, ending=ending, **rules)


def drop(id: str, text: str, shorter: Iterable[Rendition] = (), **rules: Unpack[Rules]) -> Fragment:  # noqa: A002
    """A text that may be left out, after the `shorter` renditions of it were tried in order."""
    return Fragment(id, (_full(text), *shorter, OMITTED), "drop", **rules)


def extract(id: str, text: str, pointer: str, **rules: Unpack[Rules]) -> Fragment:  # noqa: A002
    """A text that may move to a file of its own, which the caller writes; `pointer` stays in its place."""
    return Fragment(id, (_full(text), Rendition("pointer", pointer)), "extract", **rules)


def _full(text: str) -> Rendition:
    return Rendition("full", text, len(text))


def _problem(fragment: Fragment) -> str:
    """What is wrong with the rules of `fragment`; empty when nothing is."""
    renditions, strategy = fragment.renditions, fragment.strategy
    if not fragment.id:
        return "has no id"
    if strategy not in STRATEGIES:
        return f"has the unknown strategy {strategy!r}"
    if not renditions or renditions[0].name != "full" or renditions[0].kept != len(renditions[0].text):
        return "must start with its whole text"
    if strategy in ("verbatim", "proportional-truncate") and len(renditions) > 1:
        return f"is {strategy} and has a second rendition"
    if strategy == "drop" and renditions[-1] != OMITTED:
        return "is drop and does not end in being left out"
    if fragment.boundary not in BOUNDARIES:
        return f"has the unknown boundary {fragment.boundary!r}"
    return _problem_of_renditions(renditions[0].text, renditions[1:]) or _problem_of_bounds(fragment)


def _problem_of_renditions(source: str, shorter: tuple[Rendition, ...]) -> str:
    for name, text, kept in shorter:
        if (text == "") != (name == "omitted"):
            return f"has a rendition {name!r} that is {'not ' if text else ''}empty"
        if kept and (text[:kept] != source[:kept] or kept > len(source)):
            return f"has a rendition {name!r} that does not begin like its text"
    return ""


def _problem_of_bounds(fragment: Fragment) -> str:
    floor, ceiling = fragment.floor, fragment.ceiling
    if floor < 0:
        return f"has the floor {floor}"
    if ceiling is not None and ceiling < floor:
        return f"has the floor {floor} above its ceiling {ceiling}"
    if fragment.isolate and fragment.group:
        return "cannot be part of the fixed prefix and of a group"
    if fragment.id in fragment.requires:
        return "requires itself"
    return ""
