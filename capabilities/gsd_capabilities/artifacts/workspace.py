"""What holds the bytes. Whatever is bound is the only authority: nothing else is ever asked for an artifact.

An adapter raises OSError when it cannot do what it is asked.
"""

from __future__ import annotations

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

        def write(self, digest: str, body: bytes) -> None:
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
