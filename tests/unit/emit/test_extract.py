from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gsd_install.emit.extract import Extracted, extract
from gsd_install.emit.text import Stretch
from gsd_install.kernel.compose import BudgetError, Trimmed, omission_note
from gsd_install.kernel.measure import BYTES, CHARACTERS, LINES, Measure, named

POINTER = re.compile(r"Read ~/parts/(\S+) now: ")
FILLER = "word " * 12


def spell(name: str) -> str:
    return f"~/parts/{name}"


def note(trimmed: Trimmed) -> str:
    """The usual one, whose length does not depend on the room."""
    return f"\n{omission_note(trimmed._replace(budget=1_000))}"


def fitted(
    text: str | list[Stretch], room: int, measure: Measure = BYTES, *, declared: bool = False
) -> Extracted:
    stretches = [Stretch(text)] if isinstance(text, str) else text
    found = extract(stretches, room, measure, spell, note, declared=declared)
    assert measure.cost(found.text) <= room
    return found


def least(text: str | list[Stretch], measure: Measure = BYTES, *, declared: bool = False) -> int:
    """The smallest room that is enough."""
    with pytest.raises(BudgetError) as caught:
        fitted(text, 0, measure, declared=declared)
    return caught.value.required


def body(stretches: list[Stretch]) -> str:
    return "".join(stretch.text for stretch in stretches)


def rebuilt(found: Extracted) -> str:
    """The text with every pointer replaced by the file it points at."""
    files = {moved.name: moved.text for moved in found.moved}
    pieces = []
    for origin in found.origins:
        text = found.text[origin.start : origin.end]
        pieces += [text] if origin.at >= 0 else [files[name] for name in POINTER.findall(text)]
    return "".join(pieces)


def pieces(found: Extracted) -> list[tuple[int, int]]:
    """Where in the source each unbroken piece comes from, in the main text or in a file."""
    here = [(origin.at, origin.at + origin.end - origin.start) for origin in found.origins if origin.at >= 0]
    return here + [(moved.at, moved.at + len(moved.text)) for moved in found.moved]


def test_a_text_that_fits_is_left_as_it_is() -> None:
    text = "# A\n\none\n\n## B\n\ntwo\n"
    for room in (len(text), len(text) + 1):
        found = fitted(text, room)
        assert (found.text, found.moved, found.lost) == (text, (), ())


def test_one_byte_less_moves_the_last_part_and_no_other() -> None:
    text = f"intro\n\n## First\n\n{FILLER}\n\n## Second\n\n{FILLER}{FILLER}\n"
    found = fitted(text, len(text) - 1)
    assert found.text == (
        f"intro\n\n## First\n\n{FILLER}\n\n## Second\n\nRead ~/parts/03-second.md now: it is this part.\n"
    )
    [moved] = found.moved
    assert (moved.name, moved.text) == ("03-second.md", f"## Second\n\n{FILLER}{FILLER}\n")
    assert text[moved.at :] == moved.text


def test_a_part_that_moves_in_vain_comes_back() -> None:
    big, small = FILLER * 8, FILLER * 2
    text = f"intro\n\n## Big\n\n{big}\n\n## Small\n\n{small}\n"
    found = fitted(text, len(text) - 300)
    assert [moved.name for moved in found.moved] == ["02-big.md"]
    assert small in found.text


