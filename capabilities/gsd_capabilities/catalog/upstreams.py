"""Other servers behind this one: which there are, and one connection to each, made when it is first needed.

A file names them as hosts do: `{"mcpServers": {"name": {"command": "...", "args": [...], "env": {...}}}}`.
`${NAME}` and `${NAME:-default}` stand for variables of the environment, so that no secret is written down.
"""

from __future__ import annotations

import json
import logging
import re
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import anyio
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED

from gsd_capabilities.packs.tool import NAMESPACE
from gsd_install.kernel.errors import GsdError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    import mcp_types as types
    from anyio.abc import TaskGroup, TaskStatus
    from mcp.server.lowlevel.server import Server

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
START_SECONDS = 30.0
_PAGES = 100
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9.-])?")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_HINT = '{"mcpServers": {"web": {"command": "web-server", "args": ["--quiet"], "env": {"KEY": "${KEY}"}}}}'


class Entry(NamedTuple):
    """How a server is started."""

    name: str
    command: str
    args: tuple[str, ...]
    env: Mapping[str, str]


def read(file: str, environ: Mapping[str, str]) -> tuple[Entry, ...]:
    """The servers of a file. Raises GsdError `unreadable`, `bad_upstream`."""
    try:
        with open(file, "rb") as stream:
            found = json.loads(stream.read())
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise GsdError(message, reason="unreadable", file=file, hint="--upstream FILE") from error
    except ValueError as error:
        raise _bad(f"this is not JSON: {error}", file) from None
    servers = found.get("mcpServers") if isinstance(found, dict) else None
    if not isinstance(servers, dict):
        raise _bad("there is no object mcpServers", file)
    return tuple(_entry(name, value, file, environ) for name, value in servers.items())


def upstream(entry: Entry, cwd: str) -> Upstream:
    """The server of an entry, which will run in a folder."""
    started = StdioServerParameters(
        command=entry.command, args=list(entry.args), env=dict(entry.env), cwd=cwd
    )
    return Upstream(entry.name, started)


def _entry(name: str, value: object, file: str, environ: Mapping[str, str]) -> Entry:
    given = value if isinstance(value, dict) else {}
    command, args, env = given.get("command"), given.get("args", []), given.get("env", {})
    if not _NAME.fullmatch(name) or NAMESPACE in name:
        raise _bad(f"{name!r} cannot be the name of a server: tools are called name{NAMESPACE}tool", file)
    if not (isinstance(command, str) and command):
        raise _bad(f"the server {name!r} has no command; one with an address alone is not started here", file)
    if not (isinstance(args, list) and all(isinstance(word, str) for word in args)):
        raise _bad(f"the args of {name!r} are no list of texts", file)
    if not (isinstance(env, dict) and all(isinstance(word, str) for word in env.values())):
        raise _bad(f"the env of {name!r} is no object of texts", file)

    def filled(text: str) -> str:
        return _VARIABLE.sub(lambda match: _variable(match, name, file, environ), text)

    return Entry(
        name, filled(command), tuple(map(filled, args)), {key: filled(text) for key, text in env.items()}
    )


def _variable(match: re.Match[str], name: str, file: str, environ: Mapping[str, str]) -> str:
    value = environ.get(match[1], match[2])
    if value is None:
        raise _bad(f"the server {name!r} needs the variable {match[1]}, which is not set", file)
    return value


def _bad(message: str, file: str) -> GsdError:
    return GsdError(message, reason="bad_upstream", file=file, hint=_HINT)


class Upstream:
    """One server, started when it is first asked, and again when it has ended since."""

    def __init__(self, name: str, target: StdioServerParameters | Server[Any]) -> None:
        self.name, self._target = name, target
        self._client: Client | None = None
        self._over = anyio.Event()
        self._one_at_a_time = anyio.Lock()

    async def tools(self, group: TaskGroup) -> list[types.Tool]:
        """What it offers, told within 30 seconds. Raises GsdError `upstream_failed`."""
        return await self._asked(group, _every_tool)

    async def call(
        self, group: TaskGroup, tool: str, arguments: dict[str, Any] | None
    ) -> types.CallToolResult:
        """What one of its tools answers. Raises GsdError `upstream_failed`."""
        return await self._asked(group, lambda client: client.call_tool(tool, arguments))

    async def _asked(self, group: TaskGroup, question: Callable[[Client], Awaitable[T]]) -> T:
        client = None
        try:
            client = await self._connected(group)
            return await question(client)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong over there, this server goes on
            _LOG.warning("the server %s failed: %r", self.name, error)
            if not isinstance(error, MCPError) or error.code == CONNECTION_CLOSED:
                self._drop(client)
            raise self._failed(error) from None

    async def _connected(self, group: TaskGroup) -> Client:
        async with self._one_at_a_time:
            if self._client is None:
                self._over = anyio.Event()
                with anyio.fail_after(START_SECONDS):
                    self._client = await group.start(self._run, self._over)
            return self._client

    async def _run(self, over: anyio.Event, *, task_status: TaskStatus[Client]) -> None:
        """Hold the connection until it is over; a task of its own, for it must end where it began."""
        started = False
        try:
            async with Client(self._target) as client:
                started = True
                task_status.started(client)
                await over.wait()
        except Exception:
            if not started:
                raise
            _LOG.exception("the server %s did not end well", self.name)
        finally:
            if self._over is over:
                self._client = None

    def _drop(self, client: Client | None) -> None:
        """Let go of a connection that failed, unless another one has taken its place meanwhile."""
        if client is not None and self._client is client:
            self._client = None
            self._over.set()

    def _failed(self, error: Exception) -> GsdError:
        why = error.message if isinstance(error, MCPError | GsdError) else type(error).__name__
        if isinstance(error, TimeoutError):
            why = f"it did not answer within {START_SECONDS:.0f} seconds"
        elif isinstance(error, OSError):
            why = (error.strerror or str(error)).lower()
        message = f"the server {self.name!r} failed: {why}"
        return GsdError(message, reason="upstream_failed", hint="see the log of gsd-mcp-server")


async def _every_tool(client: Client) -> list[types.Tool]:
    found: list[types.Tool] = []
    cursor: str | None = None
    with anyio.fail_after(START_SECONDS):
        for _ in range(_PAGES):
            page = await client.list_tools(cursor=cursor)
            found += page.tools
            cursor = page.next_cursor
            if cursor is None:
                return found
    raise GsdError(f"its list of tools has more than {_PAGES} pages", reason="upstream_failed")
