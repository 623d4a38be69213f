"""What events amount to: the same from the file as in memory, whoever wrote them and in whatever order."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.work import deliverables, messages, reviews, subtasks, tasks
from gsd_capabilities.work.events import Event, events
from gsd_capabilities.work.fold import fold
from gsd_capabilities.work.ledger import ledger
from gsd_capabilities.work.model import MOVES, STATES, Task, Work
from gsd_capabilities.work.running import path, stored
from gsd_install.kernel.errors import GsdError
from support.works import Desk

AGENTS = st.sampled_from(["ann", "bob", ""])
TASK = st.integers(1, 4).map(lambda number: f"T-{number}")
ITEM = st.integers(1, 3)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(["x", "y z"]), AGENTS),
        st.tuples(
            st.sampled_from(
                ["start", "start", "complete", "submit", "approve", "notes", "reject", "fail", "cancel"]
            ),
            TASK,
            AGENTS,
        ),
        st.tuples(
            st.sampled_from(["assign", "call", "note", "block", "unblock", "part", "finish", "drop"]),
            TASK,
            AGENTS,
        ),
        st.tuples(st.sampled_from(["create", "change", "send", "focus", "read"]), TASK, AGENTS),
    ),
    max_size=30,
)


def act(desk: Desk, step: tuple[str, str, str], now: float) -> Any:
    """Do one thing through the functions that the verbs call."""
    word, subject, who = step
    project, number = desk.project, int(subject[2:]) if subject.startswith("T-") else 1
    given: Any = {"who": who, "now": now}
    store = deliverables.Store(project, desk.environ)
    doing: dict[str, Callable[[], Any]] = {
        "add": lambda: tasks.add(project, {"title": subject, "skills": ["s"]}, to=who, **given),
        "assign": lambda: tasks.assign(project, subject, "ann", **given),
        "start": lambda: tasks.start(project, subject, **given),
        "call": lambda: tasks.count_call(project, subject, 2, **given),
        "note": lambda: tasks.note(project, subject, "n", **given),
        "block": lambda: tasks.block(project, subject, "b", **given),
        "unblock": lambda: tasks.block(project, subject, "", **given),
        "complete": lambda: tasks.complete(project, subject, **given),
        "fail": lambda: tasks.fail(project, subject, "f", **given),
        "cancel": lambda: tasks.cancel(project, subject, "c", **given),
        "submit": lambda: reviews.submit(project, subject, "s", **given),
        "approve": lambda: reviews.verdict(project, subject, "approved", **given),
        "notes": lambda: reviews.verdict(project, subject, "approved_with_notes", "w", **given),
        "reject": lambda: reviews.verdict(project, subject, "rejected", "r", **given),
        "part": lambda: subtasks.add(project, subject, "p", **given),
        "finish": lambda: subtasks.update(project, subject, 1, state="completed", **given),
        "drop": lambda: subtasks.delete(project, subject, 1, **given),
        "create": lambda: deliverables.create(store, "D", b"1", **given),
        "change": lambda: deliverables.update(store, "D-1", subject.encode(), base=number, **given),
        "send": lambda: messages.send(project, "ann", "m", human=number > 2, **given),
        "focus": lambda: messages.focus(project, f"M-{number}", **given),
        "read": lambda: messages.read(project, f"M-{number}", **given),
    }
    return doing[word]()


@given(STEPS)
@settings(max_examples=60, deadline=None)
def test_any_course_of_work_reads_from_the_file_as_it_was_in_memory(
    steps: list[tuple[str, str, str]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        for now, step in enumerate(steps):
            before = events(desk.project)
            try:
                done = act(desk, step, float(now))
            except GsdError:
                assert events(desk.project) == before, "what is refused leaves no event"
                continue
            found = ledger(desk.project)
            task = done if isinstance(done, Task) else getattr(done, "task", None)
            if isinstance(task, Task):
                assert found.tasks[task.id] == task
            check(found)
            assert stored(str(path(desk.project))) == running(found)


def running(work: Work) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for task in work.tasks.values():
        if task.state == "running":
            found.setdefault(task.assignee, []).append(task.id)
    return found


def check(work: Work) -> None:
    """What holds whatever happened."""
    for task in work.tasks.values():
        assert task.state in STATES
        assert (task.ended is not None) == (task.state in {"completed", "failed", "cancelled"})
        assert task.round == 1 + sum(one.verdict == "rejected" for one in task.verdicts)
        assert bool(task.assignee) or task.state in {"open", "cancelled"}
        numbers = [one.number for one in task.subtasks]
        assert numbers == sorted(set(numbers))
        assert not (task.blocked and task.ended is not None)
    for one in work.deliverables.values():
        assert [change.version for change in one.changes] == list(range(1, one.version + 1))


KINDS = [*MOVES, "task-added", "task-changed", "task-called", "task-noted", "task-blocked", "other"]
KINDS += ["subtask-added", "subtask-changed", "subtask-deleted", "message-sent", "message-read"]
KINDS += ["deliverable-created", "deliverable-updated", "message-amended", "message-focused"]
VALUES = st.one_of(st.none(), st.booleans(), st.integers(-2, 5), st.text(max_size=3), st.lists(st.integers()))
NAMES = st.sampled_from(
    ["to", "title", "text", "calls", "number", "skills", "verdict", "notes", "base", "state"]
)
ANY_EVENT = st.builds(
    Event,
    st.sampled_from(KINDS),
    st.sampled_from(["T-1", "T-2", "D-1", "M-1", ""]),
    st.sampled_from(["", "ann"]),
    st.floats(0, 9),
    st.dictionaries(NAMES, VALUES, max_size=4),
)


@given(st.lists(ANY_EVENT, max_size=40))
@settings(max_examples=150, deadline=None)
def test_a_ledger_that_makes_no_sense_folds_to_something_that_does(happened: list[Event]) -> None:
    work = fold(happened)
    for task in work.tasks.values():
        assert task.state in STATES
        assert (task.ended is not None) == (task.state in {"completed", "failed", "cancelled"})
        assert task.calls is None or task.calls >= 0
    for one in work.deliverables.values():
        assert one.version == len(one.changes)


def test_what_cannot_have_happened_changes_nothing() -> None:
    start = [Event("task-added", "T-1", "", 1.0, {"title": "A"})]
    for kind in ("task-started", "task-completed", "task-rejected", "task-called"):
        assert fold([*start, Event(kind, "T-1", "", 2.0, {"calls": 3})]) == fold(start)
    assert fold([Event("task-noted", "T-7", "", 2.0, {"text": "x"})]) == Work({}, {}, {})


def test_what_two_branches_gave_one_id_is_kept_twice() -> None:
    """Git joined two ledgers: the second of two tasks, deliverables or messages has an id of its own."""
    ours = [
        Event("task-added", "T-1", "ann", 1.0, {"title": "A"}),
        Event("deliverable-created", "D-1", "ann", 1.0, {"title": "A", "body": "a"}),
        Event("message-sent", "M-1", "ann", 1.0, {"to": "bob", "text": "a"}),
    ]
    theirs = [Event(one.kind, one.subject, "cid", 2.0, {**one.data, "title": "B"}) for one in ours]
    work = fold([*ours, *theirs, *theirs])
    assert {one.id: (one.title, one.author) for one in work.tasks.values()} == {
        "T-1": ("A", "ann"),
        "T-1.2": ("B", "cid"),
        "T-1.3": ("B", "cid"),
    }
    assert list(work.deliverables) == ["D-1", "D-1.2", "D-1.3"]
    assert [(one.id, one.sender) for one in work.messages.values()][:2] == [("M-1", "ann"), ("M-1.2", "cid")]


def test_an_id_is_new_though_lines_of_the_ledger_are_lost(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for number in range(1, 6):
        assert desk.task(f"number {number}") == f"T-{number}"
    rows = desk.ledger.read_bytes().split(b"\n")
    desk.ledger.write_bytes(b"\n".join(row for row in rows if b"number 3" not in row))
    assert desk.task("number 6") == "T-6"
    assert desk.say("task", "get", "T-5").json["title"] == "number 5"


def test_a_ledger_that_git_gave_the_line_ends_of_windows_is_read(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    made = desk.running()
    desk.ledger.write_bytes(desk.ledger.read_bytes().replace(b"\n", b"\r\n"))
    desk.say("task", "note", "still here", GSD_TASK=made).json  # noqa: B018
    found = desk.state(made)
    assert (found["state"], [one["text"] for one in found["notes"]]) == ("running", ["still here"])
    assert desk.task() == "T-2"


@pytest.mark.parametrize(
    "row",
    [
        '{"kind": ["task-added"], "subject": "T-9", "who": "", "at": 1, "data": {}}',
        '{"kind": "task-added", "subject": 9, "who": "", "at": 1, "data": {}}',
        '{"kind": "task-added", "subject": "T-9", "who": null, "at": 1, "data": {}}',
        '{"kind": "task-added", "subject": "T-9", "who": "", "at": "now", "data": {}}',
        '{"kind": "task-added", "subject": "T-9", "who": "", "at": true, "data": {}}',
        '{"kind": "task-added", "subject": "T-9", "who": "", "at": NaN, "data": {}}',
        '{"kind": "task-added", "subject": "T-9", "who": "", "at": 1e300, "data": {}}',
        '{"kind": "task-added", "subject": "T-9", "who": "", "at": 1, "data": []}',
        "[" * 100_000,
    ],
)
def test_a_line_that_is_no_event_is_passed_over(tmp_path: Path, row: str) -> None:
    desk = Desk(tmp_path)
    desk.running()
    with open(desk.ledger, "ab") as stream:
        stream.write(f"\n{row} .\n".encode())
    assert [one["id"] for one in desk.say("task", "list").json] == ["T-1"]
    assert [one["id"] for one in desk.say("task", "board").json["running"]] == ["T-1"]


def test_events_of_some_kinds_are_those_of_all(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.running("task-noted")  # a title that reads like a kind
    desk.say("task", "note", '"kind": "task-added"', GSD_TASK="T-1").json  # noqa: B018
    every = events(desk.project)
    for kind in {event.kind for event in every}:
        assert events(desk.project, (kind,)) == [event for event in every if event.kind == kind]
    assert events(desk.project, ("task.added",)) == []


def test_a_text_that_is_no_text_is_refused_and_leaves_no_event(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.running()
    before = desk.ledger.read_bytes()
    for words in (("task", "add", "a\udcff"), ("message", "send", "ann", "a\udcff")):
        assert desk.say(*words).reason == "bad_value"
    assert desk.say("task", "note", "x", "--task=T-1", "--as=a\udcff").reason == "bad_value"
    assert desk.ledger.read_bytes() == before


WRITER = """
import sys
from gsd_capabilities.companion.project import find
from gsd_capabilities.work import events, subtasks, tasks
project, name = find(sys.argv[1]), sys.argv[2]
for number in range(int(sys.argv[3])):
    tasks.note(project, "T-1", f"{name} {number}", who=name, now=1.0)
    events.record(project, "task-called", "T-1", who=name, data={"calls": 1}, now=1.0)
    made = tasks.add(project, {"title": f"{name} {number}"}, who=name, now=1.0)
