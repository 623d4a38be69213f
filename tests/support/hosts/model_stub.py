"""A model on the loopback that answers everything with the same word and remembers what it was sent.

It speaks as much of four protocols as hosts need to get through one turn: Anthropic messages, OpenAI chat
completions and responses, Gemini generateContent; plain and streamed.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = "WITNESSED"


class Stub:
    """A running stub: its address, and the bodies it was sent."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.bodies: list[str] = []

    @property
    def sent(self) -> str:
        """Everything hosts sent, as one text."""
        return "\n".join(self.bodies)


@contextlib.contextmanager
def serving() -> Iterator[Stub]:
    """Serve on a free port of the loopback."""
    stub = Stub(0)

    class Handler(_Handler):
        bodies = stub.bodies

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
    bodies: list[str]

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Say nothing."""

    def do_GET(self) -> None:
        """A list of one model for whoever asks for models, an empty object else."""
        models = {"object": "list", "data": [{"id": "stub-model", "object": "model", "owned_by": "stub"}]}
        self._reply(models if self.path.split("?")[0].endswith("/models") else {})

    def do_POST(self) -> None:
        """Remember the body and answer it in its protocol."""
        body = self._body()
        self.bodies.append(body)
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
            self._answer(_messages(asked, streamed=streamed), streamed=streamed)
        elif path.endswith("/chat/completions"):
            self._answer([*_chat(asked, streamed=streamed)], streamed=streamed, end="[DONE]")
        elif path.endswith("/responses"):
            self._answer(_responses(asked, streamed=streamed), streamed=streamed)
        elif "enerateContent" in path:
            self._answer([_GEMINI], streamed=streamed)
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


def _messages(asked: dict[str, Any], *, streamed: bool) -> list[dict[str, Any]]:
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": asked.get("model", "stub"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    if not streamed:
        return [message | {"content": [{"type": "text", "text": ANSWER}], "stop_reason": "end_turn"}]
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ANSWER}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    ]


def _chat(asked: dict[str, Any], *, streamed: bool) -> Iterator[dict[str, Any]]:
    kind = "chat.completion.chunk" if streamed else "chat.completion"
    head = {"id": "chat_1", "object": kind, "created": 0, "model": asked.get("model")}
    said = {"role": "assistant", "content": ANSWER}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    if not streamed:
        yield head | {"choices": [{"index": 0, "message": said, "finish_reason": "stop"}], "usage": usage}
        return
    yield head | {"choices": [{"index": 0, "delta": said, "finish_reason": None}]}
    yield head | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage}


def _responses(asked: dict[str, Any], *, streamed: bool) -> list[dict[str, Any]]:
    item: dict[str, Any] = {
        "type": "message",
        "id": "item_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": ANSWER, "annotations": []}],
    }
    usage = {
        "input_tokens": 1,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 2,
    }
    whole = {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "model": asked.get("model"),
        "output": [item],
        "usage": usage,
    }
    if not streamed:
        return [whole]
    begun = item | {"content": [], "status": "in_progress"}
    return [
        {"type": "response.created", "response": whole | {"status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        {
            "type": "response.output_text.delta",
            "item_id": "item_1",
            "output_index": 0,
            "content_index": 0,
            "delta": ANSWER,
        },
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]


_GEMINI = {
    "candidates": [
        {"content": {"role": "model", "parts": [{"text": ANSWER}]}, "finishReason": "STOP", "index": 0}
    ],
    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    "modelVersion": "stub",
}
