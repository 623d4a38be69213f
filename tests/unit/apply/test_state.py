"""The state directory and the lock: made on demand, gone with the last unit, one owner at a time."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gsd_install.apply import flock, lock, statedir
from gsd_install.apply.plan import Plan, plan
from gsd_install.apply.transaction import execute, recover
from gsd_install.kernel.errors import LOCKED, GsdError, LockedError
from gsd_install.testing.trees import assert_same
from unit.apply.box import Box

STRAY = ".gsd-install.gsd-tmp"


def test_missing_parents_are_made_and_go_again(box: Box) -> None:
    before = box.tree()
    box.install(box.file("a.md"))
    assert (box.home / ".local/state/gsd-install/created").read_bytes() == b"2"
    assert (box.home / ".local/state").stat().st_mode & 0o777 == 0o700
    box.uninstall()
    assert_same(before, box.tree())


def test_parents_that_were_there_stay(box: Box) -> None:
    (box.home / ".local/state").mkdir(parents=True)
    before = box.tree()
    box.install(box.file("a.md"))
    assert not (box.home / ".local/state/gsd-install/created").exists()
    box.uninstall()
    assert_same(before, box.tree())


def test_parents_that_the_user_fills_stay(box: Box) -> None:
    box.install(box.file("a.md"))
    box.write(".local/state/other-tool", "x")
    box.uninstall()
    assert sorted(path.relative_to(box.home).as_posix() for path in box.home.rglob("*")) == [
        ".local", ".local/state", ".local/state/other-tool",
    ]  # fmt: skip


@pytest.mark.parametrize("first", ["global", "project"])
def test_locations_share_the_parents_and_the_last_one_takes_them_away(tmp_path: Path, first: str) -> None:
    home = Box(tmp_path)
    project = Box(tmp_path, "project")
    assert home.home == project.home
    before = home.tree()
    boxes = [home, project] if first == "global" else [project, home]
    for box in boxes:
        box.install(box.file("a.md"))
    for box in boxes:
        assert box.check() == ()
        box.uninstall()
    assert_same(before, home.tree())


def test_a_failed_first_install_leaves_no_state(box: Box) -> None:
    box.write("a.md", "mine\n")
    before = box.tree()
    with pytest.raises(GsdError):
        box.install(box.file("a.md"))
    assert_same(before, box.tree())


def test_recover_creates_nothing_where_there_is_nothing(box: Box) -> None:
    before = box.tree()
    assert recover(box.location) == ()
    assert_same(before, box.tree())


@pytest.mark.parametrize("made", [0, 1, 2, 3])
@pytest.mark.parametrize("text", [b"2", b""])
def test_a_creation_that_was_killed_is_undone(box: Box, made: int, text: bytes) -> None:
    """The record is written before the first directory; an empty one means: none was made yet."""
    before = box.tree()
    if text:
        for name in [".local", ".local/state", ".local/state/gsd-install"][:made]:
            (box.home / name).mkdir()
    (box.home / STRAY).write_bytes(text)
    assert recover(box.location) != ()
    if made == 3 and text:
        assert recover(box.location) == ()
    box.install(box.file("a.md"))
    box.uninstall()
    assert_same(before, box.tree())


@pytest.mark.parametrize("scope", ["global", "project"])
def test_a_removal_that_was_killed_is_finished(tmp_path: Path, scope: str) -> None:
    """Killed after the state directory went, before the directories above it did."""
    box = Box(tmp_path, "project" if scope == "project" else "global")
    before = box.tree()
    box.install(box.file("a.md"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statedir, "_remove_top", lambda _: None)
        box.uninstall()
    assert (box.home / ".local/state/gsd-install/created").exists()
    recover(box.location)
    assert_same(before, box.tree())


def test_a_record_beside_a_finished_directory_is_put_away(box: Box) -> None:
    box.install(box.file("a.md"))
    (box.home / STRAY).write_bytes(b"")
    box.install(box.file("a.md"))
    assert not (box.home / STRAY).exists()
    assert (box.home / ".local/state/gsd-install/created").read_bytes() == b"2"


def test_unknown_files_in_the_state_directory_stay(box: Box) -> None:
    box.install(box.file("a.md"))
    note = Path(box.location.state) / "note-to-self"
    note.write_text("mine", encoding="utf-8")
    box.uninstall()
    assert note.read_text(encoding="utf-8") == "mine"
    assert sorted(os.listdir(box.location.state)) == ["note-to-self"]


@pytest.mark.case("CA-03")
def test_a_live_holder_is_named_with_exit_code_5(box: Box) -> None:
    def act(wait_for: Callable[[], None]) -> None:
        wait_for()
        with pytest.raises(LockedError) as caught:
            box.install(box.file("b.md"))
        assert caught.value.exit_code == LOCKED
        assert f"process {os.getpid()} " in caught.value.message
        assert caught.value.hint

    _while_writing(box, act)
    assert not box.there("b.md")


def _while_writing(box: Box, act: Callable[[Callable[[], None]], None]) -> None:
    """Call `act` from within an install that holds the lock and has said so."""
    from gsd_install.apply import transaction

    real = transaction._commit

    def commit(*args: object) -> None:
        act(lambda: None)
        real(*args)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transaction, "_commit", commit)
        box.install(box.file("a.md"))


def test_a_holder_that_only_plans_is_busy_without_a_name(box: Box) -> None:
    box.install(box.file("a.md"))
    held = lock.acquire(box.location)
    with pytest.raises(LockedError, match="another gsd-install is working"):
        lock.acquire(box.location, wait=0)
    lock.release(box.location, held)
    lock.release(box.location, lock.acquire(box.location, wait=0))


@pytest.mark.case("CA-03")
def test_garbage_in_a_lock_file_frees_nothing_and_blocks_nothing(box: Box) -> None:
    box.install(box.file("a.md"))
    path = Path(box.location.state) / flock.NAME
    path.write_bytes(b"\xff\xfe garbage")
    held = lock.acquire(box.location, wait=0)
    with pytest.raises(LockedError):
        lock.acquire(box.location, wait=0)
    lock.release(box.location, held)
    assert path.read_bytes() == b""
    lock.release(box.location, lock.acquire(box.location, wait=0))


@pytest.mark.case("CA-03")
def test_the_lock_of_a_killed_process_is_free_and_its_end_is_told(box: Box) -> None:
    box.install(box.file("a.md"))
    script = (
        "import os, signal, sys\n"
        "from gsd_install.apply import flock, lock\n"
        "fd = flock.take(sys.argv[1])\n"
        "lock.claim(lock.Lock(fd, ''))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    path = os.path.join(box.location.state, flock.NAME)
    killed = subprocess.run([sys.executable, "-c", script, path], check=False)
    assert killed.returncode == -9
    _, outcome = box.install(box.file("a.md", "2\n"))
    assert any("died while it held the lock" in sentence for sentence in outcome.recovered)
    assert Path(path).read_bytes() == b""


def test_a_lock_file_that_its_last_holder_removed_does_not_count(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    first = flock.take(path)
    assert first is not None
    stale = os.open(path, os.O_RDWR)
    os.unlink(path)
    os.close(first)
    second = flock.take(path)
    assert second is not None
    assert not os.path.samestat(os.fstat(second), os.fstat(stale))
    assert flock.take(path) is None
    os.close(second)
    os.close(stale)


def test_a_lock_that_was_waited_for_on_a_removed_file_does_not_count(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    opened = [os.open(path, os.O_RDWR | os.O_CREAT)]
    os.unlink(path)
    real = os.open
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", lambda *args: opened.pop() if opened else real(*args))
        taken = flock.take(path)
    assert taken is not None
    assert os.path.samestat(os.fstat(taken), os.stat(path))
    os.close(taken)


def test_a_directory_that_cannot_be_made_is_a_clear_error(box: Box) -> None:
    box.write(".local", "I am a file\n")
    before = box.tree()
    with pytest.raises(GsdError) as caught:
        box.install(box.file("a.md"))
    assert "lock" in caught.value.message
    assert_same(before, box.tree())


def test_a_state_directory_that_is_a_broken_link_is_a_clear_error(box: Box) -> None:
    Path(box.location.state).parent.mkdir(parents=True)
    os.symlink("nowhere", box.location.state)
    with pytest.raises(GsdError):
        box.install(box.file("a.md"))


def test_planning_happens_under_the_lock(box: Box) -> None:
    box.install(box.file("a.md"))

    def planned() -> Plan:
        with pytest.raises(LockedError):
            lock.acquire(box.location, wait=0)
        return plan(box.location, box.desired(box.file("a.md")))

    execute(box.location, planned)


def test_settle_reports_whether_there_was_something(box: Box) -> None:
    assert not statedir.settle(box.location)
    (box.home / STRAY).write_bytes(b"")
    assert statedir.settle(box.location)
    assert os.listdir(box.home) == []
