"""Where a text may be parted, against an independent implementation of the same standard."""

from __future__ import annotations

import pytest
import regex  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.kernel.graphemes import next_whole, whole

INSEPARABLE = {
    "line end": "\r\n",
    "accent": "e\u0301",
    "two accents": "o\u0302\u0323",
    "family": "👩‍👩‍👧‍👦",
    "skin tone": "👍🏽",
    "heart": "❤\ufe0f",
    "keycap": "1\ufe0f\u20e3",
    "flag": "🇪🇺",
    "flag of tags": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "jamo": "\u1112\u1161\u11ab",
    "syllable and final": "가\u11a8",
    "Thai vowel": "น\u0e33",
    "Devanagari conjunct": "क\u094dष",
    "conjunct with joiner": "क\u094d\u200dष",
    "Arabic prefix": "\u0600\u0661",
    "halfwidth voiced": "ｶ\uff9e",
    "surrogate pair": "\ud83d\ude00",
}


@pytest.mark.parametrize("cluster", INSEPARABLE.values(), ids=INSEPARABLE)
def test_what_a_reader_sees_as_one_stays_whole(cluster: str) -> None:
    text = f"a{cluster}b"
    end = len(cluster) + 1
    assert [whole(text, at) for at in range(2, end)] == [1] * (end - 2)
    assert [next_whole(text, at) for at in range(2, end)] == [end] * (end - 2)
    assert whole(text, 1) == 1
    assert whole(text, end) == end


def test_flags_are_parted_in_pairs() -> None:
    text = "🇪🇺🇫🇷🇩🇪"
    assert [whole(text, at) for at in range(7)] == [0, 0, 2, 2, 4, 4, 6]


def test_plain_text_may_be_parted_anywhere() -> None:
    text = "abc déf 漢字かな\nпривет"
    assert [whole(text, at) for at in range(len(text) + 1)] == list(range(len(text) + 1))


def test_positions_behind_the_end_are_the_end() -> None:
    assert whole("ab", 9) == 2
    assert next_whole("ab", 2) == 2


MIXED = st.text(
    st.one_of(
        st.sampled_from("".join(INSEPARABLE.values()) + "ab \n\r\t"),
        st.characters(exclude_categories=["Cs", "Cn"]),
    ),
    max_size=25,
)


@given(text=MIXED)
@settings(max_examples=400, deadline=None)
def test_every_boundary_is_one_of_the_standard(text: str) -> None:
    standard = {match.end() for match in regex.finditer(r"\X", text)} | {0}
    ours = {whole(text, at) for at in range(len(text) + 1)}
    assert ours <= standard
    assert {next_whole(text, at) for at in range(len(text) + 1)} <= standard


def test_the_oracle_and_we_agree_on_ordinary_text() -> None:
    text = "Naïve cafés: 👍🏽 and 🇪🇺, e\u0301, 한국어, हिन्दी, ไทย.\r\nDone"
    standard = [match.end() for match in regex.finditer(r"\X", text)]
    assert sorted({whole(text, at) for at in range(1, len(text) + 1)} - {0}) == standard
