"""Replace one file atomically; make, move and remove folders.

Run-time state and single user files go through here; installed trees go through `apply`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from gsd_install.kernel.errors import GsdError

# How the name of a file ends that is not yet in its place.
TEMPORARY = ".gsd-tmp"


def write_atomic(path: str, data: bytes, *, mode: int | None = None, durable: bool = False) -> None:
    """Put `data` at `path` so that a reader sees the old bytes or the new ones, nothing between.

    `mode` defaults to the mode of the file that is replaced, else to what the umask allows; it is set before
    the first byte is written. `durable` also flushes to the disk, for files that nobody can rebuild. Raises
    OSError.
    """
    temporary = f"{path}.{os.getpid()}-{os.urandom(4).hex()}{TEMPORARY}"  # threads, and pids used again
    if mode is None:
        with contextlib.suppress(FileNotFoundError):
            mode = os.stat(path).st_mode & 0o7777
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666 if mode is None else 0o600)
    try:
        try:
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
            write_all(descriptor, data)
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def remove_abandoned(folder: str, before: float) -> None:
    """Remove from a folder what writers that were killed left before that time, in seconds of the epoch."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(TEMPORARY) and entry.stat(follow_symlinks=False).st_mtime < before:
                os.unlink(entry.path)


def private_folder(folder: str) -> None:
    """Make a folder that only this user can look into; one that is there must be so.

    Raises GsdError `unsafe_folder` when somebody else owns it or may look into it, OSError else.
    """
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        found = os.lstat(folder)
        ours = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
        if not (stat.S_ISDIR(found.st_mode) and ours):
            raise GsdError(
                "this folder is not yours alone",
                reason="unsafe_folder",
                file=folder,
                hint="remove it, or choose a folder of your own",
            ) from None


def make_folder(folder: str) -> None:
    """Make a folder and those above it where they are missing. Raises OSError."""
    os.makedirs(folder, exist_ok=True)


def move(source: str, target: str) -> None:
    """Give a file or a folder another name on the same file system, in one step.

    Raises FileExistsError where something has that name, and OSError else.
    """
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
    os.rename(source, target)


def remove_folder(folder: str) -> None:
    """Remove a folder with all that is in it; one that is not there is gone already. Raises OSError."""
    import shutil

    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(folder)


def read_if_there(path: str) -> bytes:
    """The bytes of a file; none where there is no such file. Raises OSError."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte; `os.write` may take fewer than it was given."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
