"""Tasks through `gsd-tools`: what moves are possible, who may make them, and what a move leaves behind."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from gsd_capabilities.learning.limits import TASK_TITLE_CHARS, WORK_TEXT_CHARS
from gsd_capabilities.work import tasks
from gsd_capabilities.work.model import MOVES, STATES
from gsd_install.kernel.errors import GsdError
from support.works import AT, Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


# How a task comes into each state, and the command of each move.
INTO = {
    "open": (),
    "assigned": ("task assign T-1 ann",),
    "running": ("task assign T-1 ann", "task start T-1"),
    "review": ("task assign T-1 ann", "task start T-1", "review submit --task T-1"),
    "completed": ("task assign T-1 ann", "task start T-1", "task complete T-1"),
    "failed": ("task assign T-1 ann", "task fail T-1 no"),
    "cancelled": ("task cancel T-1 no",),
}
COMMANDS = {
    "task-assigned": "task assign T-1 ann",
    "task-started": "task start T-1",
    "task-submitted": "review submit --task T-1",
    "task-rejected": "review verdict T-1 rejected --notes no --as bob",
    "task-completed": "review verdict T-1 approved --as bob",
    "task-failed": "task fail T-1 no",
    "task-cancelled": "task cancel T-1 no",
}


@pytest.mark.parametrize("kind", MOVES)
@pytest.mark.parametrize("state", STATES)
def test_a_move_is_made_from_where_it_is_possible_and_refused_elsewhere(
    desk: Desk, state: str, kind: str
) -> None:
    desk.say("task", "add", "It").json  # noqa: B018
    for command in INTO[state]:
        desk.say(*command.split()).json  # noqa: B018
    before = desk.state("T-1")
    assert before["state"] == state
    ledger = desk.ledger.read_bytes()
    said = desk.say(*COMMANDS[kind].split())
    possible = state in MOVES[kind].sources and (kind, state) != ("task-completed", "running")
    if possible:
        assert said.code == 0, said.err
        assert desk.state("T-1")["state"] == MOVES[kind].target
    else:
        assert said.reason == "illegal_transition"
        assert desk.ledger.read_bytes() == ledger
        words = [move.word for move in MOVES.values() if state in move.sources]
        assert all(word in said.err for word in words)


def test_a_running_task_is_completed_without_a_review_but_not_one_that_was_sent_back(desk: Desk) -> None:
    assert desk.say("task", "complete", desk.running()).json["task"]["state"] == "completed"
    second = desk.in_review()
    assert desk.say("task", "complete", second).reason == "needs_review"
    desk.say("review", "verdict", second, "rejected", "--notes", "no", "--as", "bob")
    desk.say("task", "start", second)
    refused = desk.say("task", "complete", second)
    assert refused.reason == "needs_review"
    assert f"hand it in: gsd-tools review submit --task {second}" in refused.err
    assert desk.state(second)["state"] == "running"


def test_only_the_assignee_starts_and_completes(desk: Desk) -> None:
    made = desk.task(to="ann")
    early = desk.say("task", "start", made, "--as", "bob")
    assert early.reason == "not_yours"
    assert f"gsd-tools task assign {made} bob" in early.err
    desk.say("task", "start", made, GSD_AGENT="ann").json  # noqa: B018
    late = desk.say("task", "complete", made, GSD_AGENT="bob")
    assert late.reason == "not_yours"
    assert f"--predecessor {made}" in late.err, "a hint that would be refused is none"
    assert desk.say("task", "assign", made, "bob").code == 1
    assert desk.say("task", "complete", made, GSD_AGENT="ann").code == 0


def test_a_task_is_given_to_whoever_is_named_else_to_the_asker_else_to_nobody(desk: Desk) -> None:
    desk.say("task", "add", "It")
    assert desk.say("task", "assign", "T-1").reason == "assignee_required"
    assert desk.say("task", "assign", "T-1", GSD_AGENT="ann").json["assignee"] == "ann"
    assert desk.say("task", "assign", "T-1", "bob").json["assignee"] == "bob"


def test_what_a_task_says_is_kept_and_can_be_changed_until_it_ends(desk: Desk) -> None:
    first = desk.task("First")
    words = (
        "--requirement=-",
        "--project=web",
        f"--predecessor={first}",
        "--tags=a, b",
        "--skills=s",
        "--at",
        AT,
    )
    made = desk.say("task", "add", "Second", *words, stdin="é\nx\n".encode()).json
    assert (made["requirement"], made["project"], made["predecessor"]) == ("é\nx", "web", "T-1")
    assert (made["tags"], made["skills"], made["added"], made["calls"]) == (["a", "b"], ["s"], AT, None)
    changed = desk.say("task", "update", "T-2", "--title=Other", "--tags=").json
    assert (changed["title"], changed["tags"], changed["requirement"]) == ("Other", [], "é\nx")
    assert desk.say("task", "update", "T-2").reason == "usage"
    assert desk.say("task", "update", "T-2", "--predecessor=T-9").reason == "no_task"
    desk.say("task", "cancel", "T-2", "no longer wanted")
    assert desk.say("task", "update", "T-2", "--title=X").reason == "task_ended"
    assert desk.state("T-2")["reason"] == "no longer wanted"


def test_titles_and_texts_have_limits_and_nothing_is_cut(desk: Desk) -> None:
    assert desk.say("task", "add", "x" * TASK_TITLE_CHARS).code == 0
    for title in ("x" * (TASK_TITLE_CHARS + 1), " ", "a\nb"):
        assert desk.say("task", "add", title).reason == "bad_value"
    assert desk.say("task", "note", "x" * WORK_TEXT_CHARS, "--task", "T-1").code == 0
    assert desk.say("task", "note", "x" * (WORK_TEXT_CHARS + 1), "--task", "T-1").reason == "too_long"
    assert desk.say("task", "add", "It", "--requirement", "x" * (WORK_TEXT_CHARS + 1)).reason == "too_long"
    assert len(desk.say("task", "list").json) == 1


def test_calls_are_unknown_until_somebody_counts_and_count_only_while_the_task_runs(desk: Desk) -> None:
    made = desk.task()
    assert desk.say("task", "call", "--task", made).reason == "not_running"
    desk.say("task", "start", made)
    assert desk.state(made)["calls"] is None
    assert desk.say("task", "call", "--task", made, "--count", "0").json["calls"] == 0
    desk.say("task", "call", GSD_TASK=made)
    assert desk.say("task", "call", "--count=4", GSD_TASK=made).json["calls"] == 5
    for wrong in ("-1", "9" * 10, "9" * 5_000, "٣"):
        assert desk.say("task", "call", f"--count={wrong}", GSD_TASK=made).reason == "bad_number"


@pytest.mark.parametrize("command", ["task call", "task note x", "task subtask list", "review submit"])
@pytest.mark.req("ECO-review-task-id")
def test_the_task_is_named_by_option_or_context_and_never_guessed(desk: Desk, command: str) -> None:
    made = desk.running()  # the only one there is: a guess would be right, and is not made
    ledger = desk.ledger.read_bytes()
    said = desk.say(*command.split())
    assert (said.code, said.reason) == (2, "task_required")
    assert desk.ledger.read_bytes() == ledger
    assert desk.say(*command.split(), GSD_TASK=made).code == 0
    other = desk.running()
    said = desk.say(*command.split(), "--task", other, GSD_TASK="T-99")
    assert said.code == 0, said.err


def test_a_blocked_task_stands_on_the_board_until_it_goes_on(desk: Desk) -> None:
    made, bad = desk.running("Stuck"), desk.running("Bad", to="bob")
    desk.say("task", "block", made, "no", "key", "yet")
    desk.say("task", "fail", bad, "it broke")
    board = desk.say("task", "board").json
    assert [one["blocked"] for one in board["blocked"]] == ["no key yet"]
    assert [(one["id"], one["reason"]) for one in board["failed"]] == [(bad, "it broke")]
    assert [one["assignee"] for one in board["running"]] == ["ann"]
    assert board["counts"]["failed"] == board["counts"]["running"] == 1
    assert board["counts"]["open"] == 0
    desk.say("task", "unblock", made)
    assert desk.say("task", "board").json["blocked"] == []
    assert desk.say("task", "block", bad, "x").reason == "task_ended"


def test_the_list_is_filtered_by_state_assignee_and_project(desk: Desk) -> None:
    desk.task("A", to="ann", project="web")
    desk.running("B", to="bob")
    listed = desk.say("task", "list", "--assignee", "bob", "--state", "running").json
    assert [one["title"] for one in listed] == ["B"]
    assert [one["title"] for one in desk.say("task", "list", "--project=web").json] == ["A"]
    assert desk.say("task", "list", "--state=odd").reason == "bad_state"


def test_without_a_project_nothing_is_made(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "p")
    (tmp_path / "p" / ".planning").rmdir()
    for command in ("task add x", "task list", "task board", "message send a b", "deliverable list"):
        assert desk.say(*command.split()).reason == "no_project"
    assert list((tmp_path / "p").iterdir()) == []


def test_reading_makes_no_file(desk: Desk) -> None:
    for command in ("task list", "task board", "message list", "deliverable list"):
        assert desk.say(*command.split()).code == 0
    assert list((desk.folder / ".planning").iterdir()) == []


@pytest.mark.req("ECO-execute-no-skills")
def test_while_a_task_of_an_agent_runs_it_may_not_write_skills(desk: Desk) -> None:
    tasks.assert_not_executing(desk.project, "ann")
    made = desk.running(to="ann")
    for who in ("ann", ""):
        with pytest.raises(GsdError) as caught:
            tasks.assert_not_executing(desk.project, who)
        assert caught.value.reason == "task_running"
    tasks.assert_not_executing(desk.project, "bob")
    desk.say("task", "complete", made)
    tasks.assert_not_executing(desk.project, "ann")


def stand_in(monkeypatch: pytest.MonkeyPatch, consider: object) -> None:
    """Other queue of lessons."""
    module = ModuleType("gsd_capabilities.learning.jobs")
    vars(module)["consider"] = consider
    monkeypatch.setitem(sys.modules, module.__name__, module)
    import gsd_capabilities.learning as package

    monkeypatch.setattr(package, "jobs", module, raising=False)


@pytest.mark.req("ECO-distill-non-blocking")
def test_whatever_breaks_in_learning_the_task_is_completed_and_the_answer_says_what_broke(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise RuntimeError("queue on fire")

    stand_in(monkeypatch, breaks)
    made = desk.running()
    said = desk.say("task", "complete", made).json
    assert said["task"]["state"] == "completed"
    again = f"gsd-tools learn consider {made}"
    assert said["learning"] == {"job": None, "problem": "RuntimeError: queue on fire", "again": again}
    judged = desk.in_review()
    said = desk.say("review", "verdict", judged, "approved", "--as", "bob").json
    assert "queue on fire" in said["learning"]["problem"]
    assert desk.state(judged)["state"] == "completed"


@pytest.mark.req("ECO-distill-non-blocking")
def test_the_completion_stands_on_disk_before_learning_is_asked(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def looks(_: object, task_id: str, *, now: float) -> None:
        seen.append((desk.state(task_id)["state"], now))
        desk.say("task", "note", "the lock is free", "--task", task_id).json  # noqa: B018

    stand_in(monkeypatch, looks)
    made = desk.running()
    assert desk.say("task", "complete", made, "--at", AT).json["learning"] == {"job": None}
    assert seen == [("completed", 1_796_083_200)]


@pytest.mark.req("ECO-distill-after-approval")
def test_work_that_was_rejected_revised_and_approved_is_learned_from_and_failed_work_is_not(
    desk: Desk,
) -> None:
    made = desk.in_review()
    rejected = desk.say("review", "verdict", made, "rejected", "--notes", "no", "--as", "bob").json
    assert rejected["learning"] == {}
    desk.say("task", "start", made)
    desk.say("task", "call", "--count=0", GSD_TASK=made)
    desk.say("review", "submit", GSD_TASK=made)
    approved = desk.say("review", "verdict", made, "approved", "--as", "bob").json
    assert approved["learning"]["job"]
    failed = desk.running()
    assert "learning" not in desk.say("task", "fail", failed, "no").json
