"""All or nothing: failures inside a transaction, and what the next run makes of an interrupted one."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gsd_install.apply import disk, recovery, transaction
from gsd_install.apply import journal as journals
from gsd_install.apply import lock as locks
from gsd_install.apply.model import Edit, File, Location, Options
from gsd_install.apply.plan import Plan, plan
from gsd_install.kernel.errors import GsdError
from gsd_install.testing.trees import Tree, assert_same, differences
from unit.apply.box import Box

SETTINGS = "settings.json"


class Killed(BaseException):
    """Stands for a kill: nothing below may clean up after it."""


def _scene(box: Box) -> tuple[list[File | Edit], Tree]:
    """A home where the next install creates, replaces, removes, merges, moves, edits and chmods."""
    text = "".join(f"{number}\n" for number in range(9))
    box.write(SETTINGS, '{"mine": 1}', 0o600)
    box.install(
        box.file("keep.md", "1\n"), box.file("old/gone.py", "1\n"), box.file("merge.md", text),
        box.file("run", "1\n"), box.edit(SETTINGS, "hooks/x", 1),
    )  # fmt: skip
    box.write("merge.md", text.replace("8\n", "mine\n"))
    box.write("foreign.md", "mine\n", 0o640)
    box.write("old/__pycache__/gone.cpython-311.pyc", "x")
    wanted: list[File | Edit] = [
        box.file("new/deep/a.md", "new\n"), box.file("keep.md", "2\n"),
        box.file("merge.md", text.replace("1\n", "one\n")),
        box.file("foreign.md", "ours\n"), box.file("run", "1\n", x=True), box.edit(SETTINGS, "hooks/x", 2),
    ]  # fmt: skip
    return wanted, box.tree()


def _install(box: Box, wanted: list[File | Edit]) -> Plan:
    return box.install(*wanted, options=Options(backup=True))[0]


def test_the_scene_uses_every_action_that_writes(box: Box) -> None:
    wanted, before = _scene(box)
    found = {operation.action for operation in _install(box, wanted).operations}
    assert found == {"create", "replace", "remove", "merge", "edit", "chmod", "backup"}
    assert differences(before, box.tree())
    assert not box.there("old")


def _wrap(patch: pytest.MonkeyPatch, at: int, act: Callable[[], None], *, onward: bool = False) -> list[str]:
    """Call `act` before the at-th call that changes the disk, or from there on; returns the calls."""
    calls: list[str] = []
    for name in (
        "open",
        "write",
        "replace",
        "rename",
        "unlink",
        "mkdir",
        "rmdir",
        "chmod",
        "fchmod",
        "fsync",
        "ftruncate",
    ):
        real = getattr(os, name)

        def wrapped(*args: Any, real: Any = real, name: str = name, **kwargs: Any) -> Any:
            if name != "open" or args[1] & os.O_CREAT:
                calls.append(name)
                if len(calls) == at or (onward and len(calls) > at):
                    act()
            return real(*args, **kwargs)

        patch.setattr(os, name, wrapped)
    return calls


def _count(tmp_path: Path) -> int:
    (tmp_path / "count").mkdir()
    box = Box(tmp_path / "count")
    wanted, _ = _scene(box)
    with pytest.MonkeyPatch.context() as patch:
        calls = _wrap(patch, 0, lambda: None)
        _install(box, wanted)
    assert len(calls) > 40
    return len(calls)


@pytest.mark.case("UP-05")
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_any_call_that_fails_once_undoes_everything(tmp_path: Path, code: int) -> None:
    def fail() -> None:
        raise OSError(code, os.strerror(code))

    outcomes = set()
    for at in range(1, _count(tmp_path) + 1):
        (tmp_path / f"{at}").mkdir()
        box = Box(tmp_path / f"{at}")
        wanted, before = _scene(box)
        with pytest.MonkeyPatch.context() as patch:
            _wrap(patch, at, fail)
            failure = _failure(box, wanted)
        assert failure is None or failure.file, at
        outcomes |= {_settled(box, before, at), "done" if failure is None else "undone"}
        _install(box, wanted)
        assert box.read("new/deep/a.md") == "new\n"
        assert not [name for _, _, names in os.walk(box.base) for name in names if name.endswith(".gsd-tmp")]
    assert {"old", "new", "undone"} <= outcomes


def _failure(box: Box, wanted: list[File | Edit]) -> GsdError | None:
    try:
        _install(box, wanted)
    except GsdError as error:
        return error
    return None


@pytest.mark.case("UP-05")
def test_a_disk_that_stays_full_costs_nothing(tmp_path: Path) -> None:
    """Undoing fails as well then; the next run, with room again, does it."""

    def full() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    seen = set()
    for at in range(1, _count(tmp_path) + 1):
        (tmp_path / f"{at}").mkdir()
        box = Box(tmp_path / f"{at}")
        wanted, before = _scene(box)
        with pytest.MonkeyPatch.context() as patch:
            _wrap(patch, at, full, onward=True)
            with pytest.raises(GsdError) as caught:
                _install(box, wanted)
        assert caught.value.reason in {"full", "undo"}
        seen |= {_settled(box, before, at), caught.value.reason}
        _install(box, wanted)
    assert seen == {"old", "new", "full", "undo"}


def _settled(box: Box, before: Tree, at: int) -> str:
    """Repair, then the tree must be all old or all new."""
    recovery.recover(box.location)
    after = box.tree()
    facts = (".local/state/gsd-install/global/lock",)
    lines = [line for line in differences(before, after) if not line.endswith(facts)]
    if not lines:
        return "old"
    assert box.read("keep.md") == "2\n", (at, lines)
    assert box.read("new/deep/a.md") == "new\n", (at, lines)
    assert not box.there("old"), (at, lines)
    assert {finding.path for finding in box.check()} == {box.path("merge.md")}, at
    return "new"


@pytest.mark.case("UP-05", "CA-05")
def test_a_kill_before_any_call_is_repaired_by_the_next_run(tmp_path: Path) -> None:
    def kill() -> None:
        raise Killed

    def released(_: Location, held: locks.Lock) -> None:
        os.close(held.descriptor)
        raise Killed  # at the latest: a kill before one of the calls of a release

    seen = set()
    for at in range(1, _count(tmp_path) + 1):
        (tmp_path / f"{at}").mkdir()
        box = Box(tmp_path / f"{at}")
        wanted, before = _scene(box)
        with pytest.MonkeyPatch.context() as patch:
            # A killed process undoes nothing, releases nothing and removes no temporary file.
            patch.setattr(transaction, "_undo", lambda *_: None)
            patch.setattr(locks, "release", released)
            patch.setattr(contextlib, "suppress", _Never)
            _wrap(patch, at, kill)
            with pytest.raises(Killed):
                _install(box, wanted)
        seen.add(_settled(box, before, at))
        _install(box, wanted)
        assert box.read("new/deep/a.md") == "new\n"
        assert not [name for _, _, names in os.walk(box.base) for name in names if name.endswith(".gsd-tmp")]
    assert seen == {"old", "new"}


class _Never:
    def __init__(self, *_: object) -> None:
        pass

    def __enter__(self) -> None:
        raise Killed

    def __exit__(self, *_: object) -> None:
        pass


def _interrupted(box: Box, wanted: list[File | Edit]) -> None:
    """An install that is killed right before its ledger would be replaced."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transaction, "_undo", lambda *_: None)

        def kill(*_: object) -> None:
            raise Killed

        patch.setattr(transaction, "_commit", kill)
        with pytest.raises(Killed):
            _install(box, wanted)


