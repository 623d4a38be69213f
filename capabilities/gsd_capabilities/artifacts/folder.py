"""A folder as the workspace: `aa/bb/<digest>` for bytes, `records/<owner>` for records.

Every file is a plain file that any tool can read. Links are refused wherever bytes are looked for: a link
could lead to somebody else's file. The folder ignores itself in git.
"""

from __future__ import annotations

import os
import stat

from gsd_capabilities.artifacts.reference import DIGEST_LENGTH
from gsd_capabilities.artifacts.workspace import Stored
from gsd_install.kernel.appending import Log, rewrite
from gsd_install.kernel.files import TEMPORARY, write_all, write_atomic
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from gsd_capabilities.artifacts.diagnostics import Diagnostics
    from gsd_capabilities.artifacts.events import Event
    from gsd_capabilities.artifacts.workspace import File

RECORDS = "records"
DECISIONS = "decisions"
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


class Folder:
    """The workspace at `root`, which need not exist before the first write."""

    __slots__ = ("_owners", "root")

    def __init__(self, root: str) -> None:
        self.root = root
        self._owners: dict[str, _Owned] = {}

    def size(self, digest: str) -> int | None:
        """How many bytes are at this address; None when it is free. Raises OSError for a link."""
        outer, inner, path = self._places(digest)
        if not (_is_folder(self.root) and _is_folder(outer) and _is_folder(inner)):
            return None
        try:
            found = os.lstat(path)
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(found.st_mode):
            raise PermissionError("an artifact is no regular file")
        return found.st_size

    def open(self, digest: str) -> BinaryIO:
        """The bytes at this address. Raises FileNotFoundError, and OSError for a link."""
        if self.size(digest) is None:
            raise FileNotFoundError("there is no such artifact")
        return os.fdopen(os.open(self.location(digest), _READ), "rb")

    def write(self, digest: str, body: bytes | File) -> None:
        """Fill a free address, all or nothing. Raises FileExistsError and OSError.

        Two writers at the same moment both have the bytes of the digest, so it does not matter who is last.
        """
        outer, inner, path = self._places(digest)
        if not (_is_folder(self.root) and _is_folder(outer)):
            self.prepare()
            _ensure(outer)
        if not _ensure(inner) and os.path.lexists(path):
            raise FileExistsError("the address is in use")
        if isinstance(body, bytes):
            write_atomic(path, body, mode=0o600)
        else:
            _copy(path, body.checked(digest))

    def remove(self, digest: str) -> None:
        """Free an address."""
        if self.size(digest) is not None:
            _unlink(self.location(digest))

    def stored(self) -> Iterator[Stored]:
        """Every address in use, in the order of digests."""
        for path, found in self._files():
            name = os.path.basename(path)
            if len(name) == DIGEST_LENGTH:
                yield Stored(name, found.st_size, found.st_mtime)

    def sweep(self, before: float, *, dry_run: bool) -> int:
        """Remove temporary files older than that time; how many."""
        left = [path for path, found in self._files() if path.endswith(TEMPORARY) and found.st_mtime < before]
        for path in () if dry_run else left:
            _unlink(path)
        return len(left)

    def location(self, digest: str) -> str:
        """The path of the file."""
        return self._places(digest)[2]

    def recall(self, owner: str, digest: str) -> bytes | None:
        """The record of this owner for this address."""
        return self._owned(owner).known().get(digest)

    def remember(self, owner: str, digest: str, record: bytes) -> None:
        """Keep a record; the last one for an address counts."""
        if not _is_folder(os.path.join(self.root, RECORDS)):
            self.prepare()
        self._owned(owner).add(digest, record)

    def recorded(self, owner: str) -> Iterator[bytes]:
        """All records of an owner, oldest first."""
        yield from self._owned(owner).known().values()

    def decide(self, event: Event) -> None:
        """Add one event to the log of decisions."""
        import json

        self.prepare()
        Log(os.path.join(self.root, DECISIONS)).append(json.dumps(event.as_json()).encode())

    def forget(self, before: float | None, max_bytes: int, *, dry_run: bool) -> int:
        """Shorten the log of decisions to those since that time, and the newest of them to `max_bytes`; how
        many went. What is appended at the same moment may go with them.
        """
        import json

        path = os.path.join(self.root, DECISIONS)
        lines = Log(path).fresh()
        kept: list[bytes] = []
        for line in reversed(lines):
            max_bytes -= len(line)
            if max_bytes < 0 or (before is not None and json.loads(line)["timestamp"] < before):
                break
            kept.append(line)
        gone = len(lines) - len(kept)
        if gone and not dry_run:
            rewrite(path, reversed(kept))
        return gone

    def decided(self) -> Iterator[Diagnostics]:
        """All decisions in the log."""
        import json

        from gsd_capabilities.artifacts.diagnostics import Diagnostics

        for line in Log(os.path.join(self.root, DECISIONS)).fresh():
            yield Diagnostics(**json.loads(line)["diagnostics"])

    def _owned(self, owner: str) -> _Owned:
        if owner not in self._owners:
            self._owners[owner] = _Owned(os.path.join(self.root, RECORDS, owner))
        return self._owners[owner]

    def _places(self, digest: str) -> tuple[str, str, str]:
        """The two folders around a file, and the file: `records.path_of`, spelled as the system does."""
        outer = f"{self.root}{os.sep}{digest[:2]}"
        inner = f"{outer}{os.sep}{digest[2:4]}"
        return outer, inner, f"{inner}{os.sep}{digest}"

    def prepare(self) -> None:
        """Make the folder, if need be, and keep git out of it. Raises OSError."""
        records = os.path.join(self.root, RECORDS)
        if _is_folder(self.root) and _is_folder(records):
            return
        os.makedirs(os.path.dirname(self.root), exist_ok=True)
        _ensure(self.root)
        # The records come last: where they are, the rest is.
        write_atomic(os.path.join(self.root, ".gitignore"), b"*\n")
        _ensure(records)

    def _files(self) -> Iterator[tuple[str, os.stat_result]]:
        for outer in _names(self.root):
            if len(outer) == 2 and _is_folder(outer_path := os.path.join(self.root, outer)):
                for inner in _names(outer_path):
                    if _is_folder(inner_path := os.path.join(outer_path, inner)):
                        yield from _entries(inner_path)


