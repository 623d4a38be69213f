"""Our entries in files the user owns."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.apply.model import Options
from gsd_install.kernel.errors import GsdError, ManyErrors
from gsd_install.testing.trees import assert_same
from unit.apply.box import Box, actions, drift

A, B = "claude:gsd", "codex:gsd"
SETTINGS = ".claude/settings.json"
MINE = '{\r\n\t// mine\r\n\t"theme": "dark",\r\n\t"hooks": {"Stop": [ {"command": "mine"} ]},\r\n}'
HOOK = {"hooks": [{"type": "command", "command": "ours"}]}


def _data(box: Box, name: str = SETTINGS) -> Any:
    lines = [line.split("//")[0] for line in box.read(name).splitlines()]
    text = "".join(line for line in lines).replace(",}", "}").replace(",]", "]")
    return json.loads(text)


@pytest.mark.case("CM-01", "CM-16", "EN-05", "EN-11")
def test_an_entry_comes_and_goes_byte_for_byte(box: Box) -> None:
    box.write(SETTINGS, "\ufeff" + MINE, 0o640)
    before = box.tree()
    plan, _ = box.install(box.edit(SETTINGS, "hooks/SessionStart/-", HOOK))
    assert actions(plan) == {SETTINGS: "edit"}
    text = box.read(SETTINGS)
    assert text.startswith("\ufeff{\r\n\t// mine\r\n")
    assert '"ours"' in text
    assert text.count("\n") == text.count("\r\n")
    assert box.check() == ()
    assert not box.install(box.edit(SETTINGS, "hooks/SessionStart/-", HOOK))[0].changed
    box.uninstall()
    assert_same(before, box.tree())


@pytest.mark.case("PM-01")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_the_mode_of_a_user_s_file_stays(box: Box, mode: int) -> None:
    box.write(SETTINGS, '{"key": "secret"}', mode)
    box.install(box.edit(SETTINGS, "hooks/x", 1))
    assert (box.root / SETTINGS).stat().st_mode & 0o777 == mode
    box.uninstall()
    assert (box.root / SETTINGS).stat().st_mode & 0o777 == mode


@pytest.mark.case("PM-01", "SE-09")
def test_a_secret_is_never_readable_by_others_and_never_kept(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Watch every file at every system call that creates, renames or closes one."""
    os.umask(0)
    secret = b"s3cr3t-value"
    box.write(SETTINGS, b'{"token": "s3cr3t-value"}', 0o600)
    seen: list[str] = []

    def watch() -> None:
        for folder, _, names in os.walk(box.base):
            for name in names:
                path = Path(folder) / name
                if secret in path.read_bytes():
                    seen.append(name)
                    assert stat.S_IMODE(path.lstat().st_mode) & 0o077 == 0, path

    for name in ("write", "replace", "fchmod", "close", "fsync"):
        real = getattr(os, name)

        def wrapped(*args: Any, real: Any = real) -> Any:
            try:
                return real(*args)
            finally:
                watch()

        monkeypatch.setattr(os, name, wrapped)
    box.install(box.edit(SETTINGS, "hooks/x", 1))
    box.uninstall()
    monkeypatch.undo()
    assert {name for name in seen if name.endswith(".gsd-tmp")}, "the watch saw nothing"
    assert [name for folder, _, names in os.walk(box.base) for name in names] == ["settings.json"]


def test_the_secret_is_in_no_state_file_after_an_install(box: Box) -> None:
    box.write(SETTINGS, b'{"token": "s3cr3t-value"}', 0o600)
    box.install(box.edit(SETTINGS, "hooks/x", 1))
    for folder, _, names in os.walk(box.base):
        for name in names:
            if name != "settings.json":
                assert b"s3cr3t" not in (Path(folder) / name).read_bytes()


@pytest.mark.case("CM-01")
def test_a_file_that_does_not_parse_stops_everything_before_the_first_write(box: Box) -> None:
    box.write(SETTINGS, '{\n  "a": 1,\n  "b": \n}\n')
    box.write("other.json", "[1,\n")
    before = box.tree()
    with pytest.raises(ManyErrors) as caught:
        box.install(box.file("a.md"), box.edit(SETTINGS, "hooks/x", 1), box.edit("other.json", "x", 1))
    assert {(error.file, error.line is not None) for error in caught.value.errors} == {
        (box.path(SETTINGS), True),
        (box.path("other.json"), True),
    }
    assert_same(before, box.tree())


