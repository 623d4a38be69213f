"""docs/loaded.md: a usual invocation of each sectioned workflow loads 40 per cent less than all of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.generators import DOCS, copied, module, turns_red_and_green

GENERATOR = module("generate_loaded")
SCRIPT, PAGE = "generate_loaded.py", "loaded.md"
SECTIONED = {
    "plan-phase",
    "execute-phase",
    "new-project",
    "discuss-phase",
    "verify-work",
    "code-review",
    "docs-update",
    "quick",
    "autonomous",
    "update",
}


@cache
def sizes() -> tuple[Any, ...]:
    return tuple(GENERATOR.sizes())


def one(whole: tuple[int, int], loaded: tuple[int, int], name: str = "plan-phase") -> Any:
    return GENERATOR.Sizes(name, 1, whole, loaded)


@pytest.mark.req("ADR1671-less-context")
def test_each_sectioned_workflow_saves_forty_per_cent() -> None:
    found = {each.id: each for each in sizes()}
    assert set(found) >= SECTIONED
    for name, each in found.items():
        for whole, loaded in zip(each.whole, each.loaded, strict=True):
            assert loaded <= 0.6 * whole, name
    assert not GENERATOR.short(list(sizes()))


def test_one_that_saves_less_is_found() -> None:
    assert GENERATOR.short([one((1000, 100), (600, 60))]) == []
    assert GENERATOR.short([one((1000, 100), (601, 60))]) == ["plan-phase"]
    assert GENERATOR.short([one((1000, 100), (600, 61))]) == ["plan-phase"]
    with pytest.raises(ValueError, match="plan-phase"):
        GENERATOR.render([one((1000, 100), (900, 90))])


def test_the_page_has_every_sectioned_workflow_with_its_sizes() -> None:
    page = (DOCS / PAGE).read_text(encoding="utf-8")
    for each in sizes():
        [row] = [line for line in page.splitlines() if line.startswith(f"| {each.id} |")]
        assert f"| {each.whole[0]:,} | {each.loaded[0]:,} | {each.saved[0]} % |" in row


def test_the_check_is_red_after_a_change_and_green_after_writing(tmp_path: Path) -> None:
    turns_red_and_green(copied(tmp_path, SCRIPT, PAGE), SCRIPT, PAGE, "| plan-phase |")
