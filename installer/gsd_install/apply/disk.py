"""The only calls of this package that read or change installed trees.

Every function takes absolute paths as strings. An OSError that a user can do something about leaves as
a GsdError that names the path.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.files import write_all
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NoReturn

POSIX = os.name != "nt"
PERMISSIONS = 0o7777

_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)

_REASONS = {
    errno.ENOSPC: ("full", "free some space and run again"),
    errno.EDQUOT: ("full", "free some of your quota and run again"),
    errno.EACCES: ("permission", "look at the permissions of that path and of the directory that holds it"),
    errno.EPERM: ("permission", "look at the permissions of that path and of the directory that holds it"),
    errno.EROFS: ("permission", "that file system is read-only"),
}


def refuse(error: OSError, path: str, doing: str, result: str = "") -> NoReturn:
    """Raise the GsdError that stands for an OSError met while `doing` something with `path`.

    `result` says what state that leaves.
    """
    reason, hint = _REASONS.get(error.errno or 0, ("io", None))
    text = error.strerror or str(error)
    message = f"cannot {doing}: {text[:1].lower()}{text[1:]}{result and '; '}{result}"
    raise GsdError(message, reason=reason, file=path, hint=hint) from error


def look(path: str) -> os.stat_result | None:
    """What is at `path` itself, links not followed; None where nothing is."""
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        refuse(error, path, "look at this")


def is_file(found: os.stat_result) -> bool:
    """A regular file, nothing else."""
    return stat.S_ISREG(found.st_mode)


def read(path: str) -> bytes:
    """The whole of a regular file; a link in its place is an error, never followed."""
    try:
        descriptor = os.open(path, _READ)
        try:
            size = os.fstat(descriptor).st_size
            data = os.read(descriptor, size + 1)
            if len(data) == size:
                return data
            parts = [data]
            while data:
                data = os.read(descriptor, 1 << 20)
                parts.append(data)
            return b"".join(parts)
        finally:
            os.close(descriptor)
    except OSError as error:
        refuse(error, path, "read this")


def names(directory: str) -> list[str]:
    """Names in a directory; none where it does not exist or is something else."""
    try:
        return os.listdir(directory)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        refuse(error, directory, "list this directory")


def umask() -> int:
    """The process umask; there is no way to read it other than setting it twice."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def owner(root: str) -> tuple[int, int] | None:
    """Who shall own what root creates below `root`; None where the process owns it anyway.

    Only the superuser can build an image of another user's home, so nobody else is asked.
    """
    if not POSIX or os.geteuid() != 0:
        return None
    found = look(root)
    if found is None or (found.st_uid, found.st_gid) == (0, 0):
        return None
    return found.st_uid, found.st_gid


def owner_of(path: str, default: tuple[int, int] | None) -> tuple[int, int] | None:
    """Who shall own what replaces `path`: its owner where only the superuser can say so, else `default`."""
    if not POSIX or os.geteuid() != 0:
        return default
    found = look(path)
    return default if found is None else (found.st_uid, found.st_gid)


def temporary(path: str, pid: int) -> str:
    """The name under which `path` is written before it replaces what is there."""
    start = max(path.rfind(os.sep), path.rfind("/")) + 1
    return f"{path[:start]}.{path[start:]}.{pid}.gsd-tmp"


def stage(
    path: str,
    data: bytes,
    *,
    pid: int,
    mode: int,
    exact: int | None = None,
    owner: tuple[int, int] | None = None,
    durable: bool = False,
) -> os.stat_result:
    """Write what will be `path` to its temporary file, and return its stat. Raises OSError.

    The file is created with `mode` less the umask; `exact` then sets permission bits whatever the
    umask, before the first byte is written. So with a private `mode` nobody reads what `exact` does not
    let them read.
    """
    return create(temporary(path, pid), data, mode=mode, exact=exact, owner=owner, durable=durable)


def create(
    path: str,
    data: bytes,
    *,
    mode: int,
    exact: int | None = None,
    owner: tuple[int, int] | None = None,
    durable: bool = False,
) -> os.stat_result:
    """Write a file where none is, as `stage` does, and return its stat. Raises OSError."""
    descriptor = os.open(path, _CREATE, mode)
    try:
        try:
            if POSIX:
                if owner is not None:
                    os.fchown(descriptor, *owner)
                if exact is not None:
                    os.fchmod(descriptor, exact)
            write_all(descriptor, data)
            if durable:
                os.fsync(descriptor)
            return os.fstat(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        _forget(path)
        raise


def put(
    path: str,
    data: bytes,
    *,
    pid: int,
    mode: int,
    exact: int | None = None,
    owner: tuple[int, int] | None = None,
    durable: bool = False,
) -> os.stat_result:
    """Replace `path` atomically and return the stat of what is there now: `stage`, then rename."""
    temp = temporary(path, pid)
    written = create(temp, data, mode=mode, exact=exact, owner=owner, durable=durable)
    try:
        os.replace(temp, path)
    except BaseException:
        _forget(temp)
        raise
    return written


def _forget(temp: str) -> None:
    """Remove a temporary file on the way out; the error that is under way is the one to tell."""
    with contextlib.suppress(OSError):
        os.unlink(temp)


def set_mode(path: str, mode: int) -> os.stat_result:
    """Change permission bits of a regular file and return its stat. Raises OSError."""
    os.chmod(path, mode)
    return os.lstat(path)


def make_directory(path: str, owner: tuple[int, int] | None = None) -> None:
    """Create one directory; one that is there already is fine. Raises OSError."""
    try:
        os.mkdir(path)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
    else:
        if owner is not None:
            os.chown(path, *owner)


def drop_directory(path: str) -> bool:
    """Remove a directory if it is empty, and say whether it is gone. Raises OSError."""
    try:
        os.rmdir(path)
    except OSError as error:
        if error.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
            return False
        if not _gone(path):
            raise
    return True


def drop_file(path: str) -> None:
    """Remove a file; one that is gone already is fine. Raises OSError."""
    try:
        os.unlink(path)
    except OSError:
        if not _gone(path):
            raise


def _gone(path: str) -> bool:
    """Is there nothing at `path`, for certain? A read-only file system refuses before it looks."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
