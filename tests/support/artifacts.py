"""A workspace under observation: it counts, fails on command, and can be damaged behind its own back."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from gsd_capabilities.artifacts.binding import Bound, Owner
from gsd_capabilities.artifacts.events import Event, Scope
from gsd_capabilities.artifacts.folder import Folder
from gsd_capabilities.artifacts.object_store import ObjectStore
from gsd_capabilities.artifacts.offload import Control, Offloader, Outcome, Policy, ToolResult
from gsd_capabilities.artifacts.rehydrate import Answer, Ask, Rehydrator
from gsd_capabilities.artifacts.slices import Slice
from gsd_capabilities.artifacts.workspace import File, Stored

if TYPE_CHECKING:
    from gsd_capabilities.artifacts.events import Reporter

OWNER = Owner("user-u7Q", "/root-r8W/.planning", "session-s9E")
LIMIT = 100


class Spy:
    """Passes everything on, counts it, and raises what `faults` holds for a method instead."""

    def __init__(self, inner: Folder | ObjectStore) -> None:
        self.inner = inner
        self.calls: Counter[str] = Counter()
        self.faults: dict[str, Exception] = {}
        self.before_write: Callable[[], None] = lambda: None
        self.after_write: Callable[[], None] = lambda: None

    @property
    def touched(self) -> int:
        """How often anything asked about bytes."""
        return self.calls["size"] + self.calls["open"] + self.calls["write"]

    def _called(self, name: str) -> None:
        self.calls[name] += 1
        if name in self.faults:
            raise self.faults[name]

    def size(self, digest: str) -> int | None:
        self._called("size")
        return self.inner.size(digest)

    def open(self, digest: str) -> BinaryIO:
        self._called("open")
        return self.inner.open(digest)

    def write(self, digest: str, body: bytes | File) -> None:
        self._called("write")
        self.before_write()
        self.inner.write(digest, body)
        self.after_write()

    def remove(self, digest: str) -> None:
        self._called("remove")
        self.inner.remove(digest)

    def stored(self) -> Iterator[Stored]:
        return self.inner.stored()

    def sweep(self, before: float, *, dry_run: bool) -> int:
        return self.inner.sweep(before, dry_run=dry_run)

    def location(self, digest: str) -> str:
        return self.inner.location(digest)

    def recall(self, owner: str, digest: str) -> bytes | None:
        return self.inner.recall(owner, digest)

    def remember(self, owner: str, digest: str, record: bytes) -> None:
        self._called("remember")
        self.inner.remember(owner, digest, record)

    def recorded(self, owner: str) -> Iterator[bytes]:
        return self.inner.recorded(owner)


class Lab:
    """Offloads above 100 bytes into one workspace and keeps every event."""

    def __init__(self, inner: Folder | ObjectStore) -> None:
        self.spy = Spy(inner)
        self.owner = OWNER
        self.events: list[Event] = []
        self.scope = Scope("workflow", "root", self.events.append)
        self.reporter: Reporter | None = self.scope
        self.offloader = Offloader(Policy(LIMIT), self.access, lambda: self.reporter)
        self.rehydrator = Rehydrator(self.access, lambda: self.reporter)

    def access(self) -> Bound:
        return Bound(self.spy, self.owner)

    def put(self, body: object, control: Control | None = None, **origin: str) -> Outcome:
        return self.offloader.offload(ToolResult(body, **origin), control or Control())

    def reference(self, body: object) -> str:
        """Offload what is known to be long enough."""
        text = self.put(body).text
        assert isinstance(text, str)
        return text

    def get(self, reference: str, budget: int = 1 << 24, wanted: Slice | None = None) -> Answer:
        return self.rehydrator.rehydrate(Ask(reference, budget, wanted), Control())

    def body(self, reference: str, budget: int = 1 << 24, wanted: Slice | None = None) -> bytes:
        segment = self.get(reference, budget, wanted).segment
        assert segment is not None
        return segment.body

    def bytes_at(self, digest: str) -> bytes:
        with self.spy.inner.open(digest) as stream:
            return stream.read()

    def damage(self, digest: str, data: bytes) -> None:
        """Put other bytes at an address, as nobody who goes through a workspace can."""
        inner = self.spy.inner
        if isinstance(inner, Folder):
            place = Path(inner.location(digest))
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        else:
            system: Any = inner._system
            system.pipe_file(inner.location(digest), data)


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def ending(made: Outcome | Answer) -> tuple[str, str]:
    """Outcome and reason."""
    return made.diagnostics.outcome, made.diagnostics.reason
