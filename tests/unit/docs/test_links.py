"""Every page can be reached from the README, and no link between the pages leads nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.generators import DOCS

ROOT = DOCS.parent
PAGES = sorted((*DOCS.glob("*.md"), *ROOT.glob("*.md")))
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")


def broken(page: Path, text: str) -> Iterator[str]:
    """The links of a page that lead nowhere; what stands in code is none."""
    prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE)
    return (link for link in LINK.findall(prose) if not (page.parent / link).exists())


def test_a_link_that_leads_nowhere_is_seen() -> None:
    text = "[a](hooks.md), [b](gone.md), `[c](code.md)`\n```\n[d](fence.md)\n```\n"
    assert list(broken(DOCS / "content.md", text)) == ["gone.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert list(broken(page, page.read_text(encoding="utf-8"))) == []


def test_the_readme_links_every_page() -> None:
    linked = set(LINK.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    pages = {f"docs/{page.name}" for page in DOCS.glob("*.md")}
    assert len(pages) > 15
    assert pages - linked == set()
