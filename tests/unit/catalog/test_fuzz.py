"""Ten thousand malformed requests: each line is answered or passed over, nothing leaks, nothing hangs."""

from __future__ import annotations

import io
import json
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from gsd_capabilities.catalog import transport
from support.served import SECRET, Served, served

REQUESTS = 10_000
PROBE_EVERY = 250
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "fuzz", "version": "0"},
}
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**70,
    1.5,
    "",
    "x" * 300,
    "\0",
    "\ud800",
    "../../secret.txt",
    "/etc/passwd",
    "file:///etc/passwd",
    "gsd://references/..%2f..%2fsecret.txt",
    "gsd://references/%2e%2e/%2e%2e/secret.txt",
    "gsd://workflows/plan.md",
    "STATE.md",
    [],
    {},
    [[]],
    {"a": {"b": []}},
    ["artifact", "put", "../secret.txt"],
    ["--cwd", "/", "state", "get"],
)
METHODS = (
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "prompts/list",
    "prompts/get",
    "tools/list",
    "tools/call",
    "subscriptions/listen",
    "server/discover",
    "ping",
    "initialize",
    "notifications/cancelled",
    "notifications/progress",
    "nope",
    "",
    7,
)
KEYS = ("uri", "cursor", "name", "arguments", "path", "words", "content", "_meta", "requestId", "reference")
TOOLS = ("gsd_read_state", "gsd_write_state", "gsd_invoke_command", "gsd_render", "gsd_artifact_get", "nope")


def params(chance: random.Random) -> Any:
    """Parameters of some method, one of them wrong more often than not."""
    if chance.random() < 0.3:
        return chance.choice(VALUES)
    made = {chance.choice(KEYS): chance.choice(VALUES) for _ in range(chance.randint(0, 3))}
    if chance.random() < 0.4:
        inner = {chance.choice(KEYS): chance.choice(VALUES) for _ in range(chance.randint(0, 2))}
        made |= {"name": chance.choice(TOOLS), "arguments": inner}
    return made


def line(chance: random.Random, number: int) -> bytes:
    """One malformed line."""
    kind = chance.random()
    if kind < 0.1:
        return bytes(chance.randbytes(chance.randint(1, 60)).replace(b"\n", b"\xfe")) + b"\n"
    message = {
        "jsonrpc": chance.choice(("2.0", "2.0", "2.0", "1.0", 2)),
        "id": chance.choice((number, number, number, None, "x", 1.5, [], True)),
        "method": chance.choice(METHODS),
        "params": params(chance),
    }
    for key in [key for key in message if chance.random() < 0.05]:
        del message[key]
    text = json.dumps(message)
    if kind < 0.2:
        cut = chance.randint(0, len(text))
        text = text[:cut] + chance.choice(("", "}", "]", '"', "\\", "{")) + text[cut + 1 :]
    if kind < 0.22:
        text = "[" * 3000 + text
    return text.encode("utf-8", "surrogatepass") + b"\n"


def probe(number: int) -> bytes:
    """A request that has an answer."""
    return (
        json.dumps({"jsonrpc": "2.0", "id": f"probe-{number}", "method": "resources/list"}).encode() + b"\n"
    )


class Wire(io.RawIOBase):
    """Lines to read, the last of them only when `done` says that all answers are there."""

    def __init__(self, lines: Iterator[bytes], done: threading.Event) -> None:
        self._lines, self._done = lines, done

    def readline(self, _: int | None = -1, /) -> bytes:
        found = next(self._lines, None)
        if found is None:
            assert self._done.wait(30)
            return b""
        return found


class Answers(io.BytesIO):
    """What was answered; `done` is set with the answer that is waited for."""

    def __init__(self, last: bytes, done: threading.Event) -> None:
        super().__init__()
        self._last, self._done = last, done

    def write(self, data: Any, /) -> int:
        if self._last in data:
            self._done.set()
        return super().write(data)


def spoken(box: Served, lines: list[bytes], last: str) -> list[dict[str, Any]]:
    """Everything the server answers on the standard streams."""
    done = threading.Event()
    wire_in, wire_out = Wire(iter(lines), done), Answers(f'"{last}"'.encode(), done)

    async def run() -> None:
        with anyio.fail_after(120):
            await transport.stdio(box.service.server, wire_in, wire_out)  # type: ignore[arg-type]

    anyio.run(run)
    out = wire_out.getvalue()
    assert out.endswith(b"\n")
    return [json.loads(answer) for answer in out.splitlines()]


def opening() -> list[bytes]:
    first = {"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": INITIALIZE}
    second = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    return [json.dumps(first).encode() + b"\n", json.dumps(second).encode() + b"\n"]


@pytest.mark.case("MC-03", "MC-05")
def test_malformed_requests_never_break_leak_or_hang(tmp_path: Path) -> None:
    box = served(tmp_path, installed=True)
    (box.planning / "STATE.md").write_text("here\n", encoding="utf-8")
    chance = random.Random(1671)
    lines = opening()
    for number in range(REQUESTS):
        lines.append(line(chance, number))
        if number % PROBE_EVERY == 0:
            lines.append(probe(number))
    lines.append(probe(REQUESTS))
    answers = spoken(box, lines, f"probe-{REQUESTS}")
    by_id = {answer.get("id"): answer for answer in answers}
    probes = [f"probe-{number}" for number in range(0, REQUESTS + 1, PROBE_EVERY)]
    assert [name for name in probes if "result" not in by_id[name]] == []
    assert len(answers) > REQUESTS / 2
    assert {answer["jsonrpc"] for answer in answers} == {"2.0"}
    codes = {answer["error"]["code"] for answer in answers if "error" in answer}
    assert codes <= {-32700, -32600, -32601, -32602, -32603}
    assert codes >= {-32700, -32600, -32601, -32602}
    said = json.dumps(answers)
    assert SECRET not in said
    assert [part for part in (str(tmp_path / "secret"), "root:x:", "Traceback") if part in said] == []
    assert (tmp_path / "secret.txt").read_text(encoding="utf-8") == SECRET


def _answers_of(box: Served, *middle: bytes) -> list[dict[str, Any]]:
    return [
        answer
        for answer in spoken(box, [*opening(), *middle, probe(0)], "probe-0")
        if answer["id"] != "first"
    ]


@pytest.mark.parametrize(
    ("sent", "code", "about"),
    [
        (b"\xff\xfe\n", -32700, None),
        (b"{\n", -32700, None),
        (b"[" * 100_000 + b"\n", -32700, None),
        (b"[]\n", -32600, None),
        (b'{"id": 5}\n', -32600, 5),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}\n', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "nope"}\n', -32601, 7),
    ],
)
def test_a_line_that_is_no_request_has_its_error(
    tmp_path: Path, sent: bytes, code: int, about: int | None
) -> None:
    wrong, right = _answers_of(served(tmp_path), sent)
    assert (wrong["error"]["code"], wrong["id"]) == (code, about)
    assert "result" in right


def test_empty_lines_are_passed_over(tmp_path: Path) -> None:
    [right] = _answers_of(served(tmp_path), b"\n", b"  \r\n")
    assert "result" in right


def test_a_message_without_end_is_refused_and_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "MOST_BYTES", 100)
    assert transport.message(b"x" * 101).error.code == -32600
    wire = io.BytesIO(b"x" * 350 + b"\n" + probe(0))
    transport._skip(wire)
    assert wire.read() == probe(0)
