"""ROADMAP.md: what is read from it, and edits that move no other byte."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.companion import phase_text, roadmap
from gsd_capabilities.companion.phase_text import New
from gsd_install.kernel.errors import GsdError
from support.planning import ROADMAP

ENDS = st.sampled_from(["\n", "\r\n"])
TITLES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=12).filter(
    lambda title: not title.endswith("#")
)


def test_rows_and_sections_are_read_with_their_places() -> None:
    found = roadmap.parse(ROADMAP)
    assert [(row.number, row.line, row.cells["status"].value) for row in found.rows] == [
        ("1", 7, "complete"),
        ("2", 8, "executing"),
        ("3", 9, "pending"),
    ]
    section = found.section("2")
    assert section is not None
    assert section.title.value == "Sign in"
    assert section.field("goal") == "only friends see photos, each after signing in"
    assert section.field("depends on") == "phase 1"
    assert section.field("nothing of the kind") == ""
    assert section.criteria == (("C1", "a friend signs in"),)
    assert section.line == ROADMAP[: section.start].count("\n") + 1
    assert ROADMAP[section.title.start : section.title.end] == "Sign in"


def test_the_place_of_a_title_is_not_that_of_its_letters_before() -> None:
    for title in ("P", "3", ":", "Phase 3: Phase"):
        text = ROADMAP.replace("## Phase 3: Albums", f"## Phase 3: {title}")
        section = roadmap.parse(text).section("3")
        assert section is not None
        assert text[section.title.start :].startswith(f"{title}\n\n**Goal")


@pytest.mark.parametrize(("text", "number"), [("3", "3"), ("03", "3"), ("3.1", "3.1"), ("03.01", "3.1")])
def test_a_number_is_read_padded_or_not(text: str, number: str) -> None:
    assert roadmap.number_of(text) == number


@pytest.mark.parametrize("text", ["", "three", "3.", ".1", "3.1.1", "-1", "3a", "٣"])
def test_other_texts_are_no_number(text: str) -> None:
    with pytest.raises(GsdError) as caught:
        roadmap.number_of(text)
    assert caught.value.reason == "bad_number"


@given(st.integers(1, 999), st.integers(0, 99))
def test_keys_and_numbers_are_two_spellings_of_one_thing(whole: int, part: int) -> None:
    number = f"{whole}.{part}" if part else str(whole)
    key = roadmap.key_of(number)
    assert roadmap.number_of(key) == number
    assert len(key.partition(".")[0]) >= 2
    assert roadmap.order_of(number) == (whole, part)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("nothing", ()), ("phases 2, 3.1", ("2", "3.1")), ("phase 1 (see v1.0)", ("1",)), ("phase 02", ("2",))],
)
def test_numbers_that_a_field_names(text: str, numbers: tuple[str, ...]) -> None:
    assert roadmap.numbers_in(text) == numbers


def test_a_table_or_heading_in_a_fence_is_an_example() -> None:
    text = (
        "```\n| phase | name | status | plans | requirements |\n|---|---|---|---|---|\n## Phase 9: no\n```\n"
        + ROADMAP
    )
    found = roadmap.parse(text)
    assert [row.number for row in found.rows] == ["1", "2", "3"]
    assert [section.number for section in found.sections] == ["1", "2", "3"]


def test_other_tables_and_further_columns_do_no_harm() -> None:
    rows = "| a | b |\n|---|---|\n| 1 | 2 |\n\n" + ROADMAP.replace("requirements |", "requirements | who |")
    rows = rows.replace("|---|---|---|---|---|", "|---|---|---|---|---|---|")
    text = rows.replace("-01 |\n", "-01 | me |\n").replace("AUTH-02 |\n", "AUTH-02 | you |\n")
    assert [row.cells["who"].value for row in roadmap.parse(text).rows] == ["me", "you", "me"]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("| plans |", "| plan |", 1),
        ("| 2 | Sign in | executing | 1/2 | AUTH-01, AUTH-02 |", "| 2 | Sign in |", 8),
        ("| 3 | Albums", "| x | Albums", 9),
    ],
)
def test_a_broken_table_is_named_with_its_line(old: str, new: str, line: int) -> None:
    with pytest.raises(GsdError) as caught:
        roadmap.parse(ROADMAP.replace(old, new), "R.md")
    assert caught.value.where == f"R.md:{line}"


@settings(max_examples=60)
@given(ENDS, st.sampled_from(["1", "2", "3"]), st.sampled_from(roadmap.COLUMNS[1:]), TITLES)
def test_one_cell_changes_and_no_other_byte(end: str, number: str, column: str, value: str) -> None:
    text = ROADMAP.replace("\n", end)
    row = roadmap.parse(text).row(number)
    assert row is not None
    part = row.cells[column]
    changed = roadmap.set_cell(text, number, column, value)
    assert changed.startswith(text[: part.start])
    assert changed.endswith(text[part.end :])
    assert roadmap.set_cell(changed, number, column, part.value) == text


def test_an_empty_cell_can_be_filled() -> None:
    text = ROADMAP.replace("| PHOTO-01 |", "| |")
    assert "| pending | 0/0 | X-1 |" in roadmap.set_cell(text, "3", "requirements", "X-1")


def test_a_cell_of_a_phase_that_is_not_there() -> None:
    with pytest.raises(GsdError) as caught:
        roadmap.set_cell(ROADMAP, "9", "status", "pending")
    assert caught.value.reason == "unknown_phase"


@settings(max_examples=100)
@given(ENDS, TITLES, st.integers(0, 3), st.integers(0, 3), st.sampled_from(["", "\n", "\n\n\n"]))
def test_a_phase_put_in_and_taken_out_again(end: str, title: str, at: int, criteria: int, tail: str) -> None:
    text = (ROADMAP.rstrip("\n") + tail).replace("\n", end)
    new = New(title, "g", "phase 1", "A-1", "mvp", tuple(f"x{n}" for n in range(criteria)), "G1 of phase 2")
    changed = phase_text.inserted(text, roadmap.parse(text), "2.7", new, at)
    found = roadmap.parse(changed)
    assert [row.number for row in found.rows].index("2.7") == at
    order = [section.number for section in found.sections]
    assert order.index("2.7") == (at or 3)
    section = found.section("2.7")
    assert section is not None
    assert section.title.value == title
    assert [section.field(name) for name in ("goal", "depends on", "closes", "requirements", "mode")] == [
        "g",
        "phase 1",
        "G1 of phase 2",
        "A-1",
        "mvp",
    ]
    assert len(section.criteria) == criteria
    assert changed.count("\n") == changed.count("\r\n") or end == "\n"
    gone = phase_text.without(changed, "2.7")
    note = f"{end}{roadmap.REMOVED_WORDS} 2.7{end}"
    assert gone.count(note) == 1
    assert gone.replace(note, "").rstrip() == text.rstrip()
    assert roadmap.parse(gone).removed == ("2.7",)


@settings(max_examples=60)
@given(
    ENDS,
    st.permutations(["1", "2", "3"]),
    st.sampled_from(["before", "after"]),
    st.sampled_from(["", "\n", "\n\n"]),
)
def test_a_move_keeps_every_line(end: str, numbers: list[str], where: str, tail: str) -> None:
    text = (ROADMAP.rstrip("\n") + tail).replace("\n", end)
    own, other, _ = numbers
    changed = phase_text.moved(text, own, where, other)
    found = roadmap.parse(changed)
    order = [row.number for row in found.rows]
    assert order.index(own) - order.index(other) == (-1 if where == "before" else 1)
    assert [section.number for section in found.sections] == order
    assert sorted(filter(None, changed.split(end))) == sorted(filter(None, text.split(end)))
    assert changed.count("\n") == changed.count("\r\n") or end == "\n"


def test_removed_numbers_are_listed_in_one_line() -> None:
    text = phase_text.without(phase_text.without(ROADMAP, "3"), "2")
    assert roadmap.parse(text).removed == ("3", "2")
    assert [row.number for row in roadmap.parse(text).rows] == ["1"]
    assert text.count(roadmap.REMOVED_WORDS) == 1
    assert text.endswith("- C2: a broken one is refused\n\n**Notes:** none\n\n")


def test_a_phase_in_a_table_without_rows_and_a_file_without_an_end() -> None:
    text = "| phase | name | status | plans | requirements |\n|---|---|---|---|---|"
    changed = phase_text.inserted(text, roadmap.parse(text), "1", New("One", "g"), 0)
    assert changed.startswith(text + "\n| 1 | One | pending | 0/0 |  |\n\n## Phase 1: One\n\n**Goal:** g\n")
    assert [section.title.value for section in roadmap.parse(changed).sections] == ["One"]


@settings(max_examples=60)
@given(ENDS, st.sampled_from(["1", "2", "3"]), st.sampled_from(["Goal", "Mode", "Notes", "Closes"]), TITLES)
def test_one_field_changes_and_no_other_line(end: str, number: str, name: str, value: str) -> None:
    text = ROADMAP.replace("\n", end)
    changed = phase_text.with_field(text, number, name, value)
    section = roadmap.parse(changed).section(number)
    assert section is not None
    assert section.field(name.lower()) == value
    others = [line for line in text.split(end) if not line.startswith((f"**{name}:", "each after"))]
    left = [line for line in changed.split(end) if not line.startswith((f"**{name}:", "each after"))]
    assert left == others


def test_a_field_without_a_text_is_filled() -> None:
    text = ROADMAP.replace("**Goal:** photos have an order", "**Goal:**")
    assert "**Goal:** x\n**Depends" in phase_text.with_field(text, "3", "Goal", "x")


def test_a_field_of_a_phase_without_a_section() -> None:
    text = ROADMAP.replace("## Phase 3: Albums", "## Albums")
    with pytest.raises(GsdError) as caught:
        phase_text.with_field(text, "3", "Goal", "x")
    assert caught.value.reason == "bad_roadmap"


@given(st.text("|-phasenmtulrqi 12.\n\r#:*", max_size=80))
def test_anything_is_read_or_refused(text: str) -> None:
    head = "| phase | name | status | plans | requirements |\n|---|---|---|---|---|\n"
    for whole in (text, head + text):
        try:
            found = roadmap.parse(whole)
        except GsdError:
            continue
        assert all(set(row.cells) >= set(roadmap.COLUMNS) for row in found.rows)
