"""How bytes come back, and when they do not."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from gsd_capabilities.artifacts.binding import Bound, Owner
from gsd_capabilities.artifacts.folder import Folder
from gsd_capabilities.artifacts.offload import CancelledError, Control
from gsd_capabilities.artifacts.rehydrate import Ask, Rehydrator
from gsd_capabilities.artifacts.slices import Slice
from gsd_install.kernel.errors import GsdError, UsageError
from support.artifacts import OWNER, Lab, digest, ending

BODY = b"x" * 101


@pytest.mark.req("ADR0006-C09", "ADR0006-lossless")
@pytest.mark.parametrize(
    "body",
    [
        b"a\r\nb\nc\r" * 40,
        "\N{FAMILY}\N{COMBINING ACUTE ACCENT}e\u0301\u200d\x00".encode() * 20,
        bytes(range(256)),
        b"ten megabytes " * 749_000,
    ],
)
def test_c09_a_resolved_body_is_the_same_bytes(lab: Lab, body: bytes) -> None:
    answer = lab.get(lab.reference(body))
    assert ending(answer) == ("resolved", "digest_verified")
    assert answer.segment is not None
    assert answer.segment.body == body
    assert answer.diagnostics.output_bytes == answer.diagnostics.observed_bytes == len(body)


@pytest.mark.req("ADR0006-C10", "ADR0006-three-checks")
@pytest.mark.parametrize("other", [b"y" * 101, b"x" * 100, b"x" * 102, b""])
def test_c10_changed_bytes_are_stale(lab: Lab, other: bytes) -> None:
    reference = lab.reference(BODY)
    lab.damage(digest(BODY), other)
    answer = lab.get(reference)
    assert ending(answer) == ("stale", "digest_mismatch")
    assert answer.segment is None
    assert answer.diagnostics.observed_bytes == len(other)


@pytest.mark.req("ADR0006-C11")
def test_c11_a_deleted_artifact_is_missing(lab: Lab) -> None:
    reference = lab.reference(BODY)
    lab.spy.remove(digest(BODY))
    answer = lab.get(reference)
    assert ending(answer) == ("missing", "missing")
    assert answer.segment is None
    assert answer.diagnostics.observed_bytes is None


FOREIGN = [OWNER._replace(user="other"), OWNER._replace(root="/other"), OWNER._replace(session="other")]


@pytest.mark.req(
    "ADR0006-C12", "ADR0006-no-foreign-store-read", "ADR0006-owner-parts", "ADR0006-no-cross-owner"
)
@pytest.mark.parametrize("foreign", FOREIGN, ids=["user", "root", "session"])
def test_c12_each_part_of_the_owner_counts_and_the_store_is_not_read(lab: Lab, foreign: Owner) -> None:
    reference = lab.reference(BODY)
    lab.owner, before = foreign, lab.spy.touched
    answer = lab.get(reference)
    assert ending(answer) == ("unauthorized", "owner_mismatch")
    assert answer.segment is None
    assert lab.spy.touched == before
    lab.owner = OWNER
    assert lab.body(reference) == BODY


@pytest.mark.req("ADR0006-no-cross-owner")
def test_two_owners_share_the_bytes_and_each_asks_for_its_own(lab: Lab) -> None:
    lab.put(BODY)
    lab.owner = FOREIGN[2]
    assert ending(lab.put(BODY))[0] == "existing_reference"
    assert lab.body(lab.reference(BODY)) == BODY
    assert lab.spy.calls["write"] == 1


@pytest.mark.req("ADR0006-C12")
@pytest.mark.parametrize("bound", [None, "no workspace", "no owner"])
def test_whoever_is_not_bound_is_nobody(lab: Lab, bound: str | None) -> None:
    reference = lab.reference(BODY)
    before = lab.spy.touched
    found = {"no workspace": Bound(None, OWNER), "no owner": Bound(lab.spy, None)}.get(bound or "")
    answer = Rehydrator(lambda: found, None).rehydrate(Ask(reference, 1000), Control())
    assert ending(answer) == ("unauthorized", "owner_mismatch")
    assert lab.spy.touched == before


@pytest.mark.req("ADR0006-C13", "ADR0006-threshold-bytes")
@pytest.mark.parametrize("body", [b"x" * 150, ("€" * 50).encode()])
def test_c13_the_budget_is_in_bytes_and_includes_itself(lab: Lab, body: bytes) -> None:
    reference = lab.reference(body)
    answer = lab.get(reference, 149)
    assert ending(answer) == ("over_budget", "budget_exceeded")
    assert answer.segment is None
    assert (answer.diagnostics.observed_bytes, answer.diagnostics.limit_bytes) == (150, 149)
    assert lab.body(reference, 150) == body


@pytest.mark.req("ADR0006-C14", "ADR0006-precedence", "ADR0006-three-checks")
@pytest.mark.parametrize(
    ("foreign", "gone", "changed", "poor"), list(itertools.product([False, True], repeat=4))
)
def test_c14_the_first_fault_in_order_decides(
    lab: Lab, *, foreign: bool, gone: bool, changed: bool, poor: bool
) -> None:
    reference = lab.reference(BODY)
    if changed:
        lab.damage(digest(BODY), b"y" * 300)
    if gone:
        lab.spy.remove(digest(BODY))
    if foreign:
        lab.owner = FOREIGN[0]
    faults = [(foreign, "unauthorized"), (gone, "missing"), (changed, "stale"), (poor, "over_budget")]
    expected = next((name for there, name in faults if there), "resolved")
    answer = lab.get(reference, 1 if poor else 1000)
    assert answer.diagnostics.outcome == expected
    assert (answer.segment is not None) == (expected == "resolved")


@pytest.mark.req("ADR0006-budget-positive")
@pytest.mark.parametrize("budget", [0, -1, True])
def test_a_budget_that_allows_nothing_is_an_argument_error(lab: Lab, budget: int) -> None:
    reference = lab.reference(BODY)
    seen = len(lab.events)
    with pytest.raises(UsageError) as caught:
        lab.get(reference, budget)
    assert caught.value.reason == "bad_budget"
    assert len(lab.events) == seen


@pytest.mark.req("ADR0006-reference-form", "ADR0006-explicit-rehydration")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "artifact://sha256/" + "0" * 63,
        "artifact://sha256/" + "0" * 65,
        "artifact://sha256/" + "A" * 64,
        "artifact://sha1/" + "0" * 66,
        "artifact://sha256/" + "0" * 63 + "\n",
        " artifact://sha256/" + "0" * 63,
        "/tmp/" + "0" * 77,
        "artifact://sha256/" + "٠" * 64,
    ],
)
def test_anything_else_is_no_reference(lab: Lab, text: str) -> None:
    with pytest.raises(GsdError) as caught:
        lab.get(text)
    assert caught.value.reason == "bad_reference"
    assert lab.events == []


def test_relevance_asks_for_nothing(lab: Lab) -> None:
    reference = lab.reference(BODY)
    for source in ("tool_request", "deterministic_policy"):
        assert lab.rehydrator.rehydrate(Ask(reference, 1000, None, source), Control()).segment is not None
    with pytest.raises(UsageError) as caught:
        lab.rehydrator.rehydrate(Ask(reference, 1000, None, "relevance"), Control())
    assert caught.value.reason == "bad_source"


@pytest.mark.req("ADR0006-read-error-raised")
def test_a_read_error_after_the_bytes_were_found_is_raised(lab: Lab) -> None:
    reference = lab.reference(BODY)
    seen = len(lab.events)
    error = OSError("broken disk")
    lab.spy.faults["open"] = error
    with pytest.raises(OSError, match="broken disk") as caught:
        lab.get(reference)
    assert caught.value is error
    assert len(lab.events) == seen


@pytest.mark.req("ADR0006-C08")
def test_a_cancelled_request_touches_nothing(lab: Lab) -> None:
    reference = lab.reference(BODY)
    seen, touched = len(lab.events), lab.spy.touched
    with pytest.raises(CancelledError):
        lab.rehydrator.rehydrate(Ask(reference, 1000), Control(cancelled=lambda: True))
    assert (len(lab.events), lab.spy.touched) == (seen, touched)


@pytest.mark.req("ADR0006-slices", "ADR0006-three-checks")
def test_a_slice_is_verified_as_a_whole_and_budgeted_as_a_part(lab: Lab) -> None:
    body = b"".join(b"line %d\n" % number for number in range(1, 101))
    reference = lab.reference(body)
    assert lab.body(reference, 20, Slice("lines", 2, 3)) == b"line 2\nline 3\n"
    assert lab.body(reference, 4, Slice("bytes", 5, 8)) == body[5:9]
    assert ending(lab.get(reference, 13, Slice("lines", 2, 3)))[0] == "over_budget"
    assert lab.body(reference, 20, Slice("lines", 101)) == b""
    lab.damage(digest(body), body[:-1] + b"!")
    assert ending(lab.get(reference, 20, Slice("lines", 2, 3)))[0] == "stale"


def test_a_binding_that_changed_meanwhile_gets_nothing(lab: Lab) -> None:
    reference = lab.reference(BODY)
    owners = iter([OWNER, FOREIGN[2]])
    rehydrator = Rehydrator(lambda: Bound(lab.spy, next(owners)), lambda: lab.reporter)
    seen = len(lab.events)
    with pytest.raises(GsdError) as caught:
        rehydrator.rehydrate(Ask(reference, 1000), Control())
    assert caught.value.reason == "binding_changed"
    assert len(lab.events) == seen


@pytest.mark.req("ADR0006-one-authority", "ADR0006-adapter-no-authority", "ADR0006-direct-access")
def test_bytes_of_another_store_do_not_count(lab: Lab, tmp_path: Path) -> None:
    reference = lab.reference(BODY)
    other = Lab(Folder(str(tmp_path / "elsewhere")))
    other.damage(digest(BODY), BODY)
    lab.spy.remove(digest(BODY))
    assert ending(lab.get(reference))[0] == "missing"
    assert ending(other.get(reference))[0] == "unauthorized"
