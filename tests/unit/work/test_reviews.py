"""Reviews, subtasks and messages through `gsd-tools`."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsd_capabilities.learning.limits import SUBTASK_SOFT_CAP
from gsd_capabilities.work.model import VERDICTS
from support.works import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.req("C-review-notes")
def test_notes_complete_without_a_new_round_and_reach_the_assignee_in_both_places(desk: Desk) -> None:
    made = desk.in_review("First")
    words = ("review", "verdict", made, "approved_with_notes", "--notes", "name the unit", "--as", "bob")
    review = desk.say(*words).json["review"]
    assert (review["state"], review["round"]) == ("completed", 1)
    inbox = desk.say("message", "list", "--as", "ann").json["messages"]
    assert [(one["sender"], one["task"]) for one in inbox] == [("bob", made)]
    assert "name the unit" in inbox[0]["text"]
    following = desk.task("Second", to="ann")
    assert "name the unit" in desk.say("task", "start", following).json["context"]
    other = desk.task("Third", to="cid")
    assert "name the unit" not in desk.say("task", "start", other).json["context"]


@pytest.mark.req("C-review-notes")
def test_a_rejection_starts_the_next_round_with_its_feedback(desk: Desk) -> None:
    made = desk.in_review()
    review = desk.say("review", "verdict", made, "rejected", "--notes", "no tests", "--as", "bob").json[
        "review"
    ]
    assert (review["state"], review["round"]) == ("assigned", 2)
    assert "no tests" in desk.say("message", "list", "--as", "ann").json["messages"][0]["text"]
    again = desk.say("task", "start", made).json
    assert (again["feedback"], again["context"], again["task"]["round"]) == ("no tests", "", 2)
    desk.say("review", "submit", "tested", "--task", made)
    desk.say("review", "verdict", made, "approved", "--as", "bob")
    shown = desk.say("review", "show", made).json
    assert [(one["verdict"], one["round"]) for one in shown["verdicts"]] == [("rejected", 1), ("approved", 2)]
    assert (shown["submitted"], shown["state"], shown["round"]) == ("tested", "completed", 2)


@pytest.mark.req("C-review-notes")
def test_the_verdicts_are_three_and_notes_stand_where_they_belong(desk: Desk) -> None:
    assert VERDICTS == ("approved", "approved_with_notes", "rejected")
    made = desk.in_review()
    for words in (
        ("accepted",),
        ("approved", "--notes", "x"),
        ("approved_with_notes",),
        ("approved_with_notes", "--notes", " "),
        ("rejected",),
    ):
        assert desk.say("review", "verdict", made, *words, "--as", "bob").reason == "bad_value"
    assert desk.state(made)["state"] == "review"


@pytest.mark.req("C-review-notes")
def test_nobody_reviews_their_own_work_and_no_review_is_anonymous(desk: Desk) -> None:
    made = desk.running(to="ann")
    desk.say("review", "submit", "--task", made, "--as", "cid")
    for who in ("ann", "cid"):
        assert desk.say("review", "verdict", made, "approved", "--as", who).reason == "self_review"
    assert desk.say("review", "verdict", made, "approved").reason == "reviewer_required"
    assert desk.state(made)["state"] == "review"
    assert desk.say("review", "verdict", made, "approved", GSD_AGENT="bob").code == 0


def test_deliverables_are_handed_in_by_their_ids(desk: Desk) -> None:
    made = desk.running()
    desk.say("deliverable", "create", "It", "--body", "x", "--task", made)
    assert desk.say("review", "submit", "--task", made, "--deliverables=D-9").reason == "no_deliverable"
    handed = desk.say("review", "submit", "--task", made, "--deliverables=D-1").json["handed"]
    assert handed == ["D-1"]


@pytest.mark.req("C-subtask-soft-cap", "ECO-const-subtasks")
def test_the_eighth_subtask_warns_and_is_created(desk: Desk) -> None:
    made = desk.running()
    assert SUBTASK_SOFT_CAP == 8
    for number in range(1, 10):
        said = desk.say("task", "subtask", "add", f"Part {number}", GSD_TASK=made).json
        assert bool(said["warnings"]) == (number >= 8), number
        assert said["subtask"]["number"] == number
        assert len(desk.say("task", "subtask", "list", GSD_TASK=made).json) == number
    assert "9 subtasks" in said["warnings"][0]


def test_subtasks_change_and_go_and_a_number_never_comes_back(desk: Desk) -> None:
    made = desk.running()
    for title in ("A", "B"):
        desk.say("task", "subtask", "add", title, GSD_TASK=made)
    done = desk.say("task", "subtask", "update", "1", "--state=completed", GSD_TASK=made).json
    assert done == {"number": 1, "title": "A", "state": "completed"}
    assert desk.say("task", "subtask", "update", "1", "--state=odd", GSD_TASK=made).reason == "bad_value"
    assert desk.say("task", "subtask", "delete", "2", GSD_TASK=made).json == [done]
    assert desk.say("task", "subtask", "delete", "2", GSD_TASK=made).reason == "no_subtask"
    assert desk.say("task", "subtask", "add", "C", GSD_TASK=made).json["subtask"]["number"] == 3
    assert desk.say("task", "subtask", "grow", GSD_TASK=made).reason == "usage"
    desk.say("task", "complete", made)
    assert desk.say("task", "subtask", "add", "D", GSD_TASK=made).reason == "task_ended"


def test_a_message_waits_is_taken_up_and_done_with(desk: Desk) -> None:
    desk.say("message", "send", "ann", "look", "here", "--as", "bob")
    desk.say("message", "send", "ann", "-", "--human", stdin=b"help me\n")
    waiting = desk.say("message", "list", "--as", "ann").json
    assert [one["text"] for one in waiting["messages"]] == ["look here", "help me"]
    assert waiting["human"] == "queued"
    assert desk.say("message", "list", "--as", "bob").json == {"human": "", "messages": []}
    assert desk.say("message", "read", "M-2", "--focus", "--as", "bob").reason == "not_yours"
    assert desk.say("message", "read", "M-2", "--focus", "--as", "ann").json["state"] == "focused"
    assert desk.say("message", "list", "--as", "ann").json["human"] == "focused"
    desk.say("message", "read", "M-2", "--as", "ann")
    assert desk.say("message", "read", "M-2", "--focus", "--as", "ann").json["state"] == "read"
    left = desk.say("message", "list", "--as", "ann").json
    assert (left["human"], [one["id"] for one in left["messages"]]) == ("", ["M-1"])
    assert len(desk.say("message", "list", "--all", "--as", "ann").json["messages"]) == 2
    assert desk.say("message", "read", "M-9").reason == "no_message"
    assert desk.say("message", "send", " ", "x").reason == "recipient_required"
    assert desk.say("message", "send", "ann", "x", "--task", "T-9").reason == "no_task"
