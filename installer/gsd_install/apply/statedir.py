"""The directory for machine facts: made when a command first needs it, gone with the last unit.

Its parents may not exist either (`~/.local/state` on a fresh account). Which of them we made is
written down before the first is made and until the last is removed, in a file that moves: it lies
beside the topmost new directory while they are being made or removed, and in the top directory (which
every location shares) in between. So a command that is killed at any point leaves enough behind for
the next one to finish or undo the job. (Not on Windows, where the parents always exist and an open file
cannot be renamed.)
"""

from __future__ import annotations

import contextlib
import os

from gsd_install.apply import cache, disk, flock
from gsd_install.apply.location import state_root
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_install.apply.model import Location

_RECORD = "created"
_STRAY = ".gsd-install.gsd-tmp"
_PRIVATE = 0o700


def prepare(location: Location) -> None:
    """Make the state directory with what is missing above it. Raises OSError; `withdraw` then."""
    top = _top(location)
    settle(location)
    if os.path.isdir(location.state):
        return
    owner = disk.owner(location.root)
    if not os.path.isdir(top):
        _make_top(top, owner)
    for directory in reversed(_between(top, location.state)):
        _make(directory, owner)


def withdraw(location: Location) -> None:
    """Take back a state directory that holds nothing yet, on the way out: the failure under way is told."""
    with contextlib.suppress(OSError):
        disk.drop_directory(location.state)
        tidy(location)


def settle(location: Location) -> bool:
    """Finish or undo what a killed command left above the state directory; say whether there was any."""
    top = _top(location)
    record = _stray(top)
    if record is None:
        return False
    with contextlib.suppress(FileNotFoundError), flock.held(record, create=False):
        if not os.path.isdir(top):
            _remove_parents(record, top)
        elif os.path.lexists(os.path.join(top, _RECORD)):
            os.unlink(record)
        else:
            os.rename(record, os.path.join(top, _RECORD))
    return True


def tidy(location: Location) -> None:
    """Remove what a killed uninstall left above a state directory that is gone. Raises OSError."""
    top = _top(location)
    if os.path.isdir(location.state) or not os.path.isdir(top):
        return
    for directory in _between(top, location.state)[1:]:
        if not disk.drop_directory(directory):
            return
    _remove_top(top)


def remove(location: Location) -> None:
    """Remove the state directory and every directory above it that we made, as far as they are empty.

    The caller holds the lock of the location, whose file is the last to go. Raises OSError.
    """
    for name in sorted(disk.names(location.state), key=lambda name: name == flock.NAME):
        if name in {flock.NAME, cache.NAME} or name.endswith(".gsd-tmp"):
            disk.drop_file(os.path.join(location.state, name))
    top = _top(location)
    for directory in _between(top, location.state):
        if not disk.drop_directory(directory):
            return
    _remove_top(top)


def _top(location: Location) -> str:
    """The directory that all locations of a user share; the state directory itself where it is elsewhere."""
    top = state_root(location.platform)
    return top if location.state.startswith(top + os.sep) else location.state


def _between(top: str, state: str) -> list[str]:
    """The directories from `state` up to, not including, `top`."""
    found = []
    while len(state) > len(top):
        found.append(state)
        state = os.path.dirname(state)
    return found


def _make(directory: str, owner: tuple[int, int] | None) -> None:
    with contextlib.suppress(FileExistsError):
        os.mkdir(directory, _PRIVATE)
        if owner is not None:
            os.chown(directory, *owner)


def _missing_parents(top: str) -> list[str]:
    missing = []
    parent = os.path.dirname(top)
    while not os.path.isdir(parent):
        missing.append(parent)
        parent = os.path.dirname(parent)
    return missing


def _make_top(top: str, owner: tuple[int, int] | None) -> None:
    missing = _missing_parents(top)
    if not missing or not disk.POSIX:
        for directory in (*reversed(missing), top):
            _make(directory, owner)
        return
    record = os.path.join(os.path.dirname(missing[-1]), _STRAY)
    with flock.held(record) as descriptor:
        if os.path.isdir(top):
            os.unlink(record)
            return
        try:
            if owner is not None:
                os.fchown(descriptor, *owner)
            os.write(descriptor, b"%d" % len(missing))
            for directory in (*reversed(missing), top):
                _make(directory, owner)
            os.replace(record, os.path.join(top, _RECORD))
        except OSError:
            _remove_parents(record, top)
            raise


def _stray(top: str) -> str | None:
    parent = os.path.dirname(top)
    while parent != os.path.dirname(parent):
        parent = os.path.dirname(parent)
        record = os.path.join(parent, _STRAY)
        if os.path.lexists(record):
            return record
    return None


def _remove_top(top: str) -> None:
    names = disk.names(top)
    if names != [_RECORD]:
        disk.drop_directory(top)
        return
    record = os.path.join(top, _RECORD)
    anchor = os.path.dirname(top)
    for _ in range(_levels(record)):
        anchor = os.path.dirname(anchor)
    stray = os.path.join(anchor, _STRAY)
    with flock.held(record, create=False):
        os.rename(record, stray)
        if disk.drop_directory(top):
            _remove_parents(stray, top)
        else:
            os.rename(stray, record)


def _remove_parents(record: str, top: str) -> None:
    """Remove the directories a record speaks of, as far as they are empty, and then the record."""
    disk.drop_directory(top)
    parent = os.path.dirname(top)
    for _ in range(_levels(record)):
        if parent == os.path.dirname(record) or not disk.drop_directory(parent):
            break
        parent = os.path.dirname(parent)
    os.unlink(record)


def _levels(record: str) -> int:
    with open(record, "rb") as file:
        text = file.read(10)
    return int(text) if text.isdigit() else 0