"""


@pytest.mark.parametrize("each", [15])
def test_processes_that_write_at_once_lose_nothing_and_share_no_id(tmp_path: Path, each: int) -> None:
    desk = Desk(tmp_path)
    desk.running()
    names = ("a", "b", "c", "d")
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    running = [subprocess.Popen([*command, name, str(each)]) for name in names]
    assert [one.wait(timeout=120) for one in running] == [0] * len(names)
    work = ledger(desk.project)
    told = [one.text for one in work.tasks["T-1"].notes]
    assert sorted(told) == sorted(f"{name} {number}" for name in names for number in range(each))
    for name in names:
        assert [text for text in told if text.startswith(name)] == [
            f"{name} {number}" for number in range(each)
        ]
    assert work.tasks["T-1"].calls == len(names) * each
    assert sorted(one.title for one in work.tasks.values()) == sorted(["Build it", *told])
    assert list(work.tasks) == [f"T-{number}" for number in range(1, len(told) + 2)]


def test_what_a_killed_writer_left_of_an_event_spoils_no_other(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    made = desk.running()
    with open(desk.ledger, "ab") as stream:
        stream.write(b'\n{"kind": "task-comp')
    desk.say("task", "note", "still here", GSD_TASK=made).json  # noqa: B018
    found = desk.state(made)
    assert (found["state"], [one["text"] for one in found["notes"]]) == ("running", ["still here"])


def test_moments_are_seconds_in_the_file(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.say("task", "add", "It", "--at", "1970-01-01T00:00:09Z", "--as", "ann")
    rows = [json.loads(line.removesuffix(" .")) for line in desk.ledger.read_text().split("\n") if line]
    assert rows == [
        {"at": 9.0, "data": {"title": "It"}, "kind": "task-added", "subject": "T-1", "who": "ann"}
    ]
