"""What stays in a conversation, what leaves it, and what happens when that fails."""

from __future__ import annotations

import json

import pytest

from gsd_capabilities.artifacts.binding import Bound
from gsd_capabilities.artifacts.offload import (
    CancelledError,
    Control,
    Instructions,
    Offloader,
    Policy,
    Segment,
    ToolResult,
)
from gsd_install.kernel.errors import GsdError
from support.artifacts import LIMIT, OWNER, Lab, digest, ending

BODY = b"x" * 101


@pytest.mark.req("ADR0006-C01", "ADR0006-threshold-inclusive", "ADR0006-threshold-bytes")
@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("x" * 99, "inline"),
        ("x" * 100, "inline"),
        ("x" * 101, "offloaded"),
        ("€" * 33, "inline"),
        ("€" * 40, "offloaded"),
    ],
)
def test_c01_the_threshold_counts_bytes_and_includes_itself(lab: Lab, body: str, outcome: str) -> None:
    made = lab.put(body)
    assert made.diagnostics.outcome == outcome
    assert made.diagnostics.observed_bytes == len(body.encode())
    assert made.diagnostics.limit_bytes == LIMIT
    assert (made.text == body) == (outcome == "inline")
    assert lab.spy.calls["write"] == (outcome == "offloaded")


@pytest.mark.req("ADR0006-C02", "ADR0006-only-reference", "ADR0006-reference-form")
def test_c02_only_the_reference_stays_and_the_stored_bytes_are_the_result(lab: Lab) -> None:
    result = {"rows": ["ü"] * 60, "more": None}
    text = lab.put(result).text
    assert isinstance(text, str)
    assert len(text.encode("ascii")) == 82
    stored = lab.bytes_at(text.rpartition("/")[2])
    assert stored == json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode()
    assert text == f"artifact://sha256/{digest(stored)}"


@pytest.mark.req("ADR0006-C03", "ADR0006-once")
def test_c03_identical_content_is_written_once(lab: Lab) -> None:
    first = lab.put(BODY, tool="grep", call="1")
    second = lab.put(BODY.decode(), tool="read", call="2")
    assert ending(first) == ("offloaded", "threshold_exceeded")
    assert ending(second) == ("existing_reference", "existing_content_match")
    assert first.text == second.text
    assert lab.spy.calls["write"] == 1


@pytest.mark.req("ADR0006-C04", "ADR0006-no-silent-cut-on-failure")
@pytest.mark.parametrize("absent", ["accessor", "everything", "workspace", "owner"])
def test_c04_without_workspace_binding_or_accessor_nothing_is_cut(lab: Lab, absent: str) -> None:
    bound = {
        "everything": None,
        "workspace": Bound(None, OWNER),
        "owner": Bound(lab.spy, None),
    }
    access = None if absent == "accessor" else (lambda: bound[absent])
    result = ToolResult(BODY)
    made = Offloader(Policy(LIMIT), access, lambda: lab.reporter).offload(result, Control())
    assert ending(made) == ("failed", "no_authorized_workspace")
    assert made.text is None
    assert result.body == BODY
    assert lab.spy.touched == 0
    assert len(lab.events) == 1


@pytest.mark.req("ADR0006-C05", "ADR0006-no-silent-cut-on-failure")
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("size", "workspace_read_failed"),
        ("write", "workspace_write_failed"),
        ("remember", "workspace_write_failed"),
    ],
)
def test_c05_a_failure_has_its_own_reason(lab: Lab, fault: str, reason: str) -> None:
    error = OSError(28, "no space left")
    lab.spy.faults[fault] = error
    made = lab.put(BODY)
    assert ending(made) == ("failed", reason)
    assert made.text is None
    assert made.error is error
    lab.spy.faults.clear()
    assert lab.body(lab.reference(BODY)) == BODY


@pytest.mark.req("ADR0006-C05")
def test_c05_bytes_that_cannot_be_read_stay_as_they_are(lab: Lab) -> None:
    lab.put(BODY)
    lab.spy.faults["open"] = OSError("unreadable")
    assert ending(lab.put(BODY)) == ("failed", "workspace_read_failed")
    assert lab.bytes_at(digest(BODY)) == BODY


@pytest.mark.req("ADR0006-C05", "ADR0006-address-never-overwritten")
@pytest.mark.parametrize("there", [b"y" * 101, b"short", b""])
def test_c05_other_bytes_at_the_address_are_never_overwritten(lab: Lab, there: bytes) -> None:
    lab.damage(digest(BODY), there)
    assert ending(lab.put(BODY)) == ("failed", "content_address_mismatch")
    assert lab.bytes_at(digest(BODY)) == there
    assert lab.spy.calls["write"] == 0


@pytest.mark.req("ADR0006-address-never-overwritten", "ADR0006-C25")
@pytest.mark.parametrize(
    ("theirs", "expected"),
    [
        (BODY, ("existing_reference", "existing_content_match")),
        (b"other", ("failed", "content_address_mismatch")),
    ],
)
def test_who_loses_the_race_for_an_address_checks_the_winner(
    lab: Lab, theirs: bytes, expected: tuple[str, str]
) -> None:
    lab.spy.before_write = lambda: lab.damage(digest(BODY), theirs)
    assert ending(lab.put(BODY)) == expected
    assert lab.bytes_at(digest(BODY)) == theirs


