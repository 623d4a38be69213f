"""Knowledge: saved, updated, removed, found; refused where it does not fit; never lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gsd_capabilities.learning import limits
from support.memories import Mind, ended, started


@pytest.fixture
def mind(tmp_path: Path) -> Mind:
    return Mind(tmp_path)


def save(mind: Mind, title: str, text: str) -> dict[str, object]:
    said: dict[str, object] = mind.ask("save", stdin=json.dumps({"title": title, "text": text}).encode())
    return said


@pytest.mark.req("ECO-memory-knowledge")
def test_one_object_is_saved_and_the_answer_names_the_file(mind: Mind) -> None:
    said = save(mind, "Fuses", "They are red.\n\n## How many\n\nfour")
    assert said == {"store": ".planning/memory/knowledge.md", "title": "Fuses", "changed": True}
    assert (mind.project / str(said["store"])).read_text() == (
        "# Knowledge\n\n## Fuses\n\nThey are red.\n\n### How many\n\nfour\n"
    )
    assert mind.ask("save", "--title", "Bulbs", "--text", "white")["changed"]
    assert mind.ask("show", "knowledge")["entries"] == ["Fuses", "Bulbs"]


@pytest.mark.req("ECO-memory-knowledge")
@pytest.mark.parametrize(
    "sent",
    [
        b"", b"[]", b'[{"title": "a", "text": "b"}]', b"{}", b'{"title": "a"}', b'"a"', b"null", b"\xff",
        b'{"title": "", "text": "b"}', b'{"title": "a", "text": " "}', b'{"title": "a", "text": ["b"]}',
        b'{"title": "a", "text": "b", "more": 1}', b'{"title": "a", "text": "\\ud800"}', b"[" * 99_999,
    ],
)  # fmt: skip
def test_what_is_not_one_filled_object_is_refused_and_nothing_is_made(mind: Mind, sent: bytes) -> None:
    assert mind.refused("save", stdin=sent)["reason"] in ("bad_value", "not_text")
    assert list((mind.project / ".planning").iterdir()) == []


def test_a_title_that_is_taken_is_not_overwritten(mind: Mind) -> None:
    save(mind, "Fuses", "red")
    assert not save(mind, "Fuses", "red\n")["changed"]
    before = mind.files()
    assert mind.refused("save", "--title", "Fuses", "--text", "blue")["reason"] == "exists"
    assert mind.files() == before


def test_an_update_replaces_one_entry_and_moves_no_other_byte(mind: Mind) -> None:
    mind.put("knowledge.md", "\ufeffintro\r\n\r\n## A\r\n\r\nold\r\n\r\n## B\r\n\r\nb  \r\n")
    assert mind.ask("update", "A", "new")["changed"]
    assert mind.text("knowledge.md") == "\ufeffintro\r\n\r\n## A\r\n\r\nnew\r\n\r\n## B\r\n\r\nb  \r\n"
    assert not mind.ask("update", "A", "--text", "new")["changed"]
    assert mind.ask("update", "B", stdin=b"c")["changed"]
    assert mind.refused("update", "C", "x")["reason"] == "no_entry"
    (mind.project / ".planning/memory/knowledge.md").unlink()
    assert mind.refused("update", "C", "x")["reason"] == "no_entry"


def test_what_is_removed_is_in_the_archive(mind: Mind) -> None:
    save(mind, "Fuses", "red")
    save(mind, "Bulbs", "white")
    assert mind.ask("remove", "Fuses")["store"] == ".planning/memory/archive/knowledge.md"
    assert mind.text("knowledge.md") == "# Knowledge\n\n## Bulbs\n\nwhite\n"
    mind.ask("remove", "Bulbs")
    assert mind.text("archive/knowledge.md") == "## Fuses\n\nred\n\n## Bulbs\n\nwhite\n"
    assert mind.refused("remove", "Fuses")["reason"] == "no_entry"


def test_what_does_not_fit_is_refused_with_its_size_and_never_cut(mind: Mind) -> None:
    most = limits.KNOWLEDGE_SECTION_CHARS
    error = mind.refused("save", "--title", "A", "--text", "x" * (most + 1))
    assert (error["reason"], error["required"], error["available"]) == ("full", most + 1, most)
    count = 0
    while mind.run("memory", "save", "--title", f"T{count}", "--text", "x" * most).code == 0:
        count += 1
    assert count == 4
    before = mind.files()
    error = mind.refused("save", "--title", "T4", "--text", "x" * most)
    assert (error["reason"], error["available"]) == ("full", limits.KNOWLEDGE_FILE_CHARS)
    assert mind.files() == before


def test_a_text_that_is_over_already_can_be_made_smaller(mind: Mind) -> None:
    mind.put("knowledge.md", "## A\n\nold\n\n## B\n\n" + "x" * limits.KNOWLEDGE_FILE_CHARS + "\n")
    assert mind.refused("update", "A", "longer")["reason"] == "full"
    mind.ask("update", "A", "o")
    mind.ask("update", "B", "short")
    mind.ask("update", "A", "longer")


@pytest.mark.req("ECO-memory-knowledge")
def test_every_store_is_searched_and_the_title_counts_most(mind: Mind) -> None:
    save(mind, "Fuses", "They are red.\nAnd small.")
    save(mind, "Wires", "A FUSE is behind them; fuse red")
    mind.ask("note", "the red fuse is out", "--title", "now")
    mind.ask("observe", "a red fuse blew", "--theme", "power")
    mind.ask("state", "Power", "fuse: red is out")
    found = mind.ask("search", "fuse", "RED")
    assert [(hit["store"].rpartition("/")[2], hit["title"]) for hit in found] == [
        ("knowledge.md", "Fuses"), ("knowledge.md", "Wires"), ("state.md", "Power"), ("NOTEBOOK.md", "now"),
        ("observations.jsonl", "power"),
    ]  # fmt: skip
    assert found[0]["lines"] == ["They are red."]
    assert mind.ask("search", "fuse", "nowhere") == []


def test_a_letter_with_an_accent_is_found_however_it_is_put_together(mind: Mind) -> None:
    save(mind, "Caf\u00e9", "tre\u0301s bon")
    for word in ("cafe\u0301", "CAF\u00c9", "tr\u00e9s"):
        assert [hit["title"] for hit in mind.ask("search", word)] == ["Caf\u00e9"]


@pytest.mark.parametrize("wrong", ['"at": "now"', '"at": 1e999', '"at": true', '"at": 1, "theme": 7'])
def test_a_line_that_is_no_observation_is_passed_over(mind: Mind, wrong: str) -> None:
    mind.ask("observe", "it rains")
    row = json.dumps({"text": "x", "theme": "", "who": ""})[:-1] + f", {wrong}}}"
    if "theme" in wrong:
        row = row.replace('"theme": "", ', "")
    with open(mind.project / ".planning" / "memory" / "observations.jsonl", "ab") as stream:
        stream.write(f"\n{row} .\n".encode())
    assert [one["text"] for one in mind.ask("show", "observations")["entries"]] == ["it rains"]
    assert len(mind.ask("search", "rains")) == 1
    assert mind.refused("search", " ")["reason"] == "bad_value"


def test_a_project_is_needed_and_words_are_counted(tmp_path: Path) -> None:
    mind = Mind(tmp_path)
    for words in (("state", "one"), ("note",), ("observe", "a", "b"), ("show", "a", "b"), ("expire", "x")):
        assert mind.refused(*words)["reason"] == "usage"
    assert mind.refused("show", "knowlege")["hint"].startswith("did you mean 'knowledge'?")
    assert mind.refused("show", "observations", "--last", "101")["reason"] == "usage"
    assert mind.refused("remove", "x", "--store", "observations")["reason"] == "bad_value"
    (mind.project / ".planning").rmdir()
    for words in (("show",), ("search", "x"), ("observe", "x"), ("migrate",)):
        assert mind.refused(*words)["reason"] == "no_project"


WRITER = """
import os, sys, time
from gsd_capabilities.companion.project import find
from gsd_capabilities.memory import notebook, store

