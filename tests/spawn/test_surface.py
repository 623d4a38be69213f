"""`gsd-install surface`: what hosts list, and changing it later."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.installs import Machine, machine
from support.trees import assert_same, snapshot


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


def test_a_smaller_profile_later_gives_the_tree_of_installing_it_at_once(
    box: Machine, tmp_path: Path
) -> None:
    other = machine(tmp_path / "other")
    other.run("--runtime", "claude", "--profile", "core").ok()
    box.run("--runtime", "claude", "--profile", "full").ok()
    assert (box.home / ".claude" / "commands" / "gsd-spike.md").is_file()
    done = box.run("surface", "core").ok()
    assert "gsd-spike.md" not in {path.name for path in (box.home / ".claude" / "commands").iterdir()}
    assert "8 commands" in done.out
    for folder in (".claude", ".gsd"):
        assert_same(snapshot(other.home / folder), snapshot(box.home / folder))
    box.run("surface", "full").ok()
    assert (box.home / ".claude" / "commands" / "gsd-spike.md").is_file()


def test_only_the_named_runtime_changes(box: Machine) -> None:
    box.run("--runtime", "claude", "--runtime", "opencode").ok()
    box.run("surface", "core", "--runtime", "opencode").ok()
    units = json.loads(box.run("status", "--json").ok().out)["data"]["places"][0]["units"]
    assert {key: unit["profile"] for key, unit in units.items()} == {
        "claude:gsd": "standard",
        "opencode:gsd": "core",
    }


def test_without_a_profile_it_shows_each_and_changes_nothing(box: Machine) -> None:
    box.run("--runtime", "claude").ok()
    before = box.tree()
    rows = json.loads(box.run("surface", "--json").ok().out)["data"]["surfaces"]
    assert [(row["profile"], row["installed"]) for row in rows] == [
        ("core", False),
        ("standard", True),
        ("full", False),
    ]
    assert rows[0]["listed"] == {"command": 8}
    assert rows[0]["listing_tokens"] < 700, "the price of core"
    assert rows[0]["listing_tokens"] < rows[1]["listing_tokens"] < rows[2]["listing_tokens"]
    assert_same(before, box.tree())


def test_what_is_not_installed_is_said(box: Machine) -> None:
    assert box.run("surface").code == 1
    box.run("--runtime", "claude").ok()
    done = box.run("surface", "core", "--runtime", "codex")
    assert done.code == 1
    assert "codex is not installed here" in done.err
    assert box.run("surface", "tiny").code == 2


def test_content_with_nothing_in_a_profile_is_said_in_words(box: Machine, tmp_path: Path) -> None:
    command = tmp_path / "ours" / "commands" / "hello.md"
    command.parent.mkdir(parents=True)
    command.write_text("---\ndescription: Says hello\n---\nSay hello.\n")
    head = 'format = 1\nid = "ours"\nname = "Ours"\nversion = "1.0.0"\nprefix = "ou"\nrequires = ">=0.1"\n'
    (tmp_path / "ours" / "content.toml").write_text(head)
    box.run("--runtime", "claude", "--content", str(tmp_path / "ours")).ok()
    core, standard, _ = box.run("surface").ok().out.splitlines()
    assert core.endswith("tokens listed: nothing")
    assert standard.endswith("tokens listed: 1 command")
    done = box.run("surface", "core")
    assert (done.code, "hint: a larger install profile holds more" in done.err) == (1, True)


def test_more_is_offered_only_to_who_asked_for_nothing_more(box: Machine) -> None:
    assert "add --with all" in box.run("--runtime", "claude").ok().out
    assert "add --with all" not in box.run("--runtime", "claude", "--with", "permissions").ok().out