def test_a_value_of_the_user_s_in_our_place_stops_the_command(box: Box) -> None:
    box.write(SETTINGS, '{"mcpServers": {"gsd": {"command": "mine"}}}')
    before = box.tree()
    with pytest.raises(GsdError) as caught:
        box.install(box.file("a.md"), box.edit(SETTINGS, "mcpServers/gsd", {"command": "ours"}))
    assert caught.value.reason == "occupied"
    assert_same(before, box.tree())


def test_an_equal_value_of_the_user_s_stays_theirs(box: Box) -> None:
    box.write(SETTINGS, '{"mcpServers": {"gsd": {"command": "same"}}}')
    before = box.tree()
    plan, _ = box.install(box.edit(SETTINGS, "mcpServers/gsd", {"command": "same"}))
    assert actions(plan) == {}
    assert box.check() == ()
    box.uninstall()
    assert_same(before, box.tree())


def test_a_settings_file_that_we_created_goes_again(box: Box) -> None:
    before = box.tree()
    box.install(box.edit(SETTINGS, "hooks/a", 1), box.edit(SETTINGS, "permissions/allow/-", "x"))
    assert _data(box) == {"hooks": {"a": 1}, "permissions": {"allow": ["x"]}}
    box.uninstall()
    assert_same(before, box.tree())


def test_a_settings_file_that_we_created_stays_when_the_user_filled_it(box: Box) -> None:
    box.install(box.edit(SETTINGS, "hooks/a", 1))
    box.write(SETTINGS, json.dumps({"hooks": {"a": 1}, "mine": 2}))
    _, outcome = box.uninstall()
    assert _data(box)["mine"] == 2
    assert "a" not in _data(box).get("hooks", {})
    assert not any("not ours" in sentence and "settings" not in sentence for sentence in outcome.left)


@pytest.mark.case("CM-07")
def test_a_new_value_replaces_the_old_one_whole(box: Box) -> None:
    box.write(SETTINGS, '{\n  "mcpServers": {"docs": {"command": "d"}}\n}\n')
    before = box.tree()
    box.install(box.edit(SETTINGS, "mcpServers/acme", {"command": "uvx", "args": ["x"], "env": {"A": "1"}}))
    result = box.install(box.edit(SETTINGS, "mcpServers/acme", {"url": "https://ex.test/mcp"}))
    assert actions(result) == {SETTINGS: "edit"}
    assert _data_plain(box) == {
        "mcpServers": {"docs": {"command": "d"}, "acme": {"url": "https://ex.test/mcp"}}
    }
    assert box.check() == ()
    box.uninstall()
    assert_same(before, box.tree())


def _data_plain(box: Box, name: str = SETTINGS) -> Any:
    return json.loads(box.read(name))


def test_a_new_value_in_an_array_replaces_ours_and_no_other(box: Box) -> None:
    box.write(SETTINGS, '{"hooks": {"Stop": [{"c": "mine"}]}}')
    before = box.tree()
    box.install(
        box.edit(SETTINGS, "hooks/Stop/-", {"c": "v1"}), box.edit(SETTINGS, "hooks/Stop/-", {"c": "w1"})
    )
    box.install(
        box.edit(SETTINGS, "hooks/Stop/-", {"c": "v2"}), box.edit(SETTINGS, "hooks/Stop/-", {"c": "w1"})
    )
    found = [item["c"] for item in _data_plain(box)["hooks"]["Stop"]]
    assert found[0] == "mine"
    assert sorted(found) == ["mine", "v2", "w1"]
    box.uninstall()
    assert_same(before, box.tree())


def test_a_new_value_in_an_array_keeps_its_place(box: Box) -> None:
    box.write(SETTINGS, "{}")
    box.install(box.edit(SETTINGS, "hooks/Stop/-", {"c": "v1"}))
    box.write(SETTINGS, json.dumps({"hooks": {"Stop": [{"c": "v1"}, {"c": "mine"}]}}))
    box.install(box.edit(SETTINGS, "hooks/Stop/-", {"c": "v2"}))
    assert _data_plain(box)["hooks"]["Stop"] == [{"c": "v2"}, {"c": "mine"}]


