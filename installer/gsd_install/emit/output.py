"""What emitting yields."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from gsd_install.runtime.model import Cap


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

    `size` is what it would have had, in the cap's unit. `changes` are in the unit that was short.
    """

    cap: Cap
    size: int
    changes: tuple[Change, ...] = ()


class Output(NamedTuple):
    """One file as emitted for one runtime.

    `path` is absolute and must stay inside `root`. `kind` and `source` (path in the content root) say
    what it came from; `rendition` what of it this is: `full`, `pointer`, `step <section>` (a gated section),
    `part <name>` (moved here to keep a cap). `shared` files hold the same bytes for every runtime. `fit`
    says which cap changed the document, and `origins` where its text stands in the document's body; none
    means that it is all of it.
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


class Insertion(NamedTuple):
    """One entry in a file the user owns."""

    path: str
    format: Literal["jsonc", "toml", "yaml", "block"]
    pointer: tuple[str, ...]
    value: Any
    root: str
    surface: str


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
