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


def stored(memo: Memo, ledger: os.stat_result | None) -> list[Any]:
    """A memo as the cache keeps it, once everything is written; `ledger` is the stat of the ledger."""
    return [memo.asked, _stamp(ledger), _stamps(memo.watched), memo.answer]


def recall(location: Location, asked: Callable[[], Any]) -> Any:
    """The remembered answer to what is asked; None where there is none or anything is not as it was."""
    known = cache.load_columns(location.state)
    if known is None or known.memo is None or known.memo[0] != asked() or journal.exists(location):
        return None
    _, ledger, watched, answer = known.memo
    if _stamp(disk.look(location.ledger)) != ledger or _stamps(path for path, _ in watched) != watched:
        return None
    return answer if _all_same(location, known) else None


def _stamps(paths: Iterable[str]) -> list[Any]:
    """What would be different if one of the paths were another file, or a directory with other names."""
    return [[path, _stamp(disk.look(path))] for path in paths]


def _stamp(found: os.stat_result | None) -> list[int] | None:
    return None if found is None else [found.st_mtime_ns, found.st_size, found.st_mode, found.st_ino]


def _all_same(location: Location, known: cache.Columns) -> bool:
    """Whether every file of ours is as it was, by its stat."""
    look, regular = os.lstat, stat.S_IFREG
    files = zip(known.keys, known.mtimes_ns, known.sizes, known.modes, strict=True)
    try:
        for key, mtime_ns, size, mode in files:
            found = look(path_of(location, key))
            if found.st_mtime_ns != mtime_ns or found.st_size != size or found.st_mode != regular | mode:
                return False
    except OSError:
        return False
    return True