def test_the_repair_is_told(box: Box) -> None:
    wanted, before = _scene(box)
    _interrupted(box, wanted)
    assert differences(before, box.tree())
    _, outcome = box.install(*wanted, options=Options(backup=True))
    assert any("is now undone" in sentence for sentence in outcome.recovered)


def test_the_repair_is_told_even_when_the_plan_fails(box: Box) -> None:
    wanted, _ = _scene(box)
    _interrupted(box, wanted)
    with pytest.raises(GsdError) as caught:
        box.install(*wanted)
    assert any("is now undone" in note for note in caught.value.__notes__)


@pytest.mark.parametrize(
    "name", ["keep.md", "new/deep/a.md", "merge.md", SETTINGS, "foreign.md", "foreign.md.gsd-backup"]
)
def test_a_file_that_the_user_changed_after_a_crash_is_left_and_reported(box: Box, name: str) -> None:
    wanted, _ = _scene(box)
    _interrupted(box, wanted)
    box.write(name, "changed by the user\n")
    told = recovery.recover(box.location)
    assert box.read(name) == "changed by the user\n"
    assert any("left as it is" in sentence for sentence in told)
    for other, text in {"keep.md": "1\n", SETTINGS: '"x": 1'}.items():
        if other != name:
            assert text in box.read(other)


