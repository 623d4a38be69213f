"""What an agent is told that does a job."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gsd_capabilities.learning import habits, jobs, limits
from gsd_capabilities.learning.prompt import written
from gsd_capabilities.packs.scenarios import SCENARIOS
from gsd_install.kernel.errors import GsdError
from support.office import Office


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path / "p")


def told(office: Office) -> str:
    prompt: str = office("learn", "next", as_="bo")["prompt"]
    return prompt


@pytest.mark.req("B-distill-habits-injected", "B-prompt-learning-habits-present")
def test_a_distillation_has_the_habits_and_the_evidence(office: Office) -> None:
    task = office.task(calls=7)
    office("task", "note", "the index was stale", "--task", task, as_="ann")
    body = "".join(f"row {number}\n" for number in range(100))
    office("deliverable", "create", "list of photos", "--body", body, "--task", task, as_="ann")
    session = office.planning / "work" / "sessions" / f"{task}.jsonl"
    session.parent.mkdir()
    session.write_text('{"role": "user", "text": "begin", "owner": "ann"}\n')
    office("review", "submit", "--task", task, as_="ann")
    office("review", "verdict", task, "rejected", "--notes", "two are missing", as_="olga")
    office("task", "start", task, as_="ann")
    office("review", "submit", "--task", task, as_="ann")
    office("review", "verdict", task, "approved", as_="olga")
    prompt = told(office)
    assert habits.text(None).strip() in prompt
    assert prompt.count("# Learning habits") == 1
    for piece in (
        "job job-1, a distillation",
        f"task {task}",
        "title: sort the photos",
        "ended as completed after 2 rounds",
        "tool calls: 7",
        "because of: tool-calls, rejected",
        "round 1, rejected: two are missing",
        "ann: the index was stale",
        "list of photos (version 1): artifact://sha256/",
        f"learn recall {task}",
        "memory save",
        "skill propose",
        "learn done job-1",
    ):
        assert piece in prompt, piece
    assert "row 50" not in prompt  # what an artifact holds is not repeated


@pytest.mark.req("B-dream-no-habits", "B-prompt-learning-habits-absent-dream")
def test_a_consolidation_has_neither_habits_nor_evidence(office: Office) -> None:
    office("learn", "consolidate")
    prompt = told(office)
    assert "a consolidation" in prompt
    lines = [line for line in habits.text(None).splitlines() if len(line) > 20]
    assert lines
    assert not [line for line in lines if line in prompt]
    assert "Evidence" not in prompt


@pytest.mark.req("B-dream-no-habits", "B-prompt-learning-habits-present")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_scenario_but_one_may_have_the_habits(scenario: str) -> None:
    assert bool(habits.for_scenario(scenario, None)) is (scenario != "memory_consolidation")


@pytest.mark.req("B-prompt-learning-habits-budget")
def test_habits_that_are_too_long_are_refused_and_the_job_waits_on(
    office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gsd_capabilities.learning import texts

    monkeypatch.setattr(texts, "text", lambda *_: "x" * limits.LEARNING_HABITS_MAX_CHARS)
    assert len(habits.text(None)) == 1_600
    monkeypatch.setattr(texts, "text", lambda *_: "x" * (limits.LEARNING_HABITS_MAX_CHARS + 1))
    with pytest.raises(GsdError) as caught:
        habits.text(None)
    assert caught.value.reason == "habits_too_long"
    office.completed(calls=5)
    assert office.refused("learn", "next") == "habits_too_long"
    assert [job.state for job in jobs.jobs(office.project)] == ["waiting"]


def test_with_text_the_prompt_stands_alone(office: Office) -> None:
    office.completed(calls=5)
    code, out, _ = office.said("learn", "next", "--text")
    assert (code, out.startswith("# Look back at finished work")) == (0, True)
    assert office.said("learn", "next", "--text", "--as", "cy")[1] == "no lesson waits\n"


def test_much_evidence_gives_way_the_oldest_notes_first(office: Office) -> None:
    from gsd_capabilities.work.events import record

    task = office.task(calls=9)
    for number in range(40):
        text = f"note {number} " + "word " * 390
        record(office.project, "task-noted", task, who="ann", data={"text": text}, now=office.now)
    office("task", "complete", task)
    prompt = told(office)
    assert 24_000 < len(prompt) <= limits.DISTIL_PROMPT_CHARS
    assert "note 39 " in prompt
    assert "note 0 " not in prompt
    assert "## Notes" in prompt
    assert "title: sort the photos" in prompt


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(notes=st.lists(st.text(max_size=400), max_size=12), title=st.text(max_size=200))
def test_whatever_was_noted_the_prompt_keeps_its_bound_and_its_orders(
    office: Office, notes: list[str], title: str
) -> None:
    from gsd_capabilities.work.events import record

    task = f"T-{title!r}-{len(notes)}"
    record(office.project, "task-added", task, data={"title": title})
    for note in notes:
        record(office.project, "task-noted", task, data={"text": note * 20})
    record(office.project, "job-opened", "job-x", data={"kind": "distillation", "task": task})
    prompt = written(office.project, jobs.job(office.project, "job-x"), None)
    assert len(prompt) <= limits.DISTIL_PROMPT_CHARS
    assert "learn done job-x" in prompt
    assert habits.text(None).strip() in prompt
