"""What a provider says with 402, in both forms, as text and as JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.harness.parse402 import Ceiling, Reservation, parse

SAID = (
    "This request requires more credits, or fewer max_tokens. You requested up to {} tokens, but can only "
    "afford {}. To increase, visit the settings"
)


@pytest.mark.parametrize(
    ("requested", "affordable"),
    [("13156", "7378"), ("13,156", "7,378"), ("13.156", "7.378"), ("13 156", "7 378")],
)
def test_a_reservation_is_read_with_any_separator(requested: str, affordable: str) -> None:
    assert parse(SAID.format(requested, affordable)) == Reservation(13_156, 7_378)


def test_words_may_be_in_any_case_and_anywhere_in_json() -> None:
    text = SAID.format("1,234,567", "28,046").upper()
    assert parse(text) == Reservation(1_234_567, 28_046)
    assert parse(json.dumps({"error": {"message": text, "code": 402}})) == Reservation(1_234_567, 28_046)
    assert parse(json.dumps({"error": {"metadata": [{"raw": text}]}})) == Reservation(1_234_567, 28_046)
    assert parse(json.dumps(SAID.format("9\u202f001", "8\u00a0002"))) == Reservation(9_001, 8_002)


def test_a_ceiling_is_told_from_a_reservation() -> None:
    text = "Prompt tokens limit exceeded: 28,046 > 20,000. To increase, visit the settings"
    assert parse(text) == Ceiling(28_046, 20_000)
    assert parse(json.dumps({"error": {"message": text}})) == Ceiling(28_046, 20_000)


@pytest.mark.parametrize(
    "body", ["", "payment required", "{}", "[]", '{"error": 402}', "can only afford 5", "[" * 5_000]
)
def test_anything_else_says_neither(body: str) -> None:
    assert parse(body) is None


@settings(max_examples=100)
@given(st.integers(0, 10**9), st.integers(0, 10**9), st.booleans(), st.booleans())
def test_whatever_is_written_is_read(requested: int, affordable: int, commas: bool, as_json: bool) -> None:
    form = "{:,}" if commas else "{}"
    text = SAID.format(form.format(requested), form.format(affordable))
    body = json.dumps({"error": {"message": text}}) if as_json else text
    assert parse(body) == Reservation(requested, affordable)
