"""The lock of one location: one process plans, writes and commits there at a time.

The lock file lies in the state directory and is empty while nothing is being changed. A process that
changes something writes its pid, start and command into it, for the others to name.
"""

from __future__ import annotations

import contextlib
import os
import time

from gsd_install.apply import disk, flock, journal, statedir
from gsd_install.kernel.errors import LockedError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gsd_install.apply.model import Location

WAIT = 2.0  # seconds a command waits for another one before it gives up
_PAUSE = 0.02
_ATTEMPTS = 100


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
    while (descriptor := _attempt(location, path)) is None:
        if time.monotonic() >= deadline:
            raise _busy(path)
        time.sleep(_PAUSE)
    return Lock(descriptor, os.read(descriptor, 4096).decode("utf-8", "replace"))


def claim(lock: Lock) -> None:
    """Write down who holds the lock, for others to name. Raises OSError."""
    import sys

    started = time.strftime("%Y-%m-%d %H:%M:%S")
    text = f"{os.getpid()}\n{started}\n{' '.join(sys.argv)}\n"
    os.ftruncate(lock.descriptor, 0)
    os.lseek(lock.descriptor, 0, os.SEEK_SET)
    os.write(lock.descriptor, text.encode("utf-8", "replace"))


def release(location: Location, lock: Lock) -> None:
    """Let go. Where nothing is installed any more the state directory goes too. Raises OSError."""
    abandoned = not os.path.lexists(location.ledger) and not journal.exists(location)
    try:
        if os.fstat(lock.descriptor).st_size:
            os.ftruncate(lock.descriptor, 0)
        if abandoned and disk.POSIX:
            statedir.remove(location)
    finally:
        os.close(lock.descriptor)
    if abandoned and not disk.POSIX:  # Windows does not remove an open file
        statedir.remove(location)


def _attempt(location: Location, path: str) -> int | None:
    """The descriptor of the locked file; None while it is busy."""
    for attempt in range(_ATTEMPTS):
        try:
            statedir.prepare(location)
            descriptor = flock.take(path)
            if descriptor is not None and (owner := disk.owner(location.root)) is not None:
                os.fchown(descriptor, *owner)
        except OSError as error:
            # The last holder may remove the directory between the two calls.
            if isinstance(error, FileNotFoundError) and attempt < _ATTEMPTS - 1:
                continue
            statedir.withdraw(location)
            disk.refuse(error, path, "lock this place")
        break
    return descriptor


def _busy(path: str) -> LockedError:
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read(4096).splitlines()
        if len(lines) >= 3:
            who = f"process {lines[0]} (since {lines[1]}: {lines[2]})"
            return _locked(who)
    return _locked("another gsd-install")


def _locked(who: str) -> LockedError:
    return LockedError(
        f"{who} is working in the same place", reason="locked", hint="wait for it to end, then run again"
    )
