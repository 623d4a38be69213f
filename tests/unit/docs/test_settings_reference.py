"""The reference that agents read about settings says what the schema says, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gsd_capabilities.companion.config_schema import SCHEMA, Key
from gsd_install.shipped import shipped_root

REFERENCE = Path(shipped_root(), "references", "context", "config-keys.md")


def listed(text: str) -> dict[str, str]:
    """Each setting of the table, and what the table says about its type and default."""
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    return {name: row[1] for row in rows for name in re.findall(r"`([a-z_.]+)`", row[0])}


def faults(text: str) -> list[str]:
    """Settings that one of the two does not have, and defaults on which they differ."""
    found = listed(text)
    differ = sorted(set(found) ^ set(SCHEMA))
    return differ + [name for name in SCHEMA if name in found and not agrees(found[name], SCHEMA[name], text)]


def agrees(cell: str, key: Key, text: str) -> bool:
    if key.choices and key.kind == "choice":
        words = [f"`{choice}`" for choice in key.choices]
        return all(word in cell for word in words) and cell.endswith(str(key.default))
    default = json.dumps(key.default)
    return cell.endswith((default, f"`{default}`")) or ("see below" in cell and f"`{default}`" in text)


@pytest.mark.req("ADR1671-inventory")
def test_the_reference_and_the_schema_agree_in_both_directions() -> None:
    assert not faults(REFERENCE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("| `git.base` |", "| `git.bass` |", ["git.base", "git.bass"]),
        (
            "`context.diff_lines` | integer, 200 ",
            "`context.diff_lines` | integer, 100 ",
            ["context.diff_lines"],
        ),
        ("`interactive` or `auto`, interactive", "`interactive` or `auto`, auto", ["mode"]),
        ('"buffer": 17', '"buffer": 18', ["context.pools"]),
    ],
)
def test_a_difference_is_found(old: str, new: str, wrong: list[str]) -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    assert old in text
    assert faults(text.replace(old, new)) == wrong
