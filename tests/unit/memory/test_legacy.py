"""Which lines of an old MEMORY.md are knowledge, and which say how things stood."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.memory import legacy
from gsd_capabilities.memory.layout import KNOWLEDGE, STATE
from gsd_install.kernel import markdown

HEADS = ["# Memory", "## Status", "## Notes", "## 2026-05-01", "### 2026-05-02", "### x", "## \u5f53\u524d"]
ITEMS = ["- 2026-05-01 a", "- [x] 2026-05-02 b", "* **2026-05-03** c", "- d", "  more", "1. 2026-05-04 e"]
OTHERS = ["lazy", "", "    ", "```", "~~~", "<!--", "-->", "---", "| a |", "|---|"]
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=10)
ROWS = st.one_of(st.sampled_from([*HEADS, *ITEMS, *OTHERS]), TEXT)


@st.composite
def files(draw: st.DrawFn) -> str:
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    rows = draw(st.lists(ROWS, max_size=14))
    return draw(st.sampled_from(["", "\ufeff"])) + end.join(rows) + draw(st.sampled_from(["", end]))


def lines(text: str) -> Counter[str]:
    return Counter(content for _, _, content in markdown.lines(text))


@pytest.mark.req("ECO-memory-migration")
@given(files())
@settings(max_examples=400, deadline=None)
def test_every_line_is_in_exactly_one_store(text: str) -> None:
    cut = legacy.parts(text)
    bare = text.removeprefix("\ufeff")
    assert "".join(bare[part.start : part.end] for part in cut) == bare
    counted = [number for part in cut for number in range(part.first, part.last + 1)]
    assert counted == list(range(1, len(list(markdown.lines(bare))) + 1))
    knowledge, state = legacy.stores(text, cut)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    assert knowledge == mark + "".join(bare[part.start : part.end] for part in cut if part.store == KNOWLEDGE)
    gone = [bare[part.start : part.end] for part in cut if part.store == STATE]
    for source in gone:  # a section has its line `updated:` between heading and body
        head = next(markdown.lines(source))[1]
        assert source in state or (source[:head] in state and source[head:] in state)
    more = lines(state) - sum(map(lines, gone), Counter())
    assert all(row == "" or row.startswith(("# State", "## ", "updated: ")) for row in more), more
    assert not sum(map(lines, gone), Counter()) - lines(state)


def rules(text: str) -> list[tuple[str, str, str]]:
    return [(text[part.start : part.end], part.store, part.rule) for part in legacy.parts(text)]


@pytest.mark.req("ECO-memory-migration")
@pytest.mark.parametrize(
    "title",
    [
        "Electric current rules",
        "Progress bar widget docs",
        "Current sensors",
        "Status codes of HTTP",
        "Silent failures are bugs",
        "Decision of 2026-01-01 to use a queue",
        "Release 2026-13-01",
        "Day 2 operations guide",
        "Version 1.2026-01-011",
        "State",
        "\u5f53\u524d\u7684\u89c4\u5219",
    ],
)
def test_a_word_or_a_date_inside_a_heading_decides_nothing(title: str) -> None:
    assert rules(f"## {title}\n\ntext\n") == [(f"## {title}\n\ntext\n", KNOWLEDGE, "rest")]


@pytest.mark.req("ECO-memory-migration")
@pytest.mark.parametrize(
    ("title", "rule"),
    [
        ("2026-05-01", "dated-heading"),
        ("2026-05-01: shipped", "dated-heading"),
        ("[2026-05-01] shipped", "dated-heading"),
        ("Build (2026-05-01)", "dated-heading"),
        ("Build, 2026-05-01", "dated-heading"),
        ("Current state", "current-heading"),
        ("Current focus: albums", "current-heading"),
        ("CURRENT", "current-heading"),
        ("Status", "current-heading"),
        ("Progress update", "current-heading"),
        ("In progress - albums", "current-heading"),
        ("Silent mode", "current-heading"),
        ("Day 12", "current-heading"),
        ("\u9759\u9ed8", "current-heading"),
        ("\u5f53\u524d\u72b6\u6001", "current-heading"),
        ("\u8fdb\u5ea6\uff1a\u4e00\u534a", "current-heading"),
    ],
)
def test_a_dated_or_current_heading_goes_to_state_whole(title: str, rule: str) -> None:
    text = f"## {title}\n\ntext\n\n### More\n\n- item\n"
    assert rules(text) == [(text, STATE, rule)]


@pytest.mark.req("ECO-memory-migration")
def test_one_dated_item_does_not_take_its_section_along() -> None:
    text = "## Fuses\n\nred\n\n- 2026-05-01 blew\n  twice\n\n      code\n\n- spare\nlazy\n- 2026 is a year\n"
    assert rules(text) == [
        ("## Fuses\n\nred\n\n", KNOWLEDGE, "rest"),
        ("- 2026-05-01 blew\n  twice\n\n      code\n", STATE, "dated-item"),
        ("\n- spare\nlazy\n- 2026 is a year\n", KNOWLEDGE, "rest"),
    ]
    assert legacy.stores(text, legacy.parts(text))[1] == (
        "# State\n\n## Fuses, 2026-05-01\nupdated: 2026-05-01T00:00:00Z\n\n"
        "- 2026-05-01 blew\n  twice\n\n      code\n\n"
    )


def test_a_section_of_dated_items_is_one_entry_of_the_newest_date() -> None:
    text = "## Log\n- 2026-05-01 a\n- 2026-05-03 b\n- 2026-05-02 c\n"
    assert rules(text) == [(text, STATE, "all-dated")]
    state = legacy.stores(text, legacy.parts(text))[1]
    assert state == "# State\n\n## Log\nupdated: 2026-05-03T00:00:00Z\n\n" + text.removeprefix("## Log\n")


def test_a_dated_heading_below_a_section_is_taken_out_with_what_it_governs() -> None:
    text = "## Notes\n\n### 2026-05-01\n\nx\n\n#### deeper\n\ny\n\n### Other\n\nz\n"
    assert [(store, rule) for _, store, rule in rules(text)] == [
        (KNOWLEDGE, "rest"), (STATE, "dated-subheading"), (KNOWLEDGE, "rest"),
    ]  # fmt: skip
    assert rules(text)[1][0] == "### 2026-05-01\n\nx\n\n#### deeper\n\ny\n\n"


def test_what_stands_in_code_or_comments_is_neither_heading_nor_item() -> None:
    text = "## Notes\n```\n## Status\n- 2026-05-01 a\n```\n<!--\n## 2026-05-01\n-->\n"
    assert rules(text) == [(text, KNOWLEDGE, "rest")]


def test_a_heading_with_nothing_below_stays() -> None:
    text = "# Status\n\n## Rules\n\nx\n"
    assert {store for _, store, _ in rules(text)} == {KNOWLEDGE}
