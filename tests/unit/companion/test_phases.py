"""The phases of a roadmap with their folders and plans."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_capabilities.companion import phases
from gsd_capabilities.companion.planning_verbs import VERBS
from gsd_install.kernel.errors import GsdError
from support.planning import FILES, ROADMAP, plan, request, sample, summary, write


def test_a_phase_is_its_row_its_section_and_its_folder(tmp_path: Path) -> None:
    project = sample(tmp_path)
    first, second, third = phases.phases(project)
    assert (first.number, first.key, first.title, first.slug) == (
        "1",
        "01",
        "Walking skeleton",
        "walking-skeleton",
    )
    assert (first.mode, first.status, first.goal) == ("mvp", "complete", "a photo can be shown")
    assert first.file("VERIFICATION") == project.path("phases", "01-walking-skeleton", "01-VERIFICATION.md")
    assert first.file("UAT") is None
    assert second.directory == project.path("phases", "02-sign-in")
    assert [(each.number, each.id, each.summary is not None) for each in second.plans] == [
        ("01", "02-01", True),
        ("02", "02-02", False),
    ]
    assert phases.done(project, second.plans) == 1
    assert (third.directory, third.slug, third.plans, third.depends) == (None, "albums", (), ("1", "2"))
    assert third.file("CONTEXT") is None
    assert second.requirements == ("AUTH-01", "AUTH-02")


@pytest.mark.parametrize("number", ["2", "02", "002"])
def test_a_phase_is_found_by_number(tmp_path: Path, number: str) -> None:
    assert phases.phase(sample(tmp_path), number).title == "Sign in"


def test_an_inserted_phase_says_what_it_closes(tmp_path: Path) -> None:
    text = ROADMAP.replace("| 3 |", "| 2.1 | Repair | planned | 0/0 | |\n| 3 |") + (
        "\n## Phase 2.1: Repair\n\n**Goal:** g\n**Depends on:** phase 2\n**Closes:** G1, U2 of phase 2\n"
    )
    project = write(tmp_path, {"ROADMAP.md": text, "phases/02.1-repair/02.1-01-PLAN.md": plan("02.1", "01")})
    found = phases.phase(project, "02.1")
    assert (found.number, found.key, found.closes) == ("2.1", "02.1", ("G1", "U2"))
    assert [each.id for each in found.plans] == ["02.1-01"]


def test_an_unknown_phase_is_an_error_that_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(GsdError) as caught:
        phases.phase(sample(tmp_path), "7")
    assert caught.value.reason == "unknown_phase"
    assert caught.value.hint == "the phases are: 1, 2, 3"


def test_without_a_roadmap_there_are_no_phases(tmp_path: Path) -> None:
    project = write(tmp_path, {"PROJECT.md": ""})
    assert phases.phases(project) == ()
    with pytest.raises(GsdError, match="no phase 1"):
        phases.phase(project, "1")


def test_two_folders_of_one_phase_are_refused(tmp_path: Path) -> None:
    project = write(tmp_path, {**FILES, "phases/02-login/02-CONTEXT.md": ""})
    with pytest.raises(GsdError) as caught:
        phases.phases(project)
    assert caught.value.reason == "two_folders"
    assert caught.value.hint == "keep one of: 02-login, 02-sign-in"


def test_files_that_are_no_plan_do_not_count(tmp_path: Path) -> None:
    names = ("02-PLAN.md", "03-01-PLAN.md", "02-03-PLAN.md.bak", "02-01-SUMMARY.undone.md", "02-OUTLINE.md")
    project = write(tmp_path, {**FILES, **{f"phases/02-sign-in/{name}": "" for name in names}})
    assert len(phases.phase(project, "2").plans) == 2


def test_an_undone_summary_does_not_count(tmp_path: Path) -> None:
    project = sample(tmp_path)
    folder = project.path("phases", "02-sign-in")
    os.rename(f"{folder}/02-01-SUMMARY.md", f"{folder}/02-01-SUMMARY.undone.md")
    assert phases.done(project, phases.phase(project, "2").plans) == 0


def test_only_a_summary_that_says_done_counts_as_done(tmp_path: Path) -> None:
    project = write(tmp_path, {**FILES, "phases/02-sign-in/02-02-SUMMARY.md": summary("02", "02", "partial")})
    assert phases.done(project, phases.phase(project, "2").plans) == 1


def test_plans_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    names = [f"phases/02-sign-in/02-{number}-PLAN.md" for number in ("100", "99", "11")]
    project = write(tmp_path, {**FILES, **dict.fromkeys(names, "")})
    assert [each.number for each in phases.phase(project, "2").plans] == ["01", "02", "11", "99", "100"]


def test_the_fields_of_a_plan(tmp_path: Path) -> None:
    project = sample(tmp_path)
    fields = phases.fields(project, phases.phase(project, "2").plans[1])
    assert (fields.wave, fields.depends_on, fields.files, fields.autonomous) == (
        2,
        ("01",),
        ("src/b.py",),
        True,
    )
    assert fields.lines["wave"] == 5


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("wave: 2", "wave: zero", 5),
        ("wave: 2", "wave: 0", 5),
        ("wave: 2\n", "", 1),
        ("[src/b.py]", "src/b.py", 7),
    ],
)
def test_a_damaged_plan_is_named_and_stops_no_other(tmp_path: Path, old: str, new: str, line: int) -> None:
    name = "phases/02-sign-in/02-02-PLAN.md"
    project = write(tmp_path, {**FILES, name: FILES[name].replace(old, new)})
    known = phases.phases(project)
    with pytest.raises(GsdError) as caught:
        phases.fields(project, known[1].plans[1])
    assert (caught.value.reason, caught.value.where) == ("bad_plan", f".planning/{name}:{line}")
    assert phases.fields(project, known[1].plans[0]).wave == 1


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Sign in", "sign-in"),
        ("Über: die Größe!", "uber-die-groe"),
        ("相册", "phase"),
        ("a" * 50, "a" * 40),
        ("one two three four five six seven eight nine", "one-two-three-four-five-six-seven-eight"),
    ],
)
def test_a_slug_is_made_of_a_title(title: str, slug: str) -> None:
    assert phases.slug(title) == slug


@given(st.text(max_size=80))
def test_every_slug_can_be_the_name_of_a_folder(title: str) -> None:
    slug = phases.slug(title)
    assert 0 < len(slug) <= 40
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert not slug.startswith("-")
    assert not slug.endswith("-")
    assert phases.slug(slug) == slug == phases.slug(unicodedata.normalize("NFC", title))


def test_the_verbs_list_and_show(tmp_path: Path) -> None:
    project = sample(tmp_path)
    listed = VERBS["phase list"].run(request(project))
    assert isinstance(listed, list)
    assert [(each["number"], each["done"], each["plans"]) for each in listed] == [
        ("1", 1, 1),
        ("2", 1, 2),
        ("3", 0, 0),
    ]
    shown = VERBS["phase show"].run(request(project, "02"))
    assert isinstance(shown, dict)
    assert shown["directory"] == ".planning/phases/02-sign-in"
    assert shown["criteria"] == {"C1": "a friend signs in"}
    assert [(each["id"], each["status"], each["wave"]) for each in shown["plans"]] == [
        ("02-01", "done", 1),
        ("02-02", None, 2),
    ]
    with pytest.raises(GsdError, match="arguments"):
        VERBS["phase show"].run(request(project))
