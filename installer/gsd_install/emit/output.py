"""What emitting yields."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple


class Output(NamedTuple):
    """One file as emitted for one runtime.

    `path` is absolute and must stay inside `root`. `kind` and `source` (path in the content root) say
    what it came from; `rendition` what of it this is: `full`, `pointer`, `step <section>` (a gated section),
    `part <name>` (moved here to keep a cap). `shared` files hold the same bytes for every runtime.
    """

    path: str
    data: bytes
    executable: bool
    root: str
    kind: str
    source: str
    shared: bool = False
    rendition: str = "full"


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
