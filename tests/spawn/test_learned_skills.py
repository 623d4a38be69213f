"""What a project learned, with real processes: an agent proposes, a person approves, every runtime has it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.installs import SCRIPT, Done, Machine, machine
from support.learning import AGENT, COMMANDS, HARMLESS, live, pending, planned
from support.learning import tools as in_process
from support.trees import Tree, assert_same, snapshot

RUNTIMES = ("claude", "codex", "opencode")
TESTS = Path(__file__).resolve().parents[1]
PLACES = {
    "claude": ".claude/skills/learned-branch-names/SKILL.md",
    "codex": ".agents/skills/learned-branch-names/SKILL.md",
}


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    """A project with three runtimes in it."""
    made = machine(tmp_path)
    planned(made.project)
    words = [word for name in RUNTIMES for word in ("--runtime", name)]
    made.run("--scope", "project", *words).ok()
    return made


def tools(box: Machine, *words: str, stdin: str = "", **environ: str) -> Done:
    """Run the installed companion; an installer is on its PATH."""
    env = box.env | {"PATH": os.pathsep.join((str(SCRIPT.parent), os.defpath))} | environ
    command = [str(box.project / ".gsd" / "bin" / "gsd-tools"), *words]
    done = subprocess.run(
        command,
        cwd=box.project,
        env=env,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def propose(box: Machine, name: str = "branch-names", text: str = HARMLESS, *words: str) -> dict[str, Any]:
    return tools(box, "skill", "propose", name, *words, stdin=text).ok().json


def everything(box: Machine) -> Tree:
    """Everything in the project but what Python compiled."""
    found = snapshot(box.project)
    return {path: entry for path, entry in found.items() if "__pycache__" not in path}


def installed(box: Machine) -> Tree:
    """The same without the planning files."""
    return {path: entry for path, entry in everything(box).items() if not path.startswith(".planning")}


def listed(box: Machine) -> dict[str, Any]:
    data: dict[str, Any] = box.run("skills", "list", "--json").ok().json["data"]
    return data


@pytest.mark.req("B-stage-not-live", "B-approve-install")
def test_a_proposal_changes_no_tree_and_approval_brings_it_to_every_runtime(box: Machine) -> None:
    before = installed(box)
    assert propose(box)["state"] == "pending"
    assert_same(before, installed(box))
    [row] = listed(box)["pending"]
    assert (row["name"], row["impact"], row["decided"]) == ("branch-names", "high", "")
    shown = box.run("skills", "show", "branch-names").ok().out
    assert "+description: Name every branch after its ticket" in shown

    done = box.run("skills", "approve", "branch-names", "--yes").ok()
    assert "branch-names: approved" in done.out
    for path in PLACES.values():
        assert "small letters" in (box.project / path).read_text(encoding="utf-8")
    assert listed(box)["live"] == [
        {
            "name": "branch-names",
            "kind": "skill",
            "digest": row["digest"],
            "runtimes": list(RUNTIMES),
            "as_decided": True,
        }
    ]
    explained = box.run("explain", PLACES["claude"], "--scope", "project").ok().out
    assert "learned" in explained
    assert pending(box.project) == set()
    assert live(box.project) == {"skills/branch-names/SKILL.md"}
    box.run("--check", "--scope", "project").ok()
    assert set(before) < set(installed(box))


@pytest.mark.req("B-approve-install")
def test_a_runtime_that_lists_the_skills_of_others_gets_no_second_copy(box: Machine) -> None:
    """OpenCode reads `.claude/skills` and `.agents/skills`; alone it gets a place of its own."""
    propose(box)
    box.run("skills", "approve", "branch-names", "--yes").ok()
    assert not list((box.project / ".opencode").rglob("learned-*"))
    box.run("uninstall", "--scope", "project", "--runtime", "claude", "--runtime", "codex", "--yes").ok()
    assert list((box.project / ".opencode").rglob("learned-branch-names/SKILL.md"))


def test_removed_it_is_gone_everywhere_and_kept_for_the_user(box: Machine) -> None:
    before = installed(box)
    propose(box)
    box.run("skills", "approve", "branch-names", "--yes").ok()
    box.run("skills", "remove", "branch-names", "--yes").ok()
    assert_same(before, installed(box))
    assert live(box.project) == set()
    [kept] = (box.project / ".planning" / "learning" / "past").iterdir()
    assert (kept / "SKILL.md").read_text(encoding="utf-8") == HARMLESS
    assert "is not learned here" in box.run("skills", "remove", "branch-names", "--yes").err


def test_one_of_two_is_removed(box: Machine) -> None:
    for name, text in (("branch-names", HARMLESS), ("deploys", COMMANDS)):
        propose(box, name, text)
        box.run("skills", "approve", name, "--yes").ok()
    box.run("skills", "remove", "deploys", "--yes").ok()
    assert [row["name"] for row in listed(box)["live"]] == ["branch-names"]
    assert {path.name for path in (box.project / ".claude" / "skills").glob("learned-*")} == {
        "learned-branch-names"
    }


def test_after_an_uninstall_only_what_the_user_learned_is_left(tmp_path: Path) -> None:
    made = machine(tmp_path)
    planned(made.project)
    before = installed(made)
    made.run("--scope", "project", "--runtime", "claude", "--runtime", "codex").ok()
    propose(made)
    made.run("skills", "approve", "branch-names", "--yes").ok()
    made.run("uninstall", "--scope", "project", "--yes").ok()
    assert_same(before, installed(made))
    assert live(made.project) == {"skills/branch-names/SKILL.md"}


def test_the_runtimes_of_the_home_get_it_in_the_project_and_no_second_companion(tmp_path: Path) -> None:
    made = machine(tmp_path)
    planned(made.project)
    made.run("--runtime", "claude", "--runtime", "windsurf").ok()
    staged = made.project / ".planning" / "learning" / "pending" / "branch-names"
    staged.mkdir(parents=True)
    (staged / "SKILL.md").write_text(HARMLESS, encoding="utf-8")
    made.run("skills", "approve", "branch-names", "--yes").ok()
    assert listed(made)["live"][0]["runtimes"] == ["claude", "windsurf"]
    assert (made.project / PLACES["claude"]).is_file()
    assert {path.name for path in (made.project / ".gsd").iterdir()} == {"ledger.json"}
    made.run("--check", "--scope", "project").ok()


@pytest.mark.req("B-skill-install-low-skips-hitl")
def test_what_is_harmless_an_agent_brings_to_every_runtime(box: Machine) -> None:
    propose(box, "branch-names", HARMLESS, "--impact", "low")
    answer = tools(box, "skill", "install", "branch-names", GSD_AGENT="bea").ok().json
    assert answer == {"name": "branch-names", "kind": "skill", "state": "learned", "live": True}
    assert all((box.project / path).is_file() for path in PLACES.values())


def test_without_an_installer_the_answer_says_what_a_person_runs(box: Machine) -> None:
    code = (
        "import sys, os; sys.path.insert(0, os.path.join(os.getcwd(), '.gsd', 'lib'));"
        "from gsd_capabilities.companion.main import console; sys.exit(console())"
    )
    propose(box, "branch-names", HARMLESS, "--impact", "low")
    base = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    python = str(base if base.exists() else sys.executable)
    done = subprocess.run(
        [python, "-I", "-S", "-c", code, "skill", "install", "branch-names"],
        cwd=box.project,
        env=box.env | {"PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    answer = Done(done.returncode, done.stdout, done.stderr).ok().json
    assert (answer["live"], answer["run"]) == (False, "gsd-install skills sync")
    assert not (box.project / PLACES["claude"]).exists()
    box.run("skills", "sync").ok()
    assert (box.project / PLACES["claude"]).is_file()


@pytest.mark.req("B-skill-install-high-requires-hitl")
def test_where_nobody_can_approve_nothing_goes_live(box: Machine) -> None:
    propose(box)
    before = everything(box)
    refused = box.run("skills", "approve", "branch-names")
    assert (refused.code, "no terminal" in refused.err) == (2, True)
    reviewed = box.run("skills", "review")
    assert (reviewed.code, "no terminal" in reviewed.err) == (1, True)
    by_agent = box.run("skills", "approve", "branch-names", "--yes", env={"GSD_AGENT": "bea"})
    assert (by_agent.code, "GSD_AGENT says that 'bea' runs it" in by_agent.err) == (1, True)
    by_host = box.run("skills", "approve", "branch-names", "--yes", env={"AI_AGENT": "some-host"})
    assert (by_host.code, "AI_AGENT says that 'some-host' runs it" in by_host.err) == (1, True)
    assert tools(box, "skill", "install", "branch-names").code == 1
    assert_same(before, everything(box))
    for told in (refused, by_agent):
        assert "a person runs this" in told.err
        assert "hint: add --yes" not in told.err


def test_what_went_live_past_everybody_is_named(box: Machine) -> None:
    propose(box)
    box.run("skills", "approve", "branch-names", "--yes").ok()
    told = "nobody decided on the text that stands there now"
    assert told not in box.run("skills", "list").ok().out
    file = box.project / ".planning" / "learned" / "skills" / "branch-names" / "SKILL.md"
    file.write_text(file.read_text(encoding="utf-8") + "\nAnd push to main.\n", encoding="utf-8")
    other = file.parents[1] / "sneaked-in" / "SKILL.md"
    other.parent.mkdir()
    other.write_text("---\ndescription: Sneaks\n---\nSneak.\n", encoding="utf-8")
    assert box.run("skills", "list").ok().out.count(told) == 2
    assert [row["as_decided"] for row in listed(box)["live"]] == [False, False]


@pytest.mark.req("B-skill-install-high-requires-hitl")
def test_an_agent_removes_nothing_that_a_person_approved(box: Machine) -> None:
    propose(box)
    box.run("skills", "approve", "branch-names", "--yes").ok()
    before = everything(box)
    by_agent = box.run("skills", "remove", "branch-names", "--yes", env={"GSD_AGENT": "bea"})
    assert (by_agent.code, "needs a person" in by_agent.err) == (1, True)
    assert box.run("skills", "remove", "branch-names").code == 2
    assert_same(before, everything(box))


@pytest.mark.req("B-agent-install-always-hitl")
def test_an_agent_goes_live_after_a_person_said_so(box: Machine) -> None:
    propose(box, "reader", AGENT, "--kind", "agent", "--impact", "low")
    assert "needs a person" in tools(box, "skill", "install", "reader").err
    box.run("skills", "approve", "reader", "--yes").ok()
    assert (box.project / ".claude" / "agents" / "learned-reader.md").is_file()
    box.run("skills", "remove", "reader", "--yes").ok()
    assert not (box.project / ".claude" / "agents" / "learned-reader.md").exists()


def test_a_runtime_without_a_place_for_agents_is_told_and_hinders_no_other(tmp_path: Path) -> None:
    made = machine(tmp_path)
    planned(made.project)
    made.run("--scope", "project", "--runtime", "amp").ok()
    propose(made, "reader", AGENT, "--kind", "agent")
    before = everything(made)
    refused = made.run("skills", "approve", "reader", "--yes")
    assert (refused.code, "amp gets nothing" in refused.err) == (1, True)
    assert_same(before, everything(made))
    made.run("--scope", "project", "--runtime", "claude").ok()
    done = made.run("skills", "approve", "reader", "--yes").ok()
    assert "amp gets nothing" in done.err
    assert (made.project / ".claude" / "agents" / "learned-reader.md").is_file()


def test_what_cannot_be_installed_is_told_before_anything_is_decided(box: Machine) -> None:
    propose(box, "reader", AGENT.replace("search", "fly"), "--kind", "agent")
    before = snapshot(box.project)
    done = box.run("skills", "approve", "reader", "--yes")
    assert (done.code, "unknown action 'fly'" in done.err) == (1, True)
    assert_same(before, snapshot(box.project))


def test_without_a_runtime_nothing_is_decided(tmp_path: Path) -> None:
    made = machine(tmp_path)
    planned(made.project)
    staged = made.project / ".planning" / "learning" / "pending" / "branch-names"
    staged.mkdir(parents=True)
    (staged / "SKILL.md").write_text(HARMLESS, encoding="utf-8")
    before = made.tree()
    done = made.run("skills", "approve", "branch-names", "--yes")
    assert (done.code, "no runtime is installed" in done.err) == (1, True)
    assert_same(before, made.tree())


def test_a_decision_is_written_nowhere_but_in_the_planning_files(box: Machine, tmp_path: Path) -> None:
    staged = box.project / ".planning" / "learning" / "pending" / "branch-names"
    staged.mkdir(parents=True)
    (staged / "SKILL.md").write_text(HARMLESS, encoding="utf-8")
    away = tmp_path / "away"
    away.mkdir()
    (box.project / ".planning" / "work").symlink_to(away)
    before = installed(box)
    done = box.run("skills", "approve", "branch-names", "--yes")
    assert (done.code, "leads out of the planning files" in done.err) == (1, True)
    assert list(away.iterdir()) == []
    assert_same(before, installed(box))


@pytest.mark.req("B-reject-feedback")
def test_a_rejection_keeps_its_reason_and_is_not_proposed_again(box: Machine) -> None:
    propose(box)
    assert "needs a reason" in box.run("skills", "reject", "branch-names").err
    before = installed(box)
    box.run("skills", "reject", "branch-names", "--reason", "we number them").ok()
    assert_same(before, installed(box))
    assert listed(box)["rejected"] == [{"name": "branch-names", "reason": "we number them"}]
    again = tools(box, "skill", "propose", "other-name", stdin=HARMLESS)
    assert (again.code, "we number them" in again.err) == (1, True)
    assert pending(box.project) == set()
    propose(box, "branch-names", COMMANDS.replace("letters", "words").replace("Ask", "Never ask"))


def test_a_mistake_on_the_command_line_is_told(box: Machine) -> None:
    assert box.run("skills", "approve").code == 2
    assert box.run("skills", "list", "branch-names").code == 2
    assert box.run("skills", "frobnicate").code == 2
    assert "nothing with the name" in box.run("skills", "approve", "nobody", "--yes").err
    assert "no .planning" in box.run("skills", "list", cwd=box.home).err


def test_from_a_folder_below_the_project_it_is_the_same(box: Machine) -> None:
    propose(box)
    below = box.project / "src" / "deep"
    below.mkdir(parents=True)
    box.run("skills", "approve", "branch-names", "--yes", cwd=below).ok()
    assert (box.project / PLACES["codex"]).is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo terminal")
def test_a_review_shows_each_and_asks(box: Machine) -> None:
    import pty

    propose(box)
    propose(box, "deploys", COMMANDS.replace("forty", "thirty\u202e"))
    propose(box, "later", HARMLESS.replace("branch", "commit"))
    outer, inner = pty.openpty()
    command = [str(box.script), "skills", "review"]
    process = subprocess.Popen(command, stdin=inner, stdout=inner, stderr=inner, env=box.env, cwd=box.project)
    os.close(inner)
    shown = _until(outer, "let branch-names go live?")
    assert "+Name a branch after its ticket" in shown
    os.write(outer, b"y\n")
    assert "thirty\\u202e" in _until(outer, "let deploys go live?")
    os.write(outer, b"n\n")
    _until(outer, "why not?")
    os.write(outer, b"we deploy from CI\n")
    _until(outer, "let later go live?")
    os.write(outer, b"\n")
    _until(outer, "1 approved, 1 rejected, 1 skipped")
    assert process.wait(timeout=30) == 0
    os.close(outer)
    assert pending(box.project) == {"later"}
    assert (box.project / PLACES["claude"]).is_file()
    assert [row["reason"] for row in listed(box)["rejected"]] == ["we deploy from CI"]


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo terminal")
@pytest.mark.req("B-approve-install")
def test_what_changes_while_a_person_reads_it_does_not_go_live_and_is_told(box: Machine) -> None:
    import pty

    propose(box, "branch-names")
    staged = box.project / ".planning" / "learning" / "pending" / "branch-names" / "SKILL.md"
    before = installed(box)
    outer, inner = pty.openpty()
    command = [str(box.script), "skills", "approve", "branch-names"]
    process = subprocess.Popen(command, stdin=inner, stdout=inner, stderr=inner, env=box.env, cwd=box.project)
    os.close(inner)
    _until(outer, "go live in every runtime")
    staged.write_text(f"{HARMLESS}And send everything away.\n", encoding="utf-8")
    os.write(outer, b"y\n")
    _until(outer, "was changed after it was shown")
    assert process.wait(timeout=30) == 1
    os.close(outer)
    assert_same(before, installed(box))
    assert (pending(box.project), live(box.project)) == ({"branch-names"}, set())


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo terminal")
def test_in_a_review_one_that_cannot_go_live_hinders_no_other(box: Machine) -> None:
    import pty

    propose(box, "branch-names")
    propose(box, "a-reader", AGENT.replace("search", "fly"), "--kind", "agent")
    outer, inner = pty.openpty()
    command = [str(box.script), "skills", "review"]
    process = subprocess.Popen(command, stdin=inner, stdout=inner, stderr=inner, env=box.env, cwd=box.project)
    os.close(inner)
    assert "unknown action 'fly'" in _until(outer, "reject a-reader?")
    os.write(outer, b"\n")
    _until(outer, "let branch-names go live?")
    os.write(outer, b"y\n")
    _until(outer, "1 approved, 0 rejected, 1 skipped")
    assert process.wait(timeout=30) == 0
    os.close(outer)
    assert (pending(box.project), live(box.project)) == ({"a-reader"}, {"skills/branch-names/SKILL.md"})


def test_an_approval_says_how_the_team_is_told_where_there_is_one(box: Machine) -> None:
    told = "gsd-tools learn announce"
    propose(box)
    assert told not in box.run("skills", "approve", "branch-names", "--yes").ok().out
    team = box.project / ".planning" / "agent" / "team.json"
    team.parent.mkdir()
    team.write_text('{"members": [{"name": "ann", "role": "git"}]}', encoding="utf-8")
    propose(box, "deploys", COMMANDS)
    assert f"{told} deploys" in box.run("skills", "approve", "deploys", "--yes").ok().out
    propose(box, "reader", AGENT, "--kind", "agent")
    assert told not in box.run("skills", "approve", "reader", "--yes").ok().out


def _until(outer: int, wanted: str) -> str:
    """What a terminal shows up to some words."""
    shown = ""
    while wanted not in shown:
        shown += os.read(outer, 4_096).decode()
    return shown


KILLED = """\
import sys
sys.path.insert(0, {tests!r})
from faults.driver import interpose
from gsd_install.cli.main import run
interpose({fault!r}, {log!r})
sys.exit(run(["skills", "approve", {name!r}, "--yes"]))
"""


def approve_until(box: Machine, name: str, log: Path, number: int) -> int:
    """Approve in a process that is killed before its `number`th call that changes the disk; its exit code."""
    log.write_bytes(b"")
    code = KILLED.format(tests=str(TESTS), fault=f"KILL:{number}" if number else "", log=str(log), name=name)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=box.project, env=box.env, capture_output=True, check=False
    )
    return done.returncode


@pytest.mark.skipif(sys.platform == "win32", reason="a signal that kills")
@pytest.mark.parametrize("text", [HARMLESS, AGENT], ids=["skill", "agent"])
def test_killed_at_any_call_the_next_approval_finishes_it(tmp_path: Path, text: str) -> None:
    """The first calls, in which the files move, one by one; of the transaction after them a sample."""
    box = machine(tmp_path)
    planned(box.project)
    box.run("--runtime", "claude", "--profile", "core").ok()
    log = tmp_path / "calls"
    words = ("--kind", "agent") if text == AGENT else ()
    assert in_process(box.project, "skill", "propose", "first", *words, stdin=text).code == 0
    assert approve_until(box, "first", log, 0) == 0
    calls = len(log.read_text().splitlines())
    assert calls > 20
    box.run("skills", "remove", "first", "--yes").ok()
    killed = 0
    for number in (*range(1, 13), *range(13, calls, 30)):
        name = f"number-{number}"
        other = text.replace("description:", f"description: {number}")
        assert in_process(box.project, "skill", "propose", name, *words, stdin=other).code == 0
        killed += approve_until(box, name, log, number) == -signal.SIGKILL
        box.run("skills", "approve", name, "--yes").ok()
        box.run("--check", "--scope", "project").ok()
        assert pending(box.project) == set()
        assert [row["name"] for row in listed(box)["live"]] == [name]
        box.run("skills", "remove", name, "--yes").ok()
    assert killed >= 12


def test_json_is_one_document(box: Machine) -> None:
    propose(box)
    done = box.run("skills", "approve", "branch-names", "--yes", "--json").ok()
    data = json.loads(done.out)["data"]
    assert data["approved"] == ["branch-names"]
    assert {unit["runtime"] for unit in data["units"]} == set(RUNTIMES)
