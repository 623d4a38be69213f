"""Every form of answer, at every event."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from gsd_capabilities.hooks.envelopes import ENVELOPES, Answer, Said, said
from gsd_install.runtime.words import Envelope

EVENTS = ("session-start", "session-end", "prompt", "pre-tool", "post-tool", "stop", "pre-compact")
HEARS = {
    "text": {"session-start", "prompt"},
    "code": set(),
    "specific": {"session-start", "prompt", "pre-tool", "post-tool"},
    "specific-deny": {"session-start", "prompt", "pre-tool", "post-tool"},
    "decision": {"session-start", "prompt", "post-tool"},
    "permission": {"session-start", "post-tool"},
    "permission-decision": {"session-start", "post-tool"},
}


def spoken(name: str, event: str, kind: Any, host_event: str = "E") -> Any:
    """The answer `x` of a kind as JSON, as text, or the veto behind an exclamation mark."""
    reply = said(name, event, host_event, Answer(kind, "x"))
    if reply.veto:
        assert not reply.text
        return f"!{reply.veto}"
    return json.loads(reply.text) if reply.text.startswith("{") else reply.text


def test_the_table_has_the_forms_that_plugins_may_name() -> None:
    assert set(ENVELOPES) == set(get_args(Envelope)) == set(HEARS)


@pytest.mark.case("HK-05")
@pytest.mark.parametrize("name", ENVELOPES)
@pytest.mark.parametrize("event", [*EVENTS, "", "new-event"])
def test_context_is_given_only_where_the_event_takes_it(name: str, event: str) -> None:
    reply = said(name, event, "E", Answer("context", "some words"))
    assert bool(reply.text) is (event in HEARS[name])
    assert not reply.veto


def test_each_form_of_context() -> None:
    assert spoken("text", "prompt", "context") == "x\n"
    inner = {"hookEventName": "UserPromptSubmit", "additionalContext": "x"}
    assert spoken("specific", "prompt", "context", "UserPromptSubmit") == {"hookSpecificOutput": inner}
    assert spoken("decision", "post-tool", "context", "AfterTool") == {
        "hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": "x"}
    }
    assert spoken("permission", "session-start", "context") == {"additional_context": "x"}
    assert spoken("permission-decision", "session-start", "context") == {"additionalContext": "x"}


@pytest.mark.parametrize(
    ("name", "ask", "deny"),
    [
        ("text", "!x", "!x"),
        ("code", "!x", "!x"),
        ("specific", "ask", "deny"),
        ("specific-deny", "deny", "deny"),
    ],
)
def test_a_veto_before_a_tool(name: str, ask: str, deny: str) -> None:
    for kind, wanted in (("ask", ask), ("deny", deny)):
        found = spoken(name, "pre-tool", kind, "PreToolUse")
        if isinstance(found, dict):
            inner = found["hookSpecificOutput"]
            assert (inner["hookEventName"], inner["permissionDecisionReason"]) == ("PreToolUse", "x")
            found = inner["permissionDecision"]
        assert found == wanted


def test_hosts_with_words_of_their_own_for_a_veto() -> None:
    for kind in ("ask", "deny"):
        assert spoken("decision", "pre-tool", kind) == {"decision": "deny", "reason": "x"}
        assert spoken("permission", "pre-tool", kind)["permission"] == "deny"
        found = spoken("permission-decision", "pre-tool", kind)
        assert found == {"permissionDecision": kind, "permissionDecisionReason": "x"}


def test_what_a_tool_brought_back_is_rejected() -> None:
    assert spoken("specific", "post-tool", "deny") == {"decision": "block", "reason": "x"}
    assert spoken("decision", "post-tool", "deny") == {"decision": "deny", "reason": "x"}
    assert spoken("permission", "post-tool", "deny") == {"additional_context": "x"}
    assert spoken("text", "post-tool", "deny") == "!x"


@pytest.mark.parametrize("name", ENVELOPES)
@pytest.mark.parametrize("event", ["", "stop", "session-end", "prompt", "pre-compact"])
def test_nothing_but_a_tool_is_ever_vetoed(name: str, event: str) -> None:
    assert said(name, event, "E", Answer("deny", "x")) == Said()


@pytest.mark.case("HK-05")
@pytest.mark.parametrize("name", ENVELOPES)
def test_a_word_to_the_user_is_no_context(name: str) -> None:
    found = spoken(name, "stop", "notice")
    assert found in ("", {"systemMessage": "x"})
    assert bool(found) is (name in {"specific", "specific-deny", "decision"})


def test_no_answer_is_no_output() -> None:
    assert {said(name, event, "E", None) for name in ENVELOPES for event in EVENTS} == {Said()}
    with pytest.raises(KeyError):
        said("unheard of", "stop", "Stop", None)
