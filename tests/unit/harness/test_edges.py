"""Calls of tools that are odd or broken, and what changes while the agent works."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from gsd_capabilities.harness import sessions, tool_people, toolbox
from gsd_capabilities.harness.provider import Message
from gsd_capabilities.harness.toolbox import Hands
from gsd_capabilities.learning import limits
from gsd_capabilities.packs.tools import DISCOVER
from support.agents import AT, Desk
from support.scripted_model import Say, call


def answers(desk: Desk, tool: str, *options: str, **arguments: Any) -> Any:
    """What the model is told of one call in a conversation."""
    desk.model.answers = [Say("", ((tool, arguments),))]
    done = desk.agent("chat", "hello", *options)
    assert done.code == 0, done.err
    return json.loads(desk.model.results(-1)[-1])


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("file_read", {"path": "a\0b"}),
        ("file_read", {"path": "a\ud800"}),
        ("file_write", {"path": "a", "text": "x\ud800"}),
        ("file_search", {"pattern": "*\0"}),
        ("code_search", {"pattern": "x", "files": "\0"}),
        ("memory_save", {"title": "x", "text": "\ud800"}),
        ("shell", {"command": "echo \0"}),
        ("shell", {"command": "true", "seconds": 10**400}),
        (DISCOVER, {"names": "task_note"}),
        (DISCOVER, {"name": ["task_note"]}),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_no_system_takes_is_told_to_the_model(desk: Desk, tool: str, arguments: dict[str, Any]) -> None:
    assert answers(desk, tool, "--allow-shell", **arguments)["reason"] == "bad_arguments"


@pytest.mark.parametrize("pattern", ["a{99999999999999}", "(" * 2_000 + ")" * 2_000, "["])
def test_a_pattern_that_cannot_be_one_is_told(desk: Desk, pattern: str) -> None:
    assert answers(desk, "code_search", pattern=pattern)["reason"] == "bad_pattern"


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such files")
def test_what_is_no_plain_file_is_not_waited_for(desk: Desk) -> None:
    import os

    os.mkfifo(desk.root / "pipe")
    assert answers(desk, "file_read", path="pipe")["reason"] == "missing"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are Unicode there")
def test_a_name_that_is_no_text_is_shown_as_far_as_it_is_one(desk: Desk) -> None:
    import os

    with open(os.fsencode(desk.root) + b"/a\xff.py", "wb"):
        pass
    assert answers(desk, "file_search", pattern="*.py") == {"files": ["a?.py"]}


def test_what_cannot_be_stored_is_answered_whole(desk: Desk) -> None:
    (desk.root / "long.txt").write_text("word " * 10_000, encoding="utf-8")
    (desk.root / ".planning" / "artifacts").write_text("in the way", encoding="utf-8")
    desk.model.answers = [call("file_read", path="long.txt")]
    assert desk.agent("chat", "hello").code == 0
    assert desk.model.results(1) == ["word " * 10_000]


# --- discovery ----------------------------------------------------------------------------------------------


@pytest.mark.req("S-discover-tools-spin")
def test_looks_that_are_badly_made_count_as_well(desk: Desk) -> None:
    desk.model.answers = [call(DISCOVER, wrong=number) for number in range(limits.DISCOVER_BREAK)]
    assert desk.agent("chat", "hello").reason == "loop_detected"
    assert len(desk.model.requests) == limits.DISCOVER_BREAK


@pytest.mark.req("S-discover-tools-spin")
def test_calls_of_what_is_not_live_are_no_use_of_a_tool(desk: Desk) -> None:
    turns = [call(DISCOVER), call("review_verdict"), call(DISCOVER), call("no_such_tool")]
    desk.model.answers = [*turns, *turns, call(DISCOVER)]
    assert desk.agent("chat", "hello").reason == "loop_detected"
    desk.model.answers = []
    (path,) = (desk.root / ".planning" / "work" / "sessions").glob("*.jsonl")
    assert desk.agent("resume", path.stem, "go on").code == 0
    assert "review_verdict" not in desk.model.tools(-1), "it was not used, and so it is not loaded early"


@pytest.mark.req("S-discover-tools-spin")
def test_a_person_who_speaks_begins_the_count_anew(desk: Desk) -> None:
    desk.model.answers = [call(DISCOVER)] * limits.DISCOVER_BREAK
    assert desk.agent("chat", "hello").reason == "loop_detected"
    (path,) = (desk.root / ".planning" / "work" / "sessions").glob("*.jsonl")
    desk.model.answers = [call(DISCOVER, names=["goal_status", "deliverable_update"])]
    assert desk.agent("resume", path.stem, "try once more").code == 0
    assert "deliverable_update" in desk.model.tools(-1)


@pytest.mark.req("A-tooldef-sticky-capped")
def test_a_tool_that_the_request_names_is_there_at_once(desk: Desk) -> None:
    assert desk.agent("chat", "is a review-verdict due?").code == 0
    assert "review_verdict" in desk.model.tools(0)
    assert desk.agent("chat", "is a verdict due?").code == 0
    assert "review_verdict" not in desk.model.tools(1)
    assert desk.agent("chat", "create a deliverable: deliverable_create", "--afford", "20000").code == 0
    assert "deliverable_create" not in desk.model.tools(2)


@pytest.mark.req("A-tooldef-sticky-capped")
def test_what_the_request_named_stays_while_other_tools_are_made_live(desk: Desk) -> None:
    desk.model.answers = [call(DISCOVER, names=["deliverable_update"])]
    assert desk.agent("chat", "give a review verdict").code == 0
    assert desk.model.tools(1) == desk.model.tools(0) | {"deliverable_update"}
    assert "review_verdict" not in desk.model.results(1)[0].partition("tools wait")[2]


# --- what a caller adds -------------------------------------------------------------------------------------


def test_what_a_caller_adds_is_told_before_the_message(desk: Desk) -> None:
    (desk.root / "more.txt").write_text("the build is red", encoding="utf-8")
    assert desk.agent("chat", "hello", "--context", "more.txt").code == 0
    *_, live, message = desk.model.requests[0]["messages"]
    assert "the build is red" in live["content"]
    assert message["content"] == "hello"
    assert desk.agent("chat", "hello", "--context", "nothing.txt").reason == "unreadable"


# --- what happens meanwhile ---------------------------------------------------------------------------------


def test_turns_that_end_at_the_same_time_are_both_kept(desk: Desk) -> None:
    def speak(number: int) -> None:
        turn = [Message("user", f"question {number}"), Message("assistant", f"answer {number}")]
        sessions.append(desk.project, "s", turn, who="", now=0)

    running = [threading.Thread(target=speak, args=(number,)) for number in range(12)]
    for one in running:
        one.start()
    for one in running:
        one.join()
    kept = sessions.turns(desk.project, "s", who="")
    assert sorted(turn[0].text for turn in kept) == sorted(f"question {number}" for number in range(12))
    assert all(turn[1].text == turn[0].text.replace("question", "answer") for turn in kept)


def test_a_message_that_comes_in_meanwhile_is_not_read_unseen(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert desk.tools("message", "send", "agent", "first", "--as", "bob").code == 0
    real = toolbox.verb

    def verb(hands: Hands, name: str, *words: str, **more: Any) -> object:
        answer = real(hands, name, *words, **more)
        if name == "message list":
            assert desk.tools("message", "send", "agent", "second", "--as", "bob").code == 0
        return answer

    monkeypatch.setattr(tool_people, "verb", verb)
    assert [one["text"] for one in answers(desk, "check_mailbox")["messages"]] == ["first"]
    monkeypatch.undo()
    assert [one["text"] for one in answers(desk, "check_mailbox")["messages"]] == ["second"]


# --- tasks and looking back ---------------------------------------------------------------------------------


def told(desk: Desk, number: int = -1) -> str:
    """What the model was asked last."""
    text: str = desk.model.requests[number]["messages"][-1]["content"]
    return text


@pytest.mark.req("C-task-context-inject")
def test_a_task_whose_first_prompt_was_never_sent_gets_its_package_with_the_next(desk: Desk) -> None:
    assert desk.tools("task", "add", "Parser", "--requirement", "it parses", "--to", "agent").code == 0
    assert desk.agent("task", "T-1", "--afford", "1").reason == "prompt_pack_rejected"
    assert desk.tools("task", "get", "T-1").answer["state"] == "running"
    for _ in range(2):
        assert desk.agent("task", "T-1").code == 0
    assert "it parses" in told(desk, 0)
    assert told(desk, 1) == "Go on with task T-1: Parser"


def test_whoever_takes_a_task_over_gets_a_conversation_of_their_own(desk: Desk) -> None:
    assert desk.tools("task", "add", "Parser", "--requirement", "it parses", "--to", "bob").code == 0
    desk.model.answers = [Say("bob was here")]
    assert desk.agent("task", "T-1", "--as", "bob").answer["session"] == "T-1"
    for words in (
        ("review", "submit", "done", "--task", "T-1", "--as", "bob"),
        ("review", "verdict", "T-1", "rejected", "--notes", "it does not", "--as", "kim"),
        ("task", "assign", "T-1", "eve"),
    ):
        assert desk.tools(*words).code == 0
    sessions = {desk.agent("task", "T-1", "--as", "eve").answer["session"] for _ in range(2)}
    assert len(sessions) == 1
    assert "T-1" not in sessions
    assert "it parses" in told(desk, 1)
    assert told(desk, 2) == "Go on with task T-1: Parser"
    assert "bob was here" not in json.dumps(desk.model.requests[1:])


def remembered(desk: Desk) -> None:
    line = b'{"role": "user", "text": "tests need make"}\n'
    assert desk.tools("learn", "remember", stdin=line, environ={"GSD_AGENT": ""}).code == 0


@pytest.mark.req("B-distill-habits-injected")
def test_the_habits_stand_once_before_an_agent_that_looks_back(desk: Desk) -> None:
    remembered(desk)
    assert desk.agent("distil").code == 0
    whole = json.dumps(desk.model.requests[0]["messages"], ensure_ascii=False)
    assert whole.count("Learning habits") == 1
    assert "package_install" in told(desk)


def test_a_job_waits_again_where_the_provider_could_not_be_asked(desk: Desk) -> None:
    from support.scripted_model import Refuse

    remembered(desk)
    desk.model.answers = [Refuse(503, "busy")]
    assert desk.agent("distil").reason == "provider_failed"
    (job,) = desk.tools("learn", "jobs").answer["jobs"]
    assert job["state"] == "waiting"
    assert desk.agent("distil").answer["outcome"] == "done"


def test_a_job_waits_again_where_a_person_breaks_off(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from gsd_capabilities.harness import loop

    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    remembered(desk)
    monkeypatch.setattr(loop, "call", broken)
    with pytest.raises(KeyboardInterrupt):
        desk.agent("distil")
    (job,) = desk.tools("learn", "jobs").answer["jobs"]
    assert job["state"] == "waiting"


@pytest.mark.parametrize("way", [("distil",), ("chat", "hello", "--scenario", "distillation")])
def test_whoever_looks_back_changes_nothing_but_planning_files(desk: Desk, way: tuple[str, ...]) -> None:
    remembered(desk)
    desk.model.answers = [
        call("file_write", path="src/a.py", text="x"),
        call("file_write", path=".planning/drafts/a.md", text="x"),
        Say("Done."),
    ]
    assert desk.agent(*way).code == 0
    first, second = (json.loads(text) for text in desk.model.results(2))
    assert first["reason"] == "looking_back"
    assert second["written"] == ".planning/drafts/a.md"
    assert not (desk.root / "src").exists()


SKILL = "---\nname: {0}\ndescription: Tidies up after tests.\n---\n\n# Tidy up\n\n{1}\n"


def proposing(name: str, body: str, **more: str) -> Say:
    """An answer that proposes a skill."""
    given = {"name": name, "body": SKILL.format(name, body), **more}
    return Say("", (("package_install", given),))


@pytest.mark.req(
    "B-skill-install-low-skips-hitl",
    "B-skill-install-high-requires-hitl",
    "B-distill-package-install-allowed",
)
def test_a_skill_of_low_impact_goes_live_and_any_other_waits(desk: Desk) -> None:
    for name, impact, body in (
        ("tidy-up", "low", "Remove what tests left."),
        ("sweep-all", "low", "Run `rm -rf build`."),
        ("keep-clean", "", "Remove what tests left."),
    ):
        desk.model.answers = [
            call(DISCOVER, names=["package_install"]),
            proposing(name, body, impact=impact) if impact else proposing(name, body),
        ]
        assert desk.agent("chat", "hello").code == 0
    live = desk.root / ".planning" / "learned" / "skills"
    waits = desk.root / ".planning" / "learning" / "pending"
    assert [one.name for one in sorted(live.iterdir())] == ["tidy-up"]
    assert sorted(one.name for one in waits.iterdir() if one.is_dir()) == ["keep-clean", "sweep-all"]


def test_in_a_task_no_skill_is_proposed(desk: Desk) -> None:
    assert desk.tools("task", "add", "Parser", "--to", "agent", "--at", AT).code == 0
    desk.model.answers = [
        call(DISCOVER, names=["package_install"]),
        proposing("tidy-up", "Do it.", impact="low"),
    ]
    assert desk.agent("task", "T-1").code == 0
    assert json.loads(desk.model.results(-1)[-1])["reason"] == "task_running"
    assert not (desk.root / ".planning" / "learned").exists()


def test_nothing_is_left_in_the_folder_of_the_tests(desk: Desk, tmp_path: Path) -> None:
    assert desk.agent("chat", "hello").code == 0
    assert [one.name for one in tmp_path.iterdir()] == ["project"]
