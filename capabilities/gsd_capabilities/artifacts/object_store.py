"""An object store as the workspace, through fsspec: S3, GCS, Azure, SFTP, memory and whatever else it speaks.

It is the bound workspace itself, not a copy of another one. fsspec is an extra and imported only here;
nothing connects anywhere unless the user names the address.
"""

from __future__ import annotations

from gsd_capabilities.artifacts.records import path_of
from gsd_capabilities.artifacts.workspace import Stored
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, BinaryIO, ParamSpec, TypeVar

    from gsd_capabilities.artifacts.workspace import File

    P = ParamSpec("P")
    R = TypeVar("R")


def connect(url: str, **options: object) -> ObjectStore:
    """The store at an fsspec address such as `s3://bucket/prefix`; `options` go to its file system.

    Raises GsdError `no_fsspec` where the extra is missing, `bad_store` where the address names no store.
    """
    from importlib import import_module

    try:
        fsspec: Any = import_module("fsspec")
    except ImportError as error:
        hint = (
            "run gsd-tools from where gsd-install[object-store] is installed, with the package for the store"
            " (s3fs, gcsfs, adlfs); what is installed beside the content has no packages"
        )
        raise GsdError("an object store needs fsspec", reason="no_fsspec", hint=hint) from error
    try:
        system, root = fsspec.core.url_to_fs(url, **options)
    except (ValueError, ImportError) as error:
        hint = "artifacts.store in your own settings is an address such as s3://bucket/folder"
        message = f"no store is behind the address {url!r}: {error}"
        raise GsdError(message, reason="bad_store", hint=hint) from error
    return ObjectStore(system, root)


def _as_os_error(work: Callable[P, R]) -> Callable[P, R]:
    """`work`, with the errors that clients of a store invent told as OSError."""
    from functools import wraps

    @wraps(work)
    def told(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return work(*args, **kwargs)
        except (OSError, GsdError):
            raise
        except Exception as error:
            raise OSError(f"{type(error).__name__}: {error}") from error

    return told


class ObjectStore:
    """The workspace below `root` of an fsspec file system. An object appears whole or not at all."""

    __slots__ = ("_root", "_system")

    def __init__(self, system: Any, root: str) -> None:
        self._system = system
        self._root = root.rstrip("/")

    @_as_os_error
    def size(self, digest: str) -> int | None:
        """How many bytes are at this address; None when it is free."""
        self._system.invalidate_cache()
        try:
            return int(self._system.size(self.location(digest)))
        except FileNotFoundError:
            return None

    @_as_os_error
    def open(self, digest: str) -> BinaryIO:
        """The bytes at this address. Raises FileNotFoundError."""
        stream: BinaryIO = self._system.open(self.location(digest), "rb")
        return stream

    @_as_os_error
    def write(self, digest: str, body: bytes | File) -> None:
        """Fill a free address. Raises FileExistsError."""
        if self.size(digest) is not None:
            raise FileExistsError("the address is in use")
        if isinstance(body, bytes):
            self._put(self.location(digest), body)
        else:
            self._copy(self.location(digest), body.checked(digest))

    @_as_os_error
    def remove(self, digest: str) -> None:
        """Free an address."""
        if self.size(digest) is not None:
            self._system.rm_file(self.location(digest))

    def stored(self) -> Iterator[Stored]:
        """Every address in use, in the order of digests."""
        yield from self._stored()

    @_as_os_error
    def _stored(self) -> list[Stored]:
        self._system.invalidate_cache()
        found, made = self._system.find(self._root, detail=True), []
        for path in sorted(found):
            digest = path.rpartition("/")[2]
            if path == self.location(digest):
                modified = self._system.modified(path).timestamp()
                made.append(Stored(digest, int(found[path]["size"]), modified))
        return made

    def sweep(self, before: float, *, dry_run: bool) -> int:  # noqa: ARG002 - nothing is left to sweep
        """Nothing: a killed upload leaves no object."""
        return 0

    def location(self, digest: str) -> str:
        """The path within the store."""
        return f"{self._root}/{path_of(digest)}"

    @_as_os_error
    def recall(self, owner: str, digest: str) -> bytes | None:
        """The record of this owner for this address."""
        self._system.invalidate_cache()
        try:
            return bytes(self._system.cat_file(self._record(owner, digest)))
        except FileNotFoundError:
            return None

    @_as_os_error
    def remember(self, owner: str, digest: str, record: bytes) -> None:
        """Keep a record, an object of its own."""
        self._put(self._record(owner, digest), record)

    def recorded(self, owner: str) -> Iterator[bytes]:
        """All records of an owner, in the order of digests."""
        yield from self._recorded(owner)

    @_as_os_error
    def _recorded(self, owner: str) -> list[bytes]:
        self._system.invalidate_cache()
        found = sorted(self._system.find(f"{self._root}/records/{owner}"))
        return [bytes(self._system.cat_file(path)) for path in found]

    def _record(self, owner: str, digest: str) -> str:
        return f"{self._root}/records/{owner}/{digest}"

    def _copy(self, path: str, pieces: Iterator[bytes]) -> None:
        """Upload in pieces; the object appears when all of them are there."""
        self._make_folder(path)
        stream = self._system.open(path, "wb", autocommit=False)
        try:
            for piece in pieces:
                stream.write(piece)
            stream.close()
        except BaseException:
            stream.discard()
            raise
        stream.commit()

    def _make_folder(self, path: str) -> None:
        """Make the folder of a file. A store whose paths begin with a bucket has none, and asking it for one
        would make a bucket that nobody ordered.
        """
        if path.startswith("/"):
            self._system.makedirs(path.rpartition("/")[0], exist_ok=True)

    def _put(self, path: str, data: bytes) -> None:
        self._make_folder(path)
        self._system.pipe_file(path, data)
