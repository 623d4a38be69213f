"""Any sequence of installs, upgrades, uninstalls and user edits: no line of the user's is ever lost."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.apply.model import Edit, File, Options
from gsd_install.kernel.errors import GsdError
from gsd_install.testing.trees import assert_same
from unit.apply.box import Box

NAMES = ("a.md", "dir/b.md", "dir/sub/c.md")
UNITS = ("x:gsd", "y:gsd")
SETTINGS = "settings.json"

INSTALL = st.tuples(
    st.just("install"),
    st.sampled_from(UNITS),
    st.integers(0, 3),
    st.sets(st.sampled_from(NAMES)),
    st.booleans(),
)
UNINSTALL = st.tuples(st.just("uninstall"), st.sampled_from(UNITS))
EDIT = st.tuples(st.just("edit"), st.sampled_from(NAMES), st.integers(0, 12))
DELETE = st.tuples(st.just("delete"), st.sampled_from(NAMES))
OWN = st.tuples(st.just("own"), st.sampled_from(["dir/mine.md", "mine.md", "dir/sub/mine.md"]))
SETTING = st.tuples(st.just("setting"), st.integers(0, 99))
MOVES = st.lists(st.one_of(INSTALL, INSTALL, UNINSTALL, EDIT, EDIT, DELETE, OWN, SETTING), max_size=14)


def _text(name: str, version: int) -> str:
    """Ten lines; each version changes another one."""
    return "".join(f"{name} {line}{f' v{version}' if line == 3 * version else ''}\n" for line in range(10))


class User:
    """What the user wrote, and must find again."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.lines: dict[str, set[str]] = {name: set() for name in NAMES}
        self.own: dict[str, str] = {}
        self.settings: set[str] = set()
        self._numbers: Iterator[int] = iter(range(1000))
        box.write(SETTINGS, "{\n  // mine\n}\n")

    def edit(self, name: str, at: int) -> None:
        if not self.box.there(name):
            return
        line = f"user line {next(self._numbers)}\n"
        lines = self.box.read(name).splitlines(keepends=True)
        self.box.write(name, "".join([*lines[:at], line, *lines[at:]]))
        self.lines[name].add(line)

    def delete(self, name: str) -> None:
        if self.box.there(name):
            os.unlink(self.box.path(name))
            self.lines[name].clear()

    def create(self, name: str) -> None:
        self.own[name] = f"own text {next(self._numbers)}\n"
        self.box.write(name, self.own[name])

    def setting(self, number: int) -> None:
        key = f'"user{number}"'
        text = self.box.read(SETTINGS)
        if key not in self.settings:
            self.box.write(SETTINGS, text.replace("{\n  // mine\n", f"{{\n  // mine\n  {key}: 1,\n", 1))
            self.settings.add(key)

    def verify(self) -> None:
        for name, lines in self.lines.items():
            files = [path for path in (name, f"{name}.gsd-backup") if self.box.there(path)]
            assert lines <= {line for path in files for line in self.box.read(path).splitlines(keepends=True)}
        for name, text in self.own.items():
            assert self.box.read(name) == text
        text = self.box.read(SETTINGS)
        assert text.startswith("{\n  // mine\n")
        assert all(key in text for key in self.settings)


def _install(box: Box, unit: str, version: int, names: set[str], backup: bool) -> None:
    wanted: list[File | Edit] = [box.file(name, _text(name, version), unit) for name in sorted(names)]
    wanted.append(box.edit(SETTINGS, f"servers/{unit[0]}", {"v": version}, unit))
    before = box.tree()
    failure = _failure(box, unit, wanted, backup)
    if failure is not None:
        assert failure.reason in {"foreign", "several"}, failure
        assert_same(before, box.tree())
        return
    plan, _ = box.install(*wanted, units=[unit], options=Options(backup=backup))
    assert not plan.changed, "a second run has nothing to do"


def _failure(box: Box, unit: str, wanted: list[File | Edit], backup: bool) -> GsdError | None:
    try:
        box.install(*wanted, units=[unit], options=Options(backup=backup))
    except GsdError as error:
        return error
    return None


@settings(max_examples=120, deadline=None)
@given(moves=MOVES)
def test_no_line_of_the_user_s_is_ever_lost(
    moves: list[tuple[object, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    box = Box(tmp_path_factory.mktemp("s"))
    user = User(box)
    acts: dict[str, Callable[..., object]] = {
        "install": lambda *args: _install(box, *args),
        "uninstall": lambda unit: box.uninstall(unit),
        "edit": user.edit,
        "delete": user.delete,
        "own": user.create,
        "setting": user.setting,
    }
    for name, *args in moves:
        acts[str(name)](*args)
        user.verify()
    box.uninstall(*UNITS)
    user.verify()
    _only_the_user_s_remains(box, user)


def _only_the_user_s_remains(box: Box, user: User) -> None:
    left = {
        os.path.relpath(os.path.join(folder, name), box.root)
        for folder, _, names in os.walk(box.root)
        for name in names
    }
    edited = {name for name in NAMES if box.there(name)}
    backups = {name for name in left if name.endswith(".gsd-backup")}
    assert {name.removesuffix(".gsd-backup") for name in backups} <= edited
    assert left - backups == {SETTINGS, *user.own, *edited}
    assert all(user.lines[name] for name in edited), "an untouched file of ours stayed"
    assert '"servers"' not in box.read(SETTINGS)
