"""What a text costs under each measure."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import (
    BYTES,
    CHARACTERS,
    ERROR_PERCENT,
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


HERE = Path(__file__).parent / "estimates"

# Counted by ctok 1.3.0, which reconstructs the tokenizers: as version 3.0 and as version 4.7.
COUNTED = {
    "en-manual.md": (783, 1028),
    "mixed-notes.md": (1135, 1296),
    "zh-manual.md": (1235, 1277),
    "zh-prose.md": (1201, 1201),
    "zh-tables.md": (1368, 1396),
}


def test_every_text_with_a_count_is_there_and_long_enough() -> None:
    found = {path.name: len(path.read_bytes()) for path in HERE.iterdir()}
    assert found.keys() == COUNTED.keys()
    assert min(found.values()) > 3_000


@pytest.mark.req("CTX-A11")
@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize(("family", "column"), [("claude", 0), ("claude-4.7", 1)])
def test_the_estimate_is_near_the_counts_of_claude(name: str, family: str, column: int) -> None:
    text = (HERE / name).read_text(encoding="utf-8")
    assert estimated(family).cost(text) == pytest.approx(COUNTED[name][column], rel=ERROR_PERCENT / 100)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a", "lower"), ("Z", "upper"), ("7", "digit"), ("_", "sign"), (" ", "space"), ("\t", "space"),
        ("\n", "line"), ("é", "letter"), ("ж", "letter"), ("م", "letter"), ("क", "indic"), ("ก", "indic"),
        ("—", "symbol"), ("→", "symbol"), ("か", "kana"), ("カ", "kana"), ("。", "stop"), ("漢", "ideograph"),
        ("한", "hangul"), ("，", "wide"), ("Ａ", "wide"), ("𠀋", "rare"), ("🐛", "rare"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("family", FAMILIES)
def test_each_class_of_characters_has_its_weight(family: str, text: str, name: str) -> None:
    weights = FAMILIES[family]
    begins = {"digit": weights.number, "sign": weights.signs}.get(
        name, weights.word if name in ("lower", "upper", "letter", "indic") else 0
    )
    assert estimated(family).cost(text * 400) == -(-(begins + 400 * getattr(weights, name)) // 100)


@pytest.mark.parametrize(
    ("text", "words", "numbers", "signs"),
    [
        ("one two", 2, 0, 0),
        ("oneTwo", 1, 0, 0),
        ("a1b22", 2, 2, 0),
        ("x == (y)", 2, 0, 3),
        ("naïve жук", 2, 0, 0),
    ],
)
def test_runs_count_where_they_begin(text: str, words: int, numbers: int, signs: int) -> None:
    weights = FAMILIES["openai"]
    apart = sum(getattr(weights, CLASSES[character]) for character in text)
    runs = words * weights.word + numbers * weights.number + signs * weights.signs
    assert estimated().cost(text) == -(-(apart + runs) // 100)


CLASSES = {
    **dict.fromkeys("onetwabyxvук", "lower"), "T": "upper", **dict.fromkeys("12", "digit"), " ": "space",
    **dict.fromkeys("=()", "sign"), **dict.fromkeys("ïжук", "letter"),
}  # fmt: skip


def test_half_a_surrogate_pair_has_a_cost() -> None:
    assert estimated().cost("ab\ud83d") > 0


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
