"""Chat completions over a real connection: what goes out, what comes back, and everything that can break."""

from __future__ import annotations

import ast
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gsd_capabilities.harness import http
from gsd_capabilities.harness.http import ChatCompletions
from gsd_capabilities.harness.provider import Call, Message, PaymentError, Reply
from gsd_capabilities.packs.tools import CORE
from gsd_install.kernel.errors import GsdError, UsageError
from support.scripted_model import Answer, Model, Raw, Refuse, Say, serving


@pytest.fixture
def model() -> Iterator[Model]:
    with serving() as running:
        yield running


def send(model: Model, *messages: Message, stream: bool = False, **options: Any) -> Reply:
    """One call, with everything a request can have unless told otherwise."""
    client = ChatCompletions(model.url, "some-model", options.pop("key", ""), options.pop("heard", None))
    tools = options.pop("tools", ())
    return client.send(
        "the system",
        messages or (Message("user", "hi"),),
        tools,
        **{"max_tokens": None, "stream": stream, **options},
    )


def events(*found: object, end: str = "[DONE]") -> Raw:
    """A stream."""
    lines = [f"data: {json.dumps(one)}\n\n" for one in found]
    return Raw("".join([*lines, f"data: {end}\n\n" if end else ""]).encode())


def test_a_request_has_what_is_set_and_nothing_else(model: Model) -> None:
    send(model)
    assert model.requests == [
        {
            "model": "some-model",
            "messages": [{"role": "system", "content": "the system"}, {"role": "user", "content": "hi"}],
        }
    ]
    assert "authorization" not in {name.lower() for name in model.headers[0]}
    calls = (Call("c1", "file_read", {"path": "ä"}),)
    turn = (Message("assistant", "", calls), Message("tool", "text", call="c1", name="file_read"))
    send(model, *turn, tools=(CORE["file_read"],), max_tokens=7, key="secret")
    whole = model.requests[1]
    assert whole["max_tokens"] == 7
    assert whole["tools"][0]["function"]["name"] == "file_read"
    assert whole["tools"][0]["function"]["parameters"] == CORE["file_read"].schema
    assistant, result = whole["messages"][1:]
    assert json.loads(assistant["tool_calls"][0]["function"]["arguments"]) == {"path": "ä"}
    assert result == {"role": "tool", "tool_call_id": "c1", "content": "text"}
    assert model.headers[1]["Authorization"] == "Bearer secret"


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_is_the_same_whole_and_in_pieces(model: Model, stream: bool) -> None:
    said = Say("héllo there", (("file_read", {"path": "a"}), ("task_get", {"id": "T-1"})))
    model.answers = [said]
    heard: list[str] = []
    reply = send(model, stream=stream, heard=heard.append)
    calls = (Call("call_0", "file_read", {"path": "a"}), Call("call_1", "task_get", {"id": "T-1"}))
    assert reply == Reply("héllo there", calls, 7, 3)
    assert "".join(heard) == ("héllo there\n" if stream else "")
    assert len(heard) == (3 if stream else 0)
    assert model.requests[0].get("stream", False) is stream


@pytest.mark.parametrize("written", ["[1]", "{", "3", '"x"'])
def test_arguments_that_are_no_object_are_told_and_not_guessed(model: Model, written: str) -> None:
    function = {"name": "file_read", "arguments": written}
    message = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": function}]}
    model.answers = [Raw(json.dumps({"choices": [{"message": message}]}).encode(), "application/json")]
    (call,) = send(model).calls
    assert (call.arguments, bool(call.problem)) == ({}, True)


@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_for_want_of_credit_keeps_its_body(model: Model, stream: bool) -> None:
    model.answers = [Refuse(402, '{"error": {"message": "no credit"}}')]
    with pytest.raises(PaymentError) as caught:
        send(model, stream=stream)
    assert "no credit" in caught.value.body


