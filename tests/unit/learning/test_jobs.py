"""When a finished task leads to a job, and what becomes of the job."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_capabilities.learning import jobs
from gsd_capabilities.learning.triggers import Finished, alike, decide, overlap
from gsd_capabilities.packs.scenarios import SCENARIOS, pack_of
from gsd_capabilities.work import model, tasks
from gsd_capabilities.work.clock import stamp
from support.office import Office, at


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path / "p")


def reject(office: Office, task: str, words: str = "tests are missing") -> None:
    office("review", "submit", "--task", task, as_="ann")
    office("review", "verdict", task, "rejected", "--notes", words, as_="olga")


@pytest.mark.req("B-hook-skip-trivial")
def test_a_trivial_task_leads_to_no_job(office: Office) -> None:
    assert office.completed(calls=4)[1] is None
    assert office.plain("learn", "jobs") == {"waiting": 0, "skipped": 0, "jobs": []}


@pytest.mark.req("B-hook-fire-complex")
def test_five_calls_are_enough(office: Office) -> None:
    task, job = office.completed(calls=5)
    assert job == "job-1"
    (found,) = office.plain("learn", "jobs")["jobs"]
    assert (found["task"], found["agent"], found["state"]) == (task, "ann", "waiting")
    assert (found["reasons"], found["transitional"]) == (["tool-calls"], False)


@pytest.mark.req("B-hook-fire-complex", "ECO-distill-after-approval")
def test_one_rejection_is_enough_and_the_job_comes_with_the_approval(office: Office) -> None:
    task = office.task(calls=0)
    reject(office, task)
    assert office.plain("learn", "jobs")["jobs"] == []
    office("task", "start", task, as_="ann")
    office("review", "submit", "--task", task, as_="ann")
    done = office("review", "verdict", task, "approved", as_="olga")
    assert done["learning"]["job"] == "job-1"
    assert office.plain("learn", "jobs")["jobs"][0]["reasons"] == ["rejected"]


@pytest.mark.req("B-hook-fire-complex")
def test_two_similar_tasks_before_are_enough_and_one_is_not(office: Office) -> None:
    assert [office.completed(f"sort the photos of {who}")[1] for who in ("ann", "bo", "cy")] == [
        None,
        None,
        "job-1",
    ]
    assert office.plain("learn", "jobs")["jobs"][0]["reasons"] == ["similar"]


def test_similar_tasks_of_long_ago_and_of_other_projects_do_not_count(office: Office) -> None:
    office.completed("sort the photos")
    office.completed("sort the photos")
    office.now = at(days=31)
    assert office.completed("sort the photos")[1] is None
    elsewhere = office("task", "add", "sort the photos", "--to", "ann", "--project", "albums")["id"]
    office("task", "start", elsewhere, as_="ann")
    office("task", "call", "--task", elsewhere, "--count", "0", as_="ann")
    assert office("task", "complete", elsewhere)["learning"]["job"] is None


def test_where_nobody_counted_there_is_a_job_that_says_so(office: Office) -> None:
    office.completed(calls=None)
    (found,) = office.plain("learn", "jobs")["jobs"]
    assert (found["reasons"], found["transitional"]) == (["calls-unknown"], True)


@pytest.mark.req("B-hook-skip-failed")
@pytest.mark.parametrize("end", ["fail", "cancel"])
def test_a_task_that_ends_otherwise_leads_to_no_job(office: Office, end: str) -> None:
    task = office.task(calls=50)
    office("task", end, task, "no key")
    assert jobs.consider(office.project, task, now=office.now) is None
    assert office.plain("learn", "jobs")["jobs"] == []


@pytest.mark.req("B-hook-skip-failed")
@pytest.mark.parametrize("state", model.STATES)
def test_only_completion_fires(state: str) -> None:
    assert decide(Finished(state, 100, 9, 9)).fires is (state == "completed")


@pytest.mark.parametrize(
    ("calls", "round_", "similar", "reasons"),
    [
        (4, 1, 1, ()),
        (5, 1, 1, ("tool-calls",)),
        (4, 2, 1, ("rejected",)),
        (4, 1, 2, ("similar",)),
        (None, 1, 0, ("calls-unknown",)),
        (None, 2, 0, ("rejected",)),
        (5, 2, 2, ("tool-calls", "rejected", "similar")),
    ],
)
def test_each_trigger_at_its_boundary(
    calls: int | None, round_: int, similar: int, reasons: tuple[str, ...]
) -> None:
    made = decide(Finished("completed", calls, round_, similar))
    assert (made.fires, made.reasons, made.transitional) == (bool(reasons), reasons, calls is None)


def test_titles_overlap_by_whole_words() -> None:
    assert overlap("sort the photos", "Sort photos by date")
    assert not overlap("sort the photos", "sorting photographs")
    assert not overlap("the of and", "the of and")
    assert alike("go tests", "p", [("go tests", "p"), ("go tests", "q"), ("django", "p")]) == 1


@given(st.text(max_size=30), st.text(max_size=30))
def test_overlap_is_symmetric_and_a_title_with_words_is_like_itself(one: str, other: str) -> None:
    assert overlap(one, other) == overlap(other, one)
    assert not overlap(one, "") or one == ""


def test_an_agent_gets_five_jobs_a_day_and_the_rest_is_told(office: Office) -> None:
    titles = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
    made = [office.completed(title, calls=5)[1] for title in titles]
    assert made == ["job-1", "job-2", "job-3", "job-4", "job-5", None]
    assert office.plain("learn", "jobs")["skipped"] == 1
    assert office.completed("eta", to="bo", calls=5)[1] == "job-6"
    office.now = at(hours=15)
    assert office.completed("theta", calls=5)[1] == "job-7"


def test_a_task_leads_to_one_job_however_often_it_is_considered(office: Office) -> None:
    task, job = office.completed(calls=5)
    assert job
    assert jobs.consider(office.project, task, now=at(days=3)) is None
    assert len(jobs.jobs(office.project)) == 1


@pytest.mark.req("ECO-distill-non-blocking")
def test_a_crash_in_learning_leaves_the_task_completed(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object, **__: object) -> None:
        raise RuntimeError("out of luck")

    with monkeypatch.context() as patch:
        patch.setattr(jobs, "consider", crash)
        task = office.task(calls=9)
        done = office("task", "complete", task)
    again = f"gsd-tools learn consider {task}"
    assert done["learning"] == {"job": None, "problem": "RuntimeError: out of luck", "again": again}
    assert tasks.task(office.project, task).state == "completed"
    assert office(*again.split()[1:]) == {"job": "job-1"}
    assert office(*again.split()[1:]) == {"job": None}
    assert office.refused("learn", "consider", "T-9") == "no_task"
    assert office.refused("learn", "consider", office.task()) == "not_completed"


@pytest.mark.req("ECO-distill-non-blocking")
def test_completing_only_queues_and_the_queue_outlives_the_process(office: Office) -> None:
    task, _ = office.completed(calls=5)
    code = (
        "import sys; from gsd_capabilities.companion.project import find\n"
        "from gsd_capabilities.learning import jobs\n"
        "print([(one.task, one.state) for one in jobs.jobs(find(sys.argv[1]))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(office.folder)], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"[('{task}', 'waiting')]\n"


@pytest.mark.req("B-distill-uses-distillation-scenario")
def test_a_distillation_and_a_consolidation_have_scenarios_of_their_own(office: Office) -> None:
    office.completed(calls=5)
    office("learn", "consolidate")
    assert office("learn", "next", as_="bo")["job"]["scenario"] == "distillation"
    assert office("learn", "next", as_="cy")["job"]["scenario"] == "memory_consolidation"
    assert pack_of("distillation") == pack_of("memory_consolidation") == SCENARIOS["distillation"]
    assert len(set(jobs.SCENARIOS.values())) == len(jobs.SCENARIOS)


@pytest.mark.req("B-distill-uses-distillation-scenario")
def test_a_consolidation_takes_no_task(office: Office) -> None:
    task, _ = office.completed(calls=5)
    assert office.refused("learn", "consolidate", task) == "no_task_input"
    assert office.refused("learn", "consolidate", "--task", task) == "unknown_option"
    assert [job.kind for job in jobs.jobs(office.project)] == ["distillation"]


def test_one_consolidation_is_open_at_a_time(office: Office) -> None:
    assert office("learn", "consolidate")["id"] == office("learn", "consolidate")["id"] == "job-1"
    office("learn", "done", "job-1")
    assert office("learn", "consolidate")["id"] == "job-2"


def test_jobs_are_begun_in_their_order_and_ended_once(office: Office) -> None:
    for title in ("alpha", "beta"):
        office.completed(title, calls=5)
    assert office("learn", "next", as_="bo")["job"]["id"] == "job-1"
    assert office("learn", "next", as_="bo")["job"]["id"] == "job-1"  # what one holds comes first
    assert office("learn", "next", as_="cy")["job"]["id"] == "job-2"
    assert office("learn", "next", as_="dee") == {"job": None, "prompt": ""}
    assert office("learn", "done", "job-1", "--note", "nothing new", as_="bo")["note"] == "nothing new"
    assert office("learn", "failed", "job-2", as_="cy")["state"] == "failed"
    assert office("learn", "done", "job-1", "--note", "again")["note"] == "nothing new"
    assert office.refused("learn", "failed", "job-1") == "job_ended"
    assert office.refused("learn", "done", "job-9") == "unknown_job"
    assert office.refused("learn", "done") == "usage"
    assert [job.state for job in jobs.jobs(office.project)] == ["done", "failed"]


def test_a_job_is_ended_by_whoever_holds_it(office: Office) -> None:
    office.completed(calls=5)
    office("learn", "next", as_="bo")
    assert office.refused("learn", "done", "job-1", "--as", "cy", "--at", stamp(office.now)) == "job_held"
    assert office.refused("learn", "failed", "job-1", "--as", "cy", "--at", stamp(office.now)) == "job_held"
    assert jobs.job(office.project, "job-1").state == "started"
    late = stamp(at(hours=1, seconds=1))
    assert office.plain("learn", "done", "job-1", "--as", "cy", "--at", late)["holder"] == "cy"


def test_a_job_whose_holder_died_can_be_begun_again(office: Office) -> None:
    office.completed(calls=5)
    office("learn", "next")
    assert office("learn", "next")["job"] is None  # who has no name holds nothing by name
    office.now = at(hours=1)
    assert office("learn", "next", as_="bo")["job"] is None
    office.now = at(hours=1, seconds=1)
    assert office("learn", "next", as_="bo")["job"]["holder"] == "bo"


def test_events_that_cannot_have_happened_change_nothing(office: Office) -> None:
    from gsd_capabilities.work.events import record

    record(office.project, "job-done", "job-7")
    record(office.project, "job-opened", "job-8", data={"kind": "daydream"})
    assert jobs.jobs(office.project) == ()
