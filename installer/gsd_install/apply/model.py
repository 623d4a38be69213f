"""What `apply` is asked for, what it decides, and what it did: the values between its steps."""

from __future__ import annotations

from collections.abc import Mapping

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.runtime.platform import Platform

if TYPE_CHECKING:
    from typing import Any, Literal

    Action = Literal[
        "create",  # nothing was there
        "replace",  # ours and untouched, new bytes
        "merge",  # ours and edited, both changes fit together
        "conflict",  # ours and edited: the user's file stays, ours goes beside it as <name>.gsd-new
        "edit",  # entries inside a file the user owns
        "chmod",  # bytes are right, mode is not
        "remove",  # ours and no longer wanted
        "keep",  # no longer wanted, but edited: it stays and is reported
        "skip",  # the user deleted it; it stays deleted unless restored
        "backup",  # a foreign file moves aside
        "restore",  # a file moved aside comes back
        "unchanged",
    ]

    Drift = Literal["missing", "modified", "stale", "foreign"]


class Location(NamedTuple):
    """One place we install into: HOME (global scope) or a project, with its ledger and its state.

    All paths are absolute. `root` is what ledger paths are relative to. `payload` holds the shared
    texts. `ledger` is the ownership file. `state` is the directory for machine facts of this location
    (journal, lock, base texts, stat cache); it may not exist yet.
    """

    scope: Literal["global", "project"]
    root: str
    payload: str
    ledger: str
    state: str
    platform: Platform


class File(NamedTuple):
    """One file as it should be. `path` must resolve inside `root`; `owners` are unit keys.

    `sha256` is the digest of `data` where the caller knows it, else empty.
    """

    path: str
    data: bytes
    executable: bool
    root: str
    owners: tuple[str, ...]
    sha256: str = ""


class Edit(NamedTuple):
    """One entry of ours in a file the user owns.

    `format` is `jsonc`, `toml`, `yaml` or `block`; `pointer` leads to the entry (a last step `-`
    appends to an array); for `block` it is the one-step block name and `value` is its text. Where an entry
    of the user's own in that array holds every text of `mark`, it does the same, and ours is left out.
    """

    path: str
    format: Literal["jsonc", "toml", "yaml", "block"]
    pointer: tuple[str, ...]
    value: Any
    root: str
    owners: tuple[str, ...]
    mark: tuple[str, ...] = ()


class Desired(NamedTuple):
    """What a command wants at one location.

    `units` maps each unit key (`claude:gsd`) to what the ledger shall record about it (JSON values
    only). Those units come to own exactly `files` and `edits`; units in `removed` come to own nothing;
    every other unit in the ledger keeps what it has.
    """

    units: Mapping[str, Mapping[str, Any]]
    removed: frozenset[str]
    files: tuple[File, ...]
    edits: tuple[Edit, ...]


class Options(NamedTuple):
    """Choices of the user: move foreign files aside, bring back files the user deleted."""

    backup: bool = False
    restore: bool = False


class Operation(NamedTuple):
    """One path and what happens to it. Images are None where there is no file.

    `before` and `after` are whole contents; `mode_before` and `mode_after` are permission bits.
    `note` is a sentence for the report, empty where the action says it all.
    """

    action: Action
    path: str
    before: bytes | None
    after: bytes | None
    mode_before: int | None
    mode_after: int | None
    owners: tuple[str, ...]
    note: str = ""


class Finding(NamedTuple):
    """One path that is not as the ledger says."""

    drift: Drift
    path: str
    owners: tuple[str, ...]
    note: str = ""
