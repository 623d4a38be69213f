"""Every atom, once true and once false, through the command that agents run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from gsd_install.kernel.applicability import ATOMS, Facts
from support.atoms import demand
from support.payloads import Box

Arrange = Callable[[Box], object]


class Case(NamedTuple):
    """An atom is true of one invocation, and false of another in the same project if nothing else is said."""

    workflow: str
    true: str
    false: str
    arrange: Arrange = lambda box: None
    arrange_false: Arrange = lambda box: None


def config(**values: object) -> Arrange:
    """Settings of the project; two underscores stand for a dot."""

    def write(box: Box) -> None:
        nested: dict[str, object] = {}
        for name, value in values.items():
            *groups, key = name.split("__")
            place = nested
            for group in groups:
                inner = place.setdefault(group, {})
                assert isinstance(inner, dict)
                place = inner
            place[key] = value
        box.planning("config.json", json.dumps(nested))

    return write


def roadmap(box: Box) -> None:
    box.roadmap({"1": "standard", "2": "mvp", "2.1": "standard"})


def interface(box: Box) -> None:
    roadmap(box)
    box.planning("phases/02-part-2/02-UI-SPEC.md", "x")


def workstream(box: Box) -> None:
    box.planning("workstreams/billing/STATE.md", "---\nphase:\n---\n")
    box.planning("workstreams/ACTIVE", "billing\n")


def code(box: Box) -> None:
    box.write(box.project / "src" / "main.py", "x = 1\n")


def mapped(box: Box) -> None:
    code(box)
    box.planning("codebase/STACK.md", "# Stack\n")


def reviewers(*names: str) -> Arrange:
    return config(review={"instances": [{"name": name, "run": "true"} for name in names]})


def fallow(*, enabled: bool) -> Arrange:
    return config(code_quality__fallow__enabled=enabled)


def file(name: str, text: str = "") -> Arrange:
    return lambda box: box.write(box.project / name, text)


def standing(phase: str) -> Arrange:
    """A roadmap, and STATE.md at one of its phases."""

    def arrange(box: Box) -> None:
        roadmap(box)
        box.state(phase)

    return arrange


def option(name: str) -> Case:
    return Case("any", f"3 {name}", "3")


OPTIONS = [atom.removeprefix("flag:") for atom in ATOMS if atom.startswith("flag:")]
IMPLIED = ("--discuss", "--research", "--validate")
HINT = "[<phase>] " + " ".join(f"[{name}]" for name in OPTIONS)
CRATE = "[package]\nversion.workspace = true\n"

CASES: dict[str, list[Case]] = {
    "always": [],
    **{
        f"flag:{name}": [option(name), *([Case("quick", "do it --full", "do it")] if name in IMPLIED else [])]
        for name in OPTIONS
    },
    "state:auto-advance-active": [
        option("--auto"),
        Case("any", "3", "3", config(workflow__auto_advance=True), config(workflow__auto_advance=False)),
    ],
    "state:chunked-mode": [
        Case("plan-phase", "3 --chunked", "3"),
        Case("plan-phase", "3", "3", config(workflow__plan_chunked=True)),
    ],
    "state:fallow-enabled": [
        Case("any", "", "", fallow(enabled=True), fallow(enabled=False)),
        Case("any", "", "", fallow(enabled=True)),
    ],
    "state:flat-mode": [Case("any", "", "", arrange_false=workstream)],
    "state:workstream-active": [
        Case("any", "", "", workstream),
        Case("any", "", "", workstream, lambda box: box.planning("workstreams/ACTIVE", "gone\n")),
    ],
    "state:gap-closure-phase": [
        Case("any", "2.1", "2", roadmap, roadmap),
        Case("any", "02.1", "02", roadmap, roadmap),
        Case("any", "", "", standing("2.1"), standing("2")),
    ],
    "state:git-create-tag": [
        Case("any", "", "", config(git__create_tag=True), config(git__create_tag=False)),
        Case("any", "", "", arrange_false=config(git__create_tag=False)),
    ],
    "state:has-prior-phases": [
        Case("any", "2", "1", roadmap, roadmap),
        Case("any", "2.1", "1", roadmap, roadmap),
        Case("any", "5", "5", roadmap),
    ],
    "state:is-monorepo": [
        Case("any", "", "", file("package.json", '{"workspaces": ["a"]}'), file("package.json", "{}")),
        Case("any", "", "", file("go.work"), file("package.json", '{"workspaces": []}')),
        Case("any", "", "", file("package.json", '{"workspaces": ["a"], // x\n}')),
        Case("any", "", "", file("pnpm-workspace.yaml")),
        Case("any", "", "", file("lerna.json")),
        Case("any", "", "", file("nx.json")),
        Case("any", "", "", file("Cargo.toml", "[workspace]\nmembers = []\n"), file("Cargo.toml", CRATE)),
        Case("any", "", "", file("Cargo.toml", "[ workspace.package ]\r\n")),
        Case(
            "any", "", "", file("pyproject.toml", "[tool.uv.workspace]"), file("pyproject.toml", "[tool.uv]")
        ),
    ],
    "state:needs-codebase-map": [
        Case("any", "", "", code),
        Case("any", "", "", code, mapped),
        Case("any", "", "", code, file("node_modules/a/x.js")),
        Case("any", "", "", code, file("README.md")),
    ],
    "state:next-channel": [Case("update", "--next", ""), Case("update", "--rc", "")],
    "state:phase-mvp-mode": [
        Case("any", "2", "1", roadmap, roadmap),
        Case("progress", "", "", standing("2"), standing("1")),
        Case("any", "2", "src/2", roadmap, standing("2")),
    ],
    "state:plan-strategy-converge": [
        Case("autonomous", "--converge", ""),
        Case("autonomous", "--cross-ai", ""),
    ],
    "state:reviewer-instances-configured": [Case("any", "", "", reviewers("a", "b"), reviewers("a"))],
    "state:ui-phase-active": [
        Case("any", "2", "1", interface, interface),
        Case("autonomous", "", "", interface, roadmap),
    ],
    "state:worktrees-enabled": [
        Case("any", "", "", config(workflow__use_worktrees=True), config(workflow__use_worktrees=False)),
    ],
}

# Atoms that several causes make true, folded into one fact before.
FOLDED = ("auto-advance-active", "chunked-mode", "next-channel", "plan-strategy-converge")


def demands(atom: str) -> list[str]:
    """What a case of an atom proves."""
    kind, _, name = atom.partition(":")
    more = ["ADR1671-when-token-presence"] if kind == "flag" else []
    return [demand(atom), *more, *(["ADR1671-when-folded-upstream"] if name in FOLDED else [])]


ROWS = [
    pytest.param(atom, case, id=f"{atom}-{number}", marks=pytest.mark.req(*demands(atom)))
    for number, (atom, case) in enumerate((atom, case) for atom, cases in CASES.items() for case in cases)
]


def included(folder: Path, atom: str, workflow: str, arguments: str, arrange: Arrange) -> bool:
    box = Box(folder)
    commands = box.table["commands"]
    assert isinstance(commands, dict)
    commands["any"] = {"hint": HINT}
    box.workflow(workflow, ["a\n", ("section", atom, "text\n"), "b\n"])
    arrange(box)
    answer = box.run("init", workflow, arguments)
    assert answer.code == 0, answer.err
    manifest = answer.json["section_manifest"]
    assert isinstance(manifest, dict)
    assert sorted(manifest["included"] + manifest["excluded"]) == ["section"]
    return bool(manifest["included"] == ["section"])


@pytest.mark.req("ADR1671-manifest-inputs")
@pytest.mark.parametrize(("atom", "case"), ROWS)
def test_an_atom_is_true_and_false_for_its_reason(tmp_path: Path, atom: str, case: Case) -> None:
    assert included(tmp_path / "true", atom, case.workflow, case.true, case.arrange)
    assert not included(tmp_path / "false", atom, case.workflow, case.false, case.arrange_false)


@pytest.mark.req("ADR1671-atom-always")
@pytest.mark.parametrize("arguments", ["", "3", f"3 {' '.join(OPTIONS)}"])
@pytest.mark.parametrize("arrange", [lambda box: None, workstream, roadmap], ids=["new", "stream", "phases"])
def test_always_is_always(tmp_path: Path, arguments: str, arrange: Arrange) -> None:
    assert included(tmp_path, "always", "any", arguments, arrange)


@pytest.mark.req("ADR1671-when-token-presence")
@pytest.mark.parametrize("words", ["3 --auto=false", "3 --auto=true", "3 -- --auto", "3 auto", "3 --autos"])
def test_only_the_option_itself_is_presence(tmp_path: Path, words: str) -> None:
    assert not included(tmp_path, "flag:--auto", "any", words, lambda box: None)


def test_every_atom_has_a_case_and_every_fact_a_reader() -> None:
    assert set(CASES) == set(ATOMS)
    assert {atom.fact for atom in ATOMS.values() if atom.fact} == set(Facts._fields)


@pytest.mark.req("ADR1671-when-own-facts")
def test_an_option_of_another_command_is_no_fact_of_this_one(tmp_path: Path) -> None:
    assert not included(tmp_path, "state:chunked-mode", "quick", "do it --chunked", lambda box: None)


@pytest.mark.req("ADR1671-when-own-facts")
@pytest.mark.parametrize("name", IMPLIED)
def test_the_full_form_of_quick_means_nothing_to_another_workflow(tmp_path: Path, name: str) -> None:
    assert included(tmp_path / "own", f"flag:{name}", "quick", "do it --full", lambda box: None)
    assert not included(tmp_path / "other", f"flag:{name}", "any", "3 --full", lambda box: None)


def test_a_number_in_a_task_is_no_phase(tmp_path: Path) -> None:
    assert not included(tmp_path, "state:gap-closure-phase", "quick", "2.1 bugs", roadmap)
