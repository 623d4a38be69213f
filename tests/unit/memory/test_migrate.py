"""An old MEMORY.md becomes knowledge and state once, whoever asks first and whatever kills it."""

from __future__ import annotations

import hashlib
import json
import signal
import sys
from pathlib import Path

import pytest

from support.memories import OLD, START, Mind, ended, started

READERS = [
    ("show",),
    ("show", "knowledge"),
    ("show", "state"),
    ("show", "notebook"),
    ("show", "observations"),
    ("search", "ohm"),
]
WRITERS = [
    ("save", "--title", "New", "--text", "x"),
    ("update", "Progress bar widget docs", "x"),
    ("remove", "Progress bar widget docs"),
    ("observe", "x"),
    ("note", "x"),
    ("state", "New", "x"),
    ("expire",),
]
KNOWLEDGE = """\
# Memory

We sell photos.

## Electric current rules

Ohm's law holds, as of 2026-01-01.

- fuses are red

## Progress bar widget docs

- silent mode is an option

"""


@pytest.fixture
def mind(tmp_path: Path) -> Mind:
    made = Mind(tmp_path)
    made.write(made.project / "MEMORY.md", OLD)
    return made


@pytest.mark.req("ECO-memory-migration")
@pytest.mark.parametrize("words", [*READERS, *WRITERS, ("migrate",)], ids=" ".join)
def test_the_first_verb_migrates_whichever_it_is(mind: Mind, words: tuple[str, ...]) -> None:
    mind.ask(*words)
    assert "Electric current rules" in mind.text("knowledge.md")
    assert "Current focus" in mind.text("state.md")
    record = json.loads(mind.text("migration.json"))
    assert record["done"] is True
    assert record["sha256"] == hashlib.sha256(OLD.encode()).hexdigest()
    assert (mind.project / "MEMORY.md").read_text() == OLD


@pytest.mark.req("ECO-memory-migration")
def test_dated_and_current_parts_go_to_state_and_the_rest_to_knowledge(mind: Mind) -> None:
    said = mind.ask("migrate")
    assert (said["migrated"], said["source"], said["left"]) == (True, "MEMORY.md", [])
    assert mind.text("knowledge.md") == KNOWLEDGE
    titles = [entry["title"] for entry in mind.ask("show", "state")["entries"]]
    assert titles == ["Status (2026-11-28)", "Current focus", "Log"]
    assert mind.ask("show", "state")["expired"] == ["Electric current rules, 2026-11-20"]
    assert [(part["lines"], part["rule"]) for part in said["parts"] if part["store"] == "state.md"] == [
        ([10, 11], "dated-item"), ([17, 20], "dated-heading"), ([21, 24], "current-heading"),
        ([25, 28], "all-dated"),
    ]  # fmt: skip
    assert said["parts"] == json.loads(mind.text("migration.json"))["parts"]


@pytest.mark.req("ECO-memory-migration")
def test_it_happens_once(mind: Mind) -> None:
    mind.ask("migrate")
    mind.write(mind.project / "MEMORY.md", OLD + "## Later\n\nx\n")
    before = mind.files()
    again = mind.ask("migrate", at=START + 60)
    assert (again["migrated"], again["reason"]) == (False, "already")
    mind.ask("show")
    assert mind.files() == before


@pytest.mark.req("ECO-memory-migration")
@pytest.mark.parametrize("name", ["knowledge.md", "state.md"])
def test_memory_that_is_there_is_not_touched(mind: Mind, name: str) -> None:
    mind.put(name, "## Mine\n\nx\n")
    assert mind.ask("migrate")["reason"] == "already"
    assert mind.files() == {name: b"## Mine\n\nx\n"}


def test_without_an_old_file_nothing_is_made(tmp_path: Path) -> None:
    mind = Mind(tmp_path)
    assert mind.ask("migrate")["reason"] == "nothing"
    for words in READERS:
        mind.ask(*words)
    assert list((mind.project / ".planning").iterdir()) == []


def test_the_file_among_the_planning_files_counts_and_the_other_is_named(mind: Mind) -> None:
    mind.planning("MEMORY.md", "\ufeff## Rules\r\n\r\nx\r\n")
    said = mind.ask("migrate")
    assert (said["source"], said["left"]) == (".planning/MEMORY.md", ["MEMORY.md"])
    assert mind.text("knowledge.md") == "\ufeff## Rules\r\n\r\nx\r\n"


