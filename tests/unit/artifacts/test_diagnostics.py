"""A decision that cannot be is refused when it is made."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.artifacts import vocabulary as words
from gsd_capabilities.artifacts.diagnostics import FIELDS, Diagnostics
from gsd_capabilities.artifacts.vocabulary import LEGAL, Rule
from gsd_install.kernel.errors import GsdError

REFERENCE = "artifact://sha256/" + "0a" * 32
LIMIT = 1000


def legal(pair: tuple[str, str]) -> dict[str, Any]:
    """Arguments of a decision with this outcome and reason that is in order."""
    rule = LEGAL[pair]
    observed = (900 if rule.size == "within" else 1001) if rule.observed else None
    output = {"none": None, "observed": observed, "reference": 82, "body": 700}[rule.output]
    return {
        "outcome": pair[0],
        "reason": pair[1],
        "operation": rule.operation,
        "content": rule.content,
        "limit_bytes": LIMIT,
        "observed_bytes": observed,
        "output_bytes": output,
        "reference": REFERENCE if rule.reference else None,
    }


def refused(values: dict[str, Any]) -> bool:
    try:
        Diagnostics(**values)
    except GsdError as error:
        return error.reason == "bad_diagnostics"
    return False


@pytest.mark.req(
    "ADR0006-vocab-operation",
    "ADR0006-vocab-content",
    "ADR0006-vocab-offload-outcomes",
    "ADR0006-vocab-rehydration-outcomes",
    "ADR0006-vocab-offload-reasons",
    "ADR0006-vocab-rehydration-reasons",
)
def test_the_vocabulary_is_closed_and_every_word_is_used() -> None:
    assert set(words.OPERATIONS) == {"offload", "rehydration"}
    assert set(words.CONTENTS) == {"tool_result", "recoverable_context_segment"}
    assert (len(words.OFFLOAD_OUTCOMES), len(words.REHYDRATION_OUTCOMES)) == (5, 5)
    assert (len(words.OFFLOAD_REASONS), len(words.REHYDRATION_REASONS)) == (10, 5)
    assert len(LEGAL) == 15
    for operation, outcomes, reasons in (
        ("offload", words.OFFLOAD_OUTCOMES, words.OFFLOAD_REASONS),
        ("rehydration", words.REHYDRATION_OUTCOMES, words.REHYDRATION_REASONS),
    ):
        pairs = [pair for pair, rule in LEGAL.items() if rule.operation == operation]
        assert {outcome for outcome, _ in pairs} == set(outcomes)
        assert sorted(reason for _, reason in pairs) == sorted(reasons)


@pytest.mark.req("ADR0006-C20", "ADR0006-legal-pairs", "ADR0006-content-categories")
def test_c20_every_combination_of_words_but_the_legal_ones_is_refused() -> None:
    made = set()
    for operation, outcome, content, reason in itertools.product(
        words.OPERATIONS,
        words.OFFLOAD_OUTCOMES + words.REHYDRATION_OUTCOMES,
        words.CONTENTS,
        words.OFFLOAD_REASONS + words.REHYDRATION_REASONS,
    ):
        if (outcome, reason) in LEGAL:
            values = legal((outcome, reason)) | {"operation": operation, "content": content}
        else:
            values = legal(("inline", "below_threshold"))
            values |= {"operation": operation, "content": content, "outcome": outcome, "reason": reason}
        if not refused(values):
            made.add((operation, outcome, content, reason))
    assert made == {(rule.operation, *pair[:1], rule.content, pair[1]) for pair, rule in LEGAL.items()}


WRONG_REFERENCES = [
    None,
    "",
    REFERENCE.upper(),
    REFERENCE.replace("a", "A"),
    REFERENCE.replace("sha256", "sha512"),
    REFERENCE[:-1],
    REFERENCE + "0",
    REFERENCE + "\n",
    f" {REFERENCE[:-1]}",
    "x" * 82,
    REFERENCE.encode(),
]


@pytest.mark.req("ADR0006-C20", "ADR0006-reference-presence")
@pytest.mark.parametrize("pair", LEGAL, ids="-".join)
def test_c20_a_reference_where_it_belongs_and_nowhere_else(pair: tuple[str, str]) -> None:
    assert not refused(legal(pair))
    wrong: list[Any] = WRONG_REFERENCES if LEGAL[pair].reference else [REFERENCE, ""]
    for reference in wrong:
        assert refused(legal(pair) | {"reference": reference}), reference


def impossible(rule: Rule) -> list[dict[str, Any]]:
    """Numbers that a decision of this kind cannot have."""
    wrong: list[dict[str, Any]] = [{"limit_bytes": value} for value in (0, -1, True, 2.5, None)]
    if rule.operation == "offload":
        wrong += [{"limit_bytes": 81}]
    wrong += [{"observed_bytes": value} for value in ((-1, None, True, 5.0) if rule.observed else (0, 5))]
    wrong += [
        {"output_bytes": value} for value in (-1, True, 83, 5000) if rule.output != "body" or value != 83
    ]
    if rule.output != "none":
        wrong.append({"output_bytes": None})
    if rule.size == "within":
        wrong.append({"observed_bytes": LIMIT + 1, "output_bytes": LIMIT + 1})
    if rule.size == "over":
        wrong.append({"observed_bytes": LIMIT})
    if rule.output == "body":
        wrong += [
            {"output_bytes": LIMIT + 1, "observed_bytes": 5000},
            {"output_bytes": 10, "observed_bytes": 9},
        ]
    return wrong


@pytest.mark.req("ADR0006-C20", "ADR0006-byte-counts")
@pytest.mark.parametrize("pair", LEGAL, ids="-".join)
def test_c20_impossible_numbers_are_refused(pair: tuple[str, str]) -> None:
    for change in impossible(LEGAL[pair]):
        assert refused(legal(pair) | change), change


@pytest.mark.req("ADR0006-C20")
@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(sorted(LEGAL)),
    st.sampled_from(["observed_bytes", "output_bytes", "limit_bytes", "reference"]),
    st.one_of(st.none(), st.integers(), st.text(), st.booleans(), st.floats()),
)
def test_whatever_can_be_made_obeys_its_rule(pair: tuple[str, str], field: str, value: object) -> None:
    values = legal(pair) | {field: value}
    if refused(values):
        return
    rule, made = LEGAL[pair], Diagnostics(**values)
    assert (made.reference is not None) == rule.reference
    assert (made.observed_bytes is not None) == rule.observed
    assert (made.output_bytes is not None) == (rule.output != "none")
    assert all(
        size is None or (type(size) is int and size >= 0) for size in (made.observed_bytes, made.output_bytes)
    )


def test_a_decision_does_not_change() -> None:
    made = Diagnostics(**legal(("inline", "below_threshold")))
    for name in FIELDS:
        with pytest.raises(AttributeError):
            setattr(made, name, "other")
        with pytest.raises(AttributeError):
            delattr(made, name)
    assert not hasattr(made, "__dict__")


def test_bytes_in_and_out() -> None:
    stored = Diagnostics(**legal(("offloaded", "threshold_exceeded")))
    assert (stored.input_bytes, stored.output_bytes, stored.saved_bytes) == (1001, 82, 919)
    back = Diagnostics(**legal(("resolved", "digest_verified")))
    assert (back.input_bytes, back.output_bytes, back.saved_bytes) == (82, 700, 0)
    assert Diagnostics(**legal(("failed", "workspace_write_failed"))).saved_bytes == 0


@pytest.mark.req("ADR0006-public-docs")
def test_the_types_are_documented() -> None:
    from gsd_capabilities.artifacts import events

    for described in (Diagnostics, events.Event, events.Scope, Diagnostics.saved_bytes, Diagnostics.as_json):
        assert described.__doc__
