"""The features that ship: each can be taken away, and what each hooks into is asked for by the loop."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from gsd_capabilities.companion.main import TABLE, _found
from gsd_capabilities.companion.main import parse as parse_words
from gsd_capabilities.companion.words import options
from gsd_install.content.feature import Capability
from gsd_install.contents import Content
from gsd_install.declared import Declared
from gsd_install.gathering import Gathered, gather_capabilities
from gsd_install.kernel.points import POINTS
from gsd_install.lint.lint import lint
from gsd_install.shipped import shipped_root

DOCS = Path(__file__).resolve().parents[3] / "docs"
HERE = Path(__file__).resolve().parents[3] / "capabilities" / "gsd_capabilities"
FEATURES = ("code-review", "docs", "drift", "research", "security", "tdd", "ui")
RENDER = re.compile(r"gsd-tools\} render ([a-z-]+)([^`\n]*)")
CALL = re.compile(r"gsd-tools\} loop ([a-z:]+)")


def entry(name: str) -> Declared:
    return Declared(name, f"gsd_capabilities.{name.replace('-', '_')}", "gsd-install")


def gathered(names: Iterable[str]) -> Gathered:
    return gather_capabilities([entry("companion"), *map(entry, sorted(names))])


def manifest(name: str) -> Capability:
    said = {item.said.id: item.said for item in gathered(FEATURES).brought}
    return said[name]


def called() -> set[str]:
    """The loop points that the workflows of core ask for."""
    workflows = Path(shipped_root(), "workflows").glob("*.md")
    return {point for file in workflows for point in CALL.findall(file.read_text(encoding="utf-8"))}


def test_the_core_tree_has_no_finding_without_any_feature() -> None:
    assert not lint(shipped_root())


def test_every_feature_of_the_distribution_is_declared_under_its_id() -> None:
    declared = (HERE.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    folders = {path.parent.name for path in HERE.glob("*/capability.toml")}
    assert {name.replace("-", "_") for name in FEATURES} <= folders
    for name in FEATURES:
        assert f'\n{name} = "{entry(name).module}"\n' in declared


def test_all_features_together_join_the_core_tree() -> None:
    everything = gathered(FEATURES)
    content = Content(shipped_root(), gathered=everything)
    assert not everything.problems
    assert [feature.said.id for feature in content.catalog.features] == list(FEATURES)
    assert not content.faults


@pytest.mark.parametrize("gone", FEATURES)
def test_without_one_feature_the_others_and_core_are_as_before(gone: str) -> None:
    left = [name for name in FEATURES if name != gone]
    some = gathered(left)
    content = Content(shipped_root(), gathered=some)
    assert (some.problems, content.problems) == ((), ())
    assert [feature.said.id for feature in content.catalog.features] == left
    brought = {path.relative_to(HERE / gone.replace("-", "_")) for path in _documents(gone)}
    assert not brought & {Path(document.path) for document in content.catalog.documents}


@pytest.mark.parametrize("name", FEATURES)
def test_each_feature_brings_hooks_a_setting_and_text_of_its_own(name: str) -> None:
    said = manifest(name)
    assert said.role == "feature"
    assert said.settings
    assert said.steps or said.contributions or said.gates
    assert _documents(name)


def test_the_loop_asks_at_each_of_the_twelve_points_and_at_no_other() -> None:
    assert called() == set(POINTS)


@pytest.mark.parametrize("name", FEATURES)
def test_each_hook_is_at_a_point_that_a_workflow_of_core_asks_for(name: str) -> None:
    said = manifest(name)
    points = {step.point for step in said.steps} | {added.point for added in said.contributions}
    assert points | {gate.point for gate in said.gates} <= called()


@pytest.mark.parametrize("name", FEATURES)
def test_each_query_of_a_gate_is_a_verb_with_arguments_that_it_takes(name: str) -> None:
    for gate in manifest(name).gates:
        words = gate.query.replace("{phase}", "1").split()
        assert words[0] in TABLE, gate.query
        verb, rest = _found(words)
        assert parse_words(rest, verb.values, verb.flags).options == {}


def test_shipping_with_an_open_threat_is_blocked_and_other_gates_advise() -> None:
    blocking = {(name, gate.id) for name in FEATURES for gate in manifest(name).gates if gate.blocking}
    assert blocking == {("security", "threats-closed")}


def _documents(name: str) -> list[Path]:
    return sorted((HERE / name.replace("-", "_")).rglob("*.md"))


def test_the_page_of_features_is_red_when_it_is_stale(tmp_path: Path) -> None:
    for name in ("generate_features.py", "pages.py", "features.md"):
        shutil.copy(DOCS / name, tmp_path)
    command = [sys.executable, str(tmp_path / "generate_features.py")]
    assert subprocess.run([*command, "--check"], check=False).returncode == 0
    page = tmp_path / "features.md"
    page.write_text(page.read_text(encoding="utf-8").replace("`workflow.tdd` | off", "`workflow.tdd` | on"))
    done = subprocess.run([*command, "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, "--write" in done.stderr) == (1, True)


def test_a_workflow_that_core_renders_by_name_is_one_of_a_feature_with_options_it_takes() -> None:
    catalog = Content(shipped_root(), gathered=gathered(FEATURES)).catalog
    hints = {document.id: document.meta for document in catalog.documents if document.kind == "command"}
    core = {path.stem for path in Path(shipped_root(), "workflows").glob("*.md")}
    texts = [path.read_text(encoding="utf-8") for path in Path(shipped_root(), "workflows").glob("*.md")]
    calls = [call for text in texts for call in RENDER.findall(text)]
    assert len(calls) > 3
    for name, rest in calls:
        assert name in hints, name
        assert name not in core, f"{name} is of core: name its path"
        known = options(str(hints[name]["argument-hint"]))
        assert {word for word in rest.split() if word.startswith("--")} <= known.keys()
