"""One writer at a time: a kernel lock around every read, change and write of shared planning files.

The lock is on the folder `.planning` itself, so that it leaves no file behind and no change in what git
reports; it ends with its owner, however that dies. Where a folder cannot be locked (Windows, some network
file systems) a file in the temporary folder, named after the project, stands in for it.
"""

from __future__ import annotations

import contextlib
import os
import sys

from gsd_install.kernel.errors import LockedError
from gsd_install.kernel.files import remove_abandoned
from gsd_install.kernel.record import TYPE_CHECKING

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

from gsd_capabilities.companion.planning_text import system_errors
from gsd_capabilities.companion.project import require

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gsd_capabilities.companion.project import Project

WAIT_SECONDS = 20.0
# Where the lock is only of this machine, another one may be writing: its files are younger.
ABANDONED_SECONDS = 60.0
_PAUSE_SECONDS = 0.002
# Folders of the planning files in which files are replaced, and killed writers leave what they wrote.
_WRITTEN = ("", "memory", os.path.join("memory", "archive"), "work", os.path.join("work", "sessions"))


@contextlib.contextmanager
def locked(project: Project, *, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock of `project`; not to be nested. Waits at most `wait` seconds.

    Raises LockedError, and GsdError `no_project`.
    """
    import time

    folder = os.path.realpath(require(project).shared)
    end = time.monotonic() + wait
    while (descriptor := _taken(project, folder)) is None:
        if time.monotonic() >= end:
            hint = "wait until it is done, then try again"
            message = "another process is changing the planning files"
            raise LockedError(message, reason="locked", file=project.shown(project.shared), hint=hint)
        time.sleep(_PAUSE_SECONDS)
    try:
        before = time.time() - ABANDONED_SECONDS
        for name in _WRITTEN:
            remove_abandoned(os.path.join(folder, name), before)
        yield
    finally:
        os.close(descriptor)


def stand_in(folder: str) -> str:
    """The file that is locked where `folder` itself cannot be."""
    import hashlib
    import tempfile

    name = hashlib.sha256(os.path.normcase(folder).encode()).hexdigest()[:32]
    return os.path.join(tempfile.gettempdir(), f"gsd-{name}.lock")


def _taken(project: Project, folder: str) -> int | None:
    with system_errors(project, project.shared):
        return _take(folder)


def _take(folder: str) -> int | None:
    """A descriptor that holds the lock, or None while another process has it."""
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            return _locked(descriptor)
        except OSError as error:
            if not _unsupported(error):
                raise
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    return _locked(os.open(stand_in(folder), flags, 0o600))


def _unsupported(error: OSError) -> bool:
    import errno

    return error.errno in (errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)


def _locked(descriptor: int) -> int | None:
    """`descriptor` with the lock on it; closed when it cannot be had. Raises OSError."""
    try:
        _lock(descriptor)
    except (BlockingIOError, PermissionError):
        os.close(descriptor)
        return None
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


if sys.platform == "win32":

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
