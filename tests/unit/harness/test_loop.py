"""Calls and tools in turn: tools that are made live, looking for tools again and again, and what is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gsd_capabilities.learning import limits
from gsd_capabilities.packs.tools import CORE
from support.agents import AT, Desk, Done
from support.scripted_model import Say, call

# Ways in that offer to make `review_verdict` live, with what they start from.
LOOPS = ("chat", "stream", "task", "resume", "heartbeat", "distil")


def enter(desk: Desk, entry: str) -> Done:
    """One way in, with what it needs to be there."""
    if entry == "task":
        assert desk.tools("task", "add", "do it", "--to", "agent").code == 0
        return desk.agent("task", "T-1")
    if entry == "resume":
        desk.model.answers.insert(0, Say("hello"))
        session = desk.agent("chat", "hello").answer["session"]
        desk.model.requests.clear()
        return desk.agent("resume", session, "go on")
    if entry == "distil":
        assert desk.tools("learn", "remember", stdin=b'{"role": "user", "text": "remember"}\n').code == 0
        return desk.agent("distil")
    return desk.agent(entry, *(() if entry == "heartbeat" else ("hello",)))


@pytest.mark.req("ECO-discover-refresh", "ECO-discover-no-stale")
@pytest.mark.parametrize("entry", LOOPS)
def test_what_is_made_live_is_in_the_next_request_of_every_entry(desk: Desk, entry: str) -> None:
    desk.model.answers = [
        call("discover_tools", names=["review_verdict"]),
        call("review_verdict", task_id="T-9", verdict="approved"),
    ]
    assert enter(desk, entry).code == 0
    before, after, last = (desk.model.tools(number) for number in range(3))
    assert "review_verdict" not in before
    assert "review_verdict" in after
    assert after == last, "and it stays"
    assert before <= after
    found, verdict = desk.model.results(2)
    assert found.startswith("live now: review_verdict")
    assert "no task 'T-9'" in verdict, "it was run and not refused for being unknown"


SKILL = "---\ndescription: Tidies up\n---\n\n# Tidy up\n\n"
SENTENCE = "Remove what tests left behind before you say that they pass, and name what you removed."


@pytest.mark.req("ECO-skill-load-explicit", "A-skill-l0-only", "B-stats-activate")
@pytest.mark.parametrize("entry", LOOPS)
def test_a_skill_is_read_when_it_is_asked_for_by_name_and_not_before(desk: Desk, entry: str) -> None:
    file = desk.root / ".planning" / "learned" / "skills" / "tidy-up" / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(f"{SKILL}{SENTENCE}\n", encoding="utf-8")
    desk.model.answers = [
        call("discover_tools", query="tidy"),
        call("discover_tools", names=["tidy-up", "no-such-skill"]),
    ]
    assert enter(desk, entry).code == 0
    first, second, third = map(json.dumps, desk.model.requests[:3])
    assert "tidy-up: Tidies up" in first
    assert "loads skills, by name" in first
    assert SENTENCE not in first + second
    assert SENTENCE in third
    _, told = desk.model.results(2)
    assert told.startswith("skill tidy-up:\n\n---\ndescription: Tidies up")
    assert "no such tool: no-such-skill\n" in told
    assert desk.model.tools(2) == desk.model.tools(0)
    used = desk.tools("skill", "stats", "tidy-up").answer["tidy-up"]
    assert (used["usage"], used["last_used"]) == (1, AT)
    tasks = [event.data["task"] for event in desk.events("skill-activated")]
    assert tasks == ["T-1" if entry == "task" else ""]


@pytest.mark.req("ECO-skill-load-explicit")
@pytest.mark.parametrize("entry", LOOPS)
def test_a_schema_that_waits_is_sent_when_it_is_asked_for_by_name_and_not_before(
    desk: Desk, entry: str
) -> None:
    tool = CORE["review_verdict"]
    schema = json.dumps(tool.schema)
    desk.model.answers = [
        call("discover_tools", query="review"),
        call("review_verdict", task_id="T-9", verdict="approved"),
        call("discover_tools", names=["review_verdict"]),
    ]
    assert enter(desk, entry).code == 0
    requests = [json.dumps(request) for request in desk.model.requests]
    assert [schema in request for request in requests[:4]] == [False, False, False, True]
    assert "review_verdict: " in requests[0], "its name and a few words are listed"
    assert tool.description not in requests[0]


@pytest.mark.req("ECO-skill-load-explicit")
def test_a_skill_that_ships_is_read_too_and_one_of_others_is_said_to_be_elsewhere(
    desk: Desk, tmp_path: Path
) -> None:
    skills = {"working-in-phases": {"description": "x"}, "of-others": {"description": "y"}}
    manifest = tmp_path / "payload" / "gsd" / "companion.json"
    manifest.parent.mkdir(parents=True)
    table = {"format": 1, "content": "gsd", "version": "1", "prefix": "gsd-", "workflows": {}}
    manifest.write_text(json.dumps({**table, "skills": skills}), encoding="utf-8")
    desk.model.answers = [call("discover_tools", names=["working-in-phases", "of-others"])]
    done = desk.agent("chat", "hello", environ={"GSD_HOME": str(tmp_path / "payload")})
    assert done.code == 0, done.err
    (told,) = desk.model.results(1)
    assert "skill working-in-phases:\n\n---\n" in told
    assert len(told) > 1_000
    assert "{gsd:" not in told
    assert "the text of the skill 'of-others' cannot be had here" in told


@pytest.mark.req("ECO-discover-no-stale")
def test_the_system_text_keeps_its_bytes_when_tools_are_made_live(desk: Desk) -> None:
    desk.model.answers = [call("discover_tools", names=["review_verdict", "deliverable_create"])]
    assert desk.agent("chat", "hello").code == 0
    first, second = desk.model.requests
    assert first["messages"][0] == second["messages"][0]
    tails = [request["messages"][1]["content"] for request in desk.model.requests]
    assert tails[0].startswith("[Live context]")
    assert "review_verdict" in tails[0]
    assert "review_verdict" not in tails[1]


def test_a_tool_that_is_not_live_is_not_run(desk: Desk) -> None:
    desk.model.answers = [call("deliverable_create", title="x", body="y"), call("no_such_tool")]
    assert desk.agent("chat", "hello").answer["tools"] == 0
    assert all("no live tool" in text for text in desk.model.results(2))
    assert desk.events("deliverable-created") == []


def test_names_that_nobody_knows_change_nothing(desk: Desk) -> None:
    desk.model.answers = [call("discover_tools", names=["nope", "spawn_subagent", "shell"])]
    assert desk.agent("chat", "hello").code == 0
    assert desk.model.tools(0) == desk.model.tools(1)
    assert "no such tool: nope, spawn_subagent, shell" in desk.model.results(1)[0]


@pytest.mark.req("S-discover-tools-spin")
@pytest.mark.parametrize("entry", LOOPS)
def test_five_looks_for_tools_in_a_row_break_every_entry(desk: Desk, entry: str) -> None:
    arguments: list[dict[str, Any]] = [
        {},
        {"names": ["goal_status"]},
        {"query": "x"},
        {"names": []},
        {"query": ""},
    ]
    desk.model.answers = [call("discover_tools", **one) for one in arguments]
    done = enter(desk, entry)
    reason = done.answer["reason"] if entry == "heartbeat" else done.reason
    assert (done.code, reason) == (1, "loop_detected")
    assert len(desk.model.requests) == limits.DISCOVER_BREAK
    last = desk.model.results(4)
    assert [("call another tool now" in text) for text in last] == [False, False, True, True]


@pytest.mark.req("S-discover-tools-spin")
def test_any_other_call_starts_the_count_again(desk: Desk) -> None:
    spin = [call("discover_tools")] * 4
    desk.model.answers = [*spin, call("task_list"), *spin, Say("done")]
    assert desk.agent("chat", "hello").code == 0
    assert len(desk.model.requests) == 10


def test_what_was_live_is_live_when_the_conversation_goes_on(desk: Desk) -> None:
    desk.model.answers = [call("discover_tools", names=["review_verdict"])]
    session = desk.agent("chat", "hello").answer["session"]
    assert desk.agent("resume", session, "go on").code == 0
    assert "review_verdict" in desk.model.tools(2)
    assert desk.agent("chat", "hello").code == 0
    assert "review_verdict" not in desk.model.tools(3)


def test_rounds_end(desk: Desk) -> None:
    desk.model.answers = [call("task_list")] * (limits.AGENT_ROUNDS + 1)
    assert desk.agent("chat", "hello").reason == "too_many_rounds"
    assert len(desk.model.requests) == limits.AGENT_ROUNDS


def test_several_calls_in_one_answer_are_all_answered(desk: Desk) -> None:
    desk.model.answers = [Say("", (("task_list", {}), ("memory_search", {"words": "x"}), ("task_get", {})))]
    assert desk.agent("stream", "hello").answer["tools"] == 3
    assert len(desk.model.results(1)) == 3
    assert "id is missing" in desk.model.results(1)[2]


# --- what is kept -------------------------------------------------------------------------------------


def lines(desk: Desk, session: str) -> list[dict[str, Any]]:
    path = desk.root / ".planning" / "work" / "sessions" / f"{session}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_conversation_is_kept_with_its_calls_and_can_be_recalled(desk: Desk) -> None:
    desk.model.answers = [call("file_read", path="nothing.txt"), Say("It is not there.")]
    session = desk.agent("chat", "read it", "--as", "ada").answer["session"]
    rows = lines(desk, session)
    assert [row["role"] for row in rows] == ["user", "call", "tool", "assistant"]
    assert {row["owner"] for row in rows} == {"ada"}
    assert rows[1]["text"] == 'file_read {"path": "nothing.txt"}'
    recalled = desk.tools("learn", "recall", session, "--as", "ada").answer
    assert recalled["total"] == 4
    assert desk.tools("learn", "recall", session, "--as", "bob").reason == "foreign_session"


def test_a_conversation_goes_on_for_its_owner_alone(desk: Desk) -> None:
    session = desk.agent("chat", "first", "--as", "ada").answer["session"]
    assert desk.agent("resume", session, "second", "--as", "bob").reason == "foreign_session"
    assert desk.agent("resume", session, "second", "--as", "ada").code == 0
    spoken = [one["content"] for one in desk.model.requests[1]["messages"] if one["role"] != "system"]
    assert [spoken[0], spoken[1], spoken[-1]] == ["first", "done", "second"]
    assert [row["text"] for row in lines(desk, session)] == ["first", "done", "second", "done"]
    assert desk.agent("resume", "nowhere", "x").reason == "no_session"
    assert desk.agent("resume", "../x", "x").reason == "bad_session"


def test_what_broke_off_is_kept_and_what_was_never_sent_is_not(desk: Desk) -> None:
    desk.model.answers = [call("discover_tools")] * 5
    assert desk.agent("chat", "hello").code == 1
    (kept,) = (desk.root / ".planning" / "work" / "sessions").iterdir()
    assert len(lines(desk, kept.stem)) > 5
    assert desk.agent("chat", "hello", "--afford", "1").code == 1
    assert len(list(kept.parent.iterdir())) == 1


def test_a_secret_is_not_kept(desk: Desk) -> None:
    session = desk.agent("chat", "the key is", "sk-ant-api03-" + "a1B2" * 20).answer["session"]
    assert "a1B2a1B2" not in json.dumps(lines(desk, session))


def test_a_bulky_result_is_stored_and_read_in_parts(desk: Desk) -> None:
    (desk.root / "big.txt").write_text(
        "".join(f"line {number}\n" for number in range(5_000)), encoding="utf-8"
    )
    desk.model.answers = [call("file_read", path="big.txt")]

    def part(asked: dict[str, Any]) -> Say:
        stored = json.loads(asked["messages"][-1]["content"])["stored"]
        return call("file_read", path=stored, start=4_000, lines=2)

    def whole(asked: dict[str, Any]) -> Say:
        stored = json.loads(asked["messages"][-3]["content"])["stored"]
        return call("file_read", path=stored)

    desk.model.answers += [part, whole]
    assert desk.agent("chat", "read it").code == 0
    reference, two, all_of_it = desk.model.results(3)
    assert json.loads(reference)["stored"].startswith("artifact://sha256/")
    assert "line 1" not in reference
    assert two == "line 3999\nline 4000\n"
    assert all_of_it == (desk.root / "big.txt").read_text(encoding="utf-8")


def test_core_tools_are_what_a_model_is_told_of(desk: Desk) -> None:
    assert desk.agent("chat", "hello").code == 0
    assert desk.model.tools(0) <= set(CORE)
