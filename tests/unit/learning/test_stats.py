"""How skills fare, and that it touches nothing else."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.learning import stats
from gsd_capabilities.learning.stats import Stats
from support.office import Office, at

CAPABILITIES = Path(stats.__file__).parents[1]


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path / "p")


def known(office: Office, skill: str) -> Stats:
    return stats.history(office.project).skills.get(skill, Stats())


def judged(office: Office, task: str, *words: str) -> None:
    office("review", "submit", "--task", task, as_="ann")
    office("review", "verdict", task, *words, as_="olga")


@pytest.mark.req("B-stats-activate")
def test_a_task_that_starts_with_a_skill_uses_it(office: Office) -> None:
    office.task(skills="sort-photos,read-exif")
    assert known(office, "sort-photos") == Stats(usage=1, last_used=at())
    assert known(office, "read-exif").usage == 1
    assert office.plain("skill", "stats", "sort-photos")["sort-photos"]["last_used"] == "2026-12-01T09:00:00Z"


@pytest.mark.req("B-stats-activate")
def test_a_skill_that_is_used_belongs_to_the_task_that_runs(office: Office) -> None:
    task = office.task()
    office.now = at(hours=1)
    used = office("skill", "use", "sort-photos", as_="ann")
    assert (used["task"], used["usage"], used["last_used"]) == (task, 1, "2026-12-01T10:00:00Z")
    assert office("skill", "use", "sort-photos", as_="ann")["usage"] == 1  # once in a task
    assert office("skill", "use", "sort-photos", as_="bo") | {"last_used": ""} == {
        "skill": "sort-photos",
        "task": None,
        "usage": 2,
        "success": 0,
        "settled": 0,
        "last_used": "",
        "feedback": [],
    }


def test_a_use_names_a_skill_and_a_task_that_is_there(office: Office) -> None:
    assert office.refused("skill", "use", "Sort Photos") == "bad_skill"
    assert office.refused("skill", "use", "../x") == "bad_skill"
    assert office.refused("skill", "use") == "usage"
    assert office.refused("skill", "use", "x", "--task", "T-9") == "no_task"
    assert stats.history(office.project).skills == {}


@pytest.mark.req("B-stats-success")
def test_a_completed_task_is_a_success_of_each_of_its_skills(office: Office) -> None:
    task = office.task(skills="sort-photos")
    office("skill", "use", "read-exif", as_="ann")
    assert known(office, "sort-photos").success == 0
    office("task", "complete", task)
    for skill in ("sort-photos", "read-exif"):
        found = known(office, skill)
        assert (found.usage, found.success, found.settled) == (1, 1, 1)


@pytest.mark.req("B-stats-success")
@pytest.mark.parametrize("end", ["fail", "cancel"])
def test_a_task_that_ends_otherwise_is_none(office: Office, end: str) -> None:
    office("task", end, office.task(skills="sort-photos"), "no key")
    found = known(office, "sort-photos")
    assert (found.usage, found.success, found.settled) == (1, 0, 1)


@pytest.mark.req("B-stats-reject-feedback")
def test_a_rejected_review_leaves_its_words_with_the_skill(office: Office) -> None:
    task = office.task(skills="sort-photos")
    judged(office, task, "rejected", "--notes", "two are missing")
    assert office.plain("skill", "stats")["sort-photos"]["feedback"] == ["two are missing"]
    office("task", "start", task, as_="ann")
    judged(office, task, "approved_with_notes", "--notes", "mind the order")
    found = known(office, "sort-photos")
    assert (found.usage, found.success, found.feedback) == (1, 1, ("two are missing",))


@pytest.mark.req("B-stats-reject-feedback")
def test_feedback_is_bounded_in_number_and_in_length(office: Office) -> None:
    from gsd_capabilities.work.events import Event

    begun = [
        Event("task-added", "T-1", "", 0.0, {"title": "x", "skills": ["s"]}),
        Event("task-assigned", "T-1", "", 0.0, {"to": "ann"}),
    ]
    rounds = [
        event
        for number in range(60)
        for event in (
            Event("task-started", "T-1", "ann", 1.0, {}),
            Event("task-submitted", "T-1", "ann", 1.0, {}),
            Event(
                "task-rejected", "T-1", "o", 2.0, {"verdict": "rejected", "notes": f"{number} " + "é" * 600}
            ),
        )
    ]
    feedback = stats.folded([*begun, *rounds]).skills["s"].feedback
    assert len(feedback) == 50
    assert feedback[-1].startswith("59 ")
    assert feedback[0].startswith("10 ")
    assert {len(text) <= 500 and text.endswith(stats.CUT) for text in feedback} == {True}


@pytest.mark.req("B-stats-activate")
def test_counts_of_several_processes_are_not_lost(office: Office) -> None:
    code = (
        "import sys; from gsd_capabilities.companion.project import find\n"
        "from gsd_capabilities.learning import stats\n"
        "for _ in range(20): stats.activated(find(sys.argv[1]), 'sort-photos', now=1.0)"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(office.folder)]) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert known(office, "sort-photos").usage == 60


ACTIONS = ("start", "use", "complete", "fail", "reject", "tidy", "announce")


@pytest.mark.req("ECO-stats-not-trust")
@settings(max_examples=8, deadline=None)
@given(history=st.lists(st.sampled_from(ACTIONS), min_size=3, max_size=5))
def test_whatever_skills_do_the_trust_of_an_agent_stays(history: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        trust_stays(Office(Path(folder) / "p"), history)


def trust_stays(office: Office, history: list[str]) -> None:
    team = office.planning / "agent" / "team.json"
    team.parent.mkdir(exist_ok=True)
    before = json.dumps({"members": [{"name": "ann", "role": "photos", "trust": 0.731}]}).encode()
    team.write_bytes(before)
    office.live("sort-photos", "metadata:\n  tags: photos\n")
    for action in history:
        acted(office, action)
    assert team.read_bytes() == before
    holding = [
        path for path in office.planning.rglob("*") if path.is_file() and b"trust" in path.read_bytes()
    ]
    assert holding == [team]


def acted(office: Office, action: str) -> None:
    if action in ("tidy", "announce"):
        office("learn", action)
    elif action == "use":
        office("skill", "use", "sort-photos", as_="ann")
    else:
        task = office.task(skills="sort-photos")
        if action == "reject":
            judged(office, task, "rejected", "--notes", "no")
        elif action != "start":
            office("task", action, task, *(["no key"] if action == "fail" else []))


@pytest.mark.req("ECO-stats-not-trust")
def test_no_code_about_trust_knows_the_statistics() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in CAPABILITIES.rglob("*.py")}
    sources = {path: text for path, text in texts.items() if "stats" in path.stem or "stats" in text}
    assert not trusting(sources)
    assert CAPABILITIES / "learning" / "stats.py" in sources
    seeded = "from gsd_capabilities.learning import stats\ndef f(agent):\n    agent.trust += 1\n"
    assert trusting({**sources, CAPABILITIES / "x.py": seeded}) == [CAPABILITIES / "x.py"]


def trusting(sources: dict[Path, str]) -> list[Path]:
    """Modules that know the statistics of skills and name or are about trust."""
    found = []
    for path, source in sources.items():
        tree = ast.parse(source)
        names = {
            alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names
        }
        modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        known = "stats" in names or "gsd_capabilities.learning.stats" in modules or path.stem == "stats"
        words = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        words |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | {path.stem}
        texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        if known and ({"trust"} & words or {"trust"} & texts):
            found.append(path)
    return found