@pytest.mark.req("ADR0006-C06")
@pytest.mark.parametrize("how", ["asked after the write", "raised by the workspace"])
def test_c06_cancelled_during_the_write_can_be_retried(lab: Lab, how: str) -> None:
    cancelled: list[bool] = []

    def cancel() -> None:
        cancelled.append(True)
        if how == "raised by the workspace":
            raise CancelledError

    lab.spy.after_write = cancel
    made = lab.put(BODY, Control(cancelled=lambda: bool(cancelled)))
    assert ending(made) == ("recovery_required", "canceled_after_write")
    assert made.text is None
    assert ending(lab.put(BODY)) == ("existing_reference", "existing_content_match")
    assert lab.spy.calls["write"] == 1
    assert lab.body(lab.reference(BODY)) == BODY


@pytest.mark.req("ADR0006-C07")
def test_c07_a_checkpoint_that_raises_is_not_called_by_the_retry(lab: Lab) -> None:
    calls: list[int] = []

    def checkpoint() -> None:
        calls.append(1)
        raise RuntimeError("no checkpoint")

    made = lab.put(BODY, Control(checkpoint=checkpoint))
    assert ending(made) == ("recovery_required", "checkpoint_failed")
    assert ending(lab.put(BODY, Control(checkpoint=checkpoint)))[0] == "existing_reference"
    assert len(calls) == 1
    assert ending(lab.put(b"y" * 200, Control(checkpoint=lambda: calls.append(2)))) == (
        "offloaded",
        "threshold_exceeded",
    )
    assert calls == [1, 2]


@pytest.mark.req("ADR0006-C08")
@pytest.mark.parametrize("asked", [1, 2])
def test_c08_cancelled_before_any_access_is_no_decision(lab: Lab, asked: int) -> None:
    answers = iter([False] * (asked - 1) + [True])
    with pytest.raises(CancelledError):
        lab.put(BODY, Control(cancelled=lambda: next(answers)))
    assert lab.spy.touched == 0
    assert lab.events == []


@pytest.mark.req("ADR0006-C22", "ADR0006-no-reoffload", "ADR0006-content-categories")
def test_c22_a_recovered_segment_is_not_offloaded_again(lab: Lab) -> None:
    segment = lab.get(lab.reference(b"z" * 70_000)).segment
    assert segment is not None
    before = lab.spy.touched
    made = lab.offloader.offload(segment, Control())
    assert ending(made) == ("inline", "recoverable_segment_bypass")
    assert made.diagnostics.content == "recoverable_context_segment"
    assert made.text == b"z" * 70_000
    assert lab.spy.touched == before


@pytest.mark.req("ADR0006-instructions-not-offloaded")
@pytest.mark.parametrize(("size", "outcome"), [(49_999, "inline"), (50_000, "inline"), (50_001, "offloaded")])
def test_instructions_stay_up_to_fifty_thousand_bytes(folder_lab: Lab, size: int, outcome: str) -> None:
    made = folder_lab.offloader.offload(Instructions("i" * size), Control())
    assert made.diagnostics.outcome == outcome
    segment = Segment("artifact://sha256/" + "0" * 64, b"s" * size, 0.0)
    assert folder_lab.offloader.offload(segment, Control()).diagnostics.outcome == "inline"


@pytest.mark.req("ADR0006-threshold-default", "ADR0006-instructions-not-offloaded")
def test_thresholds_have_a_lower_bound() -> None:
    assert (Policy().threshold, Policy().instructions) == (16_384, 50_000)
    assert Policy(82).threshold == 82
    assert Policy(60_000).instructions == 60_000
    for threshold, instructions in ((81, 50_000), (0, 50_000), (True, 50_000), (82, 49_999)):
        with pytest.raises(GsdError) as caught:
            Policy(threshold, instructions)
        assert caught.value.reason == "bad_threshold"


@pytest.mark.req("ADR0006-explicit-rehydration", "ADR0006-no-automatic-compaction")
def test_a_reference_in_a_text_is_text(lab: Lab) -> None:
    reference = lab.reference(BODY)
    lab.spy.calls.clear()
    assert lab.put(reference).text == reference
    assert lab.put(f"see {reference}").text == f"see {reference}"
    assert lab.spy.touched == 0
    for number in range(20):
        lab.put(f"{number:02}" * 50)
    assert [each.digest for each in lab.spy.stored()] == [digest(BODY)]


def test_a_changed_binding_stops_before_the_store(lab: Lab) -> None:
    owners = iter([OWNER, OWNER._replace(session="other")])
    offloader = Offloader(Policy(LIMIT), lambda: Bound(lab.spy, next(owners)), lambda: lab.reporter)
    with pytest.raises(GsdError) as caught:
        offloader.offload(ToolResult(BODY), Control())
    assert caught.value.reason == "binding_changed"
    assert (lab.spy.touched, lab.events) == (0, [])


@pytest.mark.parametrize("body", ["\ud800" * 200, {"a", "b"}, ["\udfff" * 200]])
def test_what_has_no_bytes_is_refused(lab: Lab, body: object) -> None:
    with pytest.raises(GsdError) as caught:
        lab.put(body)
    assert caught.value.reason == "not_text"
    assert (lab.spy.touched, lab.events) == (0, [])


def test_a_record_that_would_be_refused_stops_before_the_write(lab: Lab) -> None:
    with pytest.raises(GsdError) as caught:
        lab.put(BODY, description="d" * 501)
    assert caught.value.reason == "bad_record"
    assert (lab.spy.touched, lab.events) == (0, [])
