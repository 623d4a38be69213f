"""What holds the bytes. Whatever is bound is the only authority: nothing else is ever asked for an artifact.

An adapter raises OSError when it cannot do what it is asked.
"""

from __future__ import annotations

import os

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO, Protocol

    class Workspace(Protocol):
        """Bytes by digest, and the records of their owners by owner key."""

        def size(self, digest: str) -> int | None:
            """How many bytes are at this address; None when it is free."""

        def open(self, digest: str) -> BinaryIO:
            """The bytes at this address, to be read once and closed. Raises FileNotFoundError."""

        def write(self, digest: str, body: bytes | File) -> None:
            """Fill a free address, all or nothing. FileExistsError: somebody else did it meanwhile."""

        def remove(self, digest: str) -> None:
            """Free an address; no error when it is free."""

        def stored(self) -> Iterator[Stored]:
            """Every address in use."""

        def sweep(self, before: float, *, dry_run: bool) -> int:
            """Remove what killed writers left before that time (seconds since 1970); how many pieces."""

        def location(self, digest: str) -> str:
            """Where the bytes are, for a person or a shell tool."""

        def recall(self, owner: str, digest: str) -> bytes | None:
            """The record of this owner for this address, as it was remembered."""

        def remember(self, owner: str, digest: str, record: bytes) -> None:
            """Keep a record of one line."""

        def recorded(self, owner: str) -> Iterator[bytes]:
            """All records of an owner, oldest first."""


CHUNK = 1 << 18


class Stored(NamedTuple):
    """One address in use: bytes, and when they were written in seconds since 1970."""

    digest: str
    size: int
    modified: float


class File(NamedTuple):
    """A body that stays in its file and is read in pieces, however large it is."""

    path: str

    def size(self) -> int:
        """Bytes. Raises OSError."""
        return os.stat(self.path).st_size

    def pieces(self) -> Iterator[bytes]:
        """All of it, in pieces. Raises OSError."""
        with open(self.path, "rb") as stream:
            yield from chunks(stream)

    def digest(self) -> str:
        """The SHA-256 of the bytes. Raises OSError."""
        import hashlib

        found = hashlib.sha256()
        for piece in self.pieces():
            found.update(piece)
        return found.hexdigest()

    def checked(self, digest: str) -> Iterator[bytes]:
        """As `pieces`; raises OSError at the end when these are not the bytes of that digest any more."""
        import hashlib

        found = hashlib.sha256()
        for piece in self.pieces():
            found.update(piece)
            yield piece
        if found.hexdigest() != digest:
            raise OSError("the file changed while it was being stored")

    def ends(self, size: int) -> bytes:
        """The whole where it has at most twice that many bytes, else so many from either end."""
        with open(self.path, "rb") as stream:
            if self.size() <= 2 * size:
                return stream.read()
            first = stream.read(size)
            stream.seek(-size, os.SEEK_END)
            return _text_before(first) + b"\n" + stream.read().partition(b"\n")[2]


def _text_before(data: bytes) -> bytes:
    """Without the first bytes of a character that is cut at the end."""
    return data.decode("utf-8", "ignore").encode() if b"\x00" not in data else data


def chunks(stream: BinaryIO) -> Iterator[bytes]:
    """The rest of a stream in pieces, so that memory stays small whatever its size."""
    while piece := stream.read(CHUNK):
        yield piece


def holds(workspace: Workspace, digest: str) -> bool:
    """Whether the bytes at an address are the ones that it promises. Raises OSError."""
    import hashlib

    found = hashlib.sha256()
    with workspace.open(digest) as stream:
        for piece in chunks(stream):
            found.update(piece)
    return found.hexdigest() == digest
