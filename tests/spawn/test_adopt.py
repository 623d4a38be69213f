"""`gsd-install adopt`: what nothing records is named, and becomes ours only after a yes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.content import EVERY_KIND, content_root
from support.installs import FOUR, Done, Machine, machine
from support.trees import assert_same

SCOPES = ("global", "project")
NPM_MARKS = ("gsd-file-manifest.json", "gsd-core/VERSION", ".gsd-source", "gsd-install-state.json")


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


def lose_ledger(box: Machine, scope: str = "global") -> None:
    """What happens when dot files are copied to another machine, or a state directory is cleaned."""
    shutil.rmtree(box.home / ".local")
    if scope == "project":
        (box.project / ".gsd" / "ledger.json").unlink()


def unit(done: Done, key: str) -> dict[str, Any]:
    [found] = [item for item in done.json["data"]["units"] if item["unit"] == key]
    return dict(found)


def npm_tree(folder: Path, *marks: str) -> None:
    for mark in marks or NPM_MARKS:
        path = folder / mark
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1.10.0\n" if mark.endswith("VERSION") else "{}\n")
    (folder / "agents").mkdir(exist_ok=True)
    (folder / "agents" / "gsd-theirs.md").write_text("theirs\n")


# --- files of ours without a ledger -------------------------------------------------------------------


@pytest.mark.parametrize("scope", SCOPES)
def test_files_without_a_ledger_are_reported_and_nothing_is_written(box: Machine, scope: str) -> None:
    box.run("--runtime", "claude", "--scope", scope).ok()
    lose_ledger(box, scope)
    before = box.tree()
    done = box.run("adopt", "--scope", scope).ok()
    assert "claude:gsd" in done.out
    assert "nothing was changed" in done.out
    as_json = box.run("adopt", "--scope", scope, "--json").ok()
    found = unit(as_json, "claude:gsd")
    assert found["equal"] > 100
    assert (found["differing"], found["missing"], found["recorded"]) == (0, 0, False)
    assert as_json.json["data"]["adopted"] == 0
    assert {item["state"] for item in as_json.json["data"]["files"]} == {"equal"}
    assert_same(before, box.tree())


@pytest.mark.parametrize("scope", SCOPES)
def test_adopted_files_are_ours_and_uninstall_leaves_no_trace(box: Machine, scope: str) -> None:
    before = box.tree()
    box.run(*(word for name in FOUR for word in ("--runtime", name)), "--scope", scope).ok()
    lose_ledger(box, scope)
    lost = box.tree()
    done = box.run("adopt", "--scope", scope, "--yes").ok()
    assert "took over" in done.out
    kept = {path: node for path, node in box.tree().items() if path in lost}
    assert_same(lost, kept)
    box.run("--check", "--scope", scope).ok()
    assert box.run("adopt", "--scope", scope, "--json").json["data"]["files"] == []
    box.run("uninstall", "--scope", scope, "--yes").ok()
    assert_same(before, box.tree())


def test_without_adopting_an_install_takes_the_files_for_the_users(box: Machine) -> None:
    before = box.tree()
    box.run("--runtime", "claude").ok()
    lose_ledger(box)
    lost = box.tree()
    box.run("--runtime", "claude").ok()
    box.run("uninstall", "--yes").ok()
    assert_same(lost, box.tree())  # safe, and the reason for the verb
    box.run("--runtime", "claude").ok()
    taken = box.run("adopt", "--runtime", "claude", "--yes").ok()
    assert "took over" in taken.out
    box.run("--check").ok()
    box.run("uninstall", "--yes").ok()
    left = {path for path, node in box.tree().items() if node.kind == "file"}
    assert left == {path for path, node in before.items() if node.kind == "file"}


@pytest.mark.parametrize("profile", ["core", "standard", "full"])
def test_the_profile_is_read_from_what_is_there(box: Machine, profile: str) -> None:
    box.run("--runtime", "claude", "--profile", profile).ok()
    lose_ledger(box)
    box.run("adopt", "--yes").ok()
    places = box.run("status", "--json").json["data"]["places"]
    assert places[0]["units"]["claude:gsd"]["profile"] == profile


def test_missing_files_stay_missing_until_the_upgrade(box: Machine) -> None:
    box.run("--runtime", "claude").ok()
    lose_ledger(box)
    gone = box.home / ".claude" / "commands" / "gsd-help.md"
    data = gone.read_bytes()
    gone.unlink()
    done = box.run("adopt", "--profile", "standard", "--yes").ok()
    assert "next: gsd-install upgrade" in done.out
    assert not gone.exists()
    box.run("upgrade").ok()
    assert gone.read_bytes() == data
    box.run("--check").ok()


def test_adopting_one_runtime_leaves_a_recorded_one_as_it_is(box: Machine) -> None:
    box.run("--runtime", "claude").ok()
    lose_ledger(box)
    box.run("--runtime", "codex", "--with", "all").ok()
    edited = box.home / ".codex" / "agents"
    mine = next(iter(sorted(edited.iterdir())))
    mine.write_bytes(mine.read_bytes() + b"# mine\n")
    before = box.tree()
    box.run("adopt", "--runtime", "claude", "--runtime", "codex", "--yes").ok()
    after = box.tree()
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert all(path.startswith(".local/state/gsd-install/") for path in changed), changed
    units = box.run("status", "--json").json["data"]["places"][0]["units"]
    assert set(units) == {"claude:gsd", "codex:gsd"}
    assert units["codex:gsd"]["with"]
    assert units["claude:gsd"]["with"] == []


def test_a_host_that_lists_skills_of_another_keeps_its_own(box: Machine) -> None:
    before = box.tree()
    content = content_root(box.home.parent / "content", EVERY_KIND)
    words = ("--runtime", "opencode", "--content", str(content))
    box.run(*words).ok()
    assert list((box.home / ".config" / "opencode").rglob("SKILL.md")), "its own copy is the point"
    lose_ledger(box)
    (box.home / ".claude").mkdir()
    box.run("adopt", "--content", str(content), "--yes").ok()
    assert set(box.run("status", "--json").json["data"]["places"][0]["units"]) == {"opencode:acme"}
    box.run("--check").ok()
    box.run("uninstall", "--yes").ok()
    (box.home / ".claude").rmdir()
    assert_same(before, box.tree())


def test_an_adopted_file_that_is_edited_later_merges(box: Machine) -> None:
    text = "".join(f"line {number}\n\n" for number in range(12))
    head = "---\ndescription: Plans\n---\n"
    content = content_root(box.project / "content", {"commands/plan.md": head + text})
    words = ("--runtime", "claude", "--content", str(content))
    box.run(*words).ok()
    lose_ledger(box)
    box.run("adopt", *words, "--yes").ok()
    file = box.home / ".claude" / "commands" / "ac-plan.md"
    file.write_text(file.read_text().replace("line 1\n", "my line 1\n"))
    content_root(content, {"commands/plan.md": head + text.replace("line 9\n", "new line 9\n")})
    box.run("upgrade").ok()
    assert "my line 1\n" in file.read_text()
    assert "new line 9\n" in file.read_text()


def test_nothing_found_is_said(box: Machine) -> None:
    before = box.tree()
    for words in (["adopt"], ["adopt", "--runtime", "claude"]):
        done = box.run(*words).ok()
        assert done.out == "nothing was found that could be adopted\n"
    assert "nothing was changed" in box.run("adopt", "--yes").ok().out
    data = box.run("adopt", "--json").ok().json["data"]
    assert (data["adopted"], data["files"], data["npm"]) == (0, [], [])
    assert_same(before, box.tree())


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--runtime", "cluade"], "did you mean 'claude'"), (["--config-dir", "x"], "exactly one runtime")],
)
def test_a_mistake_in_the_command_line_changes_nothing(box: Machine, words: list[str], said: str) -> None:
    before = box.tree()
    done = box.run("adopt", "--yes", *words)
    assert done.code == 2
    assert said in done.err
    assert_same(before, box.tree())


def test_a_directory_of_ones_own_is_adopted_with_its_name(box: Machine) -> None:
    before = box.tree()
    words = ("--runtime", "claude", "--config-dir", "~/elsewhere/claude")
    box.run(*words).ok()
    lose_ledger(box)
    assert box.run("adopt", "--runtime", "claude", "--json").ok().json["data"]["units"] == []
    box.run("adopt", *words, "--yes").ok()
    box.run("--check").ok()
    box.run("uninstall", "--yes").ok()
    assert_same(before, box.tree())


# --- files in our places with other bytes -------------------------------------------------------------


def _one_differs(box: Machine) -> Path:
    box.run("--runtime", "claude").ok()
    lose_ledger(box)
    file = box.home / ".claude" / "commands" / "gsd-help.md"
    file.write_text("mine\n")
    return file


def test_what_differs_is_listed_and_left_alone(box: Machine) -> None:
    file = _one_differs(box)
    done = box.run("adopt", "--yes").ok()
    assert "differs   ~/.claude/commands/gsd-help.md" in done.out
    assert file.read_text() == "mine\n"
    data = box.run("--check", "--json").json["data"]
    assert [(item["drift"], item["path"]) for item in data["drift"]] == [
        ("foreign", "~/.claude/commands/gsd-help.md")
    ]
    stopped = box.run("upgrade")
    assert stopped.code == 1
    assert "gsd-help.md" in stopped.err
    box.run("uninstall", "--yes").ok()
    left = [path for path in (box.home / ".claude").rglob("*") if path.is_file()]
    assert left == [file]
    assert file.read_text() == "mine\n"


def test_with_backup_what_differs_moves_aside_and_comes_back(box: Machine) -> None:
    file = _one_differs(box)
    before = box.tree()
    box.run("adopt", "--backup").ok()
    assert_same(before, box.tree())
    done = box.run("adopt", "--backup", "--yes").ok()
    assert "1 file moved aside" in done.out
    assert file.with_name("gsd-help.md.gsd-backup").read_text() == "mine\n"
    assert file.read_text() != "mine\n"
    box.run("--check").ok()
    box.run("uninstall", "--yes").ok()
    left = [path for path in (box.home / ".claude").rglob("*") if path.is_file()]
    assert left == [file]
    assert file.read_text() == "mine\n"


def test_files_that_only_share_a_name_are_not_taken(box: Machine) -> None:
    file = box.home / ".claude" / "commands" / "gsd-help.md"
    file.parent.mkdir(parents=True)
    file.write_text("mine\n")
    before = box.tree()
    done = box.run("adopt", "--yes").ok()
    assert "gsd-help.md" in done.out
    assert_same(before, box.tree())


def test_a_place_that_is_a_link_out_of_the_home_stops_it(box: Machine, tmp_path: Path) -> None:
    box.run("--runtime", "claude").ok()
    lose_ledger(box)
    commands = box.home / ".claude" / "commands"
    shutil.move(commands, tmp_path / "outside")
    commands.symlink_to(tmp_path / "outside")
    before = box.tree()
    done = box.run("adopt", "--yes")
    assert done.code == 1
    assert "commands" in done.err
    assert_same(before, box.tree())


# --- trees of the npm package -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scope", "remove"),
    [
        ("global", "npx @opengsd/gsd-core --claude --global --uninstall"),
        ("project", "npx @opengsd/gsd-core --claude --local --uninstall"),
    ],
)
@pytest.mark.parametrize("marks", [NPM_MARKS, *((mark,) for mark in NPM_MARKS[:3])])
def test_an_npm_tree_is_named_and_never_touched(
    box: Machine, scope: str, remove: str, marks: tuple[str, ...]
) -> None:
    npm_tree((box.home if scope == "global" else box.project) / ".claude", *marks)
    before = box.tree()
    done = box.run("adopt", "--scope", scope, "--yes", "--backup").ok()
    assert remove in done.out
    assert ("1.10.0" in done.out) == ("gsd-core/VERSION" in marks)
    [tree] = box.run("adopt", "--scope", scope, "--json").json["data"]["npm"]
    assert tree["runtime"] == "claude"
    assert tree["remove"] == remove
    assert set(tree["marks"]) == set(marks)
    assert_same(before, box.tree())


def test_what_their_uninstall_leaves_is_no_tree(box: Machine) -> None:
    npm_tree(box.home / ".claude", "gsd-install-state.json")
    done = box.run("adopt").ok()
    assert "npx" not in done.out
    assert "~/.claude/gsd-install-state.json is left" in done.out


def test_a_version_that_is_none_is_not_shown(box: Machine) -> None:
    npm_tree(box.home / ".claude")
    (box.home / ".claude" / "gsd-core" / "VERSION").write_text("1.0; rm -rf ~ \x1b[31m")
    done = box.run("adopt", "--json").ok()
    [tree] = done.json["data"]["npm"]
    assert tree["version"] == ""
    assert "rm -rf" not in done.out


def test_the_command_for_a_directory_of_ones_own_names_it(box: Machine) -> None:
    npm_tree(box.home / "my dir")
    done = box.run("adopt", "--runtime", "claude", "--config-dir", "~/my dir").ok()
    assert f"--uninstall --config-dir '{box.home}/my dir'" in done.out


# --- doctor -------------------------------------------------------------------------------------------


def _checks(done: Done, name: str) -> list[dict[str, Any]]:
    return [check for check in done.json["data"]["checks"] if check["name"] == name]


@pytest.mark.parametrize("scope", SCOPES)
def test_doctor_names_a_lost_ledger(box: Machine, scope: str) -> None:
    words = ("doctor", "--scope", scope, "--json")
    box.run("--runtime", "claude", "--scope", scope).ok()
    assert _checks(box.run(*words).ok(), f"{scope} ledger") == []
    lose_ledger(box, scope)
    done = box.run(*words)
    assert done.code == 1
    [check] = _checks(done, f"{scope} ledger")
    assert not check["ok"]
    assert "claude:gsd" in check["message"]
    assert "gsd-install adopt" in check["message"]
    assert ("--scope project" in check["message"]) == (scope == "project")
    box.run("adopt", "--scope", scope, "--yes").ok()
    box.run(*words).ok()


def test_doctor_names_npm_trees_and_minds_two_sets_of_commands(box: Machine) -> None:
    npm_tree(box.home / ".claude")
    [check] = _checks(box.run("doctor", "--json").ok(), "global npm")
    assert check["ok"]
    assert "npx @opengsd/gsd-core --claude --global --uninstall" in check["message"]
    box.run("--runtime", "claude").ok()
    done = box.run("doctor", "--json")
    assert done.code == 1
    [check] = _checks(done, "global npm")
    assert not check["ok"]
    assert "both" in check["message"]


# --- a file that is kept because it was edited ----------------------------------------------------------


def test_an_edited_file_is_remembered_while_its_profile_is_smaller(box: Machine) -> None:
    files = EVERY_KIND | {"commands/more.md": "---\ndescription: More\n---\none\n\ntwo\n\nthree\n\nfour\n"}
    content = content_root(box.project / "content", files)
    words = ("--runtime", "claude", "--content", str(content), "--profile")
    box.run(*words, "standard").ok()
    file = box.home / ".claude" / "commands" / "ac-more.md"
    file.write_text(file.read_text().replace("one\n", "my one\n"))
    box.run(*words, "core").ok()
    if "my one\n" not in file.read_text():
        pytest.fail("the smaller profile took an edited file away")
    content_root(content, {"commands/more.md": files["commands/more.md"].replace("four", "new four")})
    box.run(*words, "standard").ok()
    assert "my one\n" in file.read_text()
    assert "new four\n" in file.read_text()


def test_the_ledger_that_is_written_is_one_that_an_install_would_write(box: Machine) -> None:
    box.run("--runtime", "claude").ok()
    ledger = box.home / ".local" / "state" / "gsd-install" / "global" / "ledger.json"
    installed = json.loads(ledger.read_bytes())
    lose_ledger(box)
    box.run("adopt", "--yes").ok()
    adopted = json.loads(ledger.read_bytes())
    # What lay between the home and the machine facts was made anew, and is not part of either.
    for stored in (installed, adopted):
        stored["dirs"] = [path for path in stored["dirs"] if not path.startswith(".local")]
    assert adopted == installed
