"""Standard streams and streamable HTTP.

On the standard streams a message is one line of UTF-8 that ends in LF, on every system and under every code
page, and nothing else is ever written there: what any code prints goes to standard error.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any, BinaryIO

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import jsonrpc_message_adapter
from pydantic import ValidationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.lowlevel.server import Server

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MOST_BYTES = 16 * 1024 * 1024
GRACE_SECONDS = 5.0
PATH = "/mcp"
_ENDLESS = "subscriptions/listen"


class _Unanswered:
    """The requests that wait for an answer, as long as somebody reads answers."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._gone = False

    def received(self, message: object) -> None:
        """Take note of a request, and of one that is given up."""
        if isinstance(message, types.JSONRPCRequest) and message.method != _ENDLESS:
            self._ids.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            given_up = (message.params or {}).get("requestId")
            if isinstance(given_up, str | int):
                self._ids.discard(given_up)

    def answered(self, message: object) -> None:
        """Take note of an answer."""
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) and message.id is not None:
            self._ids.discard(message.id)

    def over(self) -> None:
        """Nobody reads answers any more."""
        self._gone = True

    async def settled(self) -> None:
        """Wait until everything is answered, or for some seconds."""
        with anyio.move_on_after(GRACE_SECONDS):
            while self._ids and not self._gone:
                await anyio.sleep(0.005)


async def stdio(server: Server[dict[str, Any]], wire_in: BinaryIO, wire_out: BinaryIO) -> None:
    """Serve one client on two streams, until the first of them ends and what it asked is answered."""
    into, inner = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outer, out_of = anyio.create_memory_object_stream[SessionMessage](16)
    unanswered = _Unanswered()
    async with anyio.create_task_group() as group:
        group.start_soon(_read, wire_in, into, outer.clone(), unanswered)
        group.start_soon(_write, wire_out, out_of, unanswered)
        await server.run(inner, outer, server.create_initialization_options())


async def _read(
    wire: BinaryIO,
    into: MemoryObjectSendStream[SessionMessage | Exception],
    answers: MemoryObjectSendStream[SessionMessage],
    unanswered: _Unanswered,
) -> None:
    """Hand on every message; answer a line that is none."""
    async with into, answers:
        while line := await anyio.to_thread.run_sync(wire.readline, MOST_BYTES + 1, abandon_on_cancel=True):
            found = message(line)
            if isinstance(found, types.JSONRPCError):
                if not line.endswith(b"\n"):
                    await anyio.to_thread.run_sync(_skip, wire, abandon_on_cancel=True)
                await answers.send(SessionMessage(found))
            elif found is not None:
                unanswered.received(found)
                await into.send(SessionMessage(found))
        await unanswered.settled()


def _skip(wire: BinaryIO) -> None:
    """Read to the end of the line."""
    while (part := wire.readline(MOST_BYTES)) and not part.endswith(b"\n"):
        pass


def message(line: bytes) -> Any:
    """The message on a line; the error to answer with where it is none; None for an empty line."""
    if not line.strip():
        return None
    if len(line) > MOST_BYTES:
        return _refused(types.INVALID_REQUEST, "the message is too long", None)
    with contextlib.suppress(ValidationError):
        found = jsonrpc_message_adapter.validate_json(line, by_name=False)
        # With an id that is none, a request looks like a notification, and nobody would answer it.
        if not (
            isinstance(found, types.JSONRPCNotification) and b'"id"' in line and "id" in json.loads(line)
        ):
            return found
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return _refused(types.PARSE_ERROR, "this line is not JSON in UTF-8", None)
    given = value.get("id") if isinstance(value, dict) else None
    known = given if isinstance(given, str) or type(given) is int else None
    return _refused(types.INVALID_REQUEST, "this is no request of JSON-RPC 2.0", known)


def _refused(code: int, text: str, about: str | int | None) -> types.JSONRPCError:
    reason = "parse_error" if code == types.PARSE_ERROR else "invalid_request"
    data = types.ErrorData(code=code, message=text, data={"reason": reason})
    return types.JSONRPCError(jsonrpc="2.0", id=about, error=data)


async def _write(
    wire: BinaryIO, out_of: MemoryObjectReceiveStream[SessionMessage], unanswered: _Unanswered
) -> None:
    """Write every message, until there is nobody to read them: then the other stream ends, too."""
    async with out_of:
        with contextlib.suppress(BrokenPipeError):
            async for item in out_of:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                await anyio.to_thread.run_sync(_put, wire, text.encode(errors="replace") + b"\n")
                unanswered.answered(item.message)
    unanswered.over()


def _put(wire: BinaryIO, data: bytes) -> None:
    wire.write(data)
    wire.flush()


def security(host: str, port: int) -> TransportSecuritySettings:
    """Which Host and Origin headers are let in: those of the address that is served, and of no website."""
    names = [_shown(name) for name in (LOOPBACK if host in LOOPBACK else (host,))]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[f"{name}:{port}" for name in names],
        allowed_origins=[f"http://{name}:{port}" for name in names],
    )


def application(server: Server[dict[str, Any]], host: str, port: int) -> Any:
    """The ASGI application of streamable HTTP."""
    return server.streamable_http_app(
        streamable_http_path=PATH, host=host, transport_security=security(host, port)
    )


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def http(server: Server[dict[str, Any]], host: str, port: int, ready: Callable[[str], object]) -> None:
    """Serve clients over HTTP until the process is told to end; port 0 lets the system choose one.

    `ready` gets the address once it is open. Raises OSError when it cannot be.
    """
    import asyncio
    import socket

    import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listener:
        opened = listener.getsockname()[1]
        ready(f"http://{_shown(host)}:{opened}{PATH}")
        config = uvicorn.Config(application(server, host, opened), log_level="warning", access_log=False)
        asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))
