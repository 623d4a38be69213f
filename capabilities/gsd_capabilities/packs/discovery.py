"""What an agent made live, what it used last, and whether it only looks for tools any more."""

from __future__ import annotations

from gsd_capabilities.learning.limits import DISCOVER_BREAK, DISCOVER_WARN, RECENT_TOOLS
from gsd_capabilities.packs.tools import DISCOVER
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Literal

    Verdict = Literal["ok", "warn", "break"]


class State(NamedTuple):
    """The tools of one session; every function here answers with a new one.

    `activated` are names in the order of their activation. `used` says of each how late it was activated or
    used last: a higher number is later, and the names of one activation have the same. `streak` counts calls
    of discovery in a row, `recent` are the other tools that were called last, the newest at the end.
    """

    activated: tuple[str, ...] = ()
    used: Mapping[str, int] = {}
    streak: int = 0
    recent: tuple[str, ...] = ()


class Activation(NamedTuple):
    """The state after it, the names that were activated, and those that nobody knows."""

    state: State
    activated: tuple[str, ...]
    unknown: tuple[str, ...]


def activate(state: State, names: Iterable[str], known: Collection[str]) -> Activation:
    """Make known names live; one that is already counts as used."""
    asked = tuple(dict.fromkeys(names))
    found = tuple(name for name in asked if name in known)
    kept = tuple(dict.fromkeys((*state.activated, *found)))
    ticks = {**state.used, **dict.fromkeys(found, _next(state))}
    unknown = tuple(name for name in asked if name not in known)
    return Activation(state._replace(activated=kept, used=ticks), found, unknown)


def used(state: State, name: str) -> State:
    """Take note that a tool was used."""
    if name not in state.activated:
        return state
    return state._replace(used={**state.used, name: _next(state)})


def called(state: State, name: str) -> tuple[State, Verdict]:
    """Take note of any call: `warn` and `break` say how often discovery was called in a row."""
    if name != DISCOVER:
        recent = (*(other for other in state.recent if other != name), name)[-RECENT_TOOLS:]
        return used(state, name)._replace(streak=0, recent=recent), "ok"
    after = state._replace(streak=state.streak + 1)
    if after.streak >= DISCOVER_BREAK:
        return after, "break"
    return after, "warn" if after.streak >= DISCOVER_WARN else "ok"


def evicted(state: State, names: Collection[str]) -> State:
    """Forget activations for which there was no room: only another activation brings such a tool back."""
    if not names:
        return state
    return state._replace(
        activated=tuple(name for name in state.activated if name not in names),
        used={name: tick for name, tick in state.used.items() if name not in names},
    )


def _next(state: State) -> int:
    return max(state.used.values(), default=0) + 1
