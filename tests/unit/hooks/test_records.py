"""Hooks that keep count: the log of a session, the use of the context, the boundary of a phase."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.companion.project import find
from gsd_capabilities.context.history import messages
from gsd_capabilities.hooks import memory, round_log, usage
from support.hooks import answered, project, question


def log_of(folder: Path) -> list[tuple[str, str]]:
    found = messages(str(folder / ".planning" / "session.jsonl"))
    return [(message.role, message.text) for message in found or []]


def test_the_log_is_what_the_history_is_built_from(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    answered("round-log", {"hook_event_name": "UserPromptSubmit", "prompt": "go on \u00e9"}, folder)
    answered("round-log", {"hook_event_name": "Stop", "last_assistant_message": "done"}, folder)
    answered("round-log", {"hook_event_name": "Stop", "last_assistant_message": "done"}, folder)
    assert log_of(folder) == [("user", "go on \u00e9"), ("assistant", "done")]
    assert (folder / ".planning" / ".gitignore").read_text() == "/.gitignore\n/session.jsonl\n"
    if os.name != "nt":
        assert (folder / ".planning" / "session.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_reply_is_found_in_the_transcript_when_the_event_has_none(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    rows = [
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "the end"}]},
        },
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "tool_use", "name": "x"}]},
        },
    ]
    transcript = tmp_path / "t.jsonl"
    transcript.write_text("".join(json.dumps(row) + "\n" for row in rows))
    answered("round-log", {"hook_event_name": "Stop", "transcript_path": str(transcript)}, folder)
    assert log_of(folder) == [("assistant", "the end")]


def test_a_prompt_in_parts_is_one_message(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, "x", {"type": "text", "text": "b"}]
    answered("round-log", {"hook_event_name": "UserPromptSubmit", "prompt": parts}, folder)
    assert log_of(folder) == [("user", "a\n\nb")]


def test_nothing_secret_is_logged_and_long_messages_say_so(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    answered("round-log", {"hook_event_name": "UserPromptSubmit", "prompt": "ghp_" + "a" * 36}, folder)
    answered("round-log", {"hook_event_name": "UserPromptSubmit", "prompt": "x" * 9_000}, folder)
    first, second = (text for _, text in log_of(folder))
    assert first == "[secret removed]"
    assert second.endswith("[1000 more characters]")


def test_a_log_of_somebody_elses_making_and_rules_are_kept(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    (folder / ".planning" / ".gitignore").write_text("mine\n")
    round_log.add(find(str(folder)), "user", "a")
    assert (folder / ".planning" / ".gitignore").read_text() == "mine\n"


def test_without_a_project_nothing_is_written(tmp_path: Path) -> None:
    for hook in ("round-log", "session-orientation", "phase-boundary", "commit-check"):
        fields = {"prompt": "x", "session_id": "s", "tool_input": {"command": "git commit -m x"}}
        assert answered(hook, fields, tmp_path) is None
    assert list(tmp_path.iterdir()) == []


ROWS = st.lists(
    st.tuples(st.sampled_from(["user", "assistant"]), st.integers(0, 60_000)).map(
        lambda row: json.dumps({"role": row[0], "text": "x" * row[1]}).encode()
    ),
    min_size=1,
    max_size=80,
)


@given(ROWS)
@settings(max_examples=60, deadline=None)
def test_the_log_stays_within_its_bounds_and_keeps_the_newest(rows: list[bytes]) -> None:
    kept = round_log.bounded(rows)
    assert kept
    assert rows[len(rows) - len(kept) :] == kept
    assert sum(row.startswith(b'{"role": "user"') for row in kept) <= round_log.ROUNDS
    assert len(kept) == 1 or sum(len(row) + 1 for row in kept) <= round_log.LOG_BYTES


def spent(total: int, name: str = "m", **more: Any) -> str:
    counts = {"input_tokens": 10, "cache_read_input_tokens": total - 20, "output_tokens": 10}
    return json.dumps({"message": {"id": f"{name}{total}", "model": "c", "usage": counts}, **more})


def counted(total: int, window: int) -> str:
    info = {"last_token_usage": {"total_tokens": total}, "model_context_window": window}
    return json.dumps({"type": "event_msg", "payload": {"type": "token_count", "info": info}})


def told(tmp_path: Path, *rows: str, event: str = "PostToolUse", **more: Any) -> str:
    path = tmp_path / "transcript.jsonl"
    path.write_text("\n".join(["cut off}", *rows]), encoding="utf-8")
    fields = {"hook_event_name": event, "session_id": "s", "transcript_path": str(path), **more}
    answer = answered("context-monitor", fields, tmp_path)
    return answer.text if answer else ""


def test_a_window_with_room_is_not_spoken_of(tmp_path: Path) -> None:
    assert told(tmp_path, spent(20_000), spent(90_000)) == ""


def test_a_warning_has_a_projection_and_says_what_to_do(tmp_path: Path) -> None:
    text = told(tmp_path, *(spent(total) for total in (120_000, 130_000, 140_000)))
    assert text.startswith(
        "70 % of the context window is used (140,000 of 200,000 tokens); at this rate it is full in 6"
    )
    assert "Finish the step" in text
    assert "compact" in told(tmp_path, counted(90_000, 100_000))


def test_the_same_is_said_once_until_it_grows(tmp_path: Path) -> None:
    assert told(tmp_path, spent(140_000))
    assert told(tmp_path, spent(141_000)) == ""
    assert told(tmp_path, spent(150_500))
    assert told(tmp_path, spent(10_000)) == ""
    assert told(tmp_path, spent(140_000))


@pytest.mark.case("HK-05")
@pytest.mark.parametrize("event", ["Stop", "PreCompact", "Invented"])
def test_where_no_context_is_taken_nothing_is_said_nor_remembered(tmp_path: Path, event: str) -> None:
    assert told(tmp_path, spent(190_000), event=event) == ""
    assert told(tmp_path, spent(190_000))


def test_side_conversations_and_other_lines_do_not_count(tmp_path: Path) -> None:
    assert told(tmp_path, spent(190_000, isSidechain=True), '{"usage": "usage"}', "[1]") == ""
    assert usage.read([]) == usage.Usage(0, ())


def test_a_long_window_is_known_by_its_use_and_a_set_one_counts(tmp_path: Path) -> None:
    assert told(tmp_path, spent(250_000)) == ""
    folder = project(tmp_path / "p")
    (folder / ".planning" / "config.json").write_text('{"context": {"max_tokens": 300000}}')
    text = told(tmp_path, spent(250_000), cwd=str(folder))
    assert text.startswith("83 % of the context window is used (250,000 of 300,000 tokens)")


def stopped(folder: Path, event: str = "Stop") -> str:
    answer = answered("phase-boundary", {"hook_event_name": event, "session_id": "s"}, folder)
    return answer.text if answer else ""


def test_a_reminder_comes_once_for_each_state_that_was_not_recorded(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    assert [bool(stopped(folder)) for _ in range(3)] == [False, True, False]
    os.utime(folder / ".planning" / "STATE.md", (1, 1))
    assert [bool(stopped(folder)) for _ in range(3)] == [False, True, False]
    assert "phase 2" in stopped(folder, "SessionEnd")


def test_no_reminder_where_no_phase_is_executed(tmp_path: Path) -> None:
    folder = project(tmp_path / "p", status="planned")
    assert [stopped(folder) for _ in range(3)] == ["", "", ""]


def test_orientation_names_what_matters_and_begins_a_session(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    answer = answered(
        "session-orientation", {"session_id": "a/b c", "hook_event_name": "SessionStart"}, folder
    )
    assert answer is not None
    assert answer.text.splitlines()[1:] == [
        "project: Photos, v1.0", "phase: 2 Sign in", "status: executing, plan 1 of 2", "last: planned it",
        "next: execute-phase 2", "blocked: no key yet",
    ]  # fmt: skip
    assert (folder / ".planning" / "artifacts" / "session").read_text() == "a-b-c\n"


def test_orientation_is_short_and_printable_whatever_the_state_says(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    (folder / ".planning" / "STATE.md").write_text(
        "---\nproject: " + "w " * 900 + "\nlast: a\x1b[31mb\n---\n## Blockers\n" + "- b c\n" * 400
    )
    (folder / ".planning" / "HANDOFF.md").touch()
    answer = answered("session-orientation", {}, folder)
    assert answer is not None
    assert len(answer.text) <= 1200
    assert "\x1b" not in answer.text
    assert "HANDOFF.md" in answer.text


def test_the_log_of_failures_is_bounded_and_one_line_each(tmp_path: Path) -> None:
    environ = {"TMPDIR": str(tmp_path)}
    for number in range(300):
        memory.log(environ, f"{number} two\nlines {'x' * 1_000}")
    [path] = tmp_path.glob("gsd-*/hooks.log")
    lines = path.read_text().splitlines()
    assert path.stat().st_size <= memory.LOG_BYTES + 1_000
    assert " 299 two lines " in lines[-1]


def test_only_so_many_sessions_are_remembered(tmp_path: Path) -> None:
    environ = {"TMPDIR": str(tmp_path)}
    for number in range(memory.MOST_SESSIONS + 3):
        memory.note(environ, f"s{number}", "hook", {"n": number})
    assert memory.recalled(environ, "s0", "hook") == {}
    assert memory.recalled(environ, "s34", "hook") == {"n": 34}
    [path] = tmp_path.glob("gsd-*/hooks.json")
    path.write_text("{damaged")
    assert memory.recalled(environ, "s34", "hook") == {}


def test_a_question_without_a_session_is_still_answered(tmp_path: Path) -> None:
    assert question({}, tmp_path).session == ""
