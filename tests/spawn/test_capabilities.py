"""Capabilities of other distributions, built and installed beside ours."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support.installs import Done, Machine, machine
from support.trees import assert_same
from support.venvs import third_party_venv


@pytest.fixture(scope="module")
def bin_dir(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    return third_party_venv(tmp_path_factory.mktemp("capabilities"), wheel, "glossary", "malformed")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    return third_party_venv(tmp_path_factory.mktemp("plain"), wheel)


@pytest.fixture
def box(tmp_path: Path, bin_dir: Path) -> Machine:
    return machine(tmp_path, bin_dir / "gsd-install")


def tools(box: Machine, *words: str) -> Done:
    """What the installed companion says in the project."""
    done = subprocess.run(
        [box.home / ".gsd" / "bin" / "gsd-tools", *words],
        cwd=box.project,
        env=box.env,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.req("ADR1671-capability-conditions")
def test_a_capability_of_a_third_party_joins_the_loop_and_leaves_no_trace(box: Machine) -> None:
    before = box.tree()
    box.run("--runtime", "claude").ok()
    command = (box.home / ".claude" / "commands" / "gsd-glossary.md").read_text(encoding="utf-8")
    assert "State the terms of this project" in command
    text = ".gsd/content/gsd/references/glossary/terms.md"
    assert (box.home / text).is_file()
    assert f"read ~/{text}" in tools(box, "loop", "plan:pre").ok().out
    box.run("--check").ok()
    box.run("uninstall", "--yes").ok()
    assert_same(before, box.tree())


@pytest.mark.req("ADR1671-gate-no-model")
def test_its_gate_blocks_once_its_setting_says_so(box: Machine) -> None:
    box.run("--runtime", "claude").ok()
    (box.project / ".planning").mkdir()
    (box.project / ".planning" / "PROJECT.md").write_text("# Project: x\n", encoding="utf-8")
    assert "terms-stated" not in tools(box, "loop", "ship:pre").ok().out
    assert json.loads(tools(box, "config", "get", "glossary.required").ok().out)["value"] is False
    tools(box, "config", "set", "glossary.required", "true").ok()
    tools(box, "config", "set", "workflow.security", "false").ok()  # its gate would speak at this point too
    blocked = tools(box, "--json-errors", "loop", "ship:pre", "--gates")
    assert blocked.code == 1
    told = json.loads(blocked.err)
    assert told["reason"] == "gate_blocked"
    assert "glossary/terms-stated" in told["message"]
    assert told["hint"] == "state the terms of this project with the glossary command"
    (box.project / "CONTEXT.md").write_text("`TERM.order=what a customer confirmed`\n", encoding="utf-8")
    assert "terms-stated (glossary): passed" in tools(box, "loop", "ship:pre", "--gates").ok().out


def test_a_malformed_one_is_named_and_everything_else_installs(box: Machine) -> None:
    done = box.run("--runtime", "claude").ok()
    said = done.out + done.err
    assert "'malformed' of gsd_malformed 0.1.0 is left out" in said
    assert "references/nowhere.md" in said
    assert not (box.home / ".gsd" / "content" / "gsd" / "references" / "malformed.md").exists()
    assert (box.home / ".claude" / "agents" / "gsd-planner.md").exists()
    doctor = box.run("doctor")
    assert doctor.code == 1
    assert "BAD  capability: the capability 'malformed'" in doctor.out
    assert "ok   capability glossary" in doctor.out
    linted = box.run("lint")
    assert linted.code == 1
    assert "gsd_malformed/references/malformed.md:1: error:" in linted.out


def test_a_smaller_profile_holds_none_of_it_and_the_loop_does_not_speak_of_it(box: Machine) -> None:
    box.run("--runtime", "claude", "--profile", "core").ok()
    assert not (box.home / ".claude" / "commands" / "gsd-glossary.md").exists()
    assert tools(box, "loop", "plan:pre").ok().out == "Nothing to do at plan:pre.\n"
    box.run("surface", "standard").ok()
    assert (box.home / ".claude" / "commands" / "gsd-glossary.md").exists()
    assert "glossary" in tools(box, "loop", "plan:pre").ok().out


def test_once_its_distribution_is_gone_an_upgrade_takes_it_out(box: Machine, plain: Path) -> None:
    box.run("--runtime", "claude").ok()
    without = Machine(box.home, box.project, plain / "gsd-install")
    without.run("upgrade").ok()
    assert not (box.home / ".claude" / "commands" / "gsd-glossary.md").exists()
    assert "glossary" not in tools(box, "loop", "plan:pre").ok().out
    without.run("--check").ok()


# Compares what the wheel packed with what parsing its sources gives, in the wheel's own environment.
COMPARE = """\
import sys
from gsd_install.content import reading, tree
from gsd_install.content.catalog import contents_of, load_with
from gsd_install.content.merge import merge
from gsd_install.content.model import TIERS
from gsd_install.contents import Content, open_contents
from gsd_install.emit.target import target
from gsd_install.plugins import Plugins
from gsd_install.runtime.platform import Platform
from gsd_install.shipped import shipped_root

def plain(outputs):  # as they are written: a pack also knows their digests
    return [output._replace(sha256="") for output in outputs]

platform = Platform("linux", "/home/me", {}, "/home/me/project")
root = shipped_root()
[packed] = open_contents([root], platform)
features = packed.gathered.features
assert len(features) >= 7, features
parsed = Content(root, gathered=packed.gathered)
for name in ("claude", "codex", "windsurf"):
    plugin = Plugins().get(name)
    for scope, base in (("global", platform.home), ("project", platform.cwd)):
        made = target(plugin.runtime, scope, platform, base=base, payload=f"{base}/.gsd")
        assert plain(packed.described(made)) == plain(parsed.described(made))
        for profile in TIERS:
            ours = packed.emission(plugin, made, profile, frozenset(), "gsd-tools")
            theirs = parsed.emission(plugin, made, profile, frozenset(), "gsd-tools")
            assert plain(ours.outputs) == plain(theirs.outputs)
            assert ours._replace(outputs=()) == theirs._replace(outputs=())
            assert plain(packed.shared(made, profile)) == plain(parsed.shared(made, profile))
assert packed._catalog is None, "the pack was not used"
files = tree.walk(root)
core = reading.catalog(root, files, {file.path: tree.read(root, file.path) for file in files})
given, _ = contents_of(features)
whole = merge(core, features, given, {})
assert whole.faults == {}
assert len(whole.catalog.documents) > len(core.documents)
loaded = load_with(root, features).catalog
assert loaded._replace(digest="") == whole.catalog._replace(digest="")
assert loaded.digest != core.digest
print("same")
"""


def test_the_wheel_packs_what_merging_its_sources_gives(plain: Path) -> None:
    done = subprocess.run(
        [plain / "python", "-c", COMPARE], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout == "same\n", done.stderr


def test_a_third_party_capability_is_merged_at_run_time(bin_dir: Path) -> None:
    """The comparison itself can fail: with another capability beside ours the pack is of no use."""
    done = subprocess.run(
        [bin_dir / "python", "-c", COMPARE], capture_output=True, text=True, check=False, timeout=120
    )
    assert "the pack was not used" in done.stderr