class _Owned:
    """The records of one owner: lines of digest, space, record."""

    __slots__ = ("_known", "_log")

    def __init__(self, path: str) -> None:
        self._log = Log(path)
        self._known: dict[str, bytes] = {}

    def known(self) -> dict[str, bytes]:
        lines = self._log.fresh()
        if self._log.restarted:
            self._known.clear()
        for line in lines:
            digest, _, record = line.partition(b" ")
            self._known[digest.decode("ascii", "replace")] = record
        return self._known

    def add(self, digest: str, record: bytes) -> None:
        if self._log.append(digest.encode() + b" " + record):
            self._known[digest] = record


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []


def _entries(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Paths of what is in a folder; what somebody removes meanwhile is not."""
    for name in _names(folder):
        path = os.path.join(folder, name)
        try:
            found = os.lstat(path)
        except FileNotFoundError:
            continue
        yield path, found


def _copy(path: str, pieces: Iterable[bytes]) -> None:
    """Put a file together beside its place and move it there. Raises OSError, and what `pieces` raises."""
    temporary = f"{path}.{os.getpid()}-{os.urandom(4).hex()}{TEMPORARY}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o600)
    try:
        try:
            for piece in pieces:
                write_all(descriptor, piece)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except BaseException:
        _unlink(temporary)
        raise


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def _is_folder(path: str) -> bool:
    """Whether a folder is there; a link or a file in its place is refused with PermissionError."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False
    if not stat.S_ISDIR(found.st_mode):
        raise PermissionError("a folder of the workspace is a link or a file")
    return True


def _ensure(folder: str) -> bool:
    """Make a folder in one that is there, and say whether it is new. Raises PermissionError for a link."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        return not _is_folder(folder)
    return True
