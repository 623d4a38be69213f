"""The journal: what a transaction is about to do, and the bytes to undo it with.

Written once, whole, before the first change, and removed after the last. One JSON line, then the
before-images of the files that change. It can hold what the user keeps private, so only the user can
read it, and nothing of it outlives the transaction.
"""

from __future__ import annotations

import os

from gsd_install.apply import disk
from gsd_install.apply.text import digest
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

    from gsd_install.apply.model import Location

NAME = "journal"
_FORMAT = 1


class Step(NamedTuple):
    """One change of one path. `before` and `after` are whole contents, None where there is no file.

    `target`: the path is renamed to that one and its bytes stay as they are. `mode` is what the file
    is created with (less the umask), `exact` the permission bits it ends with, None for what comes.
    `users`: the file is the user's, so it is written privately and flushed to the disk. `key` is the
    ledger's name of a file of ours; its stat is remembered. The digests may be given where known.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode_before: int | None = None
    exact: int | None = None
    mode: int = 0o666
    target: str = ""
    users: bool = False
    key: str = ""
    before_sha256: str = ""
    after_sha256: str = ""


class Record(NamedTuple):
    """A step as the journal keeps it: identities instead of the new bytes, the old bytes as `image`."""

    path: str
    target: str
    before: str
    after: str
    mode_before: int | None
    mode_after: int | None
    users: bool
    image: bytes | None


class Journal(NamedTuple):
    """`ledger_before` and `ledger_after` are digests of the ledger file, empty where there is none.

    `made` are directories the transaction creates, parents first; `dropped` those it removes once it
    is committed, if they are empty, children first; `compiled` are the `.py` files it removes.
    """

    pid: int
    started: str
    ledger_before: str
    ledger_after: str
    records: tuple[Record, ...]
    made: tuple[str, ...]
    dropped: tuple[str, ...]
    compiled: tuple[str, ...]


def record(step: Step) -> Record:
    """What the journal keeps of a step."""
    before = _identity(step.before, step.before_sha256)
    after = before if step.target else _identity(step.after, step.after_sha256)
    unchanged = step.target or before == after
    return Record(
        step.path, step.target, before, after, step.mode_before, step.exact, step.users,
        None if unchanged else step.before,
    )  # fmt: skip


def _identity(data: bytes | None, known: str) -> str:
    return "" if data is None else known or digest(data)


def path_in(state: str) -> str:
    """Where the journal of a state directory is."""
    return os.path.join(state, NAME)


def exists(location: Location) -> bool:
    """Was a transaction here interrupted?"""
    return os.path.lexists(path_in(location.state))


def write(state: str, journal: Journal, *, owner: tuple[int, int] | None = None) -> None:
    """Put the journal in place. Raises OSError."""
    import json

    header = journal._asdict()
    images = [entry.image for entry in journal.records if entry.image is not None]
    header["records"] = [
        entry if entry.image is None else [*entry[:-1], len(entry.image)] for entry in journal.records
    ]
    header["format"] = _FORMAT
    line = json.dumps(header, separators=(",", ":")).encode()
    durable = any(entry.users for entry in journal.records)
    data = b"".join((line, b"\n", *images))
    disk.put(path_in(state), data, pid=journal.pid, mode=0o600, owner=owner, durable=durable)


def read(state: str) -> Journal | None:
    """The journal of a transaction that was interrupted, or None. Raises GsdError when it is damaged."""
    path = path_in(state)
    if disk.look(path) is None:
        return None
    import json

    line, _, images = disk.read(path).partition(b"\n")
    try:
        stored = json.loads(line)
        if stored.pop("format") != _FORMAT:
            raise ValueError("another format")
        stored["records"] = tuple(_records(stored["records"], images))
        for name in ("made", "dropped", "compiled"):
            stored[name] = tuple(stored[name])
        return Journal(**stored)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise GsdError(
            f"the journal of an interrupted run is damaged ({error})",
            reason="journal",
            file=path,
            hint="remove it and install again: files that are not as recorded are kept as your edits",
        ) from error


def _records(stored: list[list[Any]], images: bytes) -> list[Record]:
    records = []
    start = 0
    for fields in stored:
        *kept, length = fields
        image = None
        if length is not None:
            image = images[start : start + length]
            start += length
            if digest(image) != kept[2]:
                raise ValueError("a before-image is not whole")
        records.append(Record._make((*kept, image)))
    return records