def test_a_surface_that_is_no_longer_wanted_is_taken_out(box: Box) -> None:
    box.write(SETTINGS, '{"a": 1}')
    box.install(box.file("x.md"), box.edit(SETTINGS, "hooks/x", 1))
    assert actions(box.install(box.file("x.md"))) == {SETTINGS: "edit"}
    assert box.read(SETTINGS) == '{"a": 1}'
    assert box.ledger().entries == ()


def test_an_entry_that_the_user_changed_stays_theirs(box: Box) -> None:
    box.write(SETTINGS, '{"a": 1}')
    box.install(box.edit(SETTINGS, "mcpServers/gsd", {"command": "ours"}))
    box.write(SETTINGS, box.read(SETTINGS).replace("ours", "ours --mine"))
    assert drift(box.check(), box) == {SETTINGS: "modified"}
    _, outcome = box.install(box.edit(SETTINGS, "mcpServers/gsd", {"command": "ours 2"}))
    assert "ours --mine" in box.read(SETTINGS)
    assert any("you changed our entry" in sentence for sentence in outcome.left)
    _, outcome = box.uninstall()
    assert "ours --mine" in box.read(SETTINGS)
    assert any("you changed our entry" in sentence for sentence in outcome.left)


def test_an_entry_that_the_user_removed_stays_out_until_restored(box: Box) -> None:
    box.write(SETTINGS, '{"a": 1}')
    edit = box.edit(SETTINGS, "hooks/x", 1)
    box.install(edit, box.file("x.md"))
    box.write(SETTINGS, '{"a": 2}')
    assert drift(box.check(), box) == {SETTINGS: "missing"}
    _, outcome = box.install(edit, box.file("x.md"))
    assert box.read(SETTINGS) == '{"a": 2}'
    assert any("--restore" in sentence for sentence in outcome.left)
    assert box.check() == ()
    assert box.check(box.edit(SETTINGS, "hooks/x", 2), box.file("x.md")) == ()
    box.install(edit, box.file("x.md"), options=Options(restore=True))
    assert _data_plain(box)["hooks"] == {"x": 1}
    box.uninstall()
    assert box.read(SETTINGS) == '{"a": 2}'


@pytest.mark.case("UN-01")
def test_a_hook_of_the_user_s_beside_ours_stays(box: Box) -> None:
    """Scenario N: they add an entry next to ours, inside an array that came with ours."""
    box.write(SETTINGS, '{"model": "x"}')
    box.install(
        box.edit(SETTINGS, "hooks/PostToolUse/-", {"matcher": "Edit", "hooks": [{"command": "ours"}]})
    )
    data = _data_plain(box)
    data["hooks"]["PostToolUse"].append({"matcher": "Edit", "hooks": [{"command": "prettier"}]})
    box.write(SETTINGS, json.dumps(data, indent=2))
    box.uninstall()
    assert _data_plain(box) == {
        "model": "x",
        "hooks": {"PostToolUse": [{"matcher": "Edit", "hooks": [{"command": "prettier"}]}]},
    }


@pytest.mark.case("UN-01")
def test_a_hook_of_the_user_s_inside_our_group_stays(box: Box) -> None:
    """Scenario N: they add a hook to the list inside our entry; an upgrade and an uninstall leave it."""
    pointer = "hooks/PostToolUse/-"
    mine = {"command": "prettier"}
    box.write(SETTINGS, '{"model": "x"}')
    box.install(box.edit(SETTINGS, pointer, {"matcher": "Edit", "hooks": [{"command": "ours"}]}))
    data = _data_plain(box)
    data["hooks"]["PostToolUse"][0]["hooks"].append(mine)
    box.write(SETTINGS, json.dumps(data, indent=2))
    assert box.check() == ()
    later = box.edit(SETTINGS, pointer, {"matcher": "Edit", "hooks": [{"command": "ours 2"}]})
    _, outcome = box.install(later)
    assert outcome.left == ()
    assert _data_plain(box)["hooks"]["PostToolUse"] == [
        {"matcher": "Edit", "hooks": [{"command": "ours 2"}, mine]}
    ]
    assert box.check(later) == ()
    assert not box.install(later)[0].changed
    box.uninstall()
    assert _data_plain(box) == {
        "model": "x",
        "hooks": {"PostToolUse": [{"matcher": "Edit", "hooks": [mine]}]},
    }


