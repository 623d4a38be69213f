"""The features as installed: asked for at the loop points, switched by settings, and one that blocks."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.installs import Done, Machine, machine
from support.planning import FILES, git, plan, repository, write

pytestmark = pytest.mark.skipif(os.name == "nt", reason="runs the launcher for POSIX shells")

THREATS = "\n## Threats\n\n- TH-1: a stranger reads a photo -> owner check, test_stranger\n"
SECURITY = (
    '---\nphase: "02"\nstatus: {status}\nhead: {head}\n---\n\n| TH-1 | 02-01 | reads | x | y | {state} |\n'
)


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    """A project with planning files in a repository, and the loop installed for Claude Code."""
    made = machine(tmp_path)
    made.run("--runtime", "claude").ok()
    state = FILES["STATE.md"].replace("milestone_base: 1a2b3c4", "milestone_base:")
    write(made.project, FILES | {"STATE.md": state})
    repository(made.project)
    return made


def tools(box: Machine, *words: str) -> Done:
    """The installed companion, run in the project."""
    launcher = box.home / ".gsd" / "bin" / "gsd-tools"
    done = subprocess.run(
        [launcher, *words], cwd=box.project, env=box.env, capture_output=True, text=True, check=False
    )
    return Done(done.returncode, done.stdout, done.stderr)


def at(box: Machine, point: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(tools(box, "loop", point, "2", "--json").ok().out)
    return found


def steps(box: Machine, point: str) -> list[str]:
    return [step["id"] for step in at(box, point)["steps"]]


def test_what_a_point_names_is_installed_and_readable(box: Machine) -> None:
    agents = {path.stem for path in (box.home / ".claude" / "agents").iterdir()}
    seen = 0
    for key in ("tdd", "ui_phase", "code_review", "drift_refresh"):
        tools(box, "config", "set", f"workflow.{key}", "true").ok()
    for point in ("discuss:pre", "plan:pre", "execute:wave:pre", "execute:post", "verify:pre", "ship:pre"):
        found = at(box, point)
        for step in found["steps"]:
            assert step.get("text") or Path(step["read"]).is_file()
            assert step["kind"] != "agent" or step["name"] in agents
            seen += 1
        for added in found["contributions"]:
            assert added.get("text") or Path(added["read"]).is_file()
    assert seen == 7


@pytest.mark.req("ADR1671-capability-conditions")
def test_a_setting_switches_a_feature_and_its_text_joins_the_brief(box: Machine) -> None:
    assert steps(box, "plan:pre") == ["phase-research"]
    tools(box, "config", "set", "workflow.ui_phase", "true").ok()
    tools(box, "config", "set", "workflow.research", "false").ok()
    assert steps(box, "plan:pre") == ["ui-spec"]
    into = {(added["into"], added["capability"]) for added in at(box, "plan:pre")["contributions"]}
    assert ("planner", "tdd") not in into
    tools(box, "config", "set", "workflow.tdd", "true").ok()
    into = {(added["into"], added["capability"]) for added in at(box, "plan:pre")["contributions"]}
    assert ("planner", "tdd") in into


@pytest.mark.req("ADR1671-gate-no-model")
def test_an_open_threat_blocks_shipping_until_it_is_closed(box: Machine) -> None:
    folder = "phases/02-sign-in"
    write(box.project, {f"{folder}/02-01-PLAN.md": plan("02", "01") + THREATS})
    first = tools(box, "loop", "ship:pre", "2").ok()
    assert "security-audit" in first.out
    blocked = tools(box, "--json-errors", "loop", "ship:pre", "2", "--gates")
    assert (blocked.code, json.loads(blocked.err.splitlines()[-1])["reason"]) == (1, "gate_blocked")
    head = git(box.project, "rev-parse", "HEAD").strip()
    for status, state, code in (("open", "open", 1), ("passed", "accepted", 0)):
        text = SECURITY.format(status=status, head=head, state=state)
        write(box.project, {f"{folder}/02-SECURITY.md": text})
        assert tools(box, "loop", "ship:pre", "2", "--gates").code == code
    tools(box, "config", "set", "workflow.security", "false").ok()
    (box.project / ".planning" / folder / "02-SECURITY.md").unlink()
    assert tools(box, "loop", "ship:pre", "2", "--gates").code == 0


def test_advice_does_not_stop_and_says_what_was_found(box: Machine) -> None:
    review = "### R1: wrong sum (open)\n\n- severity: blocker\n"
    write(box.project, {"phases/02-sign-in/02-REVIEW.md": review})
    done = tools(box, "loop", "ship:pre", "2", "--gates").ok()
    assert "R1 is open" in done.out


def test_a_workflow_of_a_feature_is_rendered_like_one_of_core(box: Machine) -> None:
    for name in ("code-review", "research-project"):
        assert "## 1." in tools(box, "render", name, "2").ok().out
    assert tools(box, "render", "docs-update").code == 1, "it is of the profile full"


def test_the_smallest_profile_has_no_feature_and_the_loop_says_nothing(tmp_path: Path) -> None:
    box = machine(tmp_path)
    box.run("--runtime", "claude", "--profile", "core").ok()
    write(box.project, FILES)
    repository(box.project)
    for point in ("discuss:pre", "plan:pre", "execute:post", "ship:pre"):
        found = at(box, point)
        assert (found["steps"], found["contributions"]) == ([], [])
    assert tools(box, "render", "code-review", "2").code == 1
