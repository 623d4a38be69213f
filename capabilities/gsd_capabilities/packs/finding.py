"""One call of discovery: what it makes live, what waits, and when it has been called too often in a row."""

from __future__ import annotations

from gsd_capabilities.learning.limits import DISCOVER_BREAK
from gsd_capabilities.packs import allowed, deferred, discovery, select
from gsd_capabilities.packs.tools import DISCOVER
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gsd_capabilities.packs.discovery import State
    from gsd_capabilities.packs.select import Selection
    from gsd_capabilities.packs.tool import Tool


class Found(NamedTuple):
    """What a call of discovery came to.

    `verdict` is that of `discovery.called`; with `break` nothing was activated. `no_room` was asked for and
    evicted at once. `catalog` lists what waits, within its limit; `waiting` is how many that are.
    """

    verdict: discovery.Verdict
    activated: tuple[str, ...]
    unknown: tuple[str, ...]
    no_room: tuple[str, ...]
    available: tuple[str, ...]
    waiting: int
    catalog: str
    selection: Selection


def find(
    scenario: str,
    tools: Iterable[Tool],
    state: State,
    names: Iterable[str] = (),
    *,
    query: str = "",
    manager: bool = False,
    text: str = "",
) -> tuple[State, Found]:
    """Count a call of discovery and activate the names; `text` is as `select.live` has it.

    Raises UsageError `unknown_scenario`.
    """
    every = tuple(tools)
    known = {tool.name for tool in every if allowed.reachable(scenario, tool)}
    counted, verdict = discovery.called(state, DISCOVER)
    asked = () if verdict == "break" else tuple(names)
    after, activated, unknown = discovery.activate(counted, asked, known)
    selection = select.live(scenario, every, after, manager=manager, text=text)
    after = discovery.evicted(after, selection.evicted)
    live = tuple(tool.name for tool in selection.live)
    waiting = tuple(tool for tool in selection.deferred if _has(tool, query))
    return after, Found(
        verdict=verdict,
        activated=tuple(name for name in activated if name in live),
        unknown=unknown,
        no_room=tuple(name for name in activated if name not in live),
        available=live,
        waiting=len(waiting),
        catalog=deferred.listing(waiting),
        selection=selection,
    )


def told(found: Found) -> str:
    """What a model is told, the list of what waits at the end."""
    parts = [
        _listed("live now", found.activated),
        _listed("no such tool", found.unknown),
        _listed("no room within the budget", found.no_room),
        ("1 tool waits" if found.waiting == 1 else f"{found.waiting or 'no'} tools wait")
        + (f":\n{found.catalog}" if found.catalog else ""),
    ]
    if found.verdict == "warn":
        parts.insert(-1, f"call another tool now: discovery stops at {DISCOVER_BREAK} calls in a row")
    return "\n".join(filter(None, parts))


def loop_detected() -> GsdError:
    """The error for an agent that does nothing but look for tools."""
    message = f"discovery was called {DISCOVER_BREAK} times in a row"
    return GsdError(
        message, reason="loop_detected", hint="work with the tools that are live, or ask the user"
    )


def _listed(what: str, names: tuple[str, ...]) -> str:
    return f"{what}: {', '.join(names)}" if names else ""


def _has(tool: Tool, query: str) -> bool:
    whole = f"{tool.name} {tool.description}".casefold()
    return all(word in whole for word in query.casefold().split())