def test_entries_are_shared_and_go_with_their_last_owner(box: Box) -> None:
    box.write("AGENTS.md", "# mine")
    before = box.tree()
    block = "read .planning first\n"
    box.install(box.edit("AGENTS.md", "gsd", block, A, form="block"), units=[A])
    box.install(box.edit("AGENTS.md", "gsd", block, B, form="block"), units=[B])
    assert box.read("AGENTS.md").count("read .planning first") == 1
    assert [entry.owners for entry in box.ledger().entries] == [(A, B)]
    assert actions(box.uninstall(A)) == {}
    assert box.check() == ()
    box.uninstall(B)
    assert_same(before, box.tree())


def test_two_names_of_one_file_hold_an_entry_once(box: Box) -> None:
    box.write("AGENTS.md", "# mine\n")
    os.symlink("AGENTS.md", box.path("CLAUDE.md"))
    before = box.tree()
    box.install(
        box.edit("AGENTS.md", "gsd", "text\n", B, form="block"),
        box.edit("CLAUDE.md", "gsd", "text\n", A, form="block"),
    )
    assert box.read("AGENTS.md").count("text\n") == 1
    assert os.path.islink(box.path("CLAUDE.md"))
    assert box.check() == ()
    box.uninstall(B)
    assert box.read("AGENTS.md").count("text\n") == 1
    box.uninstall(A)
    assert_same(before, box.tree())


def test_two_values_for_one_key_are_a_clash_that_names_both(box: Box) -> None:
    with pytest.raises(GsdError, match=f"{A} and {B} want different values for hooks.x"):
        box.install(box.edit(SETTINGS, "hooks/x", 1, A), box.edit(SETTINGS, "hooks/x", 2, B))


@pytest.mark.case("SL-01")
@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize("absolute", [True, False])
def test_a_settings_file_that_is_a_link_is_written_through(box: Box, steps: int, absolute: bool) -> None:
    """Into a dotfiles repository in the home; one outside the home is refused (below), by DESIGN 6."""
    target = box.write("dot/settings.json", '{"theme":"dark"}', 0o600)
    (box.root / ".claude").mkdir()
    last = str(target) if absolute else "../dot/settings.json"
    if steps == 2:
        os.symlink("settings.json", box.root / "dot/middle.json")
        last = last.replace("settings.json", "middle.json")
    os.symlink(last, box.root / SETTINGS)
    before = box.tree()
    box.install(box.edit(SETTINGS, "hooks/x", 1))
    assert os.readlink(box.root / SETTINGS) == last
    assert _data_plain(box, "dot/settings.json") == {"theme": "dark", "hooks": {"x": 1}}
    assert target.stat().st_mode & 0o777 == 0o600
    assert box.check() == ()
    box.uninstall()
    assert_same(before, box.tree())


@pytest.mark.case("SL-01")
def test_a_settings_link_that_leaves_the_home_is_refused(box: Box) -> None:
    outside = box.base / "outside.json"
    outside.write_text("{}", encoding="utf-8")
    (box.root / ".claude").mkdir()
    os.symlink(outside, box.root / SETTINGS)
    before = box.tree()
    with pytest.raises(GsdError) as caught:
        box.install(box.edit(SETTINGS, "hooks/x", 1))
    assert (caught.value.reason, caught.value.file) == ("symlink", box.path(SETTINGS))
    assert_same(before, box.tree())


def test_a_link_that_was_bent_outward_later_is_left_alone(box: Box) -> None:
    box.write(SETTINGS, "{}")
    box.install(box.edit(SETTINGS, "hooks/x", 1))
    outside = box.base / "outside.json"
    outside.write_bytes((box.root / SETTINGS).read_bytes())
    os.unlink(box.root / SETTINGS)
    os.symlink(outside, box.root / SETTINGS)
    held = outside.read_bytes()
    assert drift(box.check(), box) == {SETTINGS: "modified"}
    _, outcome = box.uninstall()
    assert outside.read_bytes() == held
    assert any("leads out" in sentence for sentence in outcome.left)


