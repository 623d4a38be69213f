"""docs/context-index.json is the index of the shipped facts, and every other one turns the check red."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import generated
from support.generators import DOCS, copied

SCRIPT, INDEX = "generate_context_index.py", "context-index.json"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The generator, its index, and the content to change."""
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(DOCS.parent / "content", tmp_path / "content", ignore=skipped)
    (tmp_path / "docs").mkdir()
    copied(tmp_path / "docs", SCRIPT, INDEX)
    return tmp_path


def run(tree: Path, *modes: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(tree / "content"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(tree / "docs" / SCRIPT), *modes]
    return subprocess.run(command, env=env, capture_output=True, encoding="utf-8", check=False)


def change(tree: Path, old: str, new: str) -> None:
    path = tree / "content" / "gsd_content" / "CONTEXT.md"
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


FACT = "- `PLAN.FILES=two plans of one wave never name the same file`\n"


@pytest.mark.req("ADR1671-predicate-drift")
def test_the_check_runs_with_those_of_all_generators_and_is_green(tree: Path) -> None:
    assert f"docs/{SCRIPT}" in generated.GENERATORS
    assert run(tree, "--check").returncode == 0
    index = json.loads((tree / "docs" / INDEX).read_text(encoding="utf-8"))
    assert index["count"] == len(index["predicates"]) > 20
    assert not any("line" in each for each in index["predicates"])


@pytest.mark.req("ADR1671-predicate-drift")
@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ("", "not that of the present predicates"),
        (FACT.replace("two plans", "three plans"), "not that of the present predicates"),
        (FACT + "- `PLAN.MORE=one more`\n", "not that of the present predicates"),
        (FACT * 2, "'PLAN.FILES' is stated 2 times"),
        (FACT + "- `plan.more=one more`\n", "is no predicate"),
    ],
)
def test_drift_and_a_duplicate_turn_the_check_red(tree: Path, new: str, reason: str) -> None:
    change(tree, FACT, new)
    red = run(tree, "--check")
    assert red.returncode == 1
    assert reason in red.stderr
    assert f"fix: python docs/{SCRIPT} --write" in red.stderr
    before = (tree / "docs" / INDEX).read_bytes()
    fault = reason.startswith(("'", "is no"))
    assert run(tree, "--write").returncode == fault
    assert ((tree / "docs" / INDEX).read_bytes() == before) is fault
    assert run(tree, "--check").returncode == fault


@pytest.mark.req("ADR1671-predicate-drift")
def test_text_that_moves_a_fact_is_no_drift(tree: Path) -> None:
    change(tree, FACT, f"\nA remark.\n\n{FACT}")
    assert run(tree, "--check").returncode == 0


@pytest.mark.req("ADR1671-predicate-drift")
@pytest.mark.parametrize("text", [None, "{", "{}\n"])
def test_an_index_that_is_gone_or_damaged_turns_the_check_red(tree: Path, text: str | None) -> None:
    index = tree / "docs" / INDEX
    right = index.read_bytes()
    index.unlink()
    if text is not None:
        index.write_text(text, encoding="utf-8")
    assert run(tree, "--check").returncode == 1
    assert run(tree, "--write").returncode == 0
    assert index.read_bytes() == right


def test_one_mode_is_asked_for(tree: Path) -> None:
    assert run(tree).returncode == 2
    assert run(tree, "--check", "--write").returncode == 2
