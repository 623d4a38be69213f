"""docs/shipped.md lists every text that ships, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gsd_install.content.model import FOLDERS, Catalog
from support.generators import DOCS, copied, module, turns_red_and_green

GENERATOR = module("generate_shipped")
SCRIPT, PAGE = "generate_shipped.py", "shipped.md"


def listed(page: str) -> set[tuple[str, str]]:
    """Kind and id of every row."""
    found = set()
    for kind, folder in FOLDERS.items():
        part = page.split(f"\n## {folder.capitalize()}\n")[1].split("\n## ")[0]
        found |= {(kind, name) for name in re.findall(r"^\| `([^`]+)` \|", part, re.MULTILINE)}
    return found


def there(catalog: Catalog) -> set[tuple[str, str]]:
    return {(each.kind, each.id) for each in catalog.documents if each.path != "CONTEXT.md"}


@pytest.mark.req("ADR1671-inventory")
def test_the_page_and_the_content_agree_in_both_directions() -> None:
    catalog = GENERATOR.shipped()
    page = (DOCS / PAGE).read_text(encoding="utf-8")
    assert listed(page) == there(catalog)
    assert len(listed(page)) > 100
    assert {"research", "core"} <= set(re.findall(r"\| ([a-z-]+) \|$", page, re.MULTILINE))


def test_a_text_that_comes_or_goes_changes_the_page() -> None:
    catalog = GENERATOR.shipped()
    page = GENERATOR.render(catalog)
    for kind, name in (("command", "help"), ("template", "plan"), ("agent", "planner")):
        [gone] = [each for each in catalog.documents if (each.kind, each.id) == (kind, name)]
        fewer = catalog._replace(documents=tuple(each for each in catalog.documents if each != gone))
        assert listed(page) - listed(GENERATOR.render(fewer)) == {(kind, name)}


def test_a_kind_without_a_text_is_an_error() -> None:
    catalog = GENERATOR.shipped()
    rest = tuple(each for each in catalog.documents if each.kind != "skill")
    with pytest.raises(ValueError, match="there is no skill"):
        GENERATOR.render(catalog._replace(documents=rest))


def test_the_check_is_red_after_a_change_and_green_after_writing(tmp_path: Path) -> None:
    turns_red_and_green(copied(tmp_path, SCRIPT, PAGE), SCRIPT, PAGE, "| `plan-phase` |")
