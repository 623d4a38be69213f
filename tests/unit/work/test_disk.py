"""What verbs write stays in the planning files, and what killed writers left there goes."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from support.works import Desk

ROW = b'{"role": "user", "text": "keep this"}\n'
WRITING: dict[str, tuple[tuple[str, ...], bytes]] = {
    "work": (("task", "add", "It"), b""),
    "work/sessions": (("learn", "remember"), ROW),
    "memory": (("memory", "observe", "it rains"), b""),
    "memory/archive": (("memory", "remove", "Rain"), b""),
}


@pytest.mark.parametrize("place", WRITING)
def test_a_folder_that_leads_away_is_not_written_to(tmp_path: Path, place: str) -> None:
    desk = Desk(tmp_path / "project")
    away = tmp_path / "away"
    away.mkdir()
    if place == "memory/archive":
        desk.say("memory", "save", "--title=Rain", "--text=falls").json  # noqa: B018 - it must not be refused
    link = desk.folder / ".planning" / place
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(away)
    words, stdin = WRITING[place]
    said = desk.say(*words, stdin=stdin)
    assert (said.reason, list(away.iterdir())) == ("outside", [])


def test_planning_files_that_are_elsewhere_themselves_are_fine(tmp_path: Path) -> None:
    real = Desk(tmp_path / "real")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / ".planning").symlink_to(real.folder / ".planning")
    desk = Desk(tmp_path / "project")
    assert desk.task() == "T-1"
    desk.say("memory", "observe", "it rains").json  # noqa: B018 - it must not be refused
    assert real.ledger.is_file()


@pytest.mark.parametrize("place", ["", "memory", "memory/archive", "work", "work/sessions"])
def test_what_a_killed_writer_left_is_cleared_and_what_a_living_one_writes_is_not(
    tmp_path: Path, place: str
) -> None:
    desk = Desk(tmp_path)
    folder = desk.folder / ".planning" / place
    folder.mkdir(parents=True, exist_ok=True)
    old, young = folder / "knowledge.md.1-0a.gsd-tmp", folder / "knowledge.md.2-0b.gsd-tmp"
    for path, age in ((old, 3_600), (young, 5)):
        path.write_text("half")
        os.utime(path, (time.time() - age,) * 2)
    assert desk.task() == "T-1"
    assert (old.exists(), young.exists()) == (False, True)
