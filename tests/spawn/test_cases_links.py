"""Links and hard links of the user's: written through where they stay inside, never led out by."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.bundle import EVERY_KIND, PLAN, Bundle, bundle, drift, install, put, uninstall
from support.installs import Machine, machine
from support.trees import assert_same, snapshot

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


@pytest.fixture
def acme(tmp_path: Path) -> Bundle:
    return bundle(tmp_path)


def _link(place: Path, target: str | Path) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)
    return place


SURFACES = [
    ("claude", ".claude/settings.json", '{"theme":"dark"}', b"hello.py"),
    ("codex", ".codex/config.toml", 'model = "m-1"\n', b"acme-mcp"),
    ("codex", ".codex/AGENTS.md", "# Mine\n", b"Plan first"),
    ("opencode", ".config/opencode/opencode.json", "{}", b"acme-mcp"),
]


@pytest.mark.case("SL-01")
@pytest.mark.parametrize("kind", ["absolute", "relative", "two steps"])
@pytest.mark.parametrize(("runtime", "name", "text", "ours"), SURFACES)
def test_settings_that_are_a_link_into_dotfiles(
    box: Machine, acme: Bundle, kind: str, runtime: str, name: str, text: str, ours: bytes
) -> None:
    real = put(box.home / "dotfiles" / "real", text, 0o600)
    link = box.home / name
    step: str | Path = real
    if kind == "two steps":
        step = _link(box.home / "dotfiles" / "step", "real")
    _link(link, os.path.relpath(step, link.parent) if kind == "relative" else step)
    before = box.tree()
    install(box, acme, runtime, surfaces="all").ok()
    assert link.is_symlink()
    assert ours in real.read_bytes()
    assert real.stat().st_mode & 0o777 == 0o600
    uninstall(box)
    assert_same(before, box.tree())


@pytest.mark.case("SL-01")
def test_settings_that_are_a_link_out_of_the_home_are_refused(
    box: Machine, acme: Bundle, tmp_path: Path
) -> None:
    # What lies outside the home may be shared with others or mounted read-only; nothing is written there.
    outside = put(tmp_path / "dot/settings.json", '{"theme":"dark"}')
    link = _link(box.home / ".claude/settings.json", outside)
    before = snapshot(tmp_path)
    done = install(box, acme, "claude", surfaces="hooks")
    assert done.code == 1
    assert str(link) in done.err
    assert str(outside) in done.err
    assert_same(before, snapshot(tmp_path))
    install(box, acme, "claude").ok()


@pytest.mark.case("SL-03")
@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize(("runtime", "folder"), [("claude", ".claude/skills"), ("codex", ".agents/skills")])
def test_a_linked_skill_is_the_user_s(
    box: Machine, acme: Bundle, tmp_path: Path, runtime: str, folder: str, inside: bool
) -> None:
    install(box, acme, runtime).ok()
    fork = (box.home if inside else tmp_path) / "mine/tidy"
    text = b"---\nname: acme-tidy\ndescription: my fork\n---\n"
    put(fork / "SKILL.md", text)
    skill = box.home / folder / "acme-tidy"
    for path in sorted(skill.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    skill.rmdir()
    _link(skill, fork)
    kept = snapshot(fork)
    acme.write(
        {**EVERY_KIND, "commands/plan.md": PLAN + "more\n", "skills/tidy/notes.md": "New.\n"}, version="2"
    )
    done = box.run("upgrade").ok()
    assert "acme-tidy" in done.out + done.err
    assert_same(kept, snapshot(fork))
    box.run("uninstall", "--yes").ok()
    assert_same(kept, snapshot(fork))
    assert skill.is_symlink()


@pytest.mark.case("SL-05")
def test_a_config_root_that_is_a_link_inside_the_home_is_normal(box: Machine, acme: Bundle) -> None:
    (box.home / "dot/claude").mkdir(parents=True)
    root = _link(box.home / ".claude", "dot/claude")
    before = box.tree()
    install(box, acme, "claude", surfaces="all").ok()
    box.run("status").ok()
    assert drift(box) == {}
    assert root.is_symlink()
    assert (box.home / "dot/claude/commands/acme-plan.md").is_file()
    uninstall(box)
    assert_same(before, box.tree())


@pytest.mark.case("SL-05")
def test_a_config_root_outside_the_home_is_named_once_and_then_used(
    box: Machine, acme: Bundle, tmp_path: Path
) -> None:
    # A link that leaves the home is followed only after the user has named where it leads.
    outside = tmp_path / "dot/claude"
    outside.mkdir(parents=True)
    root = _link(box.home / ".claude", outside)
    before = snapshot(tmp_path)
    refused = install(box, acme, "claude")
    assert refused.code == 1
    assert str(root) in refused.err
    assert str(outside) in refused.err
    assert_same(before, snapshot(tmp_path))
    install(box, acme, "claude", extra=("--config-dir", str(outside))).ok()
    assert (outside / "commands/acme-plan.md").is_file()
    assert root.is_symlink()
    assert drift(box) == {}
    uninstall(box)
    assert_same(before, snapshot(tmp_path))


@pytest.mark.case("SL-05")
@pytest.mark.parametrize("name", [".claude/skills", ".claude/commands", ".gsd"])
def test_a_link_below_the_root_that_leads_out_is_refused(
    box: Machine, acme: Bundle, tmp_path: Path, name: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    _link(box.home / name, outside)
    before = snapshot(tmp_path)
    done = install(box, acme, "claude")
    assert done.code == 1
    assert str(box.home / name) in done.err
    assert_same(before, snapshot(tmp_path))


def test_a_hard_link_is_neither_edited_nor_replaced(box: Machine, acme: Bundle) -> None:
    settings = put(box.home / ".claude/settings.json", "{}")
    other = box.home / "other.json"
    os.link(settings, other)
    done = install(box, acme, "claude", surfaces="hooks")
    assert done.code == 1
    assert str(settings) in done.err
    assert other.read_bytes() == settings.read_bytes() == b"{}"
