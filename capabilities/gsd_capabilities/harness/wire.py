"""The form of chat completions: messages and tools as JSON, answers whole or as server-sent events."""

from __future__ import annotations

import json

from gsd_capabilities.harness.provider import Call, PaymentError, Reply
from gsd_capabilities.learning.limits import AGENT_ANSWER_BYTES, AGENT_ANSWER_SECONDS
from gsd_capabilities.packs.tool import sent
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from http.client import HTTPResponse

    from gsd_capabilities.harness.provider import Message
    from gsd_capabilities.packs.tools import Tool

_PAYMENT = "402"
_DONE: dict[str, object] = {}
# Reasons to end an answer that leave it unfinished.
_UNFINISHED = frozenset({"length", "content_filter"})


def body(
    model: str,
    system: str,
    messages: Sequence[Message],
    tools: Sequence[Tool],
    max_tokens: int | None,
    *,
    stream: bool,
) -> bytes:
    """A request. What is not set is not named."""
    asked: dict[str, object] = {
        "model": model,
        "messages": [{"role": "system", "content": system}, *map(_message, messages)],
    }
    if tools:
        asked["tools"] = [sent(tool) for tool in tools]
    if max_tokens is not None:
        asked["max_tokens"] = max_tokens
    if stream:
        asked["stream"] = True
    return json.dumps(asked, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def read(answer: HTTPResponse, heard: Callable[[str], None] | None) -> Reply:
    """An answer, whole or in pieces as its type says.

    Raises GsdError `provider_failed` for one that is neither, breaks off or does not end, PaymentError for
    one that ends for want of credit; OSError from the connection.
    """
    if answer.headers.get_content_type() == "text/event-stream":
        return _streamed(_lines(answer), heard)
    data = answer.read(AGENT_ANSWER_BYTES + 1)
    _check_size(AGENT_ANSWER_BYTES - len(data))
    return _whole(_object(data))


def _lines(answer: HTTPResponse) -> Iterator[bytes]:
    from time import monotonic

    left, end = AGENT_ANSWER_BYTES, monotonic() + AGENT_ANSWER_SECONDS
    while line := answer.readline(left + 1):
        left -= len(line)
        _check_size(left)
        if monotonic() > end:
            raise _unreadable(f"it goes on for more than {AGENT_ANSWER_SECONDS:,} seconds")
        yield line


def _check_size(left: int) -> None:
    if left < 0:
        raise _unreadable(f"it has more than {AGENT_ANSWER_BYTES:,} bytes")


def said(text: str) -> str:
    """The message of a body, else the body on one line; long ones are told by their length.

    Nothing in it makes a terminal do more than show text.
    """
    try:
        found = json.loads(text)
        message = found["error"]["message"] if isinstance(found["error"], dict) else found["error"]
    except (ValueError, TypeError, KeyError, RecursionError):
        message = text
    line = "".join(char if char.isprintable() else "?" for char in " ".join(str(message).split()))
    return line if len(line) <= 500 else f"a page of {len(line):,} characters"


def _message(message: Message) -> dict[str, object]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call, "content": message.text}
    plain: dict[str, object] = {"role": message.role, "content": message.text}
    if message.calls:
        plain["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
            }
            for call in message.calls
        ]
    return plain


def _whole(found: dict[str, object]) -> Reply:
    choice = _first(found)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise _unreadable("it has no message")
    listed = message.get("tool_calls")
    calls = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    made = tuple(_call(one, number) for number, one in enumerate(calls))
    return Reply(_content(message.get("content")), made, *_usage(found.get("usage")), _unfinished(choice))


def _first(found: dict[str, object]) -> dict[str, object]:
    """The first choice. Raises GsdError `provider_failed`."""
    _check(found)
    choices = found.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict):
        raise _unreadable("it has no message")
    return first


def _content(value: object) -> str:
    """The text of a message, which some providers give in parts."""
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in value if isinstance(part, dict))
    return _text(value)


def _unfinished(choice: dict[str, object]) -> str:
    reason = _text(choice.get("finish_reason"))
    return reason if reason in _UNFINISHED else ""


