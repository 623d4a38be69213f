"""A random mix of everything that can happen; over the whole of it everything legal must have happened."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from gsd_capabilities.artifacts.folder import Folder
from gsd_capabilities.artifacts.offload import CancelledError, Control, Offloader, Policy, Segment, ToolResult
from gsd_capabilities.artifacts.vocabulary import LEGAL
from support.artifacts import LIMIT, OWNER, Lab, digest

OTHER = OWNER._replace(session="another")
SEEN: set[tuple[str, str]] = set()

bodies = st.sampled_from([f"secret-{number}-".encode() * 15 for number in range(3)])


class Decisions(RuleBasedStateMachine):
    """Counts the decisions itself; events, their order and their silence are checked after each step."""

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory()
        self.lab = Lab(Folder(self.place.name))
        self.scopes = [self.lab.scope, self.lab.scope.child("child")]
        self.decisions = 0
        self.checked = 0
        self.true: dict[str, bytes] = {}

    def teardown(self) -> None:
        self.place.cleanup()

    def decided(self) -> None:
        self.decisions += 1
        made = self.lab.events[-1].diagnostics
        SEEN.add((made.outcome, made.reason))

    @rule(size=st.integers(0, LIMIT))
    def small(self, size: int) -> None:
        assert self.lab.put(b"s" * size).text == b"s" * size
        self.decided()

    @rule(body=bodies)
    def put(self, body: bytes) -> None:
        made = self.lab.put(body)
        self.decided()
        if made.text is not None:
            self.true[str(made.text)] = body

    @rule(body=bodies, fault=st.sampled_from(["size", "open", "write", "remember"]))
    def put_on_a_broken_disk(self, body: bytes, fault: str) -> None:
        self.lab.spy.faults[fault] = OSError("secret-disk")
        try:
            self.put(body)
        finally:
            self.lab.spy.faults.clear()

    @rule(body=bodies, fault=st.sampled_from(["write", "remember"]))
    def put_anew_on_a_broken_disk(self, body: bytes, fault: str) -> None:
        self.delete(body)
        self.put_on_a_broken_disk(body, fault)

    @rule(body=bodies, how=st.sampled_from(["cancel", "checkpoint"]))
    def put_anew_and_be_interrupted(self, body: bytes, how: str) -> None:
        self.delete(body)
        self.put_interrupted(body, how)

    @rule(body=bodies, how=st.sampled_from(["cancel", "checkpoint"]))
    def put_interrupted(self, body: bytes, how: str) -> None:
        def refuse() -> None:
            raise RuntimeError("secret-checkpoint")

        if how == "cancel":
            self.lab.spy.faults["write"] = CancelledError()
        self.lab.put(body, Control(checkpoint=refuse))
        self.lab.spy.faults.clear()
        self.decided()

    @rule(body=bodies)
    def put_without_workspace(self, body: bytes) -> None:
        Offloader(Policy(LIMIT), None, lambda: self.lab.reporter).offload(ToolResult(body), Control())
        self.decided()

    @rule()
    def put_cancelled(self) -> None:
        with pytest.raises(CancelledError):
            self.lab.put(b"c" * 500, Control(cancelled=lambda: True))

    @rule(body=bodies, budget=st.sampled_from([10, 1000]))
    def get(self, body: bytes, budget: int) -> None:
        reference = f"artifact://sha256/{digest(body)}"
        answer = self.lab.get(reference, budget)
        self.decided()
        if answer.segment is not None:
            assert answer.segment.body == body == self.true.get(reference, body)
            self.bypass(answer.segment)

    def bypass(self, segment: Segment) -> None:
        assert self.lab.offloader.offload(segment, Control()).text == segment.body
        self.decided()

    @rule(body=bodies, budget=st.sampled_from([10, 1000]))
    def put_anew_and_get(self, body: bytes, budget: int) -> None:
        self.delete(body)
        self.put(body)
        self.get(body, budget)

    @rule(body=bodies)
    def put_and_lose(self, body: bytes) -> None:
        self.put(body)
        self.delete(body)
        self.get(body, 1000)

    @rule(body=bodies)
    def put_and_spoil(self, body: bytes) -> None:
        self.put(body)
        self.damage(body)
        self.get(body, 1000)

    @rule(body=bodies)
    def damage(self, body: bytes) -> None:
        self.lab.damage(digest(body), body.upper())

    @rule(body=bodies)
    def delete(self, body: bytes) -> None:
        self.lab.spy.remove(digest(body))

    @rule(second=st.booleans())
    def somebody_else(self, second: bool) -> None:
        self.lab.owner = OTHER if second else OWNER

    @rule(which=st.sampled_from([0, 1]))
    def another_agent(self, which: int) -> None:
        self.lab.reporter = self.scopes[which]

    @invariant()
    def told_once_in_order_and_in_private(self) -> None:
        assert len(self.lab.events) == self.decisions
        assert [event.sequence for event in self.lab.events] == list(range(1, self.decisions + 1))
        for event in self.lab.events[self.checked :]:
            for text in (repr(event), str(event.as_json()), repr(event.diagnostics)):
                assert "secret" not in text.lower()
                assert OWNER.user not in text
                assert self.place.name not in text
        self.checked = self.decisions


@pytest.fixture
def nothing_seen() -> Iterator[set[tuple[str, str]]]:
    SEEN.clear()
    yield SEEN
    SEEN.clear()


@pytest.mark.req("ADR0006-C15", "ADR0006-one-event", "ADR0006-privacy", "ADR0006-legal-pairs")
def test_c15_one_event_per_decision_over_a_random_mix(nothing_seen: set[tuple[str, str]]) -> None:
    run_state_machine_as_test(
        Decisions, settings=settings(max_examples=40, stateful_step_count=40, deadline=None)
    )
    assert nothing_seen == set(LEGAL)
