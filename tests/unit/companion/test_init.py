from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.payloads import Box

ALL = {"research", "mvp"}


@pytest.fixture
def box(tmp_path: Path) -> Box:
    made = Box(tmp_path)
    made.workflow(
        "plan-phase",
        [
            "# Plan\n",
            ("research", "flag:--research", "look\n"),
            ("mvp", "state:phase-mvp-mode", "thin\n"),
            "end\n",
        ],
    )
    made.roadmap({"1": "standard", "2": "mvp"})
    return made


def manifest(box: Box, *argv: str) -> object:
    answer = box.run("init", "plan-phase", *argv)
    assert answer.code == 0, answer.err
    return answer.json["section_manifest"]


@pytest.mark.req("ADR1671-section-manifest", "ADR1671-manifest-built")
def test_the_manifest_names_what_is_included_excluded_and_read(box: Box) -> None:
    found = manifest(box, "1 --research")
    steps = str(box.payload / "content" / "gsd" / "workflows" / "plan-phase" / "steps")
    assert found == {
        "workflow": "plan-phase",
        "included": ["research"],
        "excluded": ["mvp"],
        "read": [f"{steps}/research.md"],
    }
    assert manifest(box, "1") == {
        "workflow": "plan-phase",
        "included": [],
        "excluded": ["research", "mvp"],
        "read": [],
    }


def remove_step(box: Box) -> None:
    (box.payload / "content/gsd/workflows/plan-phase/steps/mvp.md").unlink()


def cut_short(box: Box) -> None:
    box.write(box.payload / "gsd/companion.json", '{"format": 1')


def later_format(box: Box) -> None:
    box.table["format"] = 2
    box.save()


def lose_when(box: Box) -> None:
    workflows = box.table["workflows"]
    assert isinstance(workflows, dict)
    del workflows["plan-phase"]["sections"][0]["when"]
    box.save()


@pytest.mark.req("ADR1671-manifest-degraded")
@pytest.mark.parametrize("damage", [remove_step, cut_short, later_format, lose_when])
def test_a_manifest_nobody_can_compute_is_null_and_says_why(box: Box, damage: object) -> None:
    assert callable(damage)
    damage(box)
    bundle = box.run("init", "plan-phase", "1").json
    assert bundle["section_manifest"] is None
    problems = bundle["problems"]
    assert isinstance(problems, list)
    assert len(problems) == 1
    assert str(box.payload) in problems[0]


@pytest.mark.req("ADR1671-init-bundle")
def test_the_bundle_has_paths_facts_switches_and_names(box: Box) -> None:
    box.planning("phases/02-part-2/02-CONTEXT.md", "secret text")
    box.planning("phases/02-part-2/02-01-PLAN.md", "---\ntitle: a\n---\n")
    settings = '{"effort": {"planner": "light"}, "workflow": {"plan_chunked": true}, "nonsense": 1}'
    box.planning("config.json", settings)
    box.write(box.project / "CONTEXT.md", "`RULE.plan-phase.a=x`\n`RULE.other=y`\n")
    answer = box.run("--runtime", "claude", "init", "plan-phase", "02")
    bundle = answer.json
    assert b"secret text" not in answer.out
    paths, exists, phase, config = (bundle[name] for name in ("paths", "exists", "phase", "config"))
    assert isinstance(paths, dict)
    assert isinstance(exists, dict)
    assert isinstance(phase, dict)
    assert isinstance(config, dict)
    assert paths["context"] == ".planning/phases/02-part-2/02-CONTEXT.md"
    assert (exists["context"], exists["spec"], exists["roadmap"]) == (True, False, True)
    assert set(paths) == set(exists)
    assert (phase["number"], phase["key"], phase["mode"], phase["given"]) == ("2", "02", "mvp", True)
    assert phase["plans"] == [
        {"id": "02-01", "path": ".planning/phases/02-part-2/02-01-PLAN.md", "summary": None}
    ]
    assert (config["workflow.plan_chunked"], config["workflow.verifier"]) == (True, True)
    assert bundle["agents"] == {"planner": "light", "mapper": "light"}
    commands = bundle["commands"]
    assert isinstance(commands, dict)
    assert commands["plan-phase"] == "/gsd-plan-phase"
    assert bundle["predicates"] == ["RULE.plan-phase.a"]
    assert bundle["problems"] == [".planning/config.json:1: there is no setting 'nonsense'"]


def test_an_unknown_phase_is_told_with_those_there_are(box: Box) -> None:
    assert box.run("init", "plan-phase", "9").json["phase"] == {
        "number": "9",
        "given": True,
        "found": False,
        "known": ["1", "2"],
    }


def test_the_current_phase_stands_in_where_none_is_given(box: Box) -> None:
    box.state("2")
    phase = box.run("init", "plan-phase").json["phase"]
    assert isinstance(phase, dict)
    assert (phase["number"], phase["given"]) == ("2", False)
    assert box.run("init", "plan-phase", "not-a-phase").json["phase"] is None


def test_without_a_runtime_no_spelling_is_claimed(box: Box) -> None:
    assert box.run("init", "plan-phase").json["commands"] is None
    told = box.run("--json-errors", "--runtime", "codex", "init", "plan-phase")
    assert (told.code, json.loads(told.err)["reason"]) == (2, "unknown_runtime")


def test_a_workflow_of_two_contents_must_be_qualified(box: Box) -> None:
    box.write(box.payload / "acme/companion.json", json.dumps(box.table))
    told = box.run("--json-errors", "init", "plan-phase")
    assert json.loads(told.err)["reason"] == "ambiguous_workflow"
    assert box.run("init", "acme:plan-phase").json["content"] == "acme"


@pytest.mark.parametrize("name", ["plan-fase", "", "../plan-phase", "gsd:nothing"])
def test_an_unknown_workflow_is_a_usage_error(box: Box, name: str) -> None:
    told = box.run("--json-errors", "init", name)
    assert (told.code, json.loads(told.err)["reason"]) == (2, "unknown_workflow")


def test_no_workflow_at_all_is_a_usage_error(box: Box) -> None:
    assert box.run("init").code == 2


def test_damaged_planning_files_are_named_with_their_line(box: Box) -> None:
    box.planning("config.json", '{\n  "mode": 3\n}')
    told = json.loads(box.run("--json-errors", "init", "plan-phase", "1").err)
    assert (told["ok"], told["file"], told["line"]) == (False, ".planning/config.json", 2)


def test_init_changes_nothing_on_the_disk(box: Box) -> None:
    before = sorted(str(path) for path in box.home.rglob("*"))
    manifest(box, "1")
    assert sorted(str(path) for path in box.home.rglob("*")) == before
