"""Each decision is told once, to whoever listens, and tells nobody's secrets."""

from __future__ import annotations

import inspect
import json
import logging
from collections.abc import Callable

import pytest

from gsd_capabilities.artifacts.binding import Bound
from gsd_capabilities.artifacts.events import Event, Scope
from gsd_capabilities.artifacts.offload import CancelledError, Control, Offloader, Policy, Segment, ToolResult
from gsd_capabilities.artifacts.rehydrate import Ask, Rehydrator
from gsd_capabilities.artifacts.vocabulary import LEGAL
from gsd_install.kernel.errors import GsdError
from support.artifacts import LIMIT, OWNER, Lab, digest, ending

BODY = b"body-marker-Zk3 " * 10
FAULT = "exception-marker-Xp4 /secret/place"
SECRETS = (
    "body-marker-Zk3",
    "exception-marker-Xp4",
    "/secret/place",
    *OWNER,
    "tool-Tm1",
    "call-Cn2",
    "descr-Dq5",
)


@pytest.mark.req("ADR0006-C16", "ADR0006-event-fields", "ADR0006-parent-narrow")
def test_c16_root_child_and_grandchild_share_one_sequence(lab: Lab) -> None:
    child = lab.scope.child("child")
    grandchild = child.child("grandchild")
    reference = ""
    for scope in (lab.scope, child, grandchild, child, lab.scope):
        lab.reporter = scope
        reference = lab.reference(BODY)
        lab.get(reference)
    told = [(event.agent_id, event.parent_agent_id, event.depth) for event in lab.events]
    root, one, two = ("root", None, 0), ("child", "root", 1), ("grandchild", "child", 2)
    assert told == [root, root, one, one, two, two, one, one, root, root]
    assert [event.sequence for event in lab.events] == list(range(1, 11))
    assert {event.workflow_id for event in lab.events} == {"workflow"}
    assert {event.diagnostics.operation for event in lab.events[2:4]} == {"offload", "rehydration"}


class Plain:
    """A reporter with nothing but what the protocol asks for."""

    def __init__(self) -> None:
        self.workflow_id, self.agent_id, self.depth = "w", "a", 3
        self.events: list[Event] = []

    def next_sequence(self) -> int:
        return len(self.events)

    def report(self, event: Event) -> None:
        self.events.append(event)


@pytest.mark.req("ADR0006-C17", "ADR0006-parent-narrow")
def test_c17_a_reporter_that_knows_no_parent_has_none(lab: Lab) -> None:
    plain = Plain()
    lab.reporter = plain
    lab.get(lab.reference(BODY))
    assert [(event.parent_agent_id, event.depth) for event in plain.events] == [(None, 3), (None, 3)]
    assert not any("parent" in name for name in dir(Scope) if not name.startswith("_"))


@pytest.mark.req("ADR0006-C18", "ADR0006-reporter-optional")
@pytest.mark.parametrize("accessor", ["none", "without scope"])
def test_c18_without_a_reporter_everything_is_the_same(lab: Lab, accessor: str) -> None:
    reporters = None if accessor == "none" else (lambda: None)
    offloader = Offloader(Policy(LIMIT), lab.access, reporters)
    rehydrator = Rehydrator(lab.access, reporters)
    outcomes = []
    for body in (BODY, BODY, b"short"):
        made = offloader.offload(ToolResult(body), Control())
        outcomes.append(ending(made)[0])
    reference = f"artifact://sha256/{digest(BODY)}"
    answer = rehydrator.rehydrate(Ask(reference, 1000), Control())
    assert [*outcomes, ending(answer)[0]] == ["offloaded", "existing_reference", "inline", "resolved"]
    assert lab.events == []


@pytest.mark.req("ADR0006-no-ambient")
def test_observability_adds_no_optional_parameter_and_no_global() -> None:
    from gsd_capabilities.artifacts import events

    for maker in (Offloader, Rehydrator):
        parameters = inspect.signature(maker).parameters
        assert all(each.default is inspect.Parameter.empty for each in parameters.values())
    assert [name for name, value in vars(events).items() if isinstance(value, Scope)] == []


@pytest.mark.req("ADR0006-C19", "ADR0006-same-instance")
def test_c19_the_event_holds_the_same_object(lab: Lab) -> None:
    made = lab.put(BODY)
    answer = lab.get(f"artifact://sha256/{digest(BODY)}")
    assert lab.events[0].diagnostics is made.diagnostics
    assert lab.events[1].diagnostics is answer.diagnostics


def inline(lab: Lab) -> None:
    lab.put(BODY[:16])


def bypass(lab: Lab) -> None:
    lab.offloader.offload(Segment(lab.reference(BODY), BODY, 0.0), Control())


