"""A model on the loopback that remembers what it was sent.

It answers everything with the same word; only while it is told of calls of tools it asks for them, one after
the other, of a host that offers them.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from support.hosts import protocols
from support.hosts.protocols import Call


class Stub:
    """A running stub: its address, the bodies it was sent, and the calls it has still to make."""

    def __init__(self) -> None:
        self.url = ""
        self.bodies: list[str] = []
        self.calls: list[Call] = []
        self._turn = threading.Lock()

    def next_call(self, asked: dict[str, Any]) -> Call | None:
        """The next call, where this request offers its tool."""
        with self._turn:
            if self.calls and self.calls[0].name in protocols.offered(asked):
                return self.calls.pop(0)
        return None

    @property
    def sent(self) -> str:
        """Everything hosts sent, as one text."""
        return "\n".join(self.bodies)


@contextlib.contextmanager
def serving() -> Iterator[Stub]:
    """Serve on a free port of the loopback."""
    stub = Stub()

    class Handler(_Handler):
        model = stub

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stub.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: Stub

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Say nothing."""

    def do_GET(self) -> None:
        """A list of one model for whoever asks for models, an empty object else."""
        models = {"object": "list", "data": [{"id": "stub-model", "object": "model", "owned_by": "stub"}]}
        self._reply(models if self.path.split("?")[0].endswith("/models") else {})

    def do_POST(self) -> None:
        """Remember the body and answer it in its protocol."""
        body = self._body()
        self.model.bodies.append(body)
        try:
            asked = json.loads(body or "{}")
        except ValueError:
            asked = {}
        path = self.path.split("?")[0]
        streamed = bool(asked.get("stream")) or "stream" in path
        if path.endswith("/count_tokens"):
            self._reply({"input_tokens": 1})
        elif "countTokens" in path:
            self._reply({"totalTokens": 1})
        elif path.endswith("/messages"):
            call = self.model.next_call(asked)
            self._answer(protocols.messages(asked, call, streamed=streamed), streamed=streamed)
        elif path.endswith("/chat/completions"):
            call = self.model.next_call(asked)
            self._answer(protocols.chat(asked, call, streamed=streamed), streamed=streamed, end="[DONE]")
        elif path.endswith("/responses"):
            call = self.model.next_call(asked)
            self._answer(protocols.responses(asked, call, streamed=streamed), streamed=streamed)
        elif "enerateContent" in path:
            self._answer([protocols.gemini(self.model.next_call(asked))], streamed=streamed)
        else:
            self._reply({})

    def _body(self) -> str:
        if "chunked" in (self.headers.get("transfer-encoding") or ""):
            data = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            data = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            data = gzip.decompress(data)
        return data.decode("utf-8", "replace")

    def _answer(self, events: list[dict[str, Any]], *, streamed: bool, end: str = "") -> None:
        if not streamed:
            self._reply(events[0])
            return
        lines = []
        for event in events:
            if "type" in event and not end:
                lines.append(f"event: {event['type']}\n")
            lines.append(f"data: {json.dumps(event)}\n\n")
        if end:
            lines.append(f"data: {end}\n\n")
        self._write("".join(lines).encode(), "text/event-stream")

    def _reply(self, value: Any) -> None:
        self._write(json.dumps(value).encode(), "application/json")

    def _write(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
