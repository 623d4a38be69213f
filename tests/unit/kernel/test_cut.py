"""Cuts that keep characters, lines and fences whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.kernel.cut import head, least, longest_prefix, shorten
from gsd_install.kernel.graphemes import whole
from gsd_install.kernel.markdown import scan
from gsd_install.kernel.measure import BYTES, CHARACTERS, LINES, Counted, Measure, estimated

FENCED = "intro\n\n```py\n" + "x = 1\n" * 200 + "```\n\nafter\n"
MEASURES = [BYTES, CHARACTERS, LINES, estimated("claude")]

PIECES = st.sampled_from(
    [
        "word",
        " ",
        "\n",
        "\r\n",
        "漢字。",
        "e\u0301",
        "👩‍👩‍👧",
        "🇪🇺",
        ". ",
        "```\n",
        "~~~~\n",
        "<!-- ",
        "-->\n",
        "- ",
        "---\n",
    ]
)
MARKDOWN = st.lists(PIECES, max_size=40).map("".join)


def open_at_end(text: str) -> bool:
    """Whether a fence, comment or frontmatter is still open behind the last line of `text`."""
    probe = text if text.endswith("\n") or not text else f"{text}\n"
    return scan(f"{probe}probe\n")[-1].inner


@pytest.mark.case("CT-01")
@pytest.mark.parametrize(
    ("units", "expected"),
    [(11, "ab日本語"), (8, "ab日本"), (7, "ab日"), (5, "ab日"), (4, "ab"), (2, "ab"), (1, "a"), (0, "")],
)
def test_a_byte_budget_never_leaves_half_a_character(units: int, expected: str) -> None:
    assert shorten("ab日本語", units, BYTES).text == expected


@pytest.mark.case("CT-01")
def test_an_emoji_of_several_code_points_is_kept_or_left_whole() -> None:
    family = "👩‍👩‍👧"
    results = {shorten(f"a{family}", units, BYTES).text for units in range(20)}
    assert results == {"", "a", f"a{family}"}


@pytest.mark.case("CT-03")
def test_a_cut_inside_a_fence_closes_it() -> None:
    cut = shorten(FENCED, 300, BYTES)
    assert len(cut.text) <= 300
    assert cut.text.endswith("x = 1\n```\n")
    assert cut.text.count("```") == 2
    assert cut.kept == len(cut.text) - len("```\n")


@pytest.mark.case("CT-03")
def test_a_cut_near_the_start_of_a_fence_falls_before_it() -> None:
    assert shorten(FENCED, 20, BYTES).text == "intro\n\n"


@pytest.mark.case("CT-03")
def test_a_text_that_fits_is_not_touched() -> None:
    assert shorten(FENCED, 5000, BYTES).text == FENCED
    assert shorten(FENCED, len(FENCED), BYTES).text == FENCED
    assert shorten(FENCED, len(FENCED) - 1, BYTES).text != FENCED


@pytest.mark.parametrize(
    ("text", "units", "expected"),
    [
        ("<!-- a\nb\nc\nd -->\nrest\n", 14, "<!-- a\nb\n-->\n"),
        ("a b c d e f g\n<!-- x\ny\n-->\n", 20, "a b c d e f g\n"),
        ("> quote\n~~~~ text\none\ntwo\nthree\n~~~~\n", 34, "> quote\n~~~~ text\none\ntwo\n~~~~\n"),
        ("- item\n\n  ```\n  one\n  two\n  three\n  ```\n", 32, "- item\n\n  ```\n  one\n  two\n  ```\n"),
        ("---\nname: x\ntitle: y\n---\nbody\n", 18, "---\nname: x\n---\n"),
        ("<!-- one line -->\nword word word\n", 22, "<!-- one line -->\n"),
    ],
)
def test_whatever_is_open_is_closed_or_left_out(text: str, units: int, expected: str) -> None:
    assert shorten(text, units, BYTES).text == expected


def test_lines_before_sentences_before_words() -> None:
    text = "One sentence here. Another one there.\nA second line of words.\n"
    assert shorten(text, 45, BYTES).text == "One sentence here. Another one there.\n"
    assert shorten(text, 46, BYTES, boundary="word").text == "One sentence here. Another one there.\nA second"
    assert shorten(text, 20, BYTES).text == "One sentence here."
    assert shorten(text, 20, BYTES, boundary="word").text == "One sentence here."
    assert shorten(text, 16, BYTES).text == "One sentence"


def test_a_line_end_far_back_is_not_worth_the_loss() -> None:
    assert shorten("a\n" + "word " * 100, 104, BYTES).text == "a\n" + ("word " * 20).rstrip()


def test_an_ending_marks_the_cut_and_counts() -> None:
    cut = shorten("alpha " * 50, 32, CHARACTERS, boundary="word", ending="…")
    assert cut.text == "alpha alpha alpha alpha alpha…"
    assert cut.kept == len(cut.text) - 1
    assert shorten("alpha", 5, CHARACTERS, ending="…").text == "alpha"
    assert shorten("alphabet", 0, CHARACTERS, ending="…").text == ""


def test_a_description_is_cut_at_a_word() -> None:
    folded = " ".join(["alpha"] * 200)
    assert len(folded) == 1199
    cut = shorten(folded, 1024, CHARACTERS, boundary="word").text
    assert 900 <= len(cut) <= 1024
    assert set(cut.split(" ")) == {"alpha"}


def test_the_finished_cut_is_measured_with_its_ending() -> None:
    dear = Counted("dear", lambda text: len(text) + (3 if "…" in text and len(text) > 1 else 0))
    assert shorten("x" * 30, 10, dear, ending="…").text == "x" * 6 + "…"


def test_a_sentence_does_not_end_inside_a_character() -> None:
    assert shorten("あああああ。いいい", 7, CHARACTERS).text == "あああああ。"
    assert shorten("あああああ。\ufe0eいいい", 6, CHARACTERS).text == "あああああ"


@pytest.mark.parametrize("used", MEASURES, ids=lambda m: m.id)
@given(text=MARKDOWN, units=st.integers(0, 60))
@settings(deadline=None)
def test_a_cut_fits_and_begins_like_its_source(used: Measure, text: str, units: int) -> None:
    cut = shorten(text, units, used)
    assert used.cost(cut.text) <= units
    assert cut.text[: cut.kept] == text[: cut.kept]
    assert whole(text, cut.kept) == cut.kept or text[: cut.kept].endswith("\n")
    assert cut.kept == len(text) or not open_at_end(cut.text)


@given(text=MARKDOWN, floor=st.integers(0, 60))
@settings(deadline=None)
def test_the_least_cut_keeps_its_floor_and_closes_what_is_open(text: str, floor: int) -> None:
    cut = least(text, floor, BYTES)
    cost = BYTES.cost(text)
    assert min(floor, cost) <= BYTES.cost(cut.text) <= max(cost, 0)
    assert cut.text[: cut.kept] == text[: cut.kept]
    assert cut.kept == len(text) or not open_at_end(cut.text)


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=80), units=st.integers(0, 200))
@settings(deadline=None)
def test_the_longest_prefix_is_the_longest(text: str, units: int) -> None:
    end = longest_prefix(text, units, BYTES)
    assert BYTES.cost(text[:end]) <= units
    assert end == len(text) or BYTES.cost(text[: end + 1]) > units


def test_the_longest_prefix_asks_a_dear_measure_a_few_times_only() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text) // 3 + text.count("\n")

    text = "some words and more\n" * 5000
    end = longest_prefix(text, 10_000, Counted("thirds", count))
    assert 9_500 < count(text[:end]) <= 10_000
    assert len(asked) <= 8


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (0, ""),
        (1, "a\n"),
        (2, "a\nb\n"),
        (3, "a\nb\n"),
        (4, "a\nb\n```\nx\n```\n"),
        (6, "a\nb\n```\nx\ny\n```\n"),
        (7, "a\nb\n```\nx\ny\n```\nc"),
        (99, "a\nb\n```\nx\ny\n```\nc"),
    ],
)
def test_the_head_is_whole_lines_and_whole_fences(lines: int, expected: str) -> None:
    assert head("a\nb\n```\nx\ny\n```\nc", lines).text == expected


@given(text=MARKDOWN, lines=st.integers(0, 12))
@settings(max_examples=200, deadline=None)
def test_a_head_begins_like_its_source_and_leaves_nothing_open(text: str, lines: int) -> None:
    cut = head(text, lines)
    assert cut.text[: cut.kept] == text[: cut.kept]
    assert text[: cut.kept].count("\n") <= lines
    assert cut.kept == len(text) or not open_at_end(cut.text)