def test_a_file_that_the_user_made_where_we_removed_one_is_left(box: Box) -> None:
    wanted, _ = _scene(box)
    _interrupted(box, wanted)
    box.write("old/gone.py", "new module of mine\n")
    recovery.recover(box.location)
    assert box.read("old/gone.py") == "new module of mine\n"


def test_a_directory_that_the_user_removed_after_a_crash_is_not_brought_back(box: Box) -> None:
    wanted, _ = _scene(box)
    _interrupted(box, wanted)
    for name in os.listdir(box.path("old/__pycache__")):
        os.unlink(box.path(f"old/__pycache__/{name}"))
    os.rmdir(box.path("old/__pycache__"))
    os.rmdir(box.path("old"))
    told = recovery.recover(box.location)
    assert not box.there("old")
    assert any("gone.py" in sentence for sentence in told)
    assert recovery.recover(box.location) == ()


def test_recovery_twice_is_recovery_once(box: Box) -> None:
    wanted, before = _scene(box)
    _interrupted(box, wanted)
    recovery.recover(box.location)
    once = box.tree()
    assert recovery.recover(box.location) == ()
    assert_same(once, box.tree())
    assert_same(before, box.tree())


def test_a_damaged_journal_is_never_guessed_over(box: Box) -> None:
    wanted, _ = _scene(box)
    _interrupted(box, wanted)
    path = journals.path_in(box.location.state)
    whole = Path(path).read_bytes()
    for damaged in (b"", b"{}", whole[: len(whole) // 2], whole[:-1], whole.replace(b'"mine"', b'"MINE"')):
        Path(path).write_bytes(damaged)
        before = box.tree()
        with pytest.raises(GsdError) as caught:
            recovery.recover(box.location)
        assert (caught.value.reason, caught.value.file) == ("journal", path)
        assert_same(before, box.tree())
    Path(path).write_bytes(whole)
    assert recovery.recover(box.location)


@pytest.mark.parametrize(
    "name", ["keep.md", "new/deep/a.md", "foreign.md", SETTINGS, "old/gone.py", "foreign.md.gsd-backup"]
)
def test_a_path_that_changes_between_plan_and_write_stops_the_run(box: Box, name: str) -> None:
    wanted, _ = _scene(box)

    def planned() -> Plan:
        made = plan(box.location, box.desired(*wanted), Options(backup=True))
        box.write(name, "written meanwhile\n")
        return made

    with pytest.raises(GsdError) as caught:
        transaction.execute(box.location, planned)
    assert caught.value.reason == "changed"
    # Of a directory that is new to us, what is named is the directory.
    assert caught.value.file in {box.path(name), box.path("foreign.md"), box.path(name.partition("/")[0])}
    assert box.read(name) == "written meanwhile\n"
    for other, text in {"keep.md": "1\n", "old/gone.py": "1\n", "foreign.md": "mine\n"}.items():
        if other != name:
            assert box.read(other) == text


@pytest.mark.parametrize("name", ["keep.md", "foreign.md", SETTINGS, "old/gone.py"])
def test_a_file_that_goes_between_plan_and_write_stops_the_run(box: Box, name: str) -> None:
    wanted, _ = _scene(box)

    def planned() -> Plan:
        made = plan(box.location, box.desired(*wanted), Options(backup=True))
        os.unlink(box.path(name))
        return made

    with pytest.raises(GsdError) as caught:
        transaction.execute(box.location, planned)
    assert (caught.value.reason, caught.value.file) == ("changed", box.path(name))
    assert not box.there(name)
    assert not box.there("new")


def test_an_interrupt_undoes_everything(box: Box) -> None:
    wanted, before = _scene(box)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transaction, "_commit", interrupt)
        with pytest.raises(KeyboardInterrupt):
            _install(box, wanted)
    assert_same(before, box.tree())


def test_an_interrupt_right_after_the_commit_finishes_the_job(box: Box) -> None:
    wanted, before = _scene(box)
    real = transaction._commit

    def interrupt(*args: Any) -> None:
        real(*args)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transaction, "_commit", interrupt)
        with pytest.raises(KeyboardInterrupt):
            _install(box, wanted)
    assert _settled(box, before, 0) == "new"


