"""What a text costs under each measure."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import (
    BYTES,
    CHARACTERS,
    FAMILIES,
    LINES,
    Counted,
    Measure,
    Memo,
    estimated,
    measure,
    named,
    unit,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
ALL = [BYTES, CHARACTERS, LINES, *(estimated(family) for family in FAMILIES)]


@pytest.mark.parametrize(
    ("text", "size", "characters", "lines"),
    [
        ("", 0, 0, 0),
        ("a", 1, 1, 1),
        ("a\n", 2, 2, 1),
        ("a\nb", 3, 3, 2),
        ("a\r\nb\r\n", 6, 6, 2),
        ("\n\n", 2, 2, 2),
        ("日本", 6, 2, 1),
        ("👩‍👩‍👧", 18, 5, 1),
        ("e\u0301", 3, 2, 1),
    ],
)
def test_counts(text: str, size: int, characters: int, lines: int) -> None:
    assert (BYTES.cost(text), CHARACTERS.cost(text), LINES.cost(text)) == (size, characters, lines)


def test_half_a_surrogate_pair_has_no_size_in_bytes() -> None:
    with pytest.raises(GsdError, match="character 3") as caught:
        BYTES.cost("ab\ud83d")
    assert caught.value.reason == "not_text"
    assert caught.value.hint


@pytest.mark.parametrize(
    ("family", "text", "tokens"),
    [
        ("openai", "x" * 388, 100),
        ("openai", "x" * 389, 101),
        ("claude", "x" * 336, 100),
        ("claude-4.7", "x" * 234, 100),
        ("openai", "漢" * 140, 100),
        ("claude", "漢" * 95, 100),
        ("openai", "x" * 388 + "漢" * 140, 200),
        ("openai", "é" * 388, 100),
        ("openai", "", 0),
        ("openai", "x", 1),
    ],
)
def test_the_estimate_counts_cjk_and_other_text_apart(family: str, text: str, tokens: int) -> None:
    assert estimated(family).cost(text) == tokens


@pytest.mark.parametrize("character", ["漢", "か", "カ", "한", "ᄒ", "！", "Ａ", "㍿", "𠀋"])
def test_scripts_that_count_as_cjk(character: str) -> None:
    assert estimated("claude").cost(character * 95) == 100


def test_one_family_is_dearer_than_the_other() -> None:
    text = "Plan the phase, then write the plan to its file. " * 20
    costs = [estimated(family).cost(text) for family in ("openai", "claude", "claude-4.7")]
    assert costs == sorted(costs)
    assert len(set(costs)) == 3


@pytest.mark.parametrize("used", [m for m in ALL if m.additive], ids=lambda m: m.id)
@given(first=TEXT, second=TEXT)
@settings(deadline=None)
def test_additive_measures_add_up(used: Measure, first: str, second: str) -> None:
    assert used.cost(first + second) == used.cost(first) + used.cost(second)


@pytest.mark.parametrize("used", [m for m in ALL if not m.additive], ids=lambda m: m.id)
@given(first=TEXT, second=TEXT)
@settings(deadline=None)
def test_the_others_never_cost_more_together(used: Measure, first: str, second: str) -> None:
    assert used.cost(first + second) <= used.cost(first) + used.cost(second)


@pytest.mark.parametrize("used", [m for m in ALL if not m.additive], ids=lambda m: m.id)
def test_the_others_really_do_not_add_up(used: Measure) -> None:
    assert used.cost("ab") < used.cost("a") + used.cost("b")


@pytest.mark.parametrize("used", ALL, ids=lambda m: m.id)
@given(text=TEXT)
@settings(deadline=None)
def test_more_text_never_costs_less(used: Measure, text: str) -> None:
    costs = [used.cost(text[:end]) for end in range(len(text) + 1)]
    assert costs == sorted(costs)
    assert costs[0] == 0


@pytest.mark.parametrize("used", ALL, ids=lambda m: m.id)
def test_every_measure_is_found_by_its_id(used: Measure) -> None:
    assert named(used.id).id == used.id
    assert measure("漢 a\nb", used.id) == used.cost("漢 a\nb")


def test_tokens_without_a_family_are_the_openai_estimate() -> None:
    assert named("tokens").id == "tokens:openai"
    assert unit(named("tokens")) == "tokens"
    assert unit(BYTES) == "bytes"


@pytest.mark.parametrize("name", ["words", "tokens:nobody", "bytes:utf-16", ""])
def test_an_unknown_measure_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(GsdError) as caught:
        named(name)
    assert caught.value.reason == "unknown_measure"
    assert "tokens:claude-4.7" in str(caught.value.hint)


def test_a_counter_from_outside_becomes_a_measure() -> None:
    words = Counted("words", lambda text: len(text.split()))
    assert (words.id, words.additive, words.cost("one two  three")) == ("tokens:words", False, 3)


def test_a_memo_asks_once_for_each_text_and_measure() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text)

    memo = Memo()
    first, second = memo.of(Counted("one", count)), memo.of(Counted("two", count))
    assert [first.cost("ab"), first.cost("ab"), second.cost("ab"), first.cost("c")] == [2, 2, 2, 1]
    assert asked == ["ab", "ab", "c"]
    assert memo.of(first) is first
    assert (first.id, first.additive) == ("tokens:one", False)


def test_a_memo_takes_counts_made_elsewhere() -> None:
    memo = Memo()
    memo.learn("tokens:never", "a long text", 3)

    def count(text: str) -> int:
        raise AssertionError(f"asked for {text!r}")

    assert memo.of(Counted("never", count)).cost("a long text") == 3
