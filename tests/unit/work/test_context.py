"""The package that an agent is given with a task."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.companion.project import find
from gsd_capabilities.learning import limits
from gsd_capabilities.work.context import package_of
from gsd_capabilities.work.model import Change, Deliverable, Note, Task, Verdict, Work
from support.works import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def part(text: str, heading: str) -> str:
    """What stands under a heading."""
    found = text.partition(f"\n## {heading}")[2].partition("\n\n")[2]
    return found.partition("\n## ")[0]


@pytest.mark.req("C-task-context-inject")
def test_the_first_start_brings_the_package_and_no_later_one_does(desk: Desk) -> None:
    first = desk.task("First", requirement="Do this")
    started = desk.say("task", "start", first).json
    assert started["context"] == desk.say("task", "context", first).out
    assert "Do this" in started["context"]
    desk.say("review", "submit", "--task", first)
    desk.say("review", "verdict", first, "rejected", "--notes=no", "--as=bob")
    assert desk.say("task", "start", first).json["context"] == ""
    desk.say("review", "submit", "--task", first)
    desk.say("review", "verdict", first, "rejected", "--notes=no", "--as=bob")
    desk.say("task", "assign", first, "cid")
    taken = desk.say("task", "start", first).json["context"]
    assert "Do this" in taken, "who takes a task over has not read it"


@pytest.mark.req("C-task-context-inject")
def test_it_has_all_that_belongs_there(desk: Desk) -> None:
    before = desk.running("Before", requirement="An old wish")
    desk.say("deliverable", "create", "Plan", "--body=x", GSD_TASK=before)
    desk.say("deliverable", "update", "D-1", "--base=1", "--body=y")
    desk.say("deliverable", "create", "Elsewhere", "--body=x")
    desk.say("task", "note", "watch the cache", GSD_TASK=before)
    desk.say("task", "complete", before)
    memory = desk.folder / ".planning" / "memory"
    memory.mkdir()
    (memory / "knowledge.md").write_text("# Knowledge\n")
    made = desk.task("After", requirement="A new wish", predecessor=before)
    text = desk.say("task", "context", made).out
    assert text.startswith(f"# Task {made}: After\n")
    assert part(text, "What is asked for") == "A new wish\n"
    account = part(text, "What it comes after: T-1, completed")
    assert "watch the cache" in account
    assert "- D-1 v2: Plan\n" in text
    assert "Elsewhere" not in text
    assert ".planning/memory/knowledge.md" in text


@pytest.mark.req("C-task-context-inject")
@pytest.mark.parametrize(
    ("room", "heading", "limit"),
    [
        ("requirement", "What is asked for", limits.TASK_CONTEXT_REQUIREMENT_CHARS),
        ("predecessor", "What it comes after", limits.TASK_CONTEXT_PREDECESSOR_CHARS),
        ("notes", "What the last review said", limits.TASK_CONTEXT_NOTES_CHARS),
    ],
)
@pytest.mark.parametrize("over", [0, 1])
def test_each_text_has_its_limit_and_a_cut_one_says_where_the_whole_is(
    tmp_path: Path, room: str, heading: str, limit: int, over: int
) -> None:
    taken = len("P\n") if room == "predecessor" else 0
    text = ("word " * 200)[: limit - 1 - taken + over].rstrip().ljust(limit - 1 - taken + over, "x")
    verdicts = (Verdict("rejected", text, "b", 1.0, 1),) if room == "notes" else ()
    task = Task(
        "T-2", "T", requirement=text if room == "requirement" else "", predecessor="T-1", verdicts=verdicts
    )
    before = Task("T-1", "P", requirement=text if room == "predecessor" else "")
    shown = part(package_of(find(str(tmp_path)), Work({"T-1": before, "T-2": task}, {}, {}), task), heading)
    assert len(shown) <= limit
    assert ("gsd-tools task get" in shown) == bool(over)
    assert over or shown.rstrip("\n").endswith(text)


@pytest.mark.req("C-task-context-inject")
@pytest.mark.parametrize("count", [7, 8, 9, 30])
def test_at_most_eight_deliverables_are_named_and_the_others_counted(tmp_path: Path, count: int) -> None:
    task = Task("T-1", "T")
    made = {f"D-{n}": deliverable(f"D-{n}", "Title") for n in range(1, count + 1)}
    text = package_of(find(str(tmp_path)), Work({"T-1": task}, made, {}), task)
    assert text.count("\n- D-") == min(count, 8)
    assert (f"{count - 8} more" in text) == (count > 8)
    assert f"- D-{count} v1" in text, "the newest"


def deliverable(name: str, title: str, task: str = "T-1") -> Deliverable:
    return Deliverable(name, title, task, (Change(1, "", "x", 1, "", "", 0.0),))


TEXT = st.text(st.sampled_from("ab \n#`<-é漢"), max_size=4_000)
TITLE = st.text(st.sampled_from("ab é漢"), min_size=1, max_size=limits.TASK_TITLE_CHARS)


@pytest.mark.req("C-task-context-inject")
@given(TITLE, TEXT, TEXT, TEXT, st.lists(TITLE, max_size=20))
@settings(max_examples=60, deadline=None)
def test_whatever_stands_in_it_the_package_has_at_most_2500_characters(
    title: str, requirement: str, notes: str, account: str, titles: list[str]
) -> None:
    verdict = Verdict("rejected", notes or "n", "bob", 1.0, 1)
    before = Task("T-1", title, notes=(Note("", 0.0, account),), reason=title)
    task = Task("T-2", title, requirement=requirement, predecessor="T-1", verdicts=(verdict,))
    made = {f"D-{n}": deliverable(f"D-{n}", name, "T-2") for n, name in enumerate(titles)}
    work = Work({"T-1": before, "T-2": task}, made, {})
    text = package_of(find("/nonexistent"), work, task)
    assert len(text) <= limits.TASK_CONTEXT_MAX_CHARS == 2_500
    assert text.startswith(f"# Task T-2: {title}\n")
    shown = text.count("\n- D-")
    left_out = len(titles) - shown
    assert (left_out == 0) == ("deliverable list" not in text)
