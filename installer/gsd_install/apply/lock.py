"""The lock of one location: one process plans, writes and commits there at a time.

The lock file lies in the state directory and is empty while nothing is being changed. A process that
changes something writes its pid, start and command into it, for the others to name.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from gsd_install.apply import disk, flock, statedir
from gsd_install.kernel.errors import LockedError

if TYPE_CHECKING:
    from gsd_install.apply.model import Location

WAIT = 2.0  # seconds a command waits for another one before it gives up
_PAUSE = 0.02


class Lock(NamedTuple):
    """A lock that is held. `left` is what a process that died with it wrote about itself, or empty."""

    descriptor: int
    left: str


def acquire(location: Location, wait: float = WAIT) -> Lock:
    """Take the lock, making the state directory if need be.

    A lock whose owner died is free. Raises LockedError, which names the owner, after `wait` seconds.
    """
    path = os.path.join(location.state, flock.NAME)
    deadline = time.monotonic() + wait
    while True:
        descriptor = _attempt(location, path)
        if descriptor is not None:
            return Lock(descriptor, os.pread(descriptor, 4096, 0).decode("utf-8", "replace"))
        if time.monotonic() >= deadline:
            raise _busy(path)
        time.sleep(_PAUSE)


def claim(lock: Lock) -> None:
    """Write down who holds the lock, for others to name. Raises OSError."""
    import sys

    started = time.strftime("%Y-%m-%d %H:%M:%S")
    text = f"{os.getpid()}\n{started}\n{' '.join(sys.argv)}\n".encode("utf-8", "replace")
    os.ftruncate(lock.descriptor, 0)
    os.pwrite(lock.descriptor, text, 0)


def release(location: Location, lock: Lock) -> None:
    """Let go. Where nothing is installed any more the state directory goes too. Raises OSError."""
    try:
        os.ftruncate(lock.descriptor, 0)
        if not disk.POSIX:
            return
        if _abandoned(location):
            statedir.remove(location)
    finally:
        os.close(lock.descriptor)
        if not disk.POSIX and _abandoned(location):
            statedir.remove(location)


def _abandoned(location: Location) -> bool:
    return not os.path.lexists(location.ledger) and not os.path.lexists(os.path.join(location.state, "journal"))


def _attempt(location: Location, path: str) -> int | None:
    """The descriptor of the locked file; None while it is busy."""
    while True:
        try:
            statedir.prepare(location)
            descriptor = flock.take(path)
        except FileNotFoundError:
            continue  # the last holder removed the directory between the two calls
        except OSError as error:
            disk.refuse(error, path, "lock this place")
        if descriptor is not None and (owner := disk.owner(location.root)) is not None:
            os.fchown(descriptor, *owner)
        return descriptor


def _busy(path: str) -> LockedError:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            pid, started, command = (file.read(4096).splitlines() + [""] * 3)[:3]
    except OSError:
        pid = ""
    who = f"process {pid} (since {started}: {command})" if pid else "another gsd-install"
    return LockedError(
        f"{who} is working in the same place", reason="locked", hint="wait for it to end, then run again"
    )