@pytest.mark.parametrize("measure", [BYTES, CHARACTERS, LINES, named("tokens")], ids=lambda m: str(m.id))
@pytest.mark.parametrize("part", ["short\n\nlines\n\nare\n\nmany\n\n" * 12, f"é計{FILLER}\n\n" * 12])
def test_a_limit_holds_in_every_unit(measure: Measure, part: str) -> None:
    text = "".join(f"## Part {number}\n\n{part}" for number in range(6))
    whole = measure.cost(text)
    for room in (whole - 1, whole // 2, least(text, measure)):
        found = fitted(text, room, measure)
        assert found.moved
        assert rebuilt(found) == text


# The four bugs of a splitter that only knows `## ` and one name for the rest.


def test_order_is_kept_where_a_small_part_follows_a_large_one() -> None:
    text = f"intro\n\n## Large\n\n{FILLER * 9}\n\n## Small\n\nlast word\n"
    found = fitted(text, 200)
    assert found.text.index("02-large.md") < found.text.index("## Small") < found.text.index("last word")


def test_two_parts_of_one_title_go_to_two_files_and_each_pointer_names_its_own() -> None:
    text = "intro\n\n" + "".join(f"## Example\n\nnumber {number}\n\n{FILLER * 3}\n\n" for number in range(3))
    found = fitted(text, 250)
    names = POINTER.findall(found.text)
    assert len(set(names)) == len(names) == 3
    for number, name in enumerate(names):
        [moved] = [moved for moved in found.moved if moved.name == name]
        assert f"number {number}\n" in moved.text


@pytest.mark.parametrize("fence", ["```", "~~~", "````", "~~~~~"])
def test_a_heading_in_a_fence_is_no_heading_and_no_fence_is_cut(fence: str) -> None:
    code = f"{fence}md\n## Not a heading\n\n{FILLER * 4}\n\n## Nor this\n{fence}"
    text = f"intro\n\n## One\n\n{code}\n\n## Two\n\n{FILLER}\n"
    for room in range(least(text), len(text)):
        found = fitted(text, room)
        assert rebuilt(found) == text
        for part in (found.text, *(moved.text for moved in found.moved)):
            assert part.count(fence) in (0, 2)
            assert part.count(code) == part.count(fence) // 2


def test_a_text_of_one_fence_cannot_be_cut_but_can_move() -> None:
    text = f"```\n{FILLER * 20}\n\n## x\n```\n"
    found = fitted(text, 100)
    assert found.text == "Read ~/parts/01-part.md now: the text goes on there.\n"
    assert found.moved[0].text == text


def test_one_huge_part_keeps_as_many_of_its_own_headings_as_there_is_room_for() -> None:
    below = "".join(f"### Step {number}\n\n{FILLER * 2}\n\n" for number in range(8))
    text = f"# Title\n\nintro\n\n## Small\n\nsmall\n\n## Huge\n\nlead\n\n{below}"
    found = fitted(text, len(text) - 250)
    kept = [number for number in range(8) if f"### Step {number}\n" in found.text]
    assert kept == [0, 1, 2, 3, 4]
    [moved] = found.moved
    assert moved.text.startswith("### Step 5\n")
    assert found.text.endswith("Read ~/parts/03-huge.md now: the text goes on there.\n")
    start = text.index("## Huge")
    moved_whole = f"{text[:start]}## Huge\n\nRead ~/parts/03-huge.md now: it is this part.\n"
    found = fitted(text, len(moved_whole))
    assert (found.text, found.moved[-1].text) == (moved_whole, text[start:])


def test_a_huge_beginning_keeps_its_first_blocks() -> None:
    intro = "\n\n".join(f"paragraph {number} {FILLER}" for number in range(10))
    text = f"# Title\n\n{intro}\n\n## Part\n\nshort\n"
    found = fitted(text, len(text) // 2)
    assert found.text.startswith("# Title\n\nparagraph 0 ")
    assert "paragraph 9" not in found.text
    assert "## Part\n\nshort\n" in found.text
    assert rebuilt(found) == text


def test_where_pointers_to_all_parts_are_too_much_the_rest_goes_on_in_one_file() -> None:
    text = "intro\n\n" + "".join(f"## Part {number}\n\n{FILLER}\n\n" for number in range(60))
    found = fitted(text, 1_000)
    assert len(found.moved) == 1
    assert found.text.startswith("intro\n\n## Part 0\n\n")
    assert rebuilt(found) == text


def test_a_cut_never_leaves_a_heading_alone() -> None:
    text = "intro\n\n" + "".join(f"### Part {number}\n\n{FILLER}\n\n" for number in range(40))
    for room in range(least(text), len(text), 37):
        for before in re.findall(r"(.*)\n\n+Read \S+ now: the text goes on", fitted(text, room).text):
            assert not before.startswith("#")


def test_what_stands_together_without_a_blank_line_stays_together() -> None:
    text = "".join(f"Step {number}:\n- do {FILLER}\n- see {FILLER}\n\n" for number in range(6))
    for room in range(least(text), len(text), 23):
        found = fitted(text, room)
        for part in (found.text, *(moved.text for moved in found.moved)):
            assert part.count("Step") == part.count("- see") == part.count("- do")


def test_a_pointer_is_a_paragraph_of_its_own() -> None:
    stretches = [
        Stretch("- kept\n", "keep"),
        Stretch(f"- moved\n{FILLER * 3}\n"),
        Stretch("also kept\n", "keep"),
    ]
    assert fitted(stretches, 100).text == (
        "- kept\n\nRead ~/parts/02-part.md now: the text goes on there.\n\nalso kept\n"
    )


def test_line_ends_are_those_of_the_text() -> None:
    text = f"intro\r\n\r\n## A\r\n\r\n{FILLER * 4}\r\n\r\n## B\r\n\r\nend\r\n"
    found = fitted(text, 150)
    assert "\n" not in found.text.replace("\r\n", "")
    assert found.moved
    assert rebuilt(found) == text


def test_the_largest_parts_and_those_that_would_fit_are_named_as_their_author_calls_them() -> None:
    stretches = [
        Stretch("Who you are.\n", "isolate"),
        Stretch(f"\n## You return\n\n{FILLER * 9}\n", "keep"),
        Stretch(f"\n## Procedure\n\n{FILLER * 9}\n"),
    ]
    with pytest.raises(BudgetError) as caught:
        fitted(stretches, 300)
    error = caught.value
    assert error.contributors[0] == ("You return", len(stretches[1].text))
    assert error.required == len(fitted(stretches, error.required).text)
    assert set(error.fits) == {"Who you are. …", "Procedure"}


# What an author allows to be lost.


def test_declared_losses_need_to_be_allowed_and_are_noted_at_their_price() -> None:
    stretches = [
        Stretch("rules\n", "keep"),
        Stretch(f"\n## Examples\n\n{FILLER * 9}\n", "drop"),
        Stretch(f"\n## History\n\nfirst\n{FILLER * 9}\n", "shrink:3"),
    ]
    assert fitted(stretches, least(stretches)).lost == ()
    enough = least(stretches, declared=True)
    assert enough < least(stretches)
    found = fitted(stretches, enough, declared=True)
    assert found.lost
    assert found.text.startswith("rules\n")
    [note] = re.findall(r"^\[.*\]$", found.text, re.MULTILINE)
    for part in found.lost:
        assert part in note
    with pytest.raises(BudgetError):
        fitted(stretches, enough - 1, declared=True)


def test_what_may_be_lost_moves_where_that_is_enough() -> None:
    stretches = [Stretch("rules\n", "keep"), Stretch(f"\n## Examples\n\n{FILLER * 9}\n", "drop")]
    for declared in (False, True):
        found = fitted(stretches, 120, declared=declared)
        assert (found.lost, [moved.name for moved in found.moved]) == ((), ["02-examples.md"])


def test_a_shrunk_part_keeps_its_first_lines() -> None:
    stretches = [Stretch("## Log\n\nnewest\nolder\noldest " + FILLER * 20 + "\n", "shrink:3")]
    found = extract(
        stretches, 40, BYTES, lambda name: "~/a/long/path/" * 9 + name, lambda _: "", declared=True
    )
    assert found.text == "## Log\n\nnewest\n"
    assert found.lost == ("Log",)


# Whatever the text, the room and the unit.


class Text(NamedTuple):
    """Stretches, and where each of their blocks stands in all of their text."""

    stretches: list[Stretch]
    blocks: list[tuple[int, int]]


WORDS = st.text("abc é計|*_\\'\"", min_size=1, max_size=60).map(lambda text: f"w{text.strip()}")
FENCED = st.builds(
    lambda mark, lines: f"{mark}\n" + "\n".join(lines) + f"\n{mark}",
    st.sampled_from(["```", "~~~", "````"]),
    st.lists(st.sampled_from(["## no heading", "", "x = 1", "- no item", "<!-- no comment"]), max_size=6),
)
BLOCK = st.one_of(
    WORDS,
    st.lists(WORDS, min_size=1, max_size=3).map("\n".join),
    st.builds(lambda level, words: f"{'#' * level} {words}", st.integers(1, 4), WORDS),
    FENCED,
    st.lists(WORDS, min_size=1, max_size=4).map(lambda items: "\n\n".join(f"- {item}" for item in items)),
    st.just("| a | b |\n|---|---|\n| 1 | 2 |"),
    st.just("<!-- a comment\n\n## of several lines\n-->"),
)
HOLDS = st.sampled_from(["", "", "", "keep", "drop", "shrink:2"])


@st.composite
def texts(draw: st.DrawFn) -> Text:
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    stretches: list[Stretch] = []
    spans = []
    at = 0
    for number in range(draw(st.integers(1, 4))):
        hold = "isolate" if number == 0 and draw(st.booleans()) else draw(HOLDS)
        text = draw(st.sampled_from(["", newline]))
        for block in draw(st.lists(BLOCK, min_size=1, max_size=8)):
            spelled = block.replace("\n", newline)
            spans.append((at + len(text), at + len(text) + len(spelled)))
            text += spelled + newline * draw(st.integers(2, 3))
        stretches.append(Stretch(text, hold))
        at += len(text)
    return Text(stretches, spans)


MEASURES = st.sampled_from([BYTES, CHARACTERS, LINES, named("tokens")])
SOME = settings(max_examples=120, deadline=None)


@pytest.mark.req("ADR1671-compose-lossless-unbudgeted")
@given(text=texts(), share=st.floats(0, 1.1), measure=MEASURES)
@SOME
def test_nothing_is_lost_and_every_block_stays_whole(text: Text, share: float, measure: Measure) -> None:
    whole = body(text.stretches)
    try:
        found = fitted(text.stretches, int(measure.cost(whole) * share), measure)
    except BudgetError:
        assume(False)
        raise
    assert rebuilt(found) == whole
    assert found.lost == ()
    held = pieces(found)
    for start, end in text.blocks:
        assert [piece for piece in held if piece[0] <= start and end <= piece[1]], whole[start:end]


@pytest.mark.req("ADR1671-declaration-order")
@given(text=texts(), share=st.floats(0, 1))
@SOME
def test_order_is_kept_and_every_pointer_leads_to_one_file(text: Text, share: float) -> None:
    room = int(len(body(text.stretches).encode()) * share)
    found = fitted(text.stretches, max(room, _least_or_none(text.stretches)))
    here = [origin.at for origin in found.origins if origin.at >= 0]
    assert here == sorted(here)
    names = POINTER.findall(found.text)
    assert names == [moved.name for moved in found.moved]
    assert len({name.casefold() for name in names}) == len(names)
    assert all(one.at + len(one.text) <= two.at for one, two in pairwise(found.moved))
    assert all(re.fullmatch(r"\d{2,}-[a-z0-9-]+\.md", name) for name in names)


def _least_or_none(stretches: list[Stretch], *, declared: bool = False) -> int:
    try:
        extract(stretches, 0, BYTES, spell, note, declared=declared)
    except BudgetError as error:
        return error.required
    return 0


@pytest.mark.req("ADR1671-isolate-prefix", "ADR1671-strategy-verbatim")
@given(text=texts(), share=st.floats(0, 1), declared=st.booleans())
@SOME
def test_load_bearing_text_is_the_same_under_every_budget(text: Text, share: float, declared: bool) -> None:
    room = int(len(body(text.stretches).encode()) * share)
    try:
        found = fitted(text.stretches, room, declared=declared)
    except BudgetError as error:
        found = fitted(text.stretches, error.required, declared=declared)
    at = 0
    kept = [(origin.at, origin.at + origin.end - origin.start) for origin in found.origins]
    for stretch in text.stretches:
        if stretch.hold in ("keep", "isolate"):
            assert any(start <= at and at + len(stretch.text) <= end for start, end in kept)
        if stretch.hold == "isolate":
            assert found.text.startswith(stretch.text)
        at += len(stretch.text)


@pytest.mark.req("ADR1671-compose-fits-or-refuses", "ADR1671-compose-boundaries")
@given(text=texts(), declared=st.booleans())
@SOME
def test_the_room_that_a_refusal_asks_for_is_enough_and_nothing_less_is(text: Text, declared: bool) -> None:
    enough = _least_or_none(text.stretches, declared=declared)
    assert len(fitted(text.stretches, enough, declared=declared).text.encode()) <= enough
    if enough:
        with pytest.raises(BudgetError):
            fitted(text.stretches, enough - 1, declared=declared)


@given(text=texts(), share=st.floats(0, 1))
@SOME
def test_every_part_is_accounted_for(text: Text, share: float) -> None:
    room = max(int(len(body(text.stretches).encode()) * share), _least_or_none(text.stretches))
    found = fitted(text.stretches, room)
    assert len({change.part for change in found.changes}) == len(found.changes)
    assert {change.file for change in found.changes} - {""} == {moved.name for moved in found.moved}
    assert sum(change.cost for change in found.changes) == len(found.text.encode())
    assert sum(change.best for change in found.changes) == len(body(text.stretches).encode())
    assert [change.rendition == "pointer" for change in found.changes] == [
        bool(change.file) for change in found.changes
    ]
