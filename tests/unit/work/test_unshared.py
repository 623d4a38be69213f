"""What is of one machine: git does not see it, and rules that somebody wrote stay."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.agents import AT, Desk
from support.scripted_model import serving

MESSAGE = b'{"role": "user", "text": "between us"}\n'


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A repository in which everything was used once."""
    subprocess.run(["git", "init", "-q", tmp_path / "p"], check=True)
    with serving() as model:
        desk = Desk(tmp_path / "p", model)
        for words in (("task", "add", "one", "--to", "agent"), ("learn", "remember")):
            assert desk.tools(*words, stdin=MESSAGE).code == 0
        for words in (("task", "T-1"), ("heartbeat",), ("chat", "hello")):
            assert desk.agent(*words).code == 0
        assert desk.tools("packs", "discover", "s", "chat", "--core", "hub_install").code == 0
        yield desk


def seen(desk: Desk) -> set[str]:
    """What git would add below the folder of work."""
    asked = ["git", "-C", str(desk.root), "ls-files", "--others", "--exclude-standard", ".planning/work"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    return {line.removeprefix(".planning/work/") for line in done.stdout.splitlines()}


def test_git_sees_the_ledger_and_nothing_that_is_of_this_machine(desk: Desk) -> None:
    work = desk.root / ".planning" / "work"
    there = {path.relative_to(work).parts[0] for path in work.rglob("*") if path.is_file()}
    assert {"events.jsonl", "sessions", "packs", "heartbeat.json", "running.json"} <= there
    assert seen(desk) == {"events.jsonl"}


def test_rules_of_somebody_s_own_stay(desk: Desk) -> None:
    rules = desk.root / ".planning" / "work" / ".gitignore"
    rules.write_text("# mine\n", encoding="utf-8")
    assert desk.agent("chat", "again").code == 0
    assert desk.tools("task", "note", "x", "--task", "T-1", "--at", AT).code == 0
    assert rules.read_text(encoding="utf-8") == "# mine\n"