def test_credit_may_end_within_an_answer(model: Model) -> None:
    model.answers = [events({"error": {"code": 402, "message": "requested up to 9 tokens"}})]
    with pytest.raises(PaymentError) as caught:
        send(model, stream=True)
    assert "requested up to 9 tokens" in caught.value.body


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Refuse(500, "x" * 10_000), "10,000 characters"),
        (Refuse(401, '{"error": {"message": "bad key"}}'), "401: bad key"),
        (Refuse(429, '{"error": "slow down"}'), "slow down"),
        (Raw(b"no json", "application/json"), "no JSON object"),
        (Raw(b'{"choices": []}', "application/json"), "no message"),
        (Raw(b'{"error": {"message": "overloaded"}}', "application/json"), "overloaded"),
        (events({"choices": [{"delta": {"content": "hal"}}]}, end=""), "broke off"),
        (Raw(b"", "text/event-stream"), "broke off"),
        (events({"error": {"message": "gone"}}), "gone"),
    ],
)
def test_what_cannot_be_used_is_told(model: Model, answer: Answer, said: str) -> None:
    model.answers = [answer]
    with pytest.raises(GsdError, match=said) as caught:
        send(model, stream=True)
    assert caught.value.reason == "provider_failed"


def test_a_stream_that_says_it_has_finished_needs_no_other_end(model: Model) -> None:
    model.answers = [events({"choices": [{"delta": {"content": "all"}, "finish_reason": "stop"}]}, end="")]
    assert send(model, stream=True).text == "all"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed_and_the_key_goes_nowhere_else(model: Model, status: int) -> None:
    with serving() as other:
        model.answers = [Refuse(status, "", {"location": f"{other.url}/chat/completions"})]
        with pytest.raises(GsdError, match=rf"another address \({status}\)") as caught:
            send(model, key="secret")
        assert "--url" in str(caught.value.hint)
        assert other.requests == []


def test_a_provider_that_is_not_there_is_told() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(GsdError, match="cannot be reached") as caught:
        ChatCompletions(url, "m", "very-secret").send("", (), (), None, stream=False)
    assert "very-secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "ftp://a/v1",
        "http://example.com/v1",
        "https://",
        "https://u:p@a/v1",
        "https://a/v1?k=1",
        "http://[::1",
    ],
)
def test_an_address_is_secure_or_this_machine(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        ChatCompletions(url, "m")
    assert caught.value.reason == "bad_url"


def test_a_whole_address_is_taken_as_it_is(model: Model) -> None:
    for url in (model.url, f"{model.url}/", f"{model.url}/chat/completions"):
        ChatCompletions(url, "m").send("", (), (), None, stream=False)
    assert len(model.requests) == 3


# --- one module sends, one module calls ---------------------------------------------------------------

FOLDER = Path(http.__file__).parent


def senders(sources: dict[str, str]) -> set[str]:
    """Modules that call `send` of something."""
    return {
        name
        for name, source in sources.items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "send"
    }


def networked(sources: dict[str, str]) -> set[str]:
    """Modules that import what speaks to a network."""
    found = set()
    for name, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(one.partition(".")[0] in {"urllib", "http", "socket", "ssl", "asyncio"} for one in names):
                found.add(name)
    return found


SOURCES = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py")}


@pytest.mark.req("ECO-afford-one-helper")
def test_one_module_calls_the_provider_and_one_opens_a_connection() -> None:
    assert len(SOURCES) > 10
    assert senders({**SOURCES, "twin.py": "def f(given):\n    given.provider.send('x')\n"}) == {
        "calling.py",
        "twin.py",
    }
    assert senders(SOURCES) == {"calling.py"}
    twin = {**SOURCES, "twin.py": "def f():\n    from urllib.request import urlopen\n"}
    wire = {name for name in networked(twin) if name != "twin.py"}
    assert networked(twin) - networked(SOURCES) == {"twin.py"}
    assert wire - {"wire.py"} == {"http.py"}


def callers(sources: dict[str, str], name: str) -> set[str]:
    """Modules that call a function of this name."""
    return {
        module
        for module, source in sources.items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name
    }


@pytest.mark.req("ECO-afford-one-helper")
@pytest.mark.parametrize(
    ("name", "modules"),
    [
        ("affordable", {"agent.py"}),
        ("gate", {"prepare.py", "verbs.py"}),
        ("clamp", {"calling.py", "verbs.py"}),
        ("retry", {"calling.py"}),
        ("believed", {"calling.py"}),
        ("rejected", {"prepare.py"}),
    ],
)
def test_each_rule_is_asked_in_one_place_and_by_the_verb_that_explains_it(
    name: str, modules: set[str]
) -> None:
    assert callers({**SOURCES, "twin.py": f"def f():\n    afford.{name}(1)\n"}, name) == {*modules, "twin.py"}
    assert callers(SOURCES, name) == modules
