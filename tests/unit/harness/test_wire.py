"""Answers of a provider that are odd, broken, endless or hostile: told or mended, never a bug."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.harness import wire
from gsd_capabilities.harness.http import ChatCompletions
from gsd_capabilities.harness.provider import Message, Reply
from gsd_capabilities.packs.tools import CORE, cost
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.measure import estimated
from support.agents import Desk
from support.scripted_model import Model, Raw, Refuse, serving

DEEP = "[" * 200_000


@pytest.fixture
def model() -> Iterator[Model]:
    with serving() as running:
        yield running


def send(model: Model, answer: Raw | Refuse, *, stream: bool = False, key: str = "") -> Reply:
    model.answers = [answer]
    client = ChatCompletions(model.url, "m", key, lambda _: None)
    return client.send("s", (Message("user", "hi"),), (), None, stream=stream)


def whole(message: object, **choice: object) -> Raw:
    return Raw(json.dumps({"choices": [{"message": message, **choice}]}).encode(), "application/json")


def stream(*choices: object) -> Raw:
    lines = [f"data: {json.dumps({'choices': [one]})}\n\n" for one in choices]
    return Raw("".join([*lines, "data: [DONE]\n\n"]).encode())


# --- what is odd and means something --------------------------------------------------------------------


def test_a_text_may_come_in_parts(model: Model) -> None:
    parts = [{"type": "text", "text": "one "}, {"type": "image"}, "odd", {"type": "text", "text": "two"}]
    assert send(model, whole({"content": parts})).text == "one two"


def test_a_piece_may_have_nothing_in_it(model: Model) -> None:
    pieces = ({"delta": {"content": "all"}}, {"delta": None}, {"finish_reason": "stop"})
    assert send(model, stream(*pieces), stream=True) == Reply("all")


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_an_answer_that_ends_early_says_so(desk: Desk, streamed: bool, reason: str) -> None:
    answer = (
        stream({"delta": {"content": "half"}}, {"delta": {}, "finish_reason": reason})
        if streamed
        else whole({"content": "half"}, finish_reason=reason)
    )
    desk.model.answers = [answer]
    told = desk.agent("stream" if streamed else "chat", "hello").answer
    assert told["text"] == "half"
    assert [one for one in told["warnings"] if reason in one]


def test_an_empty_answer_says_so(desk: Desk) -> None:
    desk.model.answers = [whole({"content": None})]
    assert "the answer is empty" in desk.agent("chat", "hello").answer["warnings"]
    assert "the answer is empty" not in desk.agent("chat", "hello").answer["warnings"]


def test_calls_without_an_id_get_one_that_their_results_name(desk: Desk) -> None:
    function = {"name": "task_list", "arguments": ""}
    desk.model.answers = [whole({"tool_calls": [{"function": function}, {"id": "", "function": function}]})]
    assert desk.agent("chat", "hello").code == 0
    *_, assistant, first, second = desk.model.requests[1]["messages"]
    assert [one["id"] for one in assistant["tool_calls"]] == ["call_0", "call_1"]
    assert [first["tool_call_id"], second["tool_call_id"]] == ["call_0", "call_1"]


def test_half_a_character_is_written_down_nowhere(desk: Desk) -> None:
    desk.model.answers = [whole({"content": "a\ud800b"})]
    assert desk.agent("chat", "hello").answer["text"] == "a?b"


# --- what is broken ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        Raw(DEEP.encode(), "application/json"),
        Raw(f"data: {DEEP}\n\n".encode()),
        Raw(b'{"error": {"code": [402], "message": "odd"}}', "application/json"),
        Raw(b'{"choices": [3]}', "application/json"),
        Raw(b'{"choices": {"0": 1}}', "application/json"),
        whole("text"),
        whole({"tool_calls": [{"function": None}]}),
        Refuse(500, DEEP),
        Refuse(402, DEEP),
        Refuse(402, f"Prompt tokens limit exceeded: {'9' * 5_000} > {'9' * 5_000}"),
        Refuse(402, f"requested up to 1 tokens, but can only afford {'1,000' * 2_000}"),
    ],
    ids=lambda answer: repr(answer)[:60],
)
def test_what_is_broken_is_told(desk: Desk, answer: Raw | Refuse) -> None:
    desk.model.answers = [answer]
    done = desk.agent("chat", "hello")
    assert (done.code, done.reason) in ((1, "provider_failed"), (1, "payment_required"))


def test_arguments_that_are_nested_for_ever_are_no_object(model: Model) -> None:
    function = {"name": "task_list", "arguments": '{"a": ' + DEEP}
    (call,) = send(model, whole({"tool_calls": [{"id": "1", "function": function}]})).calls
    assert call.problem


@pytest.mark.parametrize("streamed", [False, True])
def test_an_answer_without_end_is_not_read_to_its_end(
    model: Model, monkeypatch: pytest.MonkeyPatch, streamed: bool
) -> None:
    monkeypatch.setattr(wire, "AGENT_ANSWER_BYTES", 10_000)
    answer = Raw(b": still thinking\n\n" * 1_000) if streamed else Raw(b" " * 20_000, "application/json")
    with pytest.raises(GsdError, match="more than 10,000 bytes") as caught:
        send(model, answer, stream=streamed)
    assert caught.value.reason == "provider_failed"
    just = json.dumps({"choices": [{"message": {"content": "x"}}]}).encode()
    assert send(model, Raw(just.ljust(10_000), "application/json")).text == "x"


def test_an_answer_that_takes_for_ever_is_given_up(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "AGENT_ANSWER_SECONDS", -1)
    with pytest.raises(GsdError, match="goes on for more than") as caught:
        send(model, stream({"delta": {"content": "still "}}), stream=True)
    assert caught.value.reason == "provider_failed"


def test_what_a_provider_says_does_nothing_to_a_terminal(model: Model) -> None:
    with pytest.raises(GsdError) as caught:
        send(model, Refuse(500, '{"error": {"message": "\\u001b[2Jgone\\u202e"}}'))
    assert caught.value.message.endswith("?[2Jgone?")


def test_a_key_that_a_provider_repeats_is_not_shown(model: Model) -> None:
    with pytest.raises(GsdError) as caught:
        send(model, Refuse(401, '{"error": "no such key: very-s3cret"}'), key="very-s3cret")
    assert "very-s3cret" not in caught.value.message
    assert "no such key" in caught.value.message


@pytest.mark.parametrize(
    "url",
    [
        "https://a..b/v1",
        "https://a:x/v1",
        "https://a:99999/v1",
        "https://a/ä",
        "https://a/v 1",
        "https://a/\x01",
    ],
)
def test_an_address_that_cannot_be_one_is_refused_before_anything_is_sent(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        ChatCompletions(url, "m")
    assert caught.value.reason == "bad_url"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "delta", "content", "tool_calls", "function", "error", "code", "usage"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@settings(max_examples=150, deadline=None)
@given(JSON, st.booleans())
def test_whatever_json_a_provider_answers_is_an_answer_or_told(found: object, streamed: bool) -> None:
    data = json.dumps(found).encode()
    answer = _Answer(b"data: " + data + b"\n\ndata: [DONE]\n\n" if streamed else data, streamed)
    try:
        reason = "" if isinstance(wire.read(answer, None), Reply) else "no reply"  # type: ignore[arg-type]
    except GsdError as error:
        reason = error.reason
    assert reason in ("", "provider_failed", "payment_required")


class _Answer:
    """As much of a response as is read."""

    def __init__(self, data: bytes, streamed: bool) -> None:
        import io

        stream = io.BytesIO(data)
        self.read, self.readline, self.headers = stream.read, stream.readline, self
        self._kind = "text/event-stream" if streamed else "application/json"

    def get_content_type(self) -> str:
        return self._kind


# --- what is measured is what is sent -----------------------------------------------------------------------


def test_a_definition_costs_what_is_sent_of_it() -> None:
    body = wire.body("m", "s", (), tuple(CORE.values()), None, stream=False)
    sent: list[dict[str, Any]] = json.loads(body)["tools"]
    for tool, found in zip(CORE.values(), sent, strict=True):
        text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
        assert text.encode() in body
        assert estimated().cost(text) == cost(tool)
