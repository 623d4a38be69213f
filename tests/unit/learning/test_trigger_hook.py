"""The word at the end of a session that lessons wait."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsd_capabilities.hooks.envelopes import Answer
from support.hooks import answered
from support.office import Office

STOP = {"hook_event_name": "Stop", "session_id": "one"}


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path / "p")


@pytest.mark.req("B-hook-fire-complex")
def test_lessons_that_wait_are_spoken_of_once_in_a_session(office: Office) -> None:
    office.completed("alpha", calls=5)
    assert answered("learning-trigger", STOP, office.folder) == Answer("notice", "1 lesson waits: run learn")
    assert answered("learning-trigger", STOP, office.folder) is None
    office.completed("beta", calls=5)
    assert answered("learning-trigger", STOP, office.folder) is None
    said = answered("learning-trigger", {**STOP, "session_id": "two"}, office.folder)
    assert said == Answer("notice", "2 lessons wait: run learn")


def test_jobs_that_somebody_began_or_ended_do_not_wait(office: Office) -> None:
    office.completed(calls=5)
    office("learn", "next", as_="bo")
    assert answered("learning-trigger", STOP, office.folder) is None
    office("learn", "done", "job-1", as_="bo")
    assert answered("learning-trigger", STOP, office.folder) is None


@pytest.mark.req("B-hook-skip-trivial")
def test_without_jobs_or_a_project_nothing_is_said_or_written(office: Office, tmp_path: Path) -> None:
    office.completed(calls=4)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert answered("learning-trigger", STOP, office.folder) is None
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert answered("learning-trigger", STOP, elsewhere) is None
    empty = tmp_path / "empty"
    (empty / ".planning").mkdir(parents=True)
    assert answered("learning-trigger", STOP, empty) is None
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {path.name for path in after.keys() - before.keys()} <= {"hooks.json"}


def test_where_learning_is_not_installed_nothing_is_said_and_nothing_is_wrong(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    office.completed(calls=5)
    for name in [name for name in sys.modules if name.startswith("gsd_capabilities.learning")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "gsd_capabilities.learning", None)
    assert answered("learning-trigger", STOP, office.folder) is None