def test_an_undo_that_fails_leaves_the_journal_for_the_next_run(box: Box) -> None:
    wanted, before = _scene(box)

    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:

        def commit(*_: object) -> None:
            patch.setattr(disk, "put", lambda *_, **__: full())
            full()

        patch.setattr(transaction, "_commit", commit)
        with pytest.raises(GsdError) as caught:
            _install(box, wanted)
    assert caught.value.reason == "undo"
    assert "no space left" in caught.value.message
    assert os.path.exists(journals.path_in(box.location.state))
    assert recovery.recover(box.location)
    assert_same(before, box.tree())


def test_a_full_disk_is_told_with_path_and_hint(box: Box) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = box.tree()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(GsdError) as caught:
            box.install(box.file("a.md"))
    assert (caught.value.reason, caught.value.exit_code) == ("full", 1)
    assert "free some space" in (caught.value.hint or "")
    assert_same(before, box.tree())


@pytest.mark.case("UN-08")
def test_an_uninstall_that_cannot_remove_one_file_changes_nothing(box: Box) -> None:
    """All or nothing, so that the ledger never disagrees with the disk; the next run finishes it."""
    box.install(box.file("a.md"), box.file("b.md"), box.file("c.md"))
    before = box.tree()
    real = os.unlink

    def unlink(path: str, **kwargs: Any) -> None:
        if path.endswith("b.md"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        real(path, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "unlink", unlink)
        with pytest.raises(GsdError) as caught:
            box.uninstall()
    assert (caught.value.reason, caught.value.file) == ("permission", box.path("b.md"))
    assert_same(before, box.tree())
    box.uninstall()
    assert os.listdir(box.root) == []


def test_nothing_is_deleted_and_recreated(box: Box) -> None:
    box.install(*[box.file(f"d/{number}.md", "1\n") for number in range(4)])
    with pytest.MonkeyPatch.context() as patch:
        removed = _spy(patch, "unlink")
        box.install(*[box.file(f"d/{number}.md", "2\n") for number in range(4)])
    assert removed == [journals.path_in(box.location.state)]


def _spy(patch: pytest.MonkeyPatch, name: str) -> list[Any]:
    """The first argument of every call of a function of `os`."""
    seen: list[Any] = []
    real = getattr(os, name)

    def spied(first: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(first)
        return real(first, *args, **kwargs)

    patch.setattr(os, name, spied)
    return seen


def test_only_files_of_the_user_are_flushed_to_the_disk(box: Box) -> None:
    with pytest.MonkeyPatch.context() as patch:
        flushed = _spy(patch, "fsync")
        box.install(box.file("a.md"), box.file("b.md"))
        assert flushed == []
        box.install(box.file("a.md"), box.file("b.md"), box.edit(SETTINGS, "x", 1))
        assert len(flushed) == 2, "the settings file and the journal that could restore it"


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser gives files away")
def test_the_superuser_builds_an_image_that_belongs_to_its_user(box: Box) -> None:
    os.chown(box.home, 1234, 2345)
    box.write(SETTINGS, "{}")
    os.chown(box.path(SETTINGS), 1111, 2222)
    box.install(box.file(".claude/a.md"), box.edit(SETTINGS, "x", 1))
    for folder, names, files in os.walk(box.home):
        for name in [*names, *files]:
            status = os.lstat(os.path.join(folder, name))
            expected = (1111, 2222) if name == SETTINGS else (1234, 2345)
            assert (status.st_uid, status.st_gid) == expected, name
    box.uninstall()
    assert os.listdir(box.home) == [SETTINGS]
    assert os.stat(box.path(SETTINGS)).st_uid == 1111
