"""A content tree in memory: what an author wrote, parsed once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

# Folder of a kind below the content root. The order is the order of reports.
FOLDERS = {
    "command": "commands",
    "workflow": "workflows",
    "agent": "agents",
    "skill": "skills",
    "reference": "references",
    "template": "templates",
    "rule": "rules",
}

# Kinds a host discovers by itself; the others are read by path.
DISCOVERED = ("command", "agent", "skill", "rule")
BODIES = ("workflow", "reference", "template")


class Document(NamedTuple):
    """One content file. `path` is relative to the content root, POSIX, with its suffix.

    `id` is the name without folder and suffix (`plan-phase`; `git/commits` for a nested reference;
    the folder name for a skill). `body` is the text below the frontmatter, which starts at line
    `body_line` (1-based) of the file.
    """

    kind: str
    id: str
    path: str
    meta: Mapping[str, Any]
    body: str
    body_line: int
    executable: bool


class Asset(NamedTuple):
    """A file that travels with a skill or a hook unread: scripts, images, data."""

    kind: str
    id: str
    path: str
    data: bytes
    executable: bool


class Hook(NamedTuple):
    """A script of ours that a host runs at an event (`session-start`, ...)."""

    id: str
    event: str
    script: str


class Catalog(NamedTuple):
    """A content root as loaded. `root` is its absolute directory; `digest` covers every byte of it."""

    root: str
    id: str
    name: str
    version: str
    prefix: str
    requires: str
    documents: tuple[Document, ...]
    assets: tuple[Asset, ...]
    hooks: tuple[Hook, ...]
    digest: str
