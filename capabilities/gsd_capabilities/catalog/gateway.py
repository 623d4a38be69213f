"""The tools of this server and of others behind it, under the budget of one scenario.

A client sees what is live; `discover_tools` makes more live, and the client is told that the list changed. A
call to a tool of another server is handed on.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from anyio import to_thread

from gsd_capabilities.catalog import pages, relayed, results, tools
from gsd_capabilities.catalog.addresses import RefusedError
from gsd_capabilities.companion import project as projects
from gsd_capabilities.packs import discovery, finding, select, store
from gsd_capabilities.packs.scenarios import pack_of
from gsd_capabilities.packs.tool import NAMESPACE, Tool
from gsd_capabilities.packs.tools import CORE, DISCOVER
from gsd_install.kernel.errors import GsdError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from anyio.abc import TaskGroup

    from gsd_capabilities.catalog.desk import Desk
    from gsd_capabilities.catalog.upstreams import Upstream
    from gsd_capabilities.packs.finding import Found

    T = TypeVar("T")

_OWN = (CORE[DISCOVER], *(Tool(tool.name, tool.description, tool.schema) for tool in tools.TOOLS.values()))


class Session:
    """What is live in one session: in memory, or with a name on disk, where `gsd-tools packs` sees it too."""

    def __init__(self, desk: Desk, name: str = "") -> None:
        self._desk, self._name = desk, name
        self._state = discovery.State()
        self._one_at_a_time = threading.Lock()

    def state(self) -> discovery.State:
        """As it is. Raises UsageError `bad_session`, GsdError."""
        return store.load(projects.find(self._desk.cwd), self._name) if self._name else self._state

    def change(self, made: Callable[[discovery.State], tuple[discovery.State, T]]) -> T:
        """Replace the state. Raises UsageError `bad_session`, GsdError `no_project`, LockedError."""
        if self._name:
            return store.change(projects.find(self._desk.cwd), self._name, made)
        with self._one_at_a_time:
            self._state, answer = made(self._state)
        return answer


class Gateway:
    """Answers about tools and calls them for one scenario. `group` is where connections live.

    Raises UsageError `unknown_scenario`, `bad_session`, GsdError.
    """

    def __init__(
        self, scenario: str, desk: Desk, upstreams: Iterable[Upstream] = (), session: str = ""
    ) -> None:
        pack_of(scenario)
        self.group: TaskGroup | None = None
        self._scenario, self._desk = scenario, desk
        self._upstreams = {upstream.name: upstream for upstream in upstreams}
        self._session = Session(desk, session)
        self._session.state()
        self._offered: dict[str, tuple[types.Tool, ...]] = {}

    async def listed(self, cursor: str | None) -> types.ListToolsResult:
        """`tools/list`: of each tool exactly what was counted, and whether it only reads."""
        live, hints = await self._live(), self._hints()
        page = pages.page(cursor, len(live), pages.fingerprint(tool.name for tool in live))
        shown = [_shown(tool, hints[tool.name]) for tool in live[page.start : page.end]]
        return types.ListToolsResult(tools=shown, next_cursor=page.after)

    async def refused(self, name: str) -> types.CallToolResult | None:
        """The answer for a tool that is not live; None for one that is, and then the call is counted.

        Raises RefusedError `unknown_tool`.
        """
        if name in {tool.name for tool in await self._live()}:
            await to_thread.run_sync(self._session.change, lambda state: discovery.called(state, name))
            return None
        server = name.partition(NAMESPACE)[0]
        unasked = server in self._upstreams and server not in self._offered
        if not unasked and name not in {tool.name for tool in self._known()}:
            raise RefusedError("unknown_tool", "there is no such tool", name)
        return _failed(GsdError(f"{name} is not live", reason="not_live", hint=f"{DISCOVER} makes it so"))

    async def called(self, name: str, arguments: dict[str, Any] | None, call: str) -> types.CallToolResult:
        """What a live tool of another server answers."""
        server, _, tool = name.partition(NAMESPACE)
        try:
            answer = await self._upstreams[server].call(self._here(), tool, arguments)
        except GsdError as error:
            return _failed(error)
        return await to_thread.run_sync(relayed.settled, answer, self._desk, name, call)

    async def discovered(self, arguments: dict[str, Any] | None) -> tuple[types.CallToolResult, bool]:
        """The answer of discovery, and whether other tools are live than before.

        Raises RefusedError `invalid_params`.
        """
        names, query = _asked(arguments or {})
        before = tuple(tool.name for tool in await self._live())
        notes = await self._look(self._upstreams)
        known = self._known()

        def made(state: discovery.State) -> tuple[discovery.State, Found]:
            return finding.find(self._scenario, known, state, names, query=query)

        found = await to_thread.run_sync(self._session.change, made)
        changed = before != found.available
        if found.verdict == "break":
            return _failed(finding.loop_detected()), changed
        return _told(found, notes), changed

    async def _live(self) -> tuple[Tool, ...]:
        state = await to_thread.run_sync(self._session.state)
        needed = {name.partition(NAMESPACE)[0] for name in state.activated if NAMESPACE in name}
        await self._look((needed & self._upstreams.keys()) - self._offered.keys())
        return select.live(self._scenario, self._known(), state).live

    async def _look(self, names: Iterable[str]) -> list[str]:
        """Ask servers what they offer, all at once; what went wrong. Of one that fails nothing is offered."""
        notes: list[str] = []

        async def ask(name: str) -> None:
            try:
                self._offered[name] = tuple(await self._upstreams[name].tools(self._here()))
            except GsdError as error:
                self._offered[name] = ()
                notes.append(error.message)

        async with anyio.create_task_group() as group:
            for name in names:
                group.start_soon(ask, name)
        return sorted(notes)

    def _here(self) -> TaskGroup:
        if self.group is None:
            raise GsdError("the server does not run", reason="upstream_failed")
        return self.group

    def _known(self) -> tuple[Tool, ...]:
        others = [
            Tool(f"{server}{NAMESPACE}{tool.name}", tool.description or "", tool.input_schema, server)
            for server in self._upstreams
            for tool in self._offered.get(server, ())
        ]
        return (*_OWN, *others)

    def _hints(self) -> dict[str, types.ToolAnnotations | None]:
        hints: dict[str, types.ToolAnnotations | None] = {
            name: types.ToolAnnotations(read_only_hint=not tool.writes, destructive_hint=tool.writes)
            for name, tool in tools.TOOLS.items()
        }
        hints[DISCOVER] = types.ToolAnnotations(read_only_hint=True)
        for server, offered in self._offered.items():
            hints |= {f"{server}{NAMESPACE}{tool.name}": tool.annotations for tool in offered}
        return hints


def _asked(arguments: dict[str, Any]) -> tuple[list[str], str]:
    names, query = arguments.get("names", []), arguments.get("query", "")
    for name in arguments.keys() - {"names", "query"}:
        raise RefusedError("invalid_params", f"{DISCOVER} takes names and query, not {name}", name)
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise RefusedError("invalid_params", "names is no list of texts", "names")
    if not isinstance(query, str):
        raise RefusedError("invalid_params", "query is no text", "query")
    return names, query


def _told(found: Found, notes: list[str]) -> types.CallToolResult:
    """The answer twice: some hosts show a model the structured part and nothing else, others the text."""
    structured = {
        "ok": True,
        "verdict": found.verdict,
        "activated": list(found.activated),
        "unknown": list(found.unknown),
        "no_room": list(found.no_room),
        "available_tools": list(found.available),
        "notes": notes,
        "waiting": found.waiting,
        "catalog": found.catalog,
    }
    text = "\n".join([*notes, finding.told(found)])
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=structured)


def _failed(error: GsdError) -> types.CallToolResult:
    found = results.failed(error)
    return types.CallToolResult(
        content=[types.TextContent(text=results.text(found))], structured_content=found, is_error=True
    )


def _shown(tool: Tool, hints: types.ToolAnnotations | None) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description or None,
        input_schema=dict(tool.schema),
        annotations=hints,
    )
