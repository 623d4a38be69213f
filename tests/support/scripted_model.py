"""A provider of chat completions on the loopback that says what a test tells it to, and counts requests."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

DONE = "done"


class Say(NamedTuple):
    """An answer: text, and calls of tools by name with their arguments."""

    text: str = DONE
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()


class Refuse(NamedTuple):
    """An answer with another status than 200."""

    status: int
    body: str
    headers: Mapping[str, str] = {}


class Raw(NamedTuple):
    """Bytes as they are."""

    data: bytes
    kind: str = "text/event-stream"


Answer = Say | Refuse | Raw


class Model:
    """A running provider: `answers` are given in turn, then `DONE`; `requests` are what it was asked."""

    def __init__(self) -> None:
        self.url = ""
        self.answers: list[Answer | Callable[[dict[str, Any]], Answer]] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []

    def next(self, asked: dict[str, Any]) -> Answer:
        """The answer to a request."""
        self.requests.append(asked)
        answer = self.answers.pop(0) if self.answers else Say()
        return answer(asked) if callable(answer) else answer

    def tools(self, number: int) -> set[str]:
        """The names of the tools of a request."""
        return {tool["function"]["name"] for tool in self.requests[number].get("tools", ())}

    def results(self, number: int) -> list[str]:
        """What tools came to, as a request has it."""
        return [one["content"] for one in self.requests[number]["messages"] if one["role"] == "tool"]


def call(name: str, /, **arguments: Any) -> Say:
    """An answer that is one call."""
    return Say("", ((name, arguments),))


@contextlib.contextmanager
def serving() -> Iterator[Model]:
    """Serve on a free port of the loopback."""
    model = Model()

    class Handler(_Handler):
        provider = model

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    provider: Model

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Say nothing."""

    def do_GET(self) -> None:
        """Only a redirect that was followed gets here."""
        self.provider.requests.append({"followed": self.path})
        self._write(404, b"{}", "application/json", {})

    def do_POST(self) -> None:
        """Answer as the script says."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.provider.headers.append(dict(self.headers.items()))
        answer = self.provider.next(asked)
        if isinstance(answer, Refuse):
            self._write(answer.status, answer.body.encode(), "application/json", answer.headers)
        elif isinstance(answer, Raw):
            self._write(200, answer.data, answer.kind, {})
        elif asked.get("stream"):
            self._write(200, b"".join(_events(answer)), "text/event-stream", {})
        else:
            self._write(200, json.dumps(_whole(answer)).encode(), "application/json", {})

    def _write(self, status: int, data: bytes, kind: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def _calls(answer: Say) -> list[dict[str, Any]]:
    return [
        {
            "index": number,
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(answer.calls)
    ]


def _whole(answer: Say) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.calls:
        message["tool_calls"] = _calls(answer)
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}


def _events(answer: Say) -> Iterator[bytes]:
    """Text and arguments in two pieces each, as providers do."""
    half = len(answer.text) // 2
    deltas: list[dict[str, Any]] = [{"content": answer.text[:half]}, {"content": answer.text[half:]}]
    for one in _calls(answer):
        arguments = one["function"]["arguments"]
        first = {**one, "function": {"name": one["function"]["name"], "arguments": arguments[:2]}}
        deltas += [
            {"tool_calls": [first]},
            {"tool_calls": [{"index": one["index"], "function": {"arguments": arguments[2:]}}]},
        ]
    for delta in deltas:
        yield f"data: {json.dumps({'choices': [{'index': 0, 'delta': delta}]})}\n\n".encode()
    usage = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}
    yield f": comment\n\ndata: {json.dumps(usage)}\n\ndata: [DONE]\n\n".encode()
