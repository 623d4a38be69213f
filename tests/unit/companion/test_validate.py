"""Every rule of the planning files has a finding, and a project in order has none."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.companion.planning_verbs import VERBS
from gsd_capabilities.companion.project import find
from gsd_capabilities.companion.request import Faulty
from gsd_capabilities.companion.validate import validate
from gsd_capabilities.companion.validate_phase import Finding
from gsd_install.kernel.errors import GsdError
from support.planning import FILES, plan, request, sample, summary, write

TWO = "phases/02-sign-in/02-02-PLAN.md"
ONE = "phases/02-sign-in/02-01-PLAN.md"
DONE = "phases/01-walking-skeleton/"


def findings(root: Path, changes: dict[str, str | None]) -> tuple[Finding, ...]:
    """What is found in the sample project with other files; None takes one away."""
    files = {**FILES, **changes}
    return validate(write(root, {name: text for name, text in files.items() if text is not None}), {})


def test_a_project_in_order_has_no_finding(tmp_path: Path) -> None:
    assert validate(sample(tmp_path), {}) == ()


def test_without_planning_files_there_is_nothing_to_validate(tmp_path: Path) -> None:
    with pytest.raises(GsdError) as caught:
        validate(find(str(tmp_path)))
    assert caught.value.reason == "no_project"


def swapped(name: str, old: str, new: str) -> dict[str, str | None]:
    """The sample file with one place changed."""
    assert old in FILES[name], (name, old)
    return {name: FILES[name].replace(old, new, 1)}


CHANGES: dict[str, tuple[dict[str, str | None], str, int | None]] = {
    "missing": ({"PROJECT.md": None}, "PROJECT.md", None),
    "bad_workstream": ({"workstreams/ACTIVE": "gone"}, "workstreams/ACTIVE", 1),
    "unknown_key": ({"config.json": '{\n"mood": 1}'}, "config.json", 2),
    "bad_config": ({"config.json": '{\n"mode": '}, "config.json", 2),
    "bad_value": ({"config.json": '{"mode": "fast"}'}, "config.json", 1),
    "bad_roadmap": ({"ROADMAP.md": "# Roadmap\n"}, "ROADMAP.md", 1),
    "no_row": (swapped("ROADMAP.md", "## Phase 3:", "## Phase 4: More\n\n## Phase 3:"), "ROADMAP.md", 37),
    "number_twice": (swapped("ROADMAP.md", "| 3 | Albums", "| 2 | Albums"), "ROADMAP.md", 9),
    "bad_status": (swapped("ROADMAP.md", "pending", "waiting"), "ROADMAP.md", 9),
    "bad_count": (swapped("ROADMAP.md", "0/0", "none"), "ROADMAP.md", 9),
    "no_section": (swapped("ROADMAP.md", "## Phase 3: Albums", "## Albums"), "ROADMAP.md", 9),
    "name_differs": (swapped("ROADMAP.md", "| Albums", "| Sets"), "ROADMAP.md", 37),
    "no_goal": (swapped("ROADMAP.md", "**Goal:** photos have an order\n", ""), "ROADMAP.md", 37),
    "bad_mode": (swapped("ROADMAP.md", "**Mode:** mvp", "**Mode:** quick"), "ROADMAP.md", 16),
    "id_twice": (swapped("ROADMAP.md", "- C2:", "- C1:"), "ROADMAP.md", 11),
    "unknown_phase": (swapped("ROADMAP.md", "phases 1, 2", "phases 1, 8"), "ROADMAP.md", 40),
    "wrong_order": (swapped("ROADMAP.md", "on:** nothing", "on:** phase 3"), "ROADMAP.md", 14),
    "count_differs": (swapped("ROADMAP.md", "1/2", "2/2"), "ROADMAP.md", 8),
    "unknown_requirement": (swapped("ROADMAP.md", "| CORE-01 |", "| CORE-09 |"), "ROADMAP.md", 7),
    "bad_state": (swapped("STATE.md", "plan: 1", "plan 1"), "STATE.md", 8),
    "no_field": (swapped("STATE.md", "milestone_base: 1a2b3c4\n", ""), "STATE.md", 1),
    "unknown_field": (swapped("STATE.md", "updated:", "mood: good\nupdated:"), "STATE.md", 12),
    "bad_field": (swapped("STATE.md", "1 of 2", "one"), "STATE.md", 8),
    "no_phase": (swapped("STATE.md", "phase: 2", "phase:"), "STATE.md", 9),
    "bad_number": (swapped("STATE.md", "phase: 2", "phase: two"), "STATE.md", 5),
    "status_differs": (swapped("STATE.md", "status: executing", "status: planned"), "STATE.md", 9),
    "not_done": (swapped("STATE.md", "status: executing", "status: milestone-done"), "STATE.md", 9),
    "conflict_markers": (swapped("STATE.md", "## Log", ">>>>>>> theirs"), "STATE.md", 25),
    "bad_folder": ({"phases/3-Albums/x.md": ""}, "phases/3-Albums", None),
    "two_folders": ({"phases/02-login/x.md": ""}, "phases/02-sign-in", None),
    "wrong_folder": ({"phases/02-sign-in/03-CONTEXT.md": ""}, "phases/02-sign-in/03-CONTEXT.md", None),
    "no_plan": ({"phases/02-sign-in/02-07-SUMMARY.md": summary("02", "07")},
                "phases/02-sign-in/02-07-SUMMARY.md", None),
    "bad_frontmatter": (swapped(TWO, "wave: 2", "wave:2"), TWO, 5),
    "bad_plan": (swapped(TWO, "wave: 2", "wave: second"), TWO, 5),
    "wrong_plan": (swapped(TWO, 'plan: "02"', 'plan: "03"'), TWO, 3),
    "unknown_plan": (swapped(TWO, '["01"]', '["05"]'), TWO, 6),
    "wave_order": (swapped(TWO, "wave: 2", "wave: 1"), TWO, 5),
    "wave_hole": (swapped(TWO, "wave: 2", "wave: 3"), TWO, 5),
    "file_twice": ({TWO: plan("02", "02", files="[src/a.py]")}, TWO, 7),
    "no_summary": ({f"{DONE}01-01-SUMMARY.md": None, **swapped("ROADMAP.md", "1/1", "0/1")}, "ROADMAP.md", 7),
    "not_verified": ({f"{DONE}01-VERIFICATION.md": None}, "ROADMAP.md", 7),
    "no_plans": (swapped("ROADMAP.md", "pending", "planned"), "ROADMAP.md", 9),
}  # fmt: skip


@pytest.mark.parametrize("reason", CHANGES)
def test_what_is_wrong_is_found_with_its_place(tmp_path: Path, reason: str) -> None:
    changes, file, line = CHANGES[reason]
    found = findings(tmp_path, changes)
    assert (f".planning/{file}", line, reason) in [(each.file, each.line, each.reason) for each in found], (
        found
    )
    assert all(each.message and each.fix and not each.message[0].isupper() for each in found), found


MORE: dict[str, tuple[dict[str, str | None], str]] = {
    "a hole in the plans": ({ONE: None, "phases/02-sign-in/02-01-SUMMARY.md": None}, "plan_hole"),
    "a status of a summary": ({f"{DONE}01-01-SUMMARY.md": summary("01", "01", "ok")}, "bad_status"),
    "a verification without one": ({f"{DONE}01-VERIFICATION.md": "# x\n"}, "bad_status"),
    "gaps in a finished phase": ({f"{DONE}01-VERIFICATION.md": "---\nstatus: gaps\n---\n"}, "not_verified"),
    "a folder of no phase": ({"phases/09-gone/09-CONTEXT.md": ""}, "no_phase"),
    "a plan of another phase": ({TWO: plan("03", "02", wave=2, files="[b]")}, "wrong_plan"),
    "a plan that needs one of another phase": (swapped(TWO, '["01"]', '["01-01"]'), "unknown_plan"),
    "another name in STATE": (swapped("STATE.md", "phase_name: Sign in", "phase_name: X"), "name_differs"),
    "a phase of STATE that is not there": (swapped("STATE.md", "phase: 2", "phase: 5"), "unknown_phase"),
    "a status of STATE": (swapped("STATE.md", "status: executing", "status: busy"), "bad_status"),
    "no STATE": ({"STATE.md": None}, "missing"),
    "a setting in a wrong group": ({"config.json": '{"workflow": 1}'}, "bad_value"),
}  # fmt: skip


@pytest.mark.parametrize("name", MORE)
def test_further_things_that_are_found(tmp_path: Path, name: str) -> None:
    changes, reason = MORE[name]
    assert reason in [finding.reason for finding in findings(tmp_path, changes)]


@pytest.mark.parametrize(
    "changes",
    [
        {TWO: plan("02", "02", wave=2, depends='["02-01"]', files="[src/b.py]")},
        {"phases/02-sign-in/02-03-SUMMARY.undone.md": "Undone\n"},
        {"phases/02-sign-in/02-CONTEXT.md": "", "phases/02-sign-in/notes.md": ""},
        {"REQUIREMENTS.md": None},
        {
            "ROADMAP.md": None,
            "STATE.md": FILES["STATE.md"].replace("phase: 2", "phase:").replace("executing", "idle", 1),
            **{name: None for name in FILES if name.startswith("phases/")},
        },
    ],
)
def test_what_is_allowed_is_not_found(tmp_path: Path, changes: dict[str, str | None]) -> None:
    assert findings(tmp_path, changes) == ()


def test_one_damaged_file_hides_no_finding_about_another(tmp_path: Path) -> None:
    changes = {**swapped("STATE.md", "plan: 1", "plan 1"), **swapped("ROADMAP.md", "pending", "waiting")}
    found = findings(tmp_path, {**changes, "config.json": "{"})
    assert {finding.reason for finding in found} >= {"bad_state", "bad_status", "bad_config"}


def test_the_verb_says_whether_all_is_well(tmp_path: Path) -> None:
    project = sample(tmp_path)
    assert VERBS["validate"].run(request(project)) == {"valid": True, "findings": []}
    Path(project.path("PROJECT.md")).unlink()
    faulty = VERBS["validate"].run(request(project))
    assert isinstance(faulty, Faulty)
    answer = faulty.answer
    assert isinstance(answer, dict)
    assert not answer["valid"]
    assert answer["findings"][0].keys() == {"file", "line", "reason", "message", "fix"}


PIECES = st.sampled_from(
    [
        "---\n",
        "phase: ",
        "status: ",
        "\n",
        "\r\n",
        "| 1 |",
        "|",
        "## Phase 3: ",
        "\x00",
        "é",
        "{",
        '"',
        ": ",
        "- ",
        "[",
        "0",
    ]
)


@settings(max_examples=120)
@given(
    st.sampled_from(sorted(name for name in FILES if "/" not in name or name in (ONE, TWO))),
    st.integers(0, 400),
    st.integers(0, 30),
    st.lists(PIECES, max_size=4).map("".join),
)
def test_a_file_damaged_anywhere_ends_no_validation(name: str, at: int, gone: int, piece: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        text = FILES[name]
        changed = text[:at] + piece + text[at + gone :]
        found = findings(Path(folder), {name: changed})
        assert all(finding.file.startswith(".planning/") and finding.fix for finding in found), found