@pytest.mark.req("A-legacy-memory-not-written")
@pytest.mark.parametrize("below", ["", ".planning"])
def test_nothing_writes_the_old_file_again(tmp_path: Path, below: str) -> None:
    mind = Mind(tmp_path)
    old = mind.write(mind.project / below / "MEMORY.md", OLD)
    before = old.stat()
    for words in (*WRITERS, ("migrate",)):
        mind.ask(*words)
    mind.ask("expire", at=START + 30 * 86_400)
    assert (old.read_text(), old.stat().st_mtime_ns, old.stat().st_ino) == (
        OLD, before.st_mtime_ns, before.st_ino,
    )  # fmt: skip
    assert [path.name for path in mind.project.rglob("MEMORY*")] == ["MEMORY.md"]


def test_a_file_that_cannot_be_read_is_named_and_nothing_is_made(mind: Mind) -> None:
    mind.write(mind.project / "MEMORY.md", b"## A\n\xff\n")
    error = mind.refused("show")
    assert (error["reason"], error["file"], error["line"]) == ("bad_encoding", "MEMORY.md", 2)
    assert list((mind.project / ".planning").iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_out_of_the_project_is_not_followed(mind: Mind) -> None:
    other = mind.write(mind.home / "private.md", "## Key\n\nsecret\n")
    (mind.project / "MEMORY.md").unlink()
    (mind.project / "MEMORY.md").symlink_to(other)
    assert mind.refused("show")["reason"] == "outside"
    assert list((mind.project / ".planning").iterdir()) == []
    mind.write(mind.project / "docs" / "old.md", OLD)
    (mind.project / "MEMORY.md").unlink()
    (mind.project / "MEMORY.md").symlink_to("docs/old.md")
    assert mind.ask("show", "knowledge")["text"] == KNOWLEDGE


def test_an_unfinished_migration_without_its_source_says_so(mind: Mind) -> None:
    mind.put("migration.json", '{"done": false}')
    mind.put("state.md", "# State\n")
    (mind.project / "MEMORY.md").unlink()
    assert mind.refused("show")["reason"] == "no_source"
    mind.put("migration.json", "[")
    assert mind.refused("show")["reason"] == "damaged"


def test_finishing_a_migration_keeps_what_somebody_wrote_meanwhile(mind: Mind) -> None:
    mind.ask("migrate")
    record = json.loads(mind.text("migration.json"))
    mind.put("migration.json", json.dumps(record | {"done": False}))
    mind.put("state.md", "# State\n\n## Mine\n\nx\n")
    (mind.project / ".planning" / "memory" / "knowledge.md").unlink()
    mind.ask("show")
    assert mind.text("knowledge.md") == KNOWLEDGE
    assert mind.text("state.md") == "# State\n\n## Mine\n\nx\n"
    assert json.loads(mind.text("migration.json"))["done"] is True


# Dies by SIGKILL before the n-th call to the system that changes or flushes something.
KILLED = """
import os, signal, sys
from gsd_capabilities.companion.project import find
from gsd_capabilities.memory.migrate import loaded

left = int(sys.argv[1])

def counted(call):
    def instead(*given, **named):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*given, **named)
    return instead

for name in ("mkdir", "open", "write", "fsync", "close", "replace"):
    setattr(os, name, counted(getattr(os, name)))
loaded(find(os.getcwd()), 1_796_083_200.0)
"""


@pytest.mark.req("ECO-memory-migration")
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_anywhere_it_is_all_old_or_all_new(tmp_path: Path) -> None:
    whole = Mind(tmp_path / "whole")
    whole.write(whole.project / "MEMORY.md", OLD)
    whole.ask("show")
    expected = whole.files()
    deaths = 0
    for step in range(1, 100):
        mind = Mind(tmp_path / str(step))
        mind.write(mind.project / "MEMORY.md", OLD)
        [code] = ended([started(KILLED, str(step), cwd=mind.project)])
        if code == 0:
            break
        assert code == -signal.SIGKILL
        deaths += 1
        assert set(mind.files()) <= set(expected)
        mind.ask("show", "knowledge")
        assert (mind.project / "MEMORY.md").read_text() == OLD
        found = mind.files()
        record = json.loads(found.pop("migration.json"))
        assert found == {name: data for name, data in expected.items() if name != "migration.json"}
        assert record["parts"] == json.loads(expected["migration.json"])["parts"]
    else:
        pytest.fail("it never ended")
    assert deaths > 12


def test_several_at_once_migrate_once(mind: Mind) -> None:
    script = (
        "import os, sys, time\nfrom gsd_capabilities.companion.project import find\n"
        "from gsd_capabilities.memory import store\nproject = find(os.getcwd())\n"
        "store.save(project, store.Entry(sys.argv[1], 'x'), now=time.time())\n"
    )
    assert ended([started(script, f"Entry {n}", cwd=mind.project) for n in range(4)]) == [0] * 4
    titles = mind.ask("show", "knowledge")["entries"]
    assert sorted(titles) == sorted(
        ["Memory", "Electric current rules", "Progress bar widget docs", *(f"Entry {n}" for n in range(4))]
    )
