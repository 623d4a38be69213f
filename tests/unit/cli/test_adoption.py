"""Taking over files: exactly those that are as we would write them, compared again at the last moment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.apply import adoption
from gsd_install.apply.ledger import load
from gsd_install.apply.location import global_location
from gsd_install.apply.model import Desired, File, Location, Options
from gsd_install.apply.plan import Plan
from gsd_install.apply.transaction import execute
from gsd_install.kernel.errors import GsdError
from gsd_install.runtime.platform import Platform
from gsd_install.testing.trees import assert_same, snapshot

UNIT = "host:content"


@pytest.fixture
def location(tmp_path: Path) -> Location:
    return at(tmp_path)


def at(folder: Path) -> Location:
    home = folder / "home"
    home.mkdir()
    return global_location(Platform("linux", str(home), {}, str(home)))


def desired(location: Location, files: dict[str, bytes], *, x: bool = False) -> Desired:
    wanted = tuple(
        File(os.path.join(location.root, path), data, x, location.root, (UNIT,))
        for path, data in files.items()
    )
    return Desired({UNIT: {"v": 1}}, frozenset(), wanted, ())


def write(location: Location, files: dict[str, bytes]) -> None:
    for path, data in files.items():
        target = Path(location.root, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def adopt(location: Location, wanted: Desired, options: Options = Options()) -> Plan:  # noqa: B008
    plan, _ = execute(location, lambda: adoption.plan(location, wanted, options))
    return plan


def test_the_three_states_are_told_apart(location: Location) -> None:
    wanted = desired(location, {"own/a": b"a", "own/b": b"b", "own/c": b"c", "own/d": b"d"})
    write(location, {"own/a": b"a", "own/b": b"x"})
    Path(location.root, "own/d").symlink_to("a")
    seen = adoption.survey(location, load(location), wanted)
    assert [item.state for item in seen] == ["equal", "differing", "missing", "differing"]


def test_a_file_that_changes_before_the_commit_is_not_taken(location: Location) -> None:
    wanted = desired(location, {"own/a": b"a", "own/b": b"b"})
    write(location, {"own/a": b"a", "own/b": b"b"})

    def make() -> Plan:
        plan = adoption.plan(location, wanted, Options())
        write(location, {"own/b": b"changed"})
        return plan

    with pytest.raises(GsdError, match="changed while we were at work"):
        execute(location, make)
    assert not load(location).files
    assert Path(location.root, "own/b").read_bytes() == b"changed"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such bit")
def test_a_script_that_lost_its_bit_gets_it_back(location: Location) -> None:
    write(location, {"own/run": b"#!/bin/sh\n"})
    Path(location.root, "own/run").chmod(0o640)
    plan = adopt(location, desired(location, {"own/run": b"#!/bin/sh\n"}, x=True))
    assert [operation.action for operation in plan.operations] == ["chmod"]
    assert Path(location.root, "own/run").stat().st_mode & 0o777 == 0o750


def test_shared_texts_alone_are_no_unit(location: Location) -> None:
    files = {".gsd/content/a.md": b"a", "own/a": b"a"}
    write(location, {".gsd/content/a.md": b"a"})
    before = snapshot(location.root)
    assert not adopt(location, desired(location, files)).changed
    assert_same(before, snapshot(location.root))
    write(location, {"own/a": b"a"})
    assert set(adopt(location, desired(location, files)).ledger_after.files) == set(files)


def test_a_file_that_two_would_have_proves_only_the_one_without_any_of_its_own(location: Location) -> None:
    files = desired(location, {"both/skill": b"s", "own/a": b"a"}).files
    both = files[0]._replace(owners=("first:content", "second:content"))
    units = {"first:content": {"v": 1}, "second:content": {"v": 1}}
    write(location, {"both/skill": b"s"})
    for owner, other in (("first:content", "second:content"), ("second:content", "first:content")):
        wanted = Desired(units, frozenset(), (both, files[1]._replace(owners=(owner,))), ())
        seen = adoption.survey(location, load(location), wanted)
        assert adoption.units(location, load(location), seen) == {other}


def test_a_directory_with_something_else_in_it_is_not_ours(location: Location) -> None:
    write(location, {"own/deep/a": b"a", "own/mine": b"mine", "whole/deep/b": b"b"})
    plan = adopt(location, desired(location, {"own/deep/a": b"a", "whole/deep/b": b"b"}))
    assert plan.ledger_after.dirs >= {"own/deep", "whole", "whole/deep"}
    assert "own" not in plan.ledger_after.dirs


NAMES = st.sampled_from(["own/a", "own/b", "own/deep/c", ".gsd/d", "other/e"])
TREES = st.dictionaries(NAMES, st.sampled_from([b"one\n", b"two\n"]), max_size=5)


@settings(max_examples=60, deadline=None)
@given(wanted=TREES, there=TREES, backup=st.booleans())
def test_adopting_and_removing_again_takes_only_what_was_equal(
    tmp_path_factory: pytest.TempPathFactory, wanted: dict[str, bytes], there: dict[str, bytes], backup: bool
) -> None:
    location = at(tmp_path_factory.mktemp("any"))
    write(location, there)
    plan = adopt(location, desired(location, wanted), Options(backup=backup))
    taken = UNIT in plan.ledger_after.units
    equal = {path for path in wanted if taken and there.get(path) == wanted[path]}
    assert {key for key, owned in plan.ledger_after.files.items() if not owned.backup} == equal
    execute(location, lambda: adoption.planning.plan(location, Desired({}, frozenset({UNIT}), (), ())))
    root = Path(location.root)
    files = {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }
    assert files == {path: data for path, data in there.items() if path not in equal}
