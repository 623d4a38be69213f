"""`gsd-tools packs`: which tools a scenario has, and how a list of tools fits into its budget."""

from __future__ import annotations

from gsd_capabilities.companion.project import find
from gsd_capabilities.companion.request import Verb
from gsd_capabilities.packs import deferred, discovery, finding, reading, select, store
from gsd_capabilities.packs.scenarios import ENTITY_BOUND, PACKS, SCENARIOS, pack_of
from gsd_capabilities.packs.tool import wire
from gsd_capabilities.packs.tools import CORE
from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.request import Request
    from gsd_capabilities.packs.select import Selection
    from gsd_capabilities.packs.tool import Tool


def _list(request: Request) -> object:
    """Every pack with its budgets and scenarios."""
    _words(request, "packs list", 0)
    return {
        pack.name: {
            "tool_tokens": pack.tool_tokens,
            "fixed_tokens": pack.fixed_tokens,
            "scenarios": [name for name, used in SCENARIOS.items() if used is pack],
        }
        for pack in PACKS.values()
    }


def _show(request: Request) -> object:
    """The core tools of a scenario."""
    (scenario,) = _words(request, "packs show", 1)
    found = select.live(scenario, CORE.values(), discovery.State(), manager="manager" in request.options)
    return {**_told(scenario, found), "bound_to_work": scenario in ENTITY_BOUND}


def _fit(request: Request) -> object:
    """A list of tools within the budget of a scenario, with what the session made live."""
    (scenario,) = _words(request, "packs fit", 1)
    session, options = request.options.get("session"), request.options
    state = store.load(find(request.cwd), session) if session is not None else discovery.State()
    tools = _tools(request, "packs fit")
    found = select.live(scenario, tools, state, manager="manager" in options, text=options.get("text", ""))
    return {
        **_told(scenario, found),
        "tools": [wire(tool) for tool in found.live],
        "catalog": deferred.listing(found.deferred),
    }


def _discover(request: Request) -> object:
    """Make tools live in a session. Raises GsdError `loop_detected`, and then has only counted the call."""
    usage = VERBS["packs discover"].usage
    if len(request.words) < 2:
        raise UsageError("a session and a scenario are needed", reason="usage", hint=usage)
    session, scenario, *names = request.words
    tools, options = _tools(request, "packs discover"), request.options
    found = store.change(
        find(request.cwd),
        session,
        lambda state: finding.find(
            scenario, tools, state, names, query=options.get("query", ""), manager="manager" in options
        ),
    )
    if found.verdict == "break":
        raise finding.loop_detected()
    return {
        "verdict": found.verdict,
        "activated": found.activated,
        "unknown": found.unknown,
        "no_room": found.no_room,
        "available_tools": found.available,
        "deferred": [tool.name for tool in found.selection.deferred],
        "catalog": found.catalog,
    }


def _called(request: Request) -> object:
    """Take note that a session called a tool."""
    session, name = _words(request, "packs called", 2)
    verdict = store.change(find(request.cwd), session, lambda state: discovery.called(state, name))
    return {"verdict": verdict}


def _told(scenario: str, found: Selection) -> dict[str, object]:
    unsatisfied = found.unsatisfied
    return {
        "scenario": scenario,
        "pack": pack_of(scenario).name,
        "budget": found.budget,
        "tokens": found.tokens,
        "live": [tool.name for tool in found.live],
        "deferred": [tool.name for tool in found.deferred],
        "slimmed": found.slimmed,
        "evicted": found.evicted,
        "unsatisfied": unsatisfied._asdict() if unsatisfied else None,
    }


def _tools(request: Request, verb: str) -> tuple[Tool, ...]:
    """The tools of `--tools`, behind our own with `--core`."""
    core = tuple(CORE.values()) if "core" in request.options else ()
    name = request.options.get("tools")
    if name is None and not core:
        raise UsageError("--tools is needed", reason="usage", hint=VERBS[verb].usage)
    return core if name is None else (*core, *reading.tools_of(request, name))


def _words(request: Request, verb: str, count: int) -> tuple[str, ...]:
    if len(request.words) != count:
        words = "one word" if count == 1 else f"{count} words"
        raise UsageError(f"{verb} takes {words}", reason="usage", hint=VERBS[verb].usage)
    return request.words


_VALUES, _FLAGS = frozenset({"tools"}), frozenset({"core", "manager"})

VERBS: Mapping[str, Verb] = {
    "packs list": Verb(_list, "packs list"),
    "packs show": Verb(_show, "packs show SCENARIO [--manager]", flags=frozenset({"manager"})),
    "packs fit": Verb(
        _fit,
        "packs fit SCENARIO [--tools FILE|-] [--core] [--session ID] [--text TEXT] [--manager]",
        values=_VALUES | {"session", "text"},
        flags=_FLAGS,
    ),
    "packs discover": Verb(
        _discover,
        "packs discover SESSION SCENARIO [NAMES ...] [--tools FILE|-] [--core] [--query WORDS] [--manager]",
        values=_VALUES | {"query"},
        flags=_FLAGS,
    ),
    "packs called": Verb(_called, "packs called SESSION NAME"),
}
