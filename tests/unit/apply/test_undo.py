"""Undoing where the disk says no: carry on past a failure, tell all of them, leave nothing behind."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gsd_install.apply import disk, recovery, transaction
from gsd_install.apply import journal as journals
from gsd_install.apply.model import Options
from gsd_install.kernel.errors import GsdError
from gsd_install.testing.trees import assert_same, differences
from unit.apply.box import Box

CALLS = ("open", "write", "replace", "rename", "unlink", "mkdir", "rmdir", "chmod", "fchmod", "ftruncate")
AS_BEFORE = "everything is as it was before"


@pytest.fixture
def patch() -> Iterator[pytest.MonkeyPatch]:
    """Patches that a test can undo before it ends."""
    with pytest.MonkeyPatch.context() as context:
        yield context


def _refuse(patch: pytest.MonkeyPatch, refused: Callable[[str, str], bool], code: int) -> None:
    """Let the calls for which `refused(name, path)` holds fail before they look, as on a read-only mount."""
    for name in ("open", "unlink", "rmdir", "mkdir", "rename", "replace"):
        real = getattr(os, name)

        def wrapped(path: Any, *args: Any, real: Any = real, name: str = name, **kwargs: Any) -> Any:
            writes = name != "open" or args[0] & os.O_CREAT
            exists = name == "mkdir" and os.path.lexists(path)
            if writes and not exists and refused(name, str(path)):
                raise OSError(code, os.strerror(code), path)
            return real(path, *args, **kwargs)

        patch.setattr(os, name, wrapped)


def _read_only(patch: pytest.MonkeyPatch, folder: str) -> None:
    _refuse(patch, lambda _, path: path.startswith(folder + os.sep), errno.EROFS)


def test_a_read_only_file_system_refuses_before_it_looks(box: Box, patch: pytest.MonkeyPatch) -> None:
    Path(box.path("ro/full")).mkdir(parents=True)
    _read_only(patch, box.path("ro"))
    assert disk.drop_directory(box.path("ro/nothing"))
    disk.drop_file(box.path("ro/nothing"))
    disk.drop_file(box.path("ro/full/nothing/below"))
    with pytest.raises(OSError, match="Read-only"):
        disk.drop_directory(box.path("ro/full"))
    box.write("file", "")
    _read_only(patch, str(box.root))
    with pytest.raises(OSError, match="Read-only"):
        disk.drop_file(box.path("file"))


@pytest.mark.parametrize("folder", ["b", "z"])
def test_a_read_only_folder_leaves_nothing_where_nothing_had_been_made(
    box: Box, patch: pytest.MonkeyPatch, folder: str
) -> None:
    os.mkdir(box.path(folder))
    before = box.tree()
    _read_only(patch, box.path(folder))
    with pytest.raises(GsdError) as caught:
        box.install(box.file("a/deep/1.md"), box.file(f"{folder}/deep/2.md"), box.file("m/deep/3.md"))
    error = caught.value
    assert (error.reason, error.file) == ("permission", box.path(f"{folder}/deep"))
    assert error.message.endswith(f"read-only file system; {AS_BEFORE}")
    assert error.hint == "that file system is read-only"
    assert_same(before, box.tree())


def test_one_failure_does_not_stop_the_rest_and_all_are_told(box: Box, patch: pytest.MonkeyPatch) -> None:
    before = box.tree()
    stuck = {box.path("a/1.md"), box.path("c/3.md")}

    def commit(*_: object) -> None:
        _refuse(patch, lambda name, path: name == "unlink" and path in stuck, errno.EPERM)
        raise OSError(errno.EIO, "Input/output error")

    patch.setattr(transaction, "_commit", commit)
    with pytest.raises(GsdError) as caught:
        box.install(*(box.file(name) for name in ("a/1.md", "b/2.md", "c/3.md", "d/4.md")))
    error = caught.value
    assert (error.reason, error.file) == ("undo", box.location.ledger)
    assert error.message.count("failed") == 1
    assert "2 paths could not be put right" in error.message
    assert AS_BEFORE not in error.message
    assert {path for path in stuck if any(path in note for note in error.__notes__)} == stuck
    assert {name: box.there(name) for name in ("a/1.md", "b", "c/3.md", "d")} == {
        "a/1.md": True, "b": False, "c/3.md": True, "d": False,
    }  # fmt: skip
    assert recovery.interrupted(box.location)
    with pytest.raises(GsdError, match="2 paths could not be put right") as again:
        recovery.recover(box.location)
    assert len(again.value.__notes__) == 2
    patch.undo()
    assert recovery.recover(box.location)
    assert_same(before, box.tree())


def test_what_waits_for_a_failed_path_is_not_called_the_users(box: Box, patch: pytest.MonkeyPatch) -> None:
    box.write("a.md", "mine\n")
    before = box.tree()

    def commit(*_: object) -> None:
        _refuse(patch, lambda name, path: name == "unlink" and path == box.path("a.md"), errno.EPERM)
        raise OSError(errno.EIO, "Input/output error")

    patch.setattr(transaction, "_commit", commit)
    with pytest.raises(GsdError, match="1 path could not be put right") as caught:
        box.install(box.file("a.md"), options=Options(backup=True))
    assert not [note for note in caught.value.__notes__ if "changed since" in note]
    patch.undo()
    recovery.recover(box.location)
    assert_same(before, box.tree())


def test_a_path_the_user_changed_meanwhile_is_not_claimed_to_be_as_before(
    box: Box, patch: pytest.MonkeyPatch
) -> None:
    def commit(*_: object) -> None:
        box.write("a.md", "mine\n")
        raise OSError(errno.EIO, "Input/output error")

    patch.setattr(transaction, "_commit", commit)
    with pytest.raises(GsdError) as caught:
        box.install(box.file("a.md"))
    assert caught.value.message.endswith("; everything else is as it was before")
    assert any("a.md was changed since" in note for note in caught.value.__notes__)


def test_an_interrupt_that_cannot_be_undone_says_so(box: Box, patch: pytest.MonkeyPatch) -> None:
    def commit(*_: object) -> None:
        _refuse(patch, lambda name, path: name == "unlink" and path == box.path("a.md"), errno.EPERM)
        raise KeyboardInterrupt

    patch.setattr(transaction, "_commit", commit)
    with pytest.raises(GsdError, match="interrupted; undoing") as caught:
        box.install(box.file("a.md"))
    assert caught.value.file == box.location.state


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_a_first_install_that_fails_at_any_call_leaves_nothing(tmp_path: Path, code: int) -> None:
    count = _first(tmp_path, "count", 0, code)[1]
    assert count > 20
    failures = [_first(tmp_path, str(at), at, code)[0] for at in range(1, count + 1)]
    reasons = {failure.reason for failure in failures if failure is not None}
    assert reasons == {"full" if code == errno.ENOSPC else "permission"}


def _first(tmp_path: Path, name: str, at: int, code: int) -> tuple[GsdError | None, int]:
    """A first install whose at-th call fails, and what came of it; the home must be all old or all new."""
    (tmp_path / name).mkdir()
    box = Box(tmp_path / name)
    before = box.tree()
    calls: list[str] = []
    failure = None
    with pytest.MonkeyPatch.context() as patch:
        _nth(patch, calls, at, code)
        try:
            box.install(box.file("a/deep/1.md"), box.file("b/2.md"))
        except GsdError as error:
            failure = error
    if failure is not None and "what was asked for is done" not in failure.message:
        assert not (lines := differences(before, box.tree())), (at, calls[at - 1], str(failure), lines)
        assert not recovery.interrupted(box.location)
    else:
        assert box.there("a/deep/1.md"), (at, calls[at - 1])
    return failure, len(calls)


def _nth(patch: pytest.MonkeyPatch, calls: list[str], at: int, code: int) -> None:
    for name in CALLS:
        real = getattr(os, name)

        def wrapped(*args: Any, real: Any = real, name: str = name, **kwargs: Any) -> Any:
            if name != "open" or args[1] & os.O_CREAT:
                calls.append(name)
                if len(calls) == at:
                    raise OSError(code, os.strerror(code))
            return real(*args, **kwargs)

        patch.setattr(os, name, wrapped)


def test_the_journal_goes_with_a_repair_that_worked(box: Box, patch: pytest.MonkeyPatch) -> None:
    def commit(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    patch.setattr(transaction, "_commit", commit)
    with pytest.raises(GsdError, match=AS_BEFORE):
        box.install(box.file("a.md"))
    assert not os.path.lexists(journals.path_in(box.location.state))
