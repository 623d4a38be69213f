"""Carrying a task out and learning from it are two things: while a task runs, no skill of the team changes.

Every way to a skill is tried from within a running task, under every name that the asker may give, and again
when the task has ended, where the same way is open: so a refusal here is about the task and nothing else.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from support.agents import Desk
from support.learning import HARMLESS
from support.scripted_model import call, serving
from support.trees import Tree, snapshot

ROOT = Path(__file__).resolve().parents[2]
OTHER = HARMLESS.replace("branch", "commit").replace("ticket", "author")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with serving() as model:
        yield Desk(tmp_path / "project", model)


def skills(desk: Desk) -> Tree:
    """Whatever is or may become a skill, anywhere in the project."""
    found = snapshot(desk.root)
    return {
        path: entry
        for path, entry in found.items()
        if "skill" in path.lower() or path.startswith((".planning/learned", ".planning/learning"))
    }


def begun(desk: Desk) -> None:
    """A harmless proposal that waits, and after it a task of ann's that runs."""
    words = ("skill", "propose", "branch-names", "--impact", "low", "--as", "bob")
    assert desk.tools(*words, stdin=HARMLESS.encode()).code == 0
    assert desk.tools("task", "add", "Tidy up", "--to", "ann").code == 0
    assert desk.tools("task", "start", "T-1", "--as", "ann").code == 0


# How somebody in a task may ask: what is on the command line, and what its environment says.
ASKERS: Mapping[str, tuple[tuple[str, ...], Mapping[str, str]]] = {
    "by its name": (("--as", "ann"), {}),
    "by its environment": ((), {"GSD_AGENT": "ann"}),
    "without a name": ((), {}),
    "as another one, within the task": (("--as", "bob"), {"GSD_TASK": "T-1"}),
    "as another one, in its environment": (("--as", "bob"), {"GSD_AGENT": "ann"}),
    "as another agent, within the task": ((), {"GSD_AGENT": "bob", "GSD_TASK": "T-1"}),
}
WAYS: Mapping[str, tuple[str, ...]] = {
    "a proposal": ("skill", "propose", "commit-names", "--impact", "low"),
    "letting a harmless one live": ("skill", "install", "branch-names"),
}


@pytest.mark.req("ECO-execute-no-skills")
@pytest.mark.parametrize("asker", ASKERS)
@pytest.mark.parametrize("way", WAYS)
def test_no_verb_writes_a_skill_from_within_a_task(desk: Desk, way: str, asker: str) -> None:
    begun(desk)
    who, environ = ASKERS[asker]
    before = skills(desk)
    done = desk.tools(*WAYS[way], *who, stdin=OTHER.encode(), environ=environ)
    assert (done.code, done.reason) == (1, "task_running")
    assert skills(desk) == before
    assert desk.tools("task", "complete", "T-1", "--as", "ann").code == 0
    done = desk.tools(*WAYS[way], *who, stdin=OTHER.encode(), environ=environ)
    assert done.code == 0, done.err
    assert skills(desk) != before


def test_whoever_is_not_in_a_task_is_not_kept_from_it(desk: Desk) -> None:
    begun(desk)
    for words in WAYS.values():
        done = desk.tools(*words, "--as", "bob", stdin=OTHER.encode(), environ={"GSD_AGENT": "bob"})
        assert done.code == 0, done.err


PLACES = (
    ".planning/learned/skills/x/SKILL.md",
    ".planning/learning/pending/x/SKILL.md",
    ".claude/skills/x/SKILL.md",
    ".agents/skills/x/SKILL.md",
    "skills/x/SKILL.md",
    "skills/x/skill.MD",
)


@pytest.mark.req("ECO-execute-no-skills")
@pytest.mark.parametrize("name", ["", "ann"])
def test_no_tool_of_our_agent_writes_a_skill_while_it_carries_a_task_out(desk: Desk, name: str) -> None:
    begun(desk)
    before = skills(desk)
    desk.model.answers = [
        call("discover_tools", names=["package_install"]),
        call("package_install", name="commit-names", body=OTHER, impact="low"),
        call("package_install", name="branch-names", body=HARMLESS, impact="low"),
        *(call("file_write", path=path, text=OTHER) for path in PLACES),
        call("file_write", path="notes.md", text="what I saw"),
    ]
    done = desk.agent("task", "T-1", *(["--as", name] if name else []))
    assert done.code == 0, done.err
    assert skills(desk) == before
    _, *refused, written = desk.model.results(len(PLACES) + 4)
    assert {json.loads(text)["reason"] for text in refused} <= {"task_running", "kept"}
    assert len(refused) == len(PLACES) + 2
    assert json.loads(written)["written"] == "notes.md"


@pytest.mark.req("ECO-execute-no-skills")
def test_when_the_task_has_ended_our_agent_may_propose(desk: Desk) -> None:
    begun(desk)
    assert desk.tools("task", "complete", "T-1", "--as", "ann").code == 0
    desk.model.answers = [
        call("discover_tools", names=["package_install"]),
        call("package_install", name="commit-names", body=OTHER),
    ]
    assert desk.agent("chat", "hello", "--as", "ann").code == 0
    assert (desk.root / ".planning/learning/pending/commit-names/SKILL.md").is_file()


# --- who may write at all -----------------------------------------------------------------------------

WRITES = frozenset({"settle", "put_away", "_stage"})
# Each asks first whether a task runs, or takes a proposal back, or is a person at the installer.
WRITERS = {
    "capabilities/gsd_capabilities/learning/staging.py": {"propose": True, "withdraw": False},
    "capabilities/gsd_capabilities/learning/approval.py": {"install": True, "_let_live": False},
}


def writers(source: str) -> dict[str, bool]:
    """Functions that write proposals or what is live, and whether each asks before that if a task runs."""
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
            lines = {ast.unparse(one.func).rpartition(".")[2]: one.lineno for one in reversed(calls)}
            first = min((line for name, line in lines.items() if name in WRITES), default=0)
            if first:
                found[node.name] = lines.get("require_no_task", first) < first
    return found


@pytest.mark.req("ECO-execute-no-skills")
def test_whoever_writes_skills_asks_first_whether_a_task_runs() -> None:
    seeded = "def f(project):\n    settle(project.root)\n    require_no_task(project)\n"
    assert writers(seeded) == {"f": False}
    assert writers(seeded.replace("settle(project.root)", "require_no_task(project)\n    settle(1)")) == {
        "f": True
    }
    sources = sorted((ROOT / "capabilities" / "gsd_capabilities").rglob("*.py"))
    found = {path.relative_to(ROOT).as_posix(): writers(path.read_text(encoding="utf-8")) for path in sources}
    assert {path: names for path, names in found.items() if names} == WRITERS
    assert callers_of("_let_live") == {"install"}


def callers_of(name: str) -> set[str]:
    """The functions of the module that lets proposals live which name another one of it."""
    source = (ROOT / "capabilities/gsd_capabilities/learning/approval.py").read_text(encoding="utf-8")
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    return {
        node.name
        for node in functions
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and one.id == name
    }
