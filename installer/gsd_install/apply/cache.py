"""What only this machine knows about a location: stats of our files, and the texts we wrote.

One packed file for both, because creating a file costs more than its bytes: a JSON header, then the
texts one after the other. Everything in it can be rebuilt or done without (a file is read again; an
edited file without its base text becomes a conflict), so a damaged cache is an empty one.
"""

from __future__ import annotations

import os

from gsd_install.apply import disk
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

NAME = "cache"
_MAGIC = b"gsd-cache 2 "
_HEADER = len(_MAGIC) + 10  # the magic and the length of the JSON header in nine digits


class Stat(NamedTuple):
    """A file as it was when its bytes had the digest `sha256`."""

    mtime_ns: int
    size: int
    mode: int
    sha256: str


class Cache(NamedTuple):
    """`stats` by ledger key; `places` by digest: where a text starts in the file at `path`, its length.

    `memo` is what memo.py remembers.
    """

    path: str
    stats: Mapping[str, Stat]
    places: Mapping[str, tuple[int, int]]
    memo: Any = None

    def text(self, sha256: str) -> bytes | None:
        """The bytes with this digest, or None where they are not kept or no longer whole."""
        place = self.places.get(sha256)
        if place is None:
            return None
        import hashlib

        try:
            with open(self.path, "rb") as file:
                file.seek(place[0])
                data = file.read(place[1])
        except OSError:
            return None
        return data if hashlib.sha256(data).hexdigest() == sha256 else None


def stat_of(found: os.stat_result, sha256: str) -> Stat:
    """The part of a stat that is remembered."""
    return Stat(found.st_mtime_ns, found.st_size, found.st_mode & disk.PERMISSIONS, sha256)


_NONE: tuple[list[Any], ...] = ([], [], [], [])


class Columns(NamedTuple):
    """Stats as they are stored, each column in the order of `keys`.

    `memo` is what memo.py remembers.
    """

    keys: list[str]
    mtimes_ns: list[int]
    sizes: list[int]
    modes: list[int]
    digests: list[str]
    memo: Any = None


def load(state: str) -> Cache:
    """The cache of a state directory; an empty one where there is none or it is damaged."""
    path = os.path.join(state, NAME)
    header, stored = _read(path)
    try:
        found = _columns(stored)
        rows = zip(found.mtimes_ns, found.sizes, found.modes, found.digests, strict=True)
        stats = dict(zip(found.keys, map(Stat._make, rows), strict=True))
        offset = _HEADER + header
        places: dict[str, tuple[int, int]] = {}
        for sha256, length in stored["texts"]:
            places[sha256] = offset, length
            offset += length
    except (ValueError, KeyError, TypeError):
        return Cache(path, {}, {})
    return Cache(path, stats, places, found.memo)


def load_columns(state: str) -> Columns | None:
    """The stats and the memo of a cache, unsorted; None where there is none or it is damaged."""
    _, stored = _read(os.path.join(state, NAME))
    try:
        return _columns(stored)
    except (KeyError, TypeError):
        return None


def _columns(stored: Mapping[str, Any]) -> Columns:
    return Columns(*(stored[name] for name in Columns._fields))


def _read(path: str) -> tuple[int, Mapping[str, Any]]:
    """The length of the header, and the header; an empty one where it cannot be read."""
    import json

    try:
        with open(path, "rb", buffering=0) as file:
            start = file.read(_HEADER) or b""
            length = int(start[len(_MAGIC) :]) if start.startswith(_MAGIC) else 0
            header = file.read(length) or b""
        stored = json.loads(header)
    except (OSError, ValueError):
        return 0, {}
    return length, stored if isinstance(stored, dict) else {}


def stage(
    old: Cache,
    stats: Mapping[str, Stat],
    texts: Mapping[str, bytes],
    keep: Collection[str],
    memo: Any = None,
    *,
    pid: int,
    owner: tuple[int, int] | None = None,
) -> None:
    """Write the next cache beside the old one: `stats`, the new `texts`, of the old those in `keep`, `memo`.

    It takes the old one's place when the ledger is committed, by `adopt`. Raises OSError.
    """
    import json

    kept = {sha256: text for sha256 in old.places if sha256 in keep and sha256 not in texts
            if (text := old.text(sha256)) is not None}  # fmt: skip
    texts = {**kept, **texts}
    columns = Columns._make([list(stats), *(zip(*stats.values(), strict=True) if stats else _NONE), memo])
    stored = {**columns._asdict(), "texts": [[sha256, len(data)] for sha256, data in texts.items()]}
    header = json.dumps(stored, separators=(",", ":"), ensure_ascii=False).encode()
    data = b"".join((_MAGIC, b"%09d\n" % len(header), header, *texts.values()))
    disk.stage(old.path, data, pid=pid, mode=0o600, owner=owner)


def discard(state: str, pid: int) -> None:
    """Remove a staged cache, if there is one. Raises OSError."""
    disk.drop_file(disk.temporary(os.path.join(state, NAME), pid))


def adopt(state: str, pid: int) -> None:
    """Put a staged cache in place, if there is one. Raises OSError."""
    path = os.path.join(state, NAME)
    staged = disk.temporary(path, pid)
    if os.path.lexists(staged):
        os.replace(staged, path)
