"""docs/economics.md says what `gsd-tools packs` does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gsd_capabilities.packs.scenarios import PACKS, SCENARIOS
from support.packs import ask

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/economics.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading."""
    text = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def names(cell: str) -> set[str]:
    return set(re.findall(r"`([a-z0-9_]+)`", cell))


@pytest.mark.req("ECO-pack-total")
def test_the_page_has_every_pack_with_its_numbers(tmp_path: Path) -> None:
    told = {
        pack.strip("`"): {
            "scenarios": sorted(names(scenarios)),
            "tool_tokens": int(tools.replace(",", "")),
            "fixed_tokens": int(fixed.replace(",", "")),
        }
        for pack, scenarios, tools, fixed in rows("Packs")
    }
    found = ask(tmp_path, "list")
    assert told == {name: {**pack, "scenarios": sorted(pack["scenarios"])} for name, pack in found.items()}


def test_the_page_has_the_tools_of_every_scenario(tmp_path: Path) -> None:
    expected: dict[str, set[str]] = {name: set() for name in SCENARIOS}
    for who, tools in rows("Tools"):
        for scenario, pack in SCENARIOS.items():
            every = who.startswith("every pack but") and pack is not PACKS["reflex"]
            if every or (not who.startswith("every") and {scenario, pack.name} & names(who)):
                expected[scenario] |= names(tools)
    for scenario, listed in expected.items():
        assert set(ask(tmp_path, "show", scenario, "--manager")["live"]) == listed
