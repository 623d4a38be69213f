"""What of a conversation goes along: the newest whole turns that fit."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.harness.history import cost, packed
from gsd_capabilities.harness.provider import Call, Message


def turn(text: str, number: int) -> tuple[Message, ...]:
    calls = (Call("c", "file_read", {"path": text}),)
    return (
        Message("user", f"{number} {text}"),
        Message("assistant", "", calls),
        Message("tool", text, call="c", name="file_read"),
        Message("assistant", text),
    )


turns = st.lists(st.text("abc \n", max_size=200), max_size=12).map(
    lambda texts: [turn(text, number) for number, text in enumerate(texts)]
)


@settings(max_examples=100)
@given(turns, st.integers(-10, 1_000))
def test_the_newest_whole_turns_that_fit(found: list[tuple[Message, ...]], budget: int) -> None:
    kept = packed(found, budget)
    assert list(kept) == found[len(found) - len(kept) :], "no turn without the newer ones"
    assert cost([message for one in kept for message in one]) <= max(budget, 0)
    if len(kept) < len(found):
        more = found[len(found) - len(kept) - 1 :]
        rounding = len(found)
        assert cost([message for one in more for message in one]) > budget - rounding


@given(turns)
def test_without_a_budget_everything_goes_along(found: list[tuple[Message, ...]]) -> None:
    assert list(packed(found, None)) == found
    assert packed(found, 10**6) == tuple(found)


def test_a_long_conversation_is_no_trouble() -> None:
    found = [turn("word " * 20, number) for number in range(400)]
    kept = packed(found, 5_000)
    assert 10 < len(kept) < 400
    assert kept[-1] == found[-1]


def test_arguments_of_calls_cost() -> None:
    bare, full = (
        Message("assistant", "x"),
        Message("assistant", "x", (Call("c", "file_write", {"text": "y" * 999}),)),
    )
    assert cost([full]) > cost([bare]) + 100
