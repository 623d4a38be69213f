"""The rates of learning, the same on every surface."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_capabilities.companion.main import Streams, run
from gsd_capabilities.companion.project import find
from gsd_capabilities.learning.metrics import of
from gsd_capabilities.work.events import Event
from support.office import Office

NOTHING = {"count": 0, "of": 0, "rate": 0.0}


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path / "p")


@pytest.mark.req("C-metrics-api")
def test_without_tasks_every_rate_is_nought(office: Office) -> None:
    assert office.plain("learn", "metrics") == {
        "completed": 0,
        "reuse": NOTHING,
        "first_pass": NOTHING,
        "distillation": {**NOTHING, "usual": [0.1, 0.3]},
    }


@pytest.mark.req("C-metrics-api")
def test_rates_come_from_what_was_recorded(office: Office) -> None:
    office.completed("alpha", skills="sort-photos", calls=5)
    office.completed("beta")
    office("task", "fail", office.task("gamma", skills="sort-photos", calls=9), "no key")
    task = office.task("delta")
    for verdict in (("rejected", "--notes", "no"), ("approved",)):
        office("review", "submit", "--task", task, as_="ann")
        office("review", "verdict", task, *verdict, as_="olga")
        if verdict[0] == "rejected":
            office("task", "start", task, as_="ann")
    in_review = office.task("epsilon")
    office("review", "submit", "--task", in_review, as_="ann")
    found = office.plain("learn", "metrics")
    assert found["completed"] == 3
    assert found["reuse"] == {"count": 1, "of": 3, "rate": 0.3333}
    assert found["first_pass"] == {"count": 2, "of": 3, "rate": 0.6667}
    assert found["distillation"] == {"count": 2, "of": 3, "rate": 0.6667, "usual": [0.1, 0.3]}


@pytest.mark.req("C-metrics-api")
def test_the_command_line_and_the_server_give_the_same_object(tmp_path: Path) -> None:
    from gsd_capabilities.work.events import record
    from support.served import ask, served

    box = served(tmp_path)
    for kind, data in (
        ("task-added", {"title": "x"}),
        ("task-assigned", {"to": "ann"}),
        ("task-started", {}),
    ):
        record(find(str(box.project)), kind, "T-1", data=data)
    record(find(str(box.project)), "task-completed", "T-1")
    out = io.BytesIO()
    assert run(["learn", "metrics"], Streams(io.BytesIO(), out, io.BytesIO()), {}, str(box.project)) == 0
    words = {"words": ["learn", "metrics"]}
    answer = ask(box.service, lambda client: client.call_tool("gsd_invoke_command", words))
    found = json.loads(answer.structured_content["output"])
    assert found == json.loads(out.getvalue())
    assert (found["completed"], found["first_pass"]["rate"]) == (1, 1.0)


EVENTS = st.builds(
    Event,
    st.sampled_from(
        ["task-added", "task-assigned", "task-started", "task-completed", "job-opened", "skill-activated"]
    ),
    st.sampled_from(["T-1", "T-2", "s"]),
    st.just("ann"),
    st.floats(0, 1e9),
    st.sampled_from([{}, {"to": "ann"}, {"skills": ["s"]}, {"task": "T-1", "kind": "distillation"}]),
)


@pytest.mark.req("C-metrics-api")
@given(st.lists(EVENTS, max_size=20))
def test_whatever_happened_a_rate_is_a_share(happened: list[Event]) -> None:
    found = of(happened)
    for name in ("reuse", "first_pass", "distillation"):
        share = found[name]
        assert isinstance(share, dict)
        assert 0 <= share["count"] <= share["of"] == found["completed"]
        assert 0.0 <= share["rate"] <= 1.0
    json.dumps(found)
