"""One phase of the loop, from an idea to a shipped phase, by an agent that only does what it is told to run.

Every `gsd-tools` line of the rendered text is executed in its order by the installed launcher; between the
lines the agent writes the files that the text speaks of, from the installed templates.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gsd_install.kernel.points import POINTS
from support import calls
from support.installs import Machine, machine
from support.planning import git, repository
from support.venvs import third_party_venv

pytestmark = pytest.mark.skipif(os.name == "nt", reason="runs the launcher for POSIX shells")

DIRECTORY = ".planning/phases/01-walking-skeleton"
ORDER = (
    ("new-project", ""),
    ("discuss-phase", "1"),
    ("plan-phase", "1"),
    ("execute-phase", "1"),
    ("verify-work", "1"),
    ("ship", ""),
)
# What the texts leave open, as this agent fills it in; some depend on where it is.
VALUES = {
    "n": "1",
    "m": "1",
    "w": "1",
    "p": "2",
    "t": "2",
    "met": "1",
    "done": "1",
    "all": "1",
    "project": "Photos",
    "granularity": "coarse",
    "true or false": "true",
    "branching": "none",
    "command": "python3 -m unittest -q",
    "phase directory": DIRECTORY,
    "address": "https://example.com/pull/1",
    "N": "24000",
    "h": "0",
    "f": "0",
}
STATUS = {"plan-phase": "discussed", "execute-phase": "executed", "verify-work": "verified"}
NEXT = {
    "review": "execute-phase 1",
    "execute-phase": "verify-work 1",
    "verify-work": "ship",
    "ship": "transition 1",
}


class Moment(NamedTuple):
    """Before the first line of a workflow that matches, the agent does something."""

    before: str
    act: Callable[[Agent], None]


class Agent:
    """What stands in for a model: it fills in templates, and runs lines."""

    def __init__(self, box: Machine) -> None:
        self.box = box
        self.done: list[tuple[str, str]] = []

    def template(self, name: str, *changes: tuple[str, str]) -> str:
        """The block of an installed template, filled in: `changes`, then a word for each `<...>`."""
        path = self.box.home / ".gsd" / "content" / "gsd" / "templates" / f"{name}.md"
        found = re.search(
            r"^(`{3,})markdown\n(.*?)^\1$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        )
        assert found, name
        text = found[2]
        for old, new in (*changes, ("<date>", "2026-11-30"), ("<project>", "Photos"), ('"03"', '"01"')):
            assert old in text or (old, new) not in changes, (name, old)
            text = text.replace(old, new)
        return re.sub(r"<[^<>\n]+>", "something", text)

    def write(self, name: str, text: str) -> None:
        path = self.box.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def head(self) -> str:
        return git(self.box.project, "rev-parse", "HEAD").strip()

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        """Run a line as a host does: in a shell, in the project."""
        return subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=self.box.project,
            env=self.box.env | {"GIT_CONFIG_GLOBAL": os.devnull},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    def json(self, *words: str) -> Any:
        done = self.run(f"~/.gsd/bin/gsd-tools {shlex.join(words)}")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def follow(self, workflow: str, arguments: str, edit: Callable[[str], str] = str) -> None:
        """Render a workflow and run every line of it."""
        rendered = self.run(f"~/.gsd/bin/gsd-tools render {workflow} {shlex.quote(arguments)}")
        assert rendered.returncode == 0, rendered.stderr
        waiting = list(MOMENTS[workflow])
        for call in calls.calls(edit(rendered.stdout)):
            if waiting and re.search(waiting[0].before, call.text):
                waiting.pop(0).act(self)
            self.execute(workflow, call)
        assert not waiting, f"{workflow} has no line {waiting[0].before!r} any more"

    def execute(self, workflow: str, call: calls.Call) -> None:
        values = VALUES | {"HEAD": self.head(), "status": STATUS.get(workflow, "")}
        values["next"] = NEXT.get(workflow, "")
        line = calls.PLACEHOLDER.sub(lambda match: values[match[0][1:-1]], call.text).replace("NN", "01")
        done = self.run(line)
        assert done.returncode == 0, f"{workflow}: {line}\n{done.stdout}{done.stderr}"
        self.done.append((workflow, line))


def interview(agent: Agent) -> None:
    agent.write(".planning/PROJECT.md", agent.template("project", ("<name>", "Photos")))
    line = "- [ ] **AUTH-01**: <who> can <do what>, <under which limit>\n"
    more = "".join(line.replace("AUTH-01", name) for name in ("CORE-01", "AUTH-01", "AUTH-02"))
    agent.write(".planning/REQUIREMENTS.md", agent.template("requirements", (line, more)))


def roadmap(agent: Agent) -> None:
    second = (
        "## Phase 2: Sign in\n\n**Goal:** a friend signs in\n**Depends on:** phase 1\n"
        "**Requirements:** AUTH-01, AUTH-02\n**Mode:** standard\n**Success criteria:**\n\n- C1: seen\n\n"
        "**Notes:** none\n"
    )
    text = agent.template("roadmap", ("## Phase 2: Sign in\n\n...\n", second), ("<milestone>", "v1.0"))
    agent.write(".planning/ROADMAP.md", text)
    state = agent.template("state", ("<name>", "Photos"), ("<commit>", agent.head()))
    agent.write(".planning/STATE.md", state)


def decisions(agent: Agent) -> None:
    agent.write(f"{DIRECTORY}/01-CONTEXT.md", agent.template("context"))


def plans(agent: Agent) -> None:
    changes = (
        ('plan: "02"', 'plan: "01"'),
        ("[src/photos/upload.py, tests/photos/test_upload.py]", "[photos.py]"),
        ("[PHOTO-02]", "[CORE-01]"),
        ("[C2]", "[C1]"),
    )
    agent.write(f"{DIRECTORY}/01-01-PLAN.md", agent.template("plan", *changes))


def execution(agent: Agent) -> None:
    """What an executor leaves behind: a commit for the task, one for the summary."""
    agent.write("photos.py", "def show():\n    return 'a photo'\n")
    git(agent.box.project, "add", "--", "photos.py")
    git(agent.box.project, "commit", "-q", "-m", "feat(01-01): a photo is shown")
    changes = (
        ('plan: "02"', 'plan: "01"'),
        ("[a1b2c3d, d4e5f6a]", f"[{agent.head()}]"),
        ("[src/photos/upload.py, tests/photos/test_upload.py]", "[photos.py]"),
        ("[PHOTO-02]", "[CORE-01]"),
    )
    agent.write(f"{DIRECTORY}/01-01-SUMMARY.md", agent.template("summary", *changes))


def verification(agent: Agent) -> None:
    changes = (("status: gaps", "status: passed"), ("<commit that was verified>", agent.head()))
    text = agent.template("verification", *changes)
    agent.write(f"{DIRECTORY}/01-VERIFICATION.md", text.split("## Gaps")[0])


def acceptance(agent: Agent) -> None:
    changes = (("status: open", "status: passed"), ("(pending)", "(pass)"), ("(open)", "(fixed)"))
    agent.write(f"{DIRECTORY}/01-UAT.md", agent.template("uat", *changes))


MOMENTS: Mapping[str, tuple[Moment, ...]] = {
    "new-project": (Moment("config set granularity", interview), Moment("validate", roadmap)),
    "discuss-phase": (Moment("phase status", decisions),),
    "plan-phase": (Moment("phase status", plans),),
    "execute-phase": (
        Moment("phase status .* executing$", lambda _: None),
        Moment("phase status", execution),
        Moment("phase status", verification),
    ),
    "verify-work": (Moment("commit", acceptance),),
    "ship": (),
    "review": (),
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Machine:
    """A machine where the built wheel installed everything for one runtime."""
    folder = tmp_path_factory.mktemp("loop")
    box = machine(folder, third_party_venv(folder, wheel) / "gsd-install")
    box.run("--runtime", "claude", "--profile", "full").ok()
    return box


@pytest.fixture
def agent(installed: Machine, tmp_path: Path) -> Agent:
    """An agent in a sample repository of its own."""
    project = tmp_path / "photos"
    project.mkdir()
    (project / "README.md").write_text("# Photos\n", encoding="utf-8")
    repository(project)
    return Agent(installed._replace(project=project))


def test_a_phase_goes_through_the_whole_loop(agent: Agent) -> None:
    for workflow, arguments in ORDER:
        agent.follow(workflow, arguments)
    assert {workflow for workflow, _ in agent.done} == {workflow for workflow, _ in ORDER}
    asked = [line.split(" loop ")[1].split()[0] for _, line in agent.done if " loop " in line]
    assert set(asked) == set(POINTS)
    assert agent.json("validate") == {"valid": True, "findings": []}
    assert agent.json("phase", "show", "1")["status"] == "verified"
    state = agent.json("state", "get")
    assert (state["status"], state["next"], state["plan"]) == ("verified", "transition 1", "")
    assert state["phase_base"]
    assert agent.json("config", "get", "granularity")["source"] == "project"
    subjects = git(agent.box.project, "log", "--reverse", "--format=%s").splitlines()
    assert subjects == [
        "start",
        "docs: start Photos, milestone v1.0",
        "docs(01): context",
        "docs(01): 1 plans",
        "docs(01): start execution",
        "feat(01-01): a photo is shown",
        "docs(01): wave 1 done",
        "docs(01): executed, 1 of 1 criteria met",
        "docs(01): acceptance, 2 of 2 passed",
        "docs(01): verified",
    ]
    # What ship records waits for the next planning commit, so that nothing is pushed again for it.
    assert git(agent.box.project, "status", "--porcelain") == " M .planning/STATE.md\n"


@pytest.mark.parametrize(
    ("verb", "wrong"), [("config set", "config sett"), ("validate", "validat"), ("commit", "comit")]
)
def test_a_misspelt_verb_stops_the_agent(agent: Agent, verb: str, wrong: str) -> None:
    with pytest.raises(AssertionError, match="there is no verb"):
        agent.follow("new-project", "", lambda text: text.replace(f"gsd-tools {verb}", f"gsd-tools {wrong}"))


def test_planning_files_that_do_not_fit_stop_the_agent(agent: Agent) -> None:
    """`validate` in a text is a gate: its findings end the run."""
    agent.follow("new-project", "")
    agent.follow("discuss-phase", "1")
    path = agent.box.project / ".planning" / "ROADMAP.md"
    path.write_text(path.read_text(encoding="utf-8").replace("| pending |", "| waiting |"), encoding="utf-8")
    with pytest.raises(AssertionError, match="is not the status of a phase"):
        agent.follow("plan-phase", "1")


@pytest.fixture
def planned(agent: Agent) -> Agent:
    """The same agent, with the first phase planned."""
    for workflow, arguments in ORDER[:3]:
        agent.follow(workflow, arguments)
    return agent


@pytest.mark.req("ADR1671-ladder-caller")
def test_the_review_workflow_builds_its_prompt_through_the_ladder(planned: Agent) -> None:
    path = planned.box.project / ".planning" / "phases" / "01-walking-skeleton" / "01-01-PLAN.md"
    path.write_text(path.read_text(encoding="utf-8") + "A word. " * 4000, encoding="utf-8")
    planned.follow("review", "1")
    [line] = [line for _, line in planned.done if "review-prompt" in line]
    assert line.endswith("> prompt.md")
    prompt = (planned.box.project / "prompt.md").read_text(encoding="utf-8")
    assert prompt.startswith("# Review of plans before they are executed")
    assert "**Outcome:**" in prompt
    assert "A word. " * 4000 in prompt
    small = planned.run(line.replace("24000", "3000"))
    assert small.returncode == 0, small.stderr
    shorter = (planned.box.project / "prompt.md").read_text(encoding="utf-8")
    assert "[the rest of this plan is left out]" in shorter
    assert len(shorter) < len(prompt) / 2
    assert "C1: something" in shorter


@pytest.mark.req("ADR1671-paths-not-payloads")
def test_an_invocation_first_gets_paths_and_facts_and_no_text(planned: Agent) -> None:
    secret = "The sentence that only this file has."
    names = ("PROJECT.md", "REQUIREMENTS.md", "STATE.md", "phases/01-walking-skeleton/01-CONTEXT.md")
    for name in names:
        path = planned.box.project / ".planning" / name
        path.write_text(path.read_text(encoding="utf-8") + f"\n{secret}\n", encoding="utf-8")
    for workflow, arguments in (*ORDER, ("plan-phase", "1 --research --chunked")):
        bundle = planned.json("init", workflow, arguments)
        text = json.dumps(bundle)
        assert secret not in text
        assert len(text) < 12_000
        assert bundle["exists"]["project"] is True
        assert Path(planned.box.project, bundle["paths"]["project"]).is_file()
        assert isinstance(bundle["facts"], dict)
        workflow_path = bundle["paths"]["workflow"].replace("~", str(planned.box.home), 1)
        body = Path(workflow_path).read_text(encoding="utf-8")
        [result] = [line for line in body.splitlines() if line.startswith("Result: ")]
        assert result not in text
        for step in bundle["section_manifest"]["read"]:
            assert Path(step.replace("~", str(planned.box.home), 1)).is_file()
