"""Which tools a model is told of: the only way to their schemas.

What a scenario allows is live, and what was activated; keywords and recent use may add to it as long as there
is room. Where there is not enough, core definitions lose words, as few as will do; where that does not help,
activated tools go: those of other servers first, and among them the one that was used the longest ago. Core
tools never go. Where they alone are too much, the answer says so with numbers.
"""

from __future__ import annotations

from gsd_capabilities.packs import allowed
from gsd_capabilities.packs.scenarios import pack_of
from gsd_capabilities.packs.slim import BARE, FULL, TERSE, slimmed
from gsd_capabilities.packs.tool import CORE_SOURCE, cost, namespaced
from gsd_capabilities.packs.tools import PROTECTED, is_core
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gsd_capabilities.packs.discovery import State
    from gsd_capabilities.packs.tool import Tool


class Unsatisfied(NamedTuple):
    """Tokens that the tools which never go need at the least, those there are, and the tools by cost."""

    required: int
    available: int
    dearest: tuple[str, ...]


class Selection(NamedTuple):
    """`live` in the order of the tools; `deferred` can be made live; `slimmed` names what lost words.

    `tokens` is the cost of `live`. `evicted` were activated and found no room. `unsatisfied` is there when
    `tokens` is over `budget`.
    """

    live: tuple[Tool, ...]
    deferred: tuple[Tool, ...]
    slimmed: tuple[str, ...]
    tokens: int
    budget: int
    unsatisfied: Unsatisfied | None
    evicted: tuple[str, ...] = ()


class _Chosen(NamedTuple):
    """Names that never go, and those that may, in the order in which they would."""

    kept: tuple[str, ...]
    extras: tuple[str, ...]


class _Prices:
    """What each tool costs with more and with fewer words, asked at most once."""

    __slots__ = ("_known", "_tools")

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._tools = tools
        self._known: dict[tuple[str, int], int] = {}

    def of(self, name: str, level: int = FULL) -> int:
        """The cost of a tool at a level of `slim`."""
        key = name, level
        if key not in self._known:
            self._known[key] = cost(slimmed(self._tools[name], level))
        return self._known[key]

    def least(self, name: str) -> int:
        """The cost with as few words as can be."""
        return min(self.of(name), self.of(name, TERSE), self.of(name, BARE))


def live(
    scenario: str, tools: Iterable[Tool], state: State, *, manager: bool = False, text: str = ""
) -> Selection:
    """The tools of a scenario within the budget of its pack.

    Of several tools with one name the first counts. `text`, what was asked, may name tools to load early.
    Raises UsageError `unknown_scenario`.
    """
    budget = pack_of(scenario).tool_tokens
    known = _by_name(tools)
    prices = _Prices(known)
    chosen = _chosen(scenario, known, state, prices, manager=manager)
    evicted = _evicted(chosen, prices, budget)
    names = {*chosen.kept, *chosen.extras} - {*evicted}
    levels = _levels(chosen.kept, sum(map(prices.of, names)) - budget, prices)
    if not evicted and not levels:
        names |= _hastened(scenario, known, state, text, names, budget, prices)
    shown = tuple(slimmed(known[name], levels.get(name, FULL)) for name in known if name in names)
    tokens = sum(prices.of(tool.name, levels.get(tool.name, FULL)) for tool in shown)
    deferred = (tool for tool in known.values() if tool.name not in names)
    return Selection(
        live=shown,
        deferred=tuple(tool for tool in deferred if allowed.reachable(scenario, tool)),
        slimmed=tuple(tool.name for tool in shown if tool.name in levels),
        tokens=tokens,
        budget=budget,
        unsatisfied=_unsatisfied(shown, tokens, budget),
        evicted=evicted,
    )


def _by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    found: dict[str, Tool] = {}
    for tool in tools:
        found.setdefault(tool.name, tool)
    return found


def _chosen(
    scenario: str, known: Mapping[str, Tool], state: State, prices: _Prices, *, manager: bool
) -> _Chosen:
    defaults = allowed.names(scenario, manager=manager)
    kept = [name for name, tool in known.items() if name in defaults and tool.source == CORE_SOURCE]
    asked = [
        known[name]
        for name in state.activated
        if name in known and name not in kept and allowed.reachable(scenario, known[name])
    ]
    extras = [tool for tool in asked if not is_core(tool)]
    extras.sort(key=lambda tool: _turn(tool, state, prices))
    kept += [tool.name for tool in asked if is_core(tool)]
    return _Chosen(tuple(kept), tuple(tool.name for tool in extras))


def _turn(tool: Tool, state: State, prices: _Prices) -> tuple[bool, int, int, str]:
    """What goes first: of another server, used the longest ago, larger, by name."""
    return not namespaced(tool), state.used.get(tool.name, 0), -prices.of(tool.name), tool.name


def _evicted(chosen: _Chosen, prices: _Prices, budget: int) -> tuple[str, ...]:
    """The extras for which there is no room when everything else has as few words as can be."""
    over = sum(map(prices.least, chosen.kept)) + sum(map(prices.of, chosen.extras)) - budget
    gone = []
    for name in chosen.extras:
        if over <= 0:
            break
        over -= prices.of(name)
        gone.append(name)
    return tuple(gone)


def _levels(kept: Iterable[str], over: int, prices: _Prices) -> dict[str, int]:
    """Which of the kept tools lose how many words so that `over` tokens are saved: the wordiest first."""
    levels: dict[str, int] = {}
    for level in (TERSE, BARE):
        for name in sorted(kept, key=lambda name: _wordy(name, level, prices)):
            saved = prices.of(name, levels.get(name, FULL)) - prices.of(name, level)
            if over > 0 and saved > 0:
                levels[name] = level
                over -= saved
    return levels


def _wordy(name: str, level: int, prices: _Prices) -> tuple[bool, int, str]:
    return name in PROTECTED, prices.of(name, level) - prices.of(name), name


def _hastened(
    scenario: str,
    known: Mapping[str, Tool],
    state: State,
    text: str,
    names: set[str],
    budget: int,
    prices: _Prices,
) -> set[str]:
    """Tools to load early: those of late, then those that the text names, as long as there is room."""
    words = set("".join(char if char.isalnum() else " " for char in text.casefold()).split())
    named = [name for name in known if words >= set(name.casefold().split("_"))]
    room = budget - sum(map(prices.of, names))
    found: set[str] = set()
    for name in dict.fromkeys((*reversed(state.recent), *named)):
        if name not in known or name in names or not allowed.hastened(scenario, known[name]):
            continue
        if prices.of(name) <= room:
            room -= prices.of(name)
            found.add(name)
    return found


def _unsatisfied(shown: Sequence[Tool], tokens: int, budget: int) -> Unsatisfied | None:
    if tokens <= budget:
        return None
    dearest = sorted(shown, key=lambda tool: (-cost(tool), tool.name))
    return Unsatisfied(tokens, budget, tuple(tool.name for tool in dearest))
