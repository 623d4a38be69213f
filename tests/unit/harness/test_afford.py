"""The gate, the clamp, the retry and how long a limit is believed: numbers in, numbers out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.harness.afford import Hint, RejectedError, believed, clamp, gate, least, rejected, retry
from support.agents import Desk


@pytest.mark.req("ECO-afford-boundary")
@pytest.mark.parametrize(
    ("afford", "fits"), [(14_596, True), (14_595, False), (None, True), (0, True), (-1, True), (1, False)]
)
def test_a_need_that_equals_what_can_be_afforded_passes_and_one_token_more_does_not(
    afford: int | None, fits: bool
) -> None:
    verdict = gate(6_000, 4_000, afford)
    assert verdict.fits is fits
    assert (verdict.fixed, verdict.needed) == (10_000, 14_596)


@pytest.mark.req("ECO-402-retry")
@pytest.mark.parametrize(
    ("affordable", "tokens"),
    [
        (-5, None),
        (0, None),
        (1, 1),
        (100, 100),
        (511, 511),
        (512, 512),
        (540, 512),
        (576, 512),
        (577, 513),
        (7_378, 7_314),
        (28_046, 27_982),
    ],
)
def test_a_refused_reservation_is_tried_again_with_what_can_be_afforded(
    affordable: int, tokens: int | None
) -> None:
    assert retry(affordable) == tokens


@pytest.mark.req("S-max-tokens-clamp-remaining")
@pytest.mark.parametrize(
    ("requested", "afford", "prompt", "tokens"),
    [
        (13_156, 20_000, 12_000, 7_500),
        (None, 20_000, 12_000, 7_500),
        (100, 20_000, 12_000, 100),
        (13_156, 12_501, 12_000, 1),
        (13_156, None, 12_000, 13_156),
        (None, None, 12_000, None),
    ],
)
def test_a_first_request_asks_for_no_more_than_remains(
    requested: int | None, afford: int | None, prompt: int, tokens: int | None
) -> None:
    assert clamp(requested, afford, prompt) == tokens


@pytest.mark.req("S-max-tokens-clamp-remaining")
@pytest.mark.parametrize("afford", [12_500, 12_000, 1])
def test_where_nothing_remains_there_is_no_request(afford: int) -> None:
    with pytest.raises(RejectedError) as caught:
        clamp(512, afford, 12_000)
    assert caught.value.reason == "prompt_pack_rejected"
    assert caught.value.verdict.afford == afford


@settings(max_examples=200)
@given(st.integers(1, 10**6), st.integers(0, 10**6), st.none() | st.integers(1, 10**5))
def test_prompt_and_answer_never_exceed_what_can_be_afforded(
    afford: int, prompt: int, requested: int | None
) -> None:
    try:
        tokens = clamp(requested, afford, prompt)
    except RejectedError:
        assert prompt + 500 >= afford
        return
    assert tokens is not None
    assert tokens >= 1
    assert prompt + tokens + 500 <= afford


def test_a_limit_is_believed_for_ninety_seconds_and_forgotten_after_a_success() -> None:
    hint = Hint()
    assert hint.known(0) is None
    hint.learn(19_000, 1_000)
    assert hint.known(1_090) == 19_000
    assert hint.known(1_090.001) is None
    hint.learn(18_000, 1_000)
    hint.clear()
    assert hint.known(1_000) is None


@pytest.mark.parametrize(("limit", "tokens"), [(20_000, 19_000), (28_046, 26_643), (1, 0), (20, 19)])
def test_a_told_limit_is_believed_with_a_margin(limit: int, tokens: int) -> None:
    assert believed(limit) == tokens


def test_the_smallest_known_limit_counts() -> None:
    assert least(None, None) is None
    assert least(5, None, 3, 0) == 3


@pytest.mark.req("ECO-afford-rejected")
def test_a_rejection_carries_its_numbers() -> None:
    error = rejected(gate(10_000, 5_000, 19_595))
    assert error.reason == "prompt_pack_rejected"
    assert error.verdict._asdict() == {"fits": False, "fixed": 15_000, "afford": 19_595, "needed": 19_596}
    assert "19,596" in error.message
    assert "19,595" in error.message


def test_the_question_alone_calls_nobody(desk: Desk) -> None:
    asked = ("agent", "afford", "--system", "6000", "--tools", "4000", "--afford")
    assert desk.tools(*asked, "14596").answer == {
        "fits": True,
        "fixed": 10_000,
        "afford": 14_596,
        "needed": 14_596,
        "max_tokens": 4_096,
        "reason": "",
    }
    over = desk.tools(*asked, "14595").answer
    assert (over["fits"], over["reason"], over["max_tokens"]) == (False, "prompt_pack_rejected", None)
    assert desk.tools("agent", "afford", "--system", "1").code == 2
    assert desk.tools("agent", "afford", "--system", "x", "--tools", "1").reason == "bad_number"
    assert desk.model.requests == []
