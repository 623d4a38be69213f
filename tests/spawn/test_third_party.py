"""Runtimes from other distributions, built and installed beside ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.installs import Machine, machine
from support.trees import assert_same
from support.venvs import third_party_venv


@pytest.fixture(scope="module")
def bin_dir(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    return third_party_venv(
        tmp_path_factory.mktemp("plugins"), wheel, "acme", "broken", "clash", "future", "overlay"
    )


@pytest.fixture
def box(tmp_path: Path, bin_dir: Path) -> Machine:
    return machine(tmp_path, bin_dir / "gsd-install")


@pytest.mark.req("ADR1671-converters-as-data")
def test_a_runtime_of_a_third_party_installs_and_leaves_no_trace(box: Machine) -> None:
    before = box.tree()
    box.run("--runtime", "acme").ok()
    text = (box.home / ".acme" / "prompts" / "gsd-help.txt").read_text(encoding="utf-8")
    assert text.startswith("PROMPT Help: ")
    assert "<words>" in text
    box.run("--check").ok()
    box.run("uninstall", "--yes").ok()
    assert_same(before, box.tree())


@pytest.mark.parametrize(
    ("runtime", "distribution", "why"),
    [
        ("windsurf", "gsd_clash", "two installed distributions"),
        ("broken", "gsd_broken", "something_not_installed"),
        ("future", "gsd_future", "requires gsd-install >=99"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_named_with_its_reason(
    box: Machine, runtime: str, distribution: str, why: str
) -> None:
    before = box.tree()
    done = box.run("--runtime", runtime, "--runtime", "acme")
    assert done.code == 1
    assert why in done.err
    assert distribution in done.err.replace("-", "_")
    assert "hint:" in done.err
    assert_same(before, box.tree())
    for verb in ("doctor", "runtimes"):
        listed = box.run(verb)
        assert why in listed.out + listed.err, verb


def test_a_bad_plugin_does_not_take_the_command_line_down(box: Machine) -> None:
    box.run("--runtime", "claude").ok()
    box.run("--help").ok()
    listed = box.run("runtimes", "--json").ok().json["data"]["runtimes"]
    usable = {row["id"]: row["usable"] for row in listed}
    bad = {"broken": False, "future": False, "windsurf": False}
    assert {name: usable[name] for name in (*bad, "acme", "claude")} == bad | {"acme": True, "claude": True}
    assert all(usable[name] for name in usable.keys() - bad.keys())


def test_an_installed_runtime_whose_plugin_is_gone_can_still_be_removed(
    box: Machine, tmp_path: Path, wheel: Path
) -> None:
    before = box.tree()
    box.run("--runtime", "acme", "--runtime", "claude").ok()
    without = Machine(box.home, box.project, third_party_venv(tmp_path / "without", wheel) / "gsd-install")
    without.run("--check").ok()
    upgraded = without.run("upgrade").ok()
    assert "acme:gsd stays as it is" in upgraded.err
    without.run("uninstall", "--yes").ok()
    assert_same(before, without.tree())
