"""Replace one file atomically.

Run-time state and single user files go through here; installed trees go through `apply`.
"""

from __future__ import annotations

import contextlib
import os


def write_atomic(path: str, data: bytes, *, mode: int | None = None, durable: bool = False) -> None:
    """Put `data` at `path` so that a reader sees the old bytes or the new ones, nothing between.

    `mode` defaults to the mode of the file that is replaced, else to what the umask allows. `durable`
    also flushes to the disk, for files that nobody can rebuild. Raises OSError.
    """
    temporary = f"{path}.{os.getpid()}.gsd-tmp"
    if mode is None:
        with contextlib.suppress(FileNotFoundError):
            mode = os.stat(path).st_mode & 0o7777
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        try:
            write_all(descriptor, data)
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte; `os.write` may take fewer than it was given."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
