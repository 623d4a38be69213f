"""The hook that counts tool calls for the task that runs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gsd_capabilities.companion.request import Request
from gsd_capabilities.hooks import task_tracker
from gsd_capabilities.hooks.event import asked
from gsd_capabilities.learning.limits import DISTIL_TOOL_CALLS
from support.hooks import CLAUDE, answered
from support.planning import git, repository
from support.works import Desk

FIELDS = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "session_id": "s"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "p")


def used(desk: Desk, environ: Mapping[str, str] | None = None, count: int = 1) -> None:
    """A host says that a tool was used, some times."""
    request = Request((), {}, str(desk.folder), None, {"HOME": "/nonexistent", **(environ or {})}, bytes)
    for _ in range(count):
        assert task_tracker.answer(asked(json.dumps(FIELDS).encode(), CLAUDE, request, "post-tool")) is None


def test_calls_of_the_only_running_task_are_counted(desk: Desk) -> None:
    made = desk.running(to="ann")
    used(desk, count=3)
    assert desk.state(made)["calls"] == 3
    desk.say("task", "complete", made)
    used(desk)
    assert desk.state(made)["calls"] == 3


def test_among_several_the_context_decides_and_nobody_guesses(desk: Desk) -> None:
    anns, bobs = desk.running(to="ann"), desk.running(to="bob")
    used(desk)
    used(desk, {"GSD_AGENT": "cid"})
    used(desk, {"GSD_TASK": "T-9", "GSD_AGENT": "ann"})
    assert [desk.state(one)["calls"] for one in (anns, bobs)] == [None, None]
    used(desk, {"GSD_AGENT": "bob"})
    used(desk, {"GSD_TASK": anns, "GSD_AGENT": "bob"}, count=2)
    assert [desk.state(one)["calls"] for one in (anns, bobs)] == [2, 1]
    second = desk.running(to="ann")
    used(desk, {"GSD_AGENT": "ann"})
    assert [desk.state(one)["calls"] for one in (anns, second)] == [2, None]


def test_where_no_work_was_recorded_nothing_happens(desk: Desk, tmp_path: Path) -> None:
    assert answered("task-tracker", FIELDS, desk.folder) is None
    assert list((desk.folder / ".planning").iterdir()) == []
    outside = tmp_path / "outside"
    outside.mkdir()
    assert answered("task-tracker", FIELDS, outside) is None
    assert list(outside.iterdir()) == []


def test_without_the_capability_nothing_happens_and_nothing_is_logged(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = desk.running(to="ann")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "gsd_capabilities.work.running", None)
        used(desk)
    assert desk.state(made)["calls"] is None


def test_git_does_not_see_which_tasks_run(desk: Desk) -> None:
    repository(desk.folder)
    desk.running()
    git(desk.folder, "add", "-A")
    assert git(desk.folder, "diff", "--cached", "--name-only").split() == [".planning/work/events.jsonl"]


def test_a_task_in_review_is_not_charged(desk: Desk) -> None:
    made = desk.in_review(to="ann")
    used(desk)
    assert desk.state(made)["calls"] is None


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"ann": 1}', b"\xff"])
def test_a_damaged_file_of_what_runs_counts_nothing_and_is_made_again(desk: Desk, damage: bytes) -> None:
    made = desk.running(to="ann")
    file = desk.folder / ".planning" / "work" / "running.json"
    file.write_bytes(damage)
    used(desk)
    assert desk.state(made)["calls"] is None
    desk.say("task", "note", "x", GSD_TASK=made)
    used(desk)
    assert desk.state(made)["calls"] == 1


def test_one_that_is_behind_charges_no_task_that_has_ended(desk: Desk) -> None:
    made = desk.running(to="ann")
    file = desk.folder / ".planning" / "work" / "running.json"
    behind = file.read_bytes()
    desk.say("task", "complete", made)
    file.write_bytes(behind)
    used(desk)
    assert desk.state(made)["calls"] is None


def test_the_ledger_is_not_read_at_a_call(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    made = desk.running(to="ann")
    read: list[Any] = []
    opened = open

    def watched(file: Any, *arguments: Any, **options: Any) -> Any:
        read.append(os.path.basename(str(file)))
        return opened(file, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr("builtins.open", watched)
        used(desk)
    assert "running.json" in read, "or this would see nothing"
    assert "events.jsonl" not in read
    assert desk.state(made)["calls"] == 1


@pytest.mark.req("B-hook-skip-trivial", "B-hook-fire-complex")
@pytest.mark.parametrize(("calls", "fires"), [(DISTIL_TOOL_CALLS - 1, False), (DISTIL_TOOL_CALLS, True)])
def test_the_count_of_the_hook_decides_whether_there_is_something_to_learn(
    desk: Desk, calls: int, fires: bool
) -> None:
    made = desk.running(to="ann")
    used(desk, count=calls)
    learning = desk.say("task", "complete", made).json["learning"]
    assert "problem" not in learning
    assert bool(learning["job"]) == fires