project, name = find(os.getcwd()), sys.argv[1]
for count in range(4):
    now = time.time()
    store.save(project, store.Entry(f"{name} {count}", "x"), now=now)
    store.observe(project, f"{name} {count}", who=name, now=now)
    store.snapshot(project, f"{name} {count}", "x", now=now)
    notebook.write(project, f"{name} {count}", who=name, now=now)
"""


@pytest.mark.req("ECO-memory-knowledge", "ECO-memory-notebook", "ECO-memory-observations")
def test_writers_at_the_same_time_lose_nothing(mind: Mind) -> None:
    names = ["a", "b", "c"]
    assert ended([started(WRITER, name, cwd=mind.project) for name in names]) == [0] * len(names)
    every = sorted(f"{name} {count}" for name in names for count in range(4))
    assert sorted(mind.ask("show", "knowledge")["entries"]) == every
    for store in ("state", "observations", "notebook"):
        rows = mind.ask("show", store, at=0)["entries"]
        assert sorted(row["title" if store == "state" else "text"] for row in rows) == every


def test_a_name_that_is_no_text_is_refused_and_writes_nothing(mind: Mind) -> None:
    for words in (
        ("observe", "rain", "--as", "a\udcff"),
        ("observe", "rain", "--theme", "a\udcff"),
        ("note", "rain", "--as", "a\udcff"),
        ("note", "rain", "--title", "a\udcff"),
        ("state", "a\udcff", "rain"),
        ("save", "--title", "a\udcff", "--text", "rain"),
    ):
        assert mind.refused(*words)["reason"] == "bad_value"
    assert mind.files() == {}
