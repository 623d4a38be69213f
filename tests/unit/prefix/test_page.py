"""The page about the prefix names the sections and the numbers that the code has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gsd_capabilities.learning import limits
from gsd_capabilities.prefix.profile import SECTIONS, Rule

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "economics.md").read_text(encoding="utf-8")
ROWS = {
    row.split("|")[1].strip(): [cell.strip() for cell in row.split("|")[3:6]]
    for row in PAGE.partition("\n## The prefix\n")[2].partition("\n## ")[0].splitlines()
    if row.startswith("| ")
}
NAMES = {
    "team": "roster",
    "knowledge": "knowledge",
    "state": "state",
    "skills, names and descriptions": "skills",
    "announcements; norms": "norms",
    "workflows": "workflows",
    "channel": "channel",
    "tasks": "board",
    "what the caller adds": "dynamic",
}


def says(cell: str, rule: Rule, before: str) -> bool:
    """Whether a cell of the table has the number of a rule; `before` is the cell to its left."""
    if cell == "the same":
        return says(before, rule, "")
    if not rule.most:
        return not re.search(r"\d", cell)
    return f"{rule.most:,}" in re.findall(r"[\d,]+\d|\d", cell)


@pytest.mark.parametrize("name", NAMES)
def test_the_table_has_the_numbers_of_the_rules(name: str) -> None:
    [section] = [one for one in SECTIONS if one.name == NAMES[name]]
    reflex, converse, execute = ROWS[name]
    assert says(reflex, section.reflex, "")
    assert says(converse, section.converse, reflex)
    assert says(execute, section.execute, converse if converse != "the same" else reflex)


def test_a_wrong_number_is_noticed() -> None:
    assert not says("1,300 tokens", Rule("tokens", 1_200), "")
    assert not says("6 lines", Rule("absent"), "")
    assert not says("the same", Rule("lines", 5), "50 lines")


def test_the_limits_in_the_text_are_those_of_the_code() -> None:
    for number in (
        limits.ROLE_PROMPT_MAX_TOKENS,
        limits.SYSTEM_PROMPT_BUDGET_CONVERSE,
        limits.COLD_CONVERSE_FIXED_GOAL,
        limits.DEFERRED_CATALOG_MAX_CHARS,
    ):
        assert f" {number:,} " in PAGE.partition("\n## The prefix\n")[2]