def offloaded(lab: Lab) -> None:
    lab.put(BODY, tool="tool-Tm1", call="call-Cn2", description="descr-Dq5")


def existing(lab: Lab) -> None:
    offloaded(lab)
    offloaded(lab)


def unbound(lab: Lab) -> None:
    Offloader(Policy(LIMIT), None, lambda: lab.reporter).offload(ToolResult(BODY), Control())


def failing(name: str) -> Callable[[Lab], None]:
    def act(lab: Lab) -> None:
        lab.spy.faults[name] = OSError(13, FAULT, "/secret/place")
        lab.put(BODY)

    return act


def mismatch(lab: Lab) -> None:
    lab.damage(digest(BODY), b"other")
    lab.put(BODY)


def cancelled(lab: Lab) -> None:
    lab.spy.faults["write"] = CancelledError()
    lab.put(BODY)


def checkpoint(lab: Lab) -> None:
    def refuse() -> None:
        raise RuntimeError(FAULT)

    lab.put(BODY, Control(checkpoint=refuse))


def resolved(lab: Lab) -> None:
    lab.get(lab.reference(BODY))


def stale(lab: Lab) -> None:
    reference = lab.reference(BODY)
    lab.damage(digest(BODY), BODY * 2)
    lab.get(reference)


def missing(lab: Lab) -> None:
    reference = lab.reference(BODY)
    lab.spy.remove(digest(BODY))
    lab.get(reference)


def unauthorized(lab: Lab) -> None:
    lab.get("artifact://sha256/" + "0" * 64)


def over_budget(lab: Lab) -> None:
    lab.get(lab.reference(BODY), 5)


ENDINGS: dict[tuple[str, str], Callable[[Lab], None]] = {
    ("inline", "below_threshold"): inline,
    ("inline", "recoverable_segment_bypass"): bypass,
    ("offloaded", "threshold_exceeded"): offloaded,
    ("existing_reference", "existing_content_match"): existing,
    ("failed", "no_authorized_workspace"): unbound,
    ("failed", "workspace_read_failed"): failing("size"),
    ("failed", "content_address_mismatch"): mismatch,
    ("failed", "workspace_write_failed"): failing("write"),
    ("recovery_required", "canceled_after_write"): cancelled,
    ("recovery_required", "checkpoint_failed"): checkpoint,
    ("resolved", "digest_verified"): resolved,
    ("stale", "digest_mismatch"): stale,
    ("missing", "missing"): missing,
    ("unauthorized", "owner_mismatch"): unauthorized,
    ("over_budget", "budget_exceeded"): over_budget,
}


def representations(event: Event) -> list[str]:
    """Everything that a reader of an event could see of it."""
    made = event.diagnostics
    fields = [getattr(made, name) for name in dir(made) if not callable(getattr(made, name))]
    return [
        repr(event),
        str(event),
        repr(made),
        str(made),
        f"{made}",
        json.dumps(event.as_json()),
        json.dumps(made.as_json()),
        *map(repr, [*fields, *event]),
    ]


@pytest.mark.req("ADR0006-C21", "ADR0006-privacy", "ADR0006-reason-at-decision", "ADR0006-one-event")
@pytest.mark.parametrize("pair", ENDINGS, ids="-".join)
def test_c21_no_decision_tells_a_body_path_owner_or_exception(
    lab: Lab, pair: tuple[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ENDINGS[pair](lab)
    made = lab.events[-1].diagnostics
    assert (made.outcome, made.reason) == pair
    secrets = (*SECRETS, lab.spy.location(digest(BODY)).rpartition("/")[0])
    seen = [text for event in lab.events for text in representations(event)]
    # fsspec, at DEBUG, writes the paths it works on; that is its own business and off by default.
    seen += [each.getMessage() for each in caplog.records if not each.name.startswith("fsspec")]
    assert [secret for secret in secrets for text in seen if secret in text] == []


@pytest.mark.req("ADR0006-C21")
def test_every_legal_ending_is_looked_at_and_a_leak_would_be_seen(lab: Lab) -> None:
    assert set(ENDINGS) == set(LEGAL)
    offloaded(lab)
    leaky = lab.events[0]._replace(workflow_id=f"run of {OWNER.user}")
    assert any(OWNER.user in text for text in representations(leaky))


def test_errors_of_decisions_do_not_repeat_what_they_refuse() -> None:
    with pytest.raises(GsdError) as caught:
        Rehydrator(lambda: Bound(None, OWNER), None).rehydrate(Ask("body-marker-Zk3", 5), Control())
    assert "body-marker-Zk3" not in str(caught.value)
