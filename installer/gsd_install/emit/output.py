"""What emitting yields."""

from __future__ import annotations

from collections.abc import Iterable

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.runtime.model import Cap

if TYPE_CHECKING:
    from typing import Any, Literal


class Origin(NamedTuple):
    """Characters `start` to `end` of a text, copied from the body from `at` on; -1 where we wrote them."""

    start: int
    end: int
    at: int


class Change(NamedTuple):
    """What became of one part of a body: its rendition, its cost at best and now, and the reason.

    `rendition` and `reason` are the composer's words (docs/composer.md). `file` is the name of the file it
    moved to, if it did.
    """

    part: str
    rendition: str
    best: int
    cost: int
    reason: str
    file: str = ""


class Fit(NamedTuple):
    """Why a document is not written as its author wrote it: the cap it was over, and by how much.

    `size` is what it would have had, in the cap's unit, `body` its text. `changes` are in the unit that was
    short.
    """

    cap: Cap
    size: int
    body: str
    changes: tuple[Change, ...] = ()


class Output(NamedTuple):
    """One file as emitted for one runtime.

    `path` is absolute and must stay inside `root`. `kind` and `source` (path in the content root) say
    what it came from; `rendition` what of it this is: `full`, `pointer`, `step <section>` (a gated section),
    `part <name>` (moved here to keep a cap). `shared` files hold the same bytes for every runtime. `fit`
    says which cap changed the document, and `origins` where its text stands in the document's body; none
    means that it is all of it. `sha256` is the digest of `data` where somebody knows it already.
    """

    path: str
    data: bytes
    executable: bool
    root: str
    kind: str
    source: str
    shared: bool = False
    rendition: str = "full"
    fit: Fit | None = None
    origins: tuple[Origin, ...] = ()
    sha256: str = ""


class Piece(NamedTuple):
    """What one document comes to in one target.

    `kind` is what it was placed as, empty for a body; `absent` its kind where the host has no place for
    it. `outputs` are empty where another host's copy is listed too, and for shared bodies.
    """

    kind: str
    name: str
    description: str
    absent: str
    outputs: tuple[Output, ...]
    warnings: tuple[str, ...]


class Insertion(NamedTuple):
    """One entry in a file the user owns; `mark` are texts that also an entry holds that does the same."""

    path: str
    format: Literal["jsonc", "toml", "yaml", "block"]
    pointer: tuple[str, ...]
    value: Any
    root: str
    surface: str
    mark: tuple[str, ...] = ()


class Emission(NamedTuple):
    """Everything one runtime gets from one content root.

    `placed` counts documents by the kind they were placed as; `listed` are kind, name and description of
    each, which is what the host shows its model at all times. `absent` are kinds of the content that
    this runtime has no place for. `warnings` are sentences for the report.
    """

    outputs: tuple[Output, ...]
    insertions: tuple[Insertion, ...]
    placed: tuple[tuple[str, int], ...]
    listed: tuple[tuple[str, str, str], ...]
    absent: tuple[str, ...]
    warnings: tuple[str, ...]


def rank(piece: Piece) -> bool:
    """By what pieces are sorted: what hosts discover comes first, then the bodies."""
    return not (piece.kind or piece.absent)


def gather(pieces: Iterable[Piece]) -> Emission:
    """The emission that pieces come to, sorted by `rank`."""
    found = sorted(pieces, key=rank)
    placed: dict[str, int] = {}
    for piece in found:
        if piece.kind:
            placed[piece.kind] = placed.get(piece.kind, 0) + 1
    return Emission(
        outputs=tuple(output for piece in found for output in piece.outputs),
        insertions=(),
        placed=tuple(placed.items()),
        listed=tuple((piece.kind, piece.name, piece.description) for piece in found if piece.kind),
        absent=tuple(sorted({piece.absent for piece in found if piece.absent})),
        warnings=tuple(warning for piece in found for warning in piece.warnings),
    )


class Sum(NamedTuple):
    """What a host lists or chains together, in the unit of its cap: `ours`, and `yours`, the user's own.

    `largest` are the largest entries with their sizes, where there are entries.
    """

    runtime: str
    cap: Cap
    ours: int
    yours: int
    largest: tuple[tuple[str, int], ...] = ()

    @property
    def used(self) -> int:
        """All of it."""
        return self.ours + self.yours

    @property
    def over(self) -> bool:
        """Whether that is more than the cap."""
        return self.used > self.cap.limit
