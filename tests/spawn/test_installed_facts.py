"""Every gated section that ships, asked for by a real process with its fact true and false."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gsd_install.kernel.applicability import ATOMS
from support.atoms import demand
from support.installs import Machine, machine

PHASES = {"1": "standard", "2": "mvp", "2.1": "standard", "3": "standard"}
# What is true of a fresh project at its first phase.
USUAL = frozenset({"always", "state:flat-mode", "state:git-create-tag"})
_HEAD = "# Roadmap: x, v1\n\n| phase | name | status | plans | requirements |\n|---|---|---|---|---|\n"


class Now(NamedTuple):
    """A project and an invocation: the phase, options, settings, further files; and the atoms true of it."""

    true: frozenset[str]
    phase: str = "1"
    options: str = ""
    settings: Mapping[str, Any] = {}
    files: Mapping[str, str] = {}


def now(*true: str, **what: Any) -> Now:
    return Now(USUAL | set(true), **what)


def option(name: str, *also: str) -> Now:
    return now(f"flag:{name}", *also, options=name)


WORKSTREAM = now(
    "state:workstream-active",
    files={
        ".planning/workstreams/ACTIVE": "billing\n",
        ".planning/workstreams/billing/STATE.md": "---\nphase:\n---\n",
    },
)
SITUATIONS: Mapping[str, Now] = {
    **{atom: option(atom.removeprefix("flag:")) for atom in ATOMS if atom.startswith("flag:")},
    "flag:--auto": option("--auto", "state:auto-advance-active"),
    "flag:--prd": now("flag:--prd", options="--prd goals.md"),
    "state:auto-advance-active": now(
        "state:auto-advance-active", settings={"workflow": {"auto_advance": True}}
    ),
    "state:chunked-mode": now("state:chunked-mode", settings={"workflow": {"plan_chunked": True}}),
    "state:fallow-enabled": now(
        "state:fallow-enabled", settings={"code_quality": {"fallow": {"enabled": True}}}
    ),
    "state:flat-mode": WORKSTREAM._replace(true=WORKSTREAM.true - {"state:flat-mode"}),
    "state:workstream-active": WORKSTREAM._replace(true=WORKSTREAM.true - {"state:flat-mode"}),
    "state:gap-closure-phase": now("state:gap-closure-phase", "state:has-prior-phases", phase="2.1"),
    "state:git-create-tag": Now(USUAL - {"state:git-create-tag"}, settings={"git": {"create_tag": False}}),
    "state:has-prior-phases": now("state:has-prior-phases", phase="3"),
    "state:is-monorepo": now("state:is-monorepo", files={"pnpm-workspace.yaml": "packages: [a]\n"}),
    "state:needs-codebase-map": now("state:needs-codebase-map", files={"src/main.py": "x = 1\n"}),
    "state:next-channel": now("state:next-channel", options="--next"),
    "state:phase-mvp-mode": now("state:phase-mvp-mode", "state:has-prior-phases", phase="2"),
    "state:plan-strategy-converge": now("state:plan-strategy-converge", options="--converge"),
    "state:reviewer-instances-configured": now(
        "state:reviewer-instances-configured",
        settings={"review": {"instances": [{"name": name, "run": "true"} for name in "ab"]}},
    ),
    "state:ui-phase-active": now(
        "state:ui-phase-active", files={".planning/phases/01-part-1/01-UI-SPEC.md": "x\n"}
    ),
    "state:worktrees-enabled": now("state:worktrees-enabled", settings={"workflow": {"use_worktrees": True}}),
}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    made = machine(tmp_path_factory.mktemp("facts"))
    made.run("--runtime", "claude", "--profile", "full").ok()
    return made


def described(box: Machine) -> dict[str, Any]:
    """What the installer wrote about the content."""
    text = (box.home / ".gsd" / "gsd" / "companion.json").read_text(encoding="utf-8")
    facts: dict[str, Any] = json.loads(text)
    return facts


def consumers(table: Mapping[str, Any]) -> dict[str, set[str]]:
    """The workflows that read each atom."""
    found: dict[str, set[str]] = {}
    for name, workflow in table["workflows"].items():
        for section in workflow["sections"]:
            found.setdefault(section["when"], set()).add(name)
    return found


def project(folder: Path, situation: Now) -> Path:
    """A project as the situation says."""
    rows = "".join(f"| {number} | Part {number} | pending | 0/0 | A-01 |\n" for number in PHASES)
    parts = "".join(
        f"\n## Phase {number}: Part {number}\n\n**Goal:** it works.\n**Depends on:** nothing\n"
        f"**Requirements:** A-01\n**Mode:** {mode}\n**Success criteria:**\n\n- C1: seen\n\n**Notes:** none\n"
        for number, mode in PHASES.items()
    )
    fields = f"project: x\nmilestone: v1\nphase: {situation.phase}\nstatus: pending\n"
    files = {
        ".git/HEAD": "ref: refs/heads/main\n",
        ".planning/ROADMAP.md": _HEAD + rows + parts,
        ".planning/STATE.md": f"---\n{fields}---\n\n# State\n",
        ".planning/config.json": json.dumps(situation.settings),
        **situation.files,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def manifest(box: Machine, folder: Path, workflow: str, words: str) -> dict[str, Any]:
    """The section manifest of a real `init`."""
    done = subprocess.run(
        [box.home / ".gsd" / "bin" / "gsd-tools", "init", workflow, words],
        cwd=folder,
        env=box.env,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["section_manifest"]
    return found


def expected(table: Mapping[str, Any], workflow: str, true: frozenset[str]) -> dict[str, Any]:
    sections = table["workflows"][workflow]["sections"]
    included = [section for section in sections if section["when"] in true]
    return {
        "workflow": workflow,
        "included": [section["id"] for section in included],
        "excluded": [section["id"] for section in sections if section not in included],
        "read": [section["read"] for section in included],
    }


def read_below(box: Machine, found: dict[str, Any]) -> dict[str, Any]:
    """The manifest with what is to be read relative to the payload; each such file is there."""
    root = box.home / ".gsd"
    paths = [Path(path.replace("~", str(box.home), 1)) for path in found["read"]]
    assert all(path.is_file() for path in paths)
    return found | {"read": [path.relative_to(root).as_posix() for path in paths]}


@pytest.mark.req("ADR1671-when-parity")
@pytest.mark.req("ADR1671-when-computed-fact")
@pytest.mark.parametrize(
    "atom", [pytest.param(atom, marks=pytest.mark.req(demand(atom))) for atom in ATOMS if atom != "always"]
)
def test_a_section_is_read_exactly_when_its_fact_is_true(box: Machine, tmp_path: Path, atom: str) -> None:
    table = described(box)
    situation = SITUATIONS[atom]
    flipped = atom in USUAL
    assert (atom in situation.true) is not flipped
    readers = consumers(table)[atom]
    assert readers
    for number, workflow in enumerate(sorted(readers)):
        phase = situation.phase if "<phase>" in table["commands"][workflow]["hint"] else ""
        folder = project(tmp_path / f"there-{number}", situation)
        found = manifest(box, folder, workflow, f"{phase} {situation.options}".strip())
        assert read_below(box, found) == expected(table, workflow, situation.true), workflow
        folder = project(tmp_path / f"usual-{number}", Now(USUAL))
        found = manifest(box, folder, workflow, "1" if phase else "")
        assert read_below(box, found) == expected(table, workflow, USUAL), workflow


def test_every_atom_has_a_reader_and_every_section_an_atom(box: Machine) -> None:
    """Vocabulary, situations and consumers agree in every direction."""
    assert set(SITUATIONS) == set(ATOMS) - {"always"}
    assert set(consumers(described(box))) == set(ATOMS) - {"always"}