def test_a_hard_linked_settings_file_is_refused(box: Box) -> None:
    box.write(SETTINGS, "{}")
    os.link(box.root / SETTINGS, box.root / "other.json")
    with pytest.raises(GsdError) as caught:
        box.install(box.edit(SETTINGS, "hooks/x", 1))
    assert caught.value.reason == "hard_link"


def test_a_settings_path_that_is_a_directory_is_refused(box: Box) -> None:
    os.makedirs(box.path(SETTINGS))
    with pytest.raises(GsdError, match="not a file"):
        box.install(box.edit(SETTINGS, "hooks/x", 1))


def test_a_path_cannot_be_ours_and_the_user_s_at_once(box: Box) -> None:
    with pytest.raises(GsdError) as caught:
        box.install(box.file("s.json", "{}"), box.edit("s.json", "a", 1))
    assert caught.value.reason == "clash"


def test_a_settings_file_that_differs_in_case_only_is_named(box: Box) -> None:
    box.write("agents.md", "mine\n")
    with pytest.raises(GsdError) as caught:
        box.install(box.edit("AGENTS.md", "gsd", "text\n", form="block"))
    assert caught.value.reason == "collision"


@pytest.mark.case("CM-09")
def test_files_that_are_no_surface_are_not_even_read(box: Box) -> None:
    box.write("package.json", '{"name":"mine"}', 0o000)
    box.install(box.file("commands/a.md"))
    box.uninstall()
    (box.root / "package.json").chmod(0o644)
    assert box.read("package.json") == '{"name":"mine"}'


def test_check_tells_stale_and_new_entries_apart(box: Box) -> None:
    box.write(SETTINGS, "{}")
    box.install(box.edit(SETTINGS, "hooks/x", 1), box.file("a.md"))
    assert box.check(box.edit(SETTINGS, "hooks/x", 1), box.file("a.md")) == ()
    [finding] = box.check(box.edit(SETTINGS, "hooks/x", 2), box.file("a.md"))
    assert (finding.drift, finding.path) == ("stale", box.path(SETTINGS))
    [finding] = box.check(box.file("a.md"))
    assert "no longer part of it" in finding.note


def test_check_asks_only_about_the_units_it_is_given(box: Box) -> None:
    box.write(SETTINGS, "{}")
    box.install(box.file("a.md", "a\n", A), units=[A])
    box.install(box.file("b.md", "b\n", B), box.edit(SETTINGS, "hooks/x", 1, B), units=[B])
    assert box.check(box.file("a.md", "a\n", A)) == ()


class _Actor:
    """A user and three units at one settings file, in any order."""

    def __init__(self, box: Box, text: str | None) -> None:
        self.box = box
        if text is not None:
            box.write(SETTINGS, text)

    def install(self, unit: str, value: int) -> None:
        self.box.install(
            self.box.edit(SETTINGS, f"servers/{unit[0]}", {"v": value}, unit),
            self.box.edit(SETTINGS, "hooks/Stop/-", {"unit": unit, "v": value}, unit),
            units=[unit],
        )

    def uninstall(self, unit: str) -> None:
        if unit in self.box.ledger().units:
            self.box.uninstall(unit)


UNITS = ("a:x", "b:x", "c:x")
MOVES = st.lists(st.tuples(st.sampled_from(UNITS), st.sampled_from([0, 1, 2])), max_size=8)
TEXTS = st.sampled_from([
    None, "", "{}", "{}\n", '{\n  "a": 1\n}\n', MINE, '{"hooks": {}}',
    '{"hooks": {"Stop": []}, "servers": {}}', "// only a comment\n{\n}\n", '{"servers": {"z": 1,},}',
])  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(text=TEXTS, moves=MOVES)
def test_units_that_come_and_go_in_any_order_leave_the_user_s_bytes(
    text: str | None, moves: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    box = Box(tmp_path_factory.mktemp("b"))
    actor = _Actor(box, text)
    before = box.tree()
    for unit, value in moves:
        if value:
            actor.install(unit, value)
        else:
            actor.uninstall(unit)
        assert box.check() == ()
    for unit in UNITS:
        actor.uninstall(unit)
    assert_same(before, box.tree())
