"""What a model says in one turn, in each of the protocols hosts speak: a word, or a call of a tool.

Anthropic messages, OpenAI chat completions and responses, Gemini generateContent; plain and streamed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple
from zlib import crc32

ANSWER = "WITNESSED"


class Call(NamedTuple):
    """A tool the model asks for, by the host's own name for it, and the arguments."""

    name: str
    arguments: dict[str, Any]

    @property
    def id(self) -> str:
        """What its result is known by; no two calls of one turn are alike."""
        return f"call_{crc32(json.dumps([self.name, self.arguments]).encode())}"


def offered(asked: dict[str, Any]) -> set[str]:
    """The names of the tools that a request offers the model."""
    return set(_tool_names(asked.get("tools") or []))


def _tool_names(tools: list[Any]) -> Iterator[str]:
    for tool in tools:
        if "functionDeclarations" in tool:
            yield from _tool_names(tool["functionDeclarations"])
        else:
            yield tool.get("name") or tool.get("function", {}).get("name", "")


def messages(asked: dict[str, Any], call: Call | None, *, streamed: bool) -> list[dict[str, Any]]:
    """Anthropic's: one message, or the events of one."""
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
    reason = "tool_use" if call else "end_turn"
    block: dict[str, Any] = {"type": "text", "text": ANSWER}
    empty, delta = block | {"text": ""}, {"type": "text_delta", "text": ANSWER}
    if call:
        block = {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
        empty = block | {"input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
    if not streamed:
        return [message | {"content": [block], "stop_reason": reason}]
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    ]


def chat(asked: dict[str, Any], call: Call | None, *, streamed: bool) -> list[dict[str, Any]]:
    """OpenAI's chat completions: one completion, or its chunks."""
    kind = "chat.completion.chunk" if streamed else "chat.completion"
    head = {"id": "chat_1", "object": kind, "created": 0, "model": asked.get("model")}
    said: dict[str, Any] = {"role": "assistant", "content": ANSWER}
    if call:
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        wanted = {"index": 0, "id": call.id, "type": "function", "function": function}
        said = {"role": "assistant", "content": None, "tool_calls": [wanted]}
    reason = "tool_calls" if call else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    if not streamed:
        choice = {"index": 0, "message": said, "finish_reason": reason}
        return [head | {"choices": [choice], "usage": usage}]
    return [
        head | {"choices": [{"index": 0, "delta": said, "finish_reason": None}]},
        head | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
    ]


def responses(asked: dict[str, Any], call: Call | None, *, streamed: bool) -> list[dict[str, Any]]:
    """OpenAI's responses: one response, or its events."""
    item = _called(call) if call else _spoken()
    whole = {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "model": asked.get("model"),
        "output": [item],
        "usage": {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        },
    }
    if not streamed:
        return [whole]
    begun = item | {"status": "in_progress"} | ({"arguments": ""} if call else {"content": []})
    place = {"item_id": "item_1", "output_index": 0}
    said = place | {"type": "response.output_text.delta", "content_index": 0, "delta": ANSWER}
    if call:
        said = place | {"type": "response.function_call_arguments.delta", "delta": item["arguments"]}
    return [
        {"type": "response.created", "response": whole | {"status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        said,
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]


def _spoken() -> dict[str, Any]:
    return {
        "type": "message",
        "id": "item_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": ANSWER, "annotations": []}],
    }


def _called(call: Call) -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": "item_1",
        "call_id": call.id,
        "status": "completed",
        "name": call.name,
        "arguments": json.dumps(call.arguments),
    }


def gemini(call: Call | None) -> dict[str, Any]:
    """Gemini's: one candidate, which is also the one chunk of a stream."""
    part: dict[str, Any] = {"text": ANSWER}
    if call:
        part = {"functionCall": {"name": call.name, "args": call.arguments}}
    content = {"role": "model", "parts": [part]}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": "stub",
    }
