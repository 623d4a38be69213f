"""Headed pieces: read whole, changed alone."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.memory import sections
from gsd_install.kernel.errors import GsdError

ROWS = st.one_of(
    st.sampled_from(
        ["", "# One", "## Two", " ## Two", "### Three", "- item", "  ## in it", "| a |", "    code", "---"]
    ),
    st.sampled_from(["```", "~~~", "<!--", "-->", "## #", "\ufeff", "updated: 2026-01-01", "1. a"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), max_size=12),
)
TEXTS = st.lists(ROWS, max_size=8).map("\n".join)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def files(draw: st.DrawFn) -> str:
    text = draw(TEXTS).replace("\n", draw(ENDS))
    return draw(st.sampled_from(["", "\ufeff"])) + text


def reason_of(call: object, *arguments: object, **named: object) -> str:
    with pytest.raises(GsdError) as caught:
        call(*arguments, **named)  # type: ignore[operator]
    assert caught.value.hint
    return caught.value.reason


@given(files())
@settings(max_examples=200, deadline=None)
def test_the_pieces_of_a_text_are_the_text(text: str) -> None:
    whole = "".join(piece.source for piece in sections.pieces(text))
    assert whole == text.removeprefix("\ufeff")
    assert sections.without(text, ()) == text


@given(files(), TEXTS)
@settings(max_examples=400, deadline=None)
def test_what_is_added_is_read_back_and_nothing_else_moves(text: str, said: str) -> None:
    with contextlib.suppress(GsdError):
        inner = sections.body(said)
        _proven(text, inner, sections.added(text, "A title of its own", inner, file="f", top="Top"))


def test_the_property_is_about_something() -> None:
    inner = sections.body("# x\n\n- y")
    _proven(
        "# K\n\n## A\n- b",
        inner,
        sections.added("# K\n\n## A\n- b", "A title of its own", inner, file="f", top=""),
    )


def _proven(text: str, inner: str, after: str) -> None:
    assert after.startswith(text)
    piece = sections.found(after, "A title of its own", file="f")
    assert piece.text == inner
    assert sections.body(inner) == inner
    assert sections.entries(after)[:-1] == _closed(sections.entries(text), after)
    changed = sections.replaced(after, piece, "other", file="f")
    assert sections.found(changed, piece.title, file="f").text == "other"
    assert changed.startswith(text)


def _closed(before: tuple[sections.Piece, ...], after: str) -> tuple[sections.Piece, ...]:
    """The entries with the blank line that closes the last of them now."""
    if not before:
        return before
    last = before[-1]
    [now] = [piece for piece in sections.entries(after) if (piece.head + piece.body).startswith(last.source)][
        -1:
    ]
    assert not now.source[len(last.source) :].strip()
    return (*before[:-1], now)


def test_a_change_keeps_line_ends_and_mark() -> None:
    text = "\ufeff# K\r\n\r\n## A\r\n\r\none\r\n\r\n## B\r\n\r\ntwo\r\n"
    piece = sections.found(text, "A", file="f")
    after = sections.replaced(text, piece, "x\ny", file="f")
    assert after == text.replace("one", "x\r\ny")
    assert sections.added(text, "C", "z", file="f", top="K") == text + "\r\n## C\r\n\r\nz\r\n"
    assert sections.without(text, (piece,)) == "\ufeff# K\r\n\r\n## B\r\n\r\ntwo\r\n"


def test_headings_inside_become_level_three_but_not_in_code() -> None:
    assert sections.body("# a\n ## b\n### c\n```\n## d\n```\n#e\n") == (
        "### a\n ### b\n### c\n```\n## d\n```\n#e"
    )


@pytest.mark.parametrize("text", ["", " \n\t\n", "a\n<<<<<<< HEAD\n", ">>>>>>> x", "a\0b", "\ud800"])
def test_what_is_no_text_is_refused(text: str) -> None:
    assert reason_of(sections.body, text) == "bad_value"


@pytest.mark.parametrize("title", ["", "  ", "a\nb", "a #", "#", "a\0", "\ud800"])
def test_what_is_no_title_is_refused(title: str) -> None:
    assert reason_of(sections.heading, title) == "bad_value"


@pytest.mark.parametrize("text", ["```\ncode", "<!-- so", "- a\n\n  ~~~~\n  b"])
def test_a_text_that_would_swallow_the_next_is_refused(text: str) -> None:
    assert reason_of(sections.added, "## A\n\nx\n", "T", text, file="f", top="K") == "bad_value"
    assert reason_of(sections.added, f"## A\n\n{text}\n", "T", "x", file="f", top="K") == "bad_value"


def test_a_title_that_stands_twice_is_ambiguous_and_a_wrong_one_is_guessed() -> None:
    text = "## Fuse\n\na\n\n## Fuse\n\nb\n\n## Other\n"
    assert reason_of(sections.found, text, "Fuse", file="f") == "ambiguous"
    with pytest.raises(GsdError, match="there is no entry 'Othr'") as caught:
        sections.found(text, "Othr", file="f")
    assert caught.value.hint == "did you mean 'Other'?"
