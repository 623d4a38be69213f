"""The notebook and the buffer of observations: bounded, and nothing is cut or lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gsd_capabilities.learning import limits
from gsd_capabilities.memory import store
from gsd_capabilities.memory.observations import observations
from gsd_capabilities.work.clock import stamp
from support.memories import START, Mind


@pytest.fixture
def mind(tmp_path: Path) -> Mind:
    return Mind(tmp_path)


def titles(mind: Mind, *words: str) -> list[str]:
    return [row["title"] for row in mind.ask("show", "notebook", *words)["entries"]]


@pytest.mark.req("ECO-memory-notebook")
def test_a_note_is_kept_for_its_agent(mind: Mind) -> None:
    said = mind.ask("note", "## Now\n\nwe wait", "--as", "bob, the builder", "--title", "Plan")
    assert said == {"store": ".planning/memory/NOTEBOOK.md", "title": "Plan", "replaced": False}
    assert mind.text("NOTEBOOK.md") == (
        "# Notebook\n\n## Plan\n\nby: bob, the builder, 2026-12-01T00:00:00Z\n\n### Now\n\nwe wait\n"
    )
    mind.ask("note", "mine", "--as", "ann", "--title", "Plan")
    assert mind.ask("note", "go", "--as", "bob, the builder", "--title", "Plan")["replaced"]
    assert [(row["who"], row["text"]) for row in mind.ask("show", "notebook")["entries"]] == [
        ("bob, the builder", "go"), ("ann", "mine"),
    ]  # fmt: skip
    assert titles(mind, "--as", "ann") == ["Plan"]


@pytest.mark.req("ECO-memory-notebook")
def test_one_entry_too_many_and_one_too_long_are_refused_and_never_cut(mind: Mind) -> None:
    for _ in range(limits.NOTEBOOK_ENTRIES):
        mind.ask("note", "x" * limits.NOTEBOOK_ENTRY_CHARS, "--as", "bob")
    assert titles(mind) == [f"2026-12-01T00:00:00Z{more}" for more in ("", " (2)", " (3)", " (4)")]
    before = mind.files()
    error = mind.refused("note", "x", "--as", "bob")
    assert (error["reason"], error["required"], error["available"], error["unit"]) == (
        "full", limits.NOTEBOOK_ENTRIES + 1, limits.NOTEBOOK_ENTRIES, "entries",
    )  # fmt: skip
    assert titles(mind)[0] in error["hint"]
    long = "x" * (limits.NOTEBOOK_ENTRY_CHARS + 1)
    assert mind.refused("note", long, "--as", "ann")["unit"] == "characters"
    assert mind.files() == before
    mind.ask("note", "short", "--as", "bob", "--title", titles(mind)[0])
    mind.ask("note", "x", "--as", "ann")


def test_a_note_that_a_person_wrote_stays(mind: Mind) -> None:
    mind.put("NOTEBOOK.md", "## By hand\n\nhello\n")
    mind.ask("note", "x", "--as", "bob")
    assert mind.text("NOTEBOOK.md").startswith("## By hand\n\nhello\n\n## 2026")
    assert mind.ask("show", "notebook")["entries"][0] == {
        "title": "By hand", "text": "hello", "who": "", "at": "",
    }  # fmt: skip
    assert mind.refused("note", "x", "--as", "a\nb")["reason"] == "bad_value"


@pytest.mark.req("ECO-memory-observations")
def test_the_oldest_observations_leave_into_the_archive_and_the_answer_says_so(mind: Mind) -> None:
    for number in range(limits.OBSERVATIONS_KEPT):
        said = store.observe(mind.found, f"seen {number}", now=START + number)
    assert (said.kept, said.archived) == (limits.OBSERVATIONS_KEPT, 0)
    answer = mind.ask("observe", "the last", "--theme", "end", "--as", "bob", at=START + 999)
    assert answer == {
        "store": ".planning/memory/observations.jsonl", "kept": limits.OBSERVATIONS_KEPT, "archived": 1,
        "archive": ".planning/memory/archive/observations.jsonl",
    }  # fmt: skip
    kept = observations(mind.found)
    assert [kept[0].text, kept[-1]] == ["seen 1", ("the last", "end", "bob", START + 999)]
    assert [json.loads(row.removesuffix(" ."))["text"] for row in _rows(mind)] == ["seen 0"]


def _rows(mind: Mind) -> list[str]:
    return [row for row in mind.text("archive/observations.jsonl").split("\n") if row]


@pytest.mark.req("ECO-memory-observations")
def test_no_answer_holds_the_whole_buffer(mind: Mind) -> None:
    for number in range(limits.OBSERVATIONS_SHOWN_MOST + 1):
        store.observe(mind.found, f"seen-{number}.", theme="odd" if number % 2 else "", now=START)
    assert mind.ask("show")["observations"]["kept"] == limits.OBSERVATIONS_SHOWN_MOST + 1
    assert "seen-" not in json.dumps(mind.ask("show"))
    shown = mind.ask("show", "observations")
    assert (len(shown["entries"]), shown["older"]) == (20, 81)
    assert shown["entries"][-1]["text"] == "seen-100."
    assert len(mind.ask("show", "observations", "--last", "100")["entries"]) == 100
    only = mind.ask("show", "observations", "--theme", "odd", "--last", "2")
    assert ([row["text"] for row in only["entries"]], only["older"]) == (["seen-97.", "seen-99."], 48)


@pytest.mark.req("ECO-memory-observations")
@pytest.mark.parametrize(
    "scenario", ["heartbeat", "chat", "task_execution", "review", "memory_consolidation"]
)
def test_no_prompt_holds_an_observation(mind: Mind, scenario: str) -> None:
    mind.ask("observe", "sentence-of-observation", "--theme", "theme-of-observation")
    mind.ask("state", "Build", "sentence-of-state")
    done = mind.run("prefix", "show", scenario, "--text", "--at", stamp(START))
    assert done.code == 0, done.err
    assert b"sentence-of-state" in done.out
    assert b"of-observation" not in done.out


def test_a_damaged_line_is_passed_over(mind: Mind) -> None:
    mind.ask("observe", "one")
    with (mind.project / ".planning/memory/observations.jsonl").open("ab") as file:
        file.write(b'{"text": "hal\n[] .\n')
    mind.ask("observe", "two")
    assert [seen.text for seen in observations(mind.found)] == ["one", "two"]
    assert mind.refused("observe", " ")["reason"] == "bad_value"
