"""What a run that finds everything in place may say without planning: a remembered answer, and its grounds.

It lies in the cache, beside the stats of our files, and is written by the run that changes something. It
holds only while everything that led to it is as it was: what was asked, the program, the ledger, every file
of ours, and every other path that was looked at.
"""

from __future__ import annotations

import os
import stat

from gsd_install.apply import cache, disk, journal
from gsd_install.apply.ledger import path_of
from gsd_install.apply.text import digest
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from gsd_install.apply.model import Location


class Memo(NamedTuple):
    """`asked` says what was asked of which program; `watched` are further paths that were looked at.

    `answer` is what to say. All values are JSON's.
    """

    asked: Any
    watched: tuple[str, ...]
    answer: Any


def stored(memo: Memo, ledger: bytes) -> list[Any]:
    """A memo as the cache keeps it, once everything is written but the ledger, whose bytes are given."""
    return [memo.asked, digest(ledger), _stamps(memo.watched), memo.answer]


def recall(location: Location, asked: Callable[[], Any]) -> Any:
    """The remembered answer to what is asked; None where there is none or anything is not as it was."""
    known = cache.load(location.state)
    if known.memo is None or known.memo[0] != asked() or journal.exists(location):
        return None
    _, ledger, watched, answer = known.memo
    if disk.look(location.ledger) is None or digest(disk.read(location.ledger)) != ledger:
        return None
    if _stamps(path for path, _ in watched) != watched:
        return None
    return answer if all(_same(path_of(location, key), was) for key, was in known.stats.items()) else None


def _stamps(paths: Iterable[str]) -> list[Any]:
    """What would be different if one of the paths were another file, or a directory with other names."""
    return [[path, _stamp(disk.look(path))] for path in paths]


def _stamp(found: os.stat_result | None) -> list[int] | None:
    return None if found is None else [found.st_mtime_ns, found.st_size, found.st_mode, found.st_ino]


def _same(path: str, was: cache.Stat) -> bool:
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return (
        found.st_mtime_ns == was.mtime_ns
        and found.st_size == was.size
        and found.st_mode == stat.S_IFREG | was.mode
    )
