"""One process at a time: a kernel lock on a file, which dies with its owner.

`fcntl.flock` and `msvcrt.locking` are called directly: filelock, which wraps the same two calls, takes
25 to 70 ms to import, and that is more than a whole install.
"""

from __future__ import annotations

import contextlib
import os
import sys

from gsd_install.kernel.record import TYPE_CHECKING

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "lock"

_OPEN = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_FAR = 1 << 30  # Windows locks are mandatory: one byte far behind the text leaves the text readable


def take(path: str, *, create: bool = True) -> int | None:
    """Open and lock a file; None while another process holds it.

    The descriptor that comes back is of the file that is at `path` now: one that its last holder
    removed in the meantime does not count. Raises OSError.
    """
    while True:
        descriptor = os.open(path, _OPEN | (os.O_CREAT if create else 0), 0o600)
        try:
            if not _locked(descriptor):
                os.close(descriptor)
                return None
            if _is_at(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


@contextlib.contextmanager
def held(path: str, *, create: bool = True) -> Iterator[int]:
    """Hold the lock on a file, waiting for it as long as it takes. For steps of a few system calls."""
    import time

    while (descriptor := take(path, create=create)) is None:
        time.sleep(0.002)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _is_at(descriptor: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


if sys.platform == "win32":

    def _locked(descriptor: int) -> bool:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True

else:

    def _locked(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
