"""What a session is told of memory when it starts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gsd_capabilities.memory import store
from support.hooks import answered, project
from support.memories import LIFE, OLD, START, Mind


def told(mind: Mind) -> list[str]:
    answer = answered("session-orientation", {}, mind.project)
    return answer.text.splitlines() if answer else []


@pytest.fixture
def mind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mind:
    monkeypatch.setattr("time.time", lambda: START)
    return Mind(tmp_path)


def test_without_memory_nothing_is_said(mind: Mind) -> None:
    assert told(mind) == []
    mind.ask("show")
    assert told(mind) == []


@pytest.mark.req("ECO-memory-observations")
def test_three_lines_say_what_there_is_and_no_text_of_it(mind: Mind) -> None:
    mind.ask("save", "--title", "Fuses", "--text", "secret text")
    mind.ask("save", "--title", "Wires", "--text", "secret text")
    mind.ask("state", "Build", "secret text")
    mind.ask("state", "Gone", "secret text", at=START - LIFE - 1)
    mind.ask("note", "secret text")
    mind.ask("observe", "secret text")
    first, *others = told(mind)
    assert first == (
        "memory: 2 of knowledge, 1 of state, 1 in the notebook; "
        "read it with gsd-tools memory show, or memory search WORDS"
    )
    assert others == [
        "known: Fuses; Wires",
        "how things stand: Build",
    ]


def test_an_old_file_is_named_and_left_to_the_first_verb(mind: Mind) -> None:
    mind.write(mind.project / "MEMORY.md", OLD)
    assert told(mind) == ["memory: MEMORY.md is not taken over yet; gsd-tools memory show does it"]
    assert list((mind.project / ".planning").iterdir()) == []
    mind.ask("show")
    assert told(mind)[0].startswith("memory: 3 of knowledge, 3 of state")


def test_the_lines_stand_behind_the_state_of_the_work_within_its_bound(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    found = Mind(tmp_path / "q").found._replace(root=str(folder), planning=str(folder / ".planning"))
    for number in range(60):
        store.save(found, store.Entry(f"A rather long title, number {number}", "x"), now=START)
    answer = answered("session-orientation", {}, folder)
    assert answer is not None
    rows = answer.text.splitlines()
    assert rows[1] == "project: Photos, v1.0"
    assert [row.partition(":")[0] for row in rows[-2:]] == ["memory", "known"]
    assert len(answer.text) <= 1200


def test_damaged_memory_is_logged_and_the_rest_is_still_said(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    (folder / ".planning" / "memory").mkdir()
    (folder / ".planning" / "memory" / "knowledge.md").write_bytes(b"\xff")
    answer = answered("session-orientation", {}, folder)
    assert answer is not None
    assert answer.text.splitlines()[-1] == "blocked: no key yet"
    [log] = folder.glob("gsd-*/hooks.log")
    assert "this is not UTF-8" in log.read_text()


def test_an_install_without_the_capability_says_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gsd_capabilities.memory.report", None)
    answer = answered("session-orientation", {}, project(tmp_path / "p"))
    assert answer is not None
    assert answer.text.splitlines()[-1] == "blocked: no key yet"
