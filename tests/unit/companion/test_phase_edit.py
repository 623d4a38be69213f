"""The list of phases changes by its rules, and what is bound stays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gsd_capabilities.companion import phase_edit, phase_move, phases, roadmap, state
from gsd_capabilities.companion.phase_text import New
from gsd_capabilities.companion.planning_verbs import VERBS
from gsd_capabilities.companion.project import Project
from gsd_capabilities.companion.validate import validate
from gsd_install.kernel.errors import GsdError
from support.planning import FILES, ROADMAP, git, repository, request, sample, text_of, write

TODAY = "2026-06-01"
VERIFICATION = (
    '---\nphase: "02"\nstatus: gaps\n---\n\n## Gaps\n\n'
    "### G1: no mail (open)\n\n### G2: slow (fixed by 02.1-01, abc)\n"
)


def numbers(project: Project) -> list[str]:
    return [phase.number for phase in phases.phases(project)]


def reasons(project: Project) -> list[str]:
    return [finding.reason for finding in validate(project, {})]


def refused(project: Project, call: object, *arguments: object) -> str:
    before = text_of(project, "ROADMAP.md"), text_of(project, "STATE.md")
    assert callable(call)
    with pytest.raises(GsdError) as caught:
        call(project, *arguments)
    assert (text_of(project, "ROADMAP.md"), text_of(project, "STATE.md")) == before
    assert caught.value.hint
    return caught.value.reason


def test_a_phase_is_added_at_the_end(tmp_path: Path) -> None:
    project = sample(tmp_path)
    made = phase_edit.add(
        project, New("Sharing", "friends share", "phase 3", "PHOTO-01", "mvp", ("it works",))
    )
    assert (made.number, made.status, made.goal, made.mode) == ("4", "pending", "friends share", "mvp")
    assert made.criteria == (("C1", "it works"),)
    assert text_of(project, "ROADMAP.md").startswith(ROADMAP[: ROADMAP.index("| 3 | Albums")])
    assert reasons(project) == []


def test_a_phase_is_inserted_behind_its_parent_and_earlier_insertions(tmp_path: Path) -> None:
    project = sample(tmp_path)
    assert phase_edit.insert(project, "2", New("Urgent", "now")).number == "2.1"
    made = phase_edit.insert(project, "2.1", New("Again", "now"))
    assert (made.number, made.depends) == ("2.2", ("2.1",))
    assert numbers(project) == ["1", "2", "2.1", "2.2", "3"]
    assert [section.number for section in roadmap.read(project).sections] == ["1", "2", "2.1", "2.2", "3"]
    assert reasons(project) == []


def test_a_phase_that_closes_gaps_names_them(tmp_path: Path) -> None:
    project = write(tmp_path, {**FILES, "phases/02-sign-in/02-VERIFICATION.md": VERIFICATION})
    assert phase_edit.insert(project, "2", New("Repair", "mail"), ("G1",)).closes == ("G1",)
    assert "**Closes:** G1 of phase 2\n" in text_of(project, "ROADMAP.md")


@pytest.mark.parametrize("name", ["G2", "G3", "U1"])
def test_only_open_gaps_can_be_closed(tmp_path: Path, name: str) -> None:
    project = write(tmp_path, {**FILES, "phases/02-sign-in/02-VERIFICATION.md": VERIFICATION})
    assert refused(project, phase_edit.insert, "2", New("Repair", "mail"), (name,)) == "unknown_gap"


def test_no_number_is_given_twice(tmp_path: Path) -> None:
    project = sample(tmp_path)
    phase_edit.remove(project, "3", "not wanted", TODAY)
    assert phase_edit.add(project, New("Other", "g")).number == "4"
    phase_edit.insert(project, "2", New("Urgent", "now"))
    phase_edit.remove(project, "2.1", "not needed", TODAY)
    assert phase_edit.insert(project, "2", New("Urgent", "now")).number == "2.2"
    assert reasons(project) == []


def test_numbers_of_folders_and_earlier_milestones_count(tmp_path: Path) -> None:
    project = write(tmp_path, {**FILES, "phases/07-left-over/07-CONTEXT.md": ""})
    assert phase_edit.add(project, New("Next", "g")).number == "8"
    head = ROADMAP.partition("| 1 |")[0]
    project = write(tmp_path / "second", {"ROADMAP.md": head, "milestones/v1.0/ROADMAP.md": ROADMAP})
    assert phase_edit.add(project, New("Next", "g")).number == "4"


def test_a_milestone_that_began_again_at_one_counts_for_itself(tmp_path: Path) -> None:
    old = ROADMAP + "\n## Phase 9: Old\n"
    project = write(tmp_path, {**FILES, "milestones/v1.0/ROADMAP.md": old})
    assert phase_edit.add(project, New("Next", "g")).number == "4"


def test_a_phase_is_removed_and_logged(tmp_path: Path) -> None:
    project = sample(tmp_path)
    gone = phase_edit.remove(project, "3", "nobody asked for it", TODAY)
    assert (gone.number, gone.requirements) == ("3", ("PHOTO-01",))
    assert numbers(project) == ["1", "2"]
    assert f"## Log\n\n- {TODAY} phase 3 removed, Albums: nobody asked for it\n- " in text_of(
        project, "STATE.md"
    )


@pytest.mark.parametrize(
    ("number", "reason"),
    [("1", "phase_begun"), ("2", "phase_begun"), ("9", "unknown_phase"), ("x", "bad_number")],
)
def test_what_has_begun_is_not_removed(tmp_path: Path, number: str, reason: str) -> None:
    assert refused(sample(tmp_path), phase_edit.remove, number, "why", TODAY) == reason


def test_what_others_need_or_stand_on_is_not_removed(tmp_path: Path) -> None:
    project = sample(tmp_path)
    phase_edit.insert(project, "3", New("More", "g"))
    assert refused(project, phase_edit.remove, "3", "why", TODAY) == "phase_needed"
    state.update(project, {"phase": "3.1"})
    assert refused(project, phase_edit.remove, "3.1", "why", TODAY) == "phase_current"


def test_a_folder_goes_only_if_git_can_bring_it_back(tmp_path: Path) -> None:
    project = write(tmp_path, {**FILES, "phases/03-albums/03-CONTEXT.md": "decisions\n"})
    context = Path(project.path("phases", "03-albums", "03-CONTEXT.md"))
    assert refused(project, phase_edit.remove, "3", "why", TODAY) == "folder_in_use"
    repository(tmp_path)
    note = context.with_name("notes.txt")
    note.write_text("mine\n")
    assert refused(project, phase_edit.remove, "3", "why", TODAY) == "folder_in_use"
    note.unlink()
    context.write_text("changed\n")
    assert refused(project, phase_edit.remove, "3", "why", TODAY) == "git_failed"
    assert context.read_text() == "changed\n"
    git(tmp_path, "checkout", "-q", "--", ".")
    phase_edit.remove(project, "3", "why", TODAY)
    assert not context.parent.exists()
    assert git(tmp_path, "show", "HEAD:.planning/phases/03-albums/03-CONTEXT.md") == "decisions\n"


def test_an_empty_folder_is_left_to_the_person(tmp_path: Path) -> None:
    project = sample(tmp_path)
    os.mkdir(project.path("phases", "03-albums"))
    assert refused(project, phase_edit.remove, "3", "why", TODAY) == "folder_in_use"


def test_a_new_name_keeps_the_folder(tmp_path: Path) -> None:
    project = sample(tmp_path)
    named = phase_edit.rename(project, "2", "Log in | out")
    assert (named.title, named.slug) == ("Log in | out", "sign-in")
    assert state.read(project)["phase_name"] == "Log in | out"
    assert text_of(project, "ROADMAP.md") == ROADMAP.replace("| Sign in |", "| Log in \\| out |").replace(
        "Phase 2: Sign in", "Phase 2: Log in | out"
    )
    assert refused(project, phase_edit.rename, "1", "Other") == "phase_closed"
    assert refused(project, phase_edit.rename, "2", "two\nlines") == "bad_value"
    assert refused(project, phase_edit.rename, "2", " ") == "bad_value"


def test_fields_change_while_they_may(tmp_path: Path) -> None:
    project = sample(tmp_path)
    changed = phase_edit.edit(
        project, "3", {"goal": "albums are sorted", "requirements": "PHOTO-01, AUTH-01"}
    )
    assert (changed.goal, changed.requirements) == ("albums are sorted", ("PHOTO-01", "AUTH-01"))
    assert phase_edit.edit(project, "2", {"mode": "mvp"}).mode == "mvp"
    assert refused(project, phase_edit.edit, "2", {"goal": "other"}) == "phase_executed"
    assert refused(project, phase_edit.edit, "1", {"mode": "mvp"}) == "phase_closed"
    assert refused(project, phase_edit.edit, "3", {"mode": "fast"}) == "bad_value"
    assert refused(project, phase_edit.edit, "3", {"title": "x"}) == "bad_value"
    assert refused(project, phase_edit.edit, "3", {"depends": "phase 3"}) == "unknown_phase"


@pytest.mark.parametrize(("context", "status"), [(True, "discussed"), (False, "pending")])
def test_a_planned_phase_with_another_goal_is_to_be_looked_at_again(
    tmp_path: Path, context: bool, status: str
) -> None:
    files = {**FILES, "phases/03-albums/03-01-PLAN.md": FILES["phases/02-sign-in/02-01-PLAN.md"]}
    if context:
        files["phases/03-albums/03-CONTEXT.md"] = ""
    project = write(tmp_path, files)
    phase_edit.set_status(project, "3", "planned")
    answer = VERBS["phase edit"].run(request(project, "3", goal="another"))
    assert isinstance(answer, dict)
    assert (answer["status"], answer["outdated"]) == (status, [".planning/phases/03-albums/03-01-PLAN.md"])


def test_a_status_changes_row_count_and_state(tmp_path: Path) -> None:
    project = sample(tmp_path)
    text = ROADMAP.replace("executing | 1/2", "executing | 0/9")
    Path(project.path("ROADMAP.md")).write_text(text)
    phase_edit.set_status(project, "2", "blocked")
    assert text_of(project, "ROADMAP.md") == ROADMAP.replace("executing | 1/2", "blocked | 1/2")
    assert state.read(project)["status"] == "blocked"
    phase_edit.set_status(project, "3", "discussed")
    assert state.read(project)["status"] == "blocked"
    assert refused(project, phase_edit.set_status, "2", "done") == "bad_value"


def test_a_damaged_state_stops_a_change_before_its_first_write(tmp_path: Path) -> None:
    project = write(tmp_path, {**FILES, "STATE.md": "no fields\n"})
    assert refused(project, phase_edit.remove, "3", "why", TODAY) == "bad_state"
    assert refused(project, phase_edit.rename, "3", "Sets") == "bad_state"
    assert refused(project, phase_edit.set_status, "3", "discussed") == "bad_state"


def test_a_phase_moves_with_its_section_and_back(tmp_path: Path) -> None:
    project = sample(tmp_path)
    phase_edit.add(project, New("Sharing", "g", "phase 1", criteria=("x",)))
    before = text_of(project, "ROADMAP.md")
    moved = phase_move.move(project, "4", "before", "3")
    assert [phase.number for phase in moved] == ["1", "2", "4", "3"]
    assert [section.number for section in roadmap.read(project).sections] == ["1", "2", "4", "3"]
    assert sorted(text_of(project, "ROADMAP.md").split("\n")) == sorted(before.split("\n"))
    assert reasons(project) == []
    answer = VERBS["phase move"].run(request(project, "4", "after", "3"))
    assert isinstance(answer, list)
    assert [phase["number"] for phase in answer] == ["1", "2", "3", "4"]
    assert text_of(project, "ROADMAP.md") == before


@pytest.mark.parametrize(
    ("number", "where", "other", "reason"),
    [
        ("3", "before", "2", "wrong_order"),
        ("2", "after", "3", "phase_begun"),
        ("4", "before", "1", "wrong_order"),
        ("3", "after", "5", "wrong_order"),
        ("4", "beside", "3", "bad_value"),
        ("4", "after", "4", "bad_value"),
        ("4", "after", "9", "unknown_phase"),
    ],
)
def test_a_phase_moves_only_where_its_dependencies_allow(
    tmp_path: Path, number: str, where: str, other: str, reason: str
) -> None:
    project = sample(tmp_path)
    phase_edit.add(project, New("Sharing", "g", "phase 1"))
    phase_edit.add(project, New("Letters", "g", "phase 3"))
    assert refused(project, phase_move.move, number, where, other) == reason


def test_windows_line_ends_stay(tmp_path: Path) -> None:
    project = write(tmp_path, {name: text.replace("\n", "\r\n") for name, text in FILES.items()})
    phase_edit.add(project, New("Sharing", "g", criteria=("x",)))
    phase_edit.insert(project, "2", New("Urgent", "g"))
    phase_edit.rename(project, "3", "Sets")
    phase_edit.edit(project, "3", {"notes": "a", "goal": "b"})
    phase_move.move(project, "4", "before", "3")
    phase_edit.remove(project, "4", "why", TODAY)
    for name in ("ROADMAP.md", "STATE.md"):
        text = text_of(project, name)
        assert text.count("\n") == text.count("\r\n") > 10
    assert numbers(project) == ["1", "2", "2.1", "3"]


@pytest.mark.parametrize("new", [New("x", mode="fast"), New(""), New("a\nb"), New("x", goal="a\nb")])
def test_what_is_no_phase_is_refused(tmp_path: Path, new: New) -> None:
    assert refused(sample(tmp_path), phase_edit.add, new) == "bad_value"


def test_two_processes_add_phases_and_none_is_lost(tmp_path: Path) -> None:
    project = sample(tmp_path)
    script = (
        "import sys\n"
        "from gsd_capabilities.companion import phase_edit, project\n"
        "from gsd_capabilities.companion.phase_text import New\n"
        "here = project.find(sys.argv[1])\n"
        "for number in range(20):\n"
        "    phase_edit.add(here, New(f'{sys.argv[2]} {number}', 'g'))\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    writers = [subprocess.Popen([*command, name], stderr=subprocess.PIPE) for name in ("a", "b")]
    assert [writer.communicate()[1] for writer in writers] == [b"", b""]
    found = phases.phases(project)
    assert [phase.number for phase in found] == [str(number) for number in range(1, 44)]
    assert {phase.title for phase in found[3:]} == {
        f"{name} {number}" for name in "ab" for number in range(20)
    }


def test_the_verbs_take_words_and_options(tmp_path: Path) -> None:
    project = sample(tmp_path)
    run = {name: verb.run for name, verb in VERBS.items()}
    made = run["phase add"](request(project, "Share", "photos", goal="g", criteria="one\n\n two \n"))
    assert isinstance(made, dict)
    assert (made["number"], made["title"]) == ("4", "Share photos")
    assert phases.phase(project, "4").criteria == (("C1", "one"), ("C2", "two"))
    run["phase insert"](request(project, "4", "Urgent"))
    run["phase rename"](request(project, "4.1", "Very", "urgent"))
    run["phase status"](request(project, "4.1", "discussed"))
    assert phases.phase(project, "4.1").title == "Very urgent"
    gone = run["phase remove"](request(project, "4.1", "not", "so", "urgent"))
    assert gone == {"removed": "4.1", "title": "Very urgent", "requirements": []}
    for name, words in (("phase add", ()), ("phase remove", ("3",)), ("phase edit", ("3",))):
        with pytest.raises(GsdError) as caught:
            run[name](request(project, *words))
        assert caught.value.reason == "usage"
