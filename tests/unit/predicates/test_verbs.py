from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.payloads import Box

FACTS = "# Rules\n\n`RULE.b=two`\n- `RULE.a=one`\n\n# Paths\n\n`PATH.x=src`\n"


@pytest.fixture
def box(tmp_path: Path) -> Box:
    made = Box(tmp_path)
    made.write(made.project / "CONTEXT.md", FACTS)
    (made.project / "docs").mkdir()
    return made


def query(box: Box, *options: str) -> list[tuple[str, int]]:
    answer = box.run("query", "context-predicates", *options)
    assert answer.code == 0, answer.err
    found = answer.json
    predicates = found["predicates"]
    assert isinstance(predicates, list)
    assert found["matched"] == len(predicates)
    return [(each["id"], each["line"]) for each in predicates]


@pytest.mark.req("ADR1671-predicate-query")
def test_a_query_answers_with_ids_and_lines(box: Box) -> None:
    assert query(box, "--class", "RULE") == [("RULE.b", 3), ("RULE.a", 4)]
    assert query(box, "--prefix=PATH.") == [("PATH.x", 8)]
    assert query(box, "--contains", "A ONE") == [("RULE.a", 4)]
    assert query(box, "--class", "RULE", "--class", "PATH") == query(box, "--class", "RULE")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "no_filter"),
        (("--class", ""), "empty_filter"),
        (("--class==X",), "empty_filter"),
        (("--klass", "X"), "unknown_option"),
        (("--class",), "missing_value"),
        (("--class", "X", "Y"), "unexpected_word"),
    ],
)
def test_a_query_that_makes_no_sense_is_a_usage_error(
    box: Box, options: tuple[str, ...], reason: str
) -> None:
    answer = box.run("--json-errors", "query", "context-predicates", *options)
    assert (answer.code, json.loads(answer.err)["reason"]) == (2, reason)
    assert answer.out == b""


def test_the_installed_content_answers_where_the_project_states_nothing(box: Box) -> None:
    (box.project / "CONTEXT.md").unlink()
    box.table["context"] = "gsd/CONTEXT.md"
    box.save()
    box.write(box.payload / "gsd" / "CONTEXT.md", "`RULE.shipped=1`\n")
    assert query(box, "--class", "RULE") == [("RULE.shipped", 1)]
    (box.payload / "gsd" / "CONTEXT.md").unlink()
    answer = box.run("--json-errors", "query", "context-predicates", "--class", "RULE")
    assert (answer.code, json.loads(answer.err)["reason"]) == (1, "fail_context_missing")


def checked(box: Box) -> str:
    answer = box.run("--json-errors", "predicates", "index", "--check")
    reason = json.loads(answer.err or answer.out)["reason"]
    assert answer.code == (0 if reason == "ok_up_to_date" else 1)
    assert isinstance(reason, str)
    return reason


@pytest.mark.req("ADR1671-predicate-index")
def test_the_index_is_written_checked_and_found_stale(box: Box) -> None:
    assert checked(box) == "fail_index_missing"
    assert box.run("predicates", "index", "--write").json["reason"] == "ok_written"
    assert box.run("predicates", "index", "--write").json["reason"] == "ok_up_to_date"
    assert checked(box) == "ok_up_to_date"
    index = json.loads((box.project / "docs" / "CONTEXT-INDEX.json").read_text())
    assert [each["id"] for each in index["predicates"]] == ["PATH.x", "RULE.a", "RULE.b"]
    assert (index["schemaVersion"], index["count"], index["classes"]) == (1, 3, ["PATH", "RULE"])
    box.write(box.project / "CONTEXT.md", FACTS.replace("two", "three"))
    assert checked(box) == "fail_stale"
    box.write(box.project / "docs" / "CONTEXT-INDEX.json", "{")
    assert checked(box) == "fail_index_unparseable"


@pytest.mark.req("ADR1671-predicate-no-lines")
def test_moved_text_changes_nothing_in_the_index(box: Box) -> None:
    box.run("predicates", "index", "--write")
    box.write(
        box.project / "CONTEXT.md",
        "An introduction.\n\n" + FACTS.replace("`RULE.b=two`\n- ", "- `RULE.b=two`\n"),
    )
    assert checked(box) == "ok_up_to_date"


@pytest.mark.req("ADR1671-predicate-duplicates")
@pytest.mark.parametrize("mode", ["--check", "--write"])
@pytest.mark.parametrize(
    ("more", "reason", "line"),
    [("`RULE.a=again`\n", "fail_duplicate_ids", 9), ("`rule.a=x`\n", "malformed_predicate", 9)],
)
def test_a_text_with_a_fault_has_no_index(box: Box, mode: str, more: str, reason: str, line: int) -> None:
    box.write(box.project / "CONTEXT.md", FACTS + more)
    answer = box.run("--json-errors", "predicates", "index", mode)
    told = json.loads(answer.err)
    assert (answer.code, told["reason"], told["line"]) == (1, reason, line)
    assert list((box.project / "docs").iterdir()) == []


def test_an_index_that_cannot_be_written_is_named(box: Box) -> None:
    (box.project / "docs").rmdir()
    answer = box.run("--json-errors", "predicates", "index", "--write")
    assert (answer.code, json.loads(answer.err)["reason"]) == (1, "fail_write_error")
    assert box.run("predicates", "index", "--write", "--index", "INDEX.json").code == 0
    assert json.loads((box.project / "INDEX.json").read_text())["count"] == 3


def test_the_index_wants_exactly_one_mode(box: Box) -> None:
    for options in ((), ("--check", "--write")):
        assert box.run("predicates", "index", *options).code == 2


def test_a_text_nobody_can_read_is_named(box: Box) -> None:
    box.write(box.project / "CONTEXT.md", b"`A=\xff`\n")
    told = json.loads(box.run("--json-errors", "predicates", "index", "--check").err)
    assert told["reason"] == "fail_context_unreadable"
    assert told["file"].endswith("CONTEXT.md")