def _streamed(lines: Iterable[bytes], heard: Callable[[str], None] | None) -> Reply:
    text: list[str] = []
    calls: dict[int, dict[str, str]] = {}
    usage: tuple[int | None, int | None] = (None, None)
    ended, unfinished = False, ""
    for found in _events(lines):
        ended = ended or found is _DONE or _finished(found)
        if found.get("usage"):
            usage = _usage(found["usage"])
        if not found.get("choices") and "error" not in found:
            continue
        choice = _first(found)
        unfinished = unfinished or _unfinished(choice)
        delta = choice.get("delta")
        piece = delta if isinstance(delta, dict) else {}
        said_now = _content(piece.get("content"))
        if said_now:
            text.append(said_now)
            if heard is not None:
                heard(said_now)
        _add_calls(calls, piece.get("tool_calls"))
    if not ended:
        raise _unreadable("it broke off")
    made = (_made(calls[index], number) for number, index in enumerate(sorted(calls)))
    return Reply("".join(text), tuple(made), *usage, unfinished)


def _events(lines: Iterable[bytes]) -> Iterable[dict[str, object]]:
    """The events of a stream, and `_DONE` at its proper end."""
    for line in lines:
        field, _, data = line.strip().partition(b":")
        if field != b"data":
            continue
        if data.strip() == b"[DONE]":
            yield _DONE
            return
        yield _object(data)


def _finished(found: dict[str, object]) -> bool:
    choices = found.get("choices")
    return isinstance(choices, list) and any(
        isinstance(choice, dict) and choice.get("finish_reason") for choice in choices
    )


def _add_calls(calls: dict[int, dict[str, str]], pieces: object) -> None:
    for piece in pieces if isinstance(pieces, list) else ():
        if not isinstance(piece, dict):
            continue
        index = piece.get("index")
        call = calls.setdefault(index if isinstance(index, int) else len(calls), {})
        function = piece.get("function")
        call["id"] = call.get("id", "") or _text(piece.get("id"))
        if isinstance(function, dict):
            call["name"] = call.get("name", "") + _text(function.get("name"))
            call["arguments"] = call.get("arguments", "") + _text(function.get("arguments"))


def _call(one: dict[str, object], number: int) -> Call:
    function = one.get("function")
    if not isinstance(function, dict):
        raise _unreadable("a call of it names no function")
    return _made(
        {
            "id": _text(one.get("id")),
            "name": _text(function.get("name")),
            "arguments": _text(function.get("arguments")),
        },
        number,
    )


def _made(call: dict[str, str], number: int) -> Call:
    """A call; arguments that are no JSON object are told to the model and not guessed at.

    One without an id gets one: its result must name it.
    """
    name, written = call.get("name", ""), call.get("arguments", "")
    made = call.get("id") or f"call_{number}"
    try:
        arguments = json.loads(written or "{}")
    except (ValueError, RecursionError):
        arguments = None
    if isinstance(arguments, dict):
        return Call(made, name, arguments)
    return Call(made, name, {}, "the arguments are no JSON object")


def _object(data: bytes) -> dict[str, object]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise _unreadable("it is no JSON object")
    return found


def _check(found: dict[str, object]) -> None:
    """Raises what an answer says that is an error, whatever its status was."""
    error = found.get("error")
    if not error:
        return
    whole = json.dumps(found, ensure_ascii=False)
    if isinstance(error, dict) and str(error.get("code")) == _PAYMENT:
        raise PaymentError(whole)
    raise _unreadable(said(whole))


def _usage(usage: object) -> tuple[int | None, int | None]:
    found = usage if isinstance(usage, dict) else {}
    prompt, output = found.get("prompt_tokens"), found.get("completion_tokens")
    return (prompt if isinstance(prompt, int) else None, output if isinstance(output, int) else None)


def _text(value: object) -> str:
    """A text, with a question mark for each half of a character; empty for anything else."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _unreadable(why: str) -> GsdError:
    hint = "look at --url: it must lead to chat completions; or try again, if it did so before"
    return GsdError(f"the answer of the provider cannot be used: {why}", reason="provider_failed", hint=hint)
