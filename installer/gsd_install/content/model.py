"""A content tree in memory: what an author wrote, parsed once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any, Literal

    from gsd_install.content.feature import Feature

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

# Kinds a host finds by itself; bodies are read by path; rules go into the instructions file.
DISCOVERED = ("command", "agent", "skill")
BODIES = ("workflow", "reference", "template")

# The kind of a bundle's files that are part of no document.
FILE = "file"

TIERS = ("core", "standard", "full")

# The file at the root that holds conventions as predicates, which the companion answers from.
CONTEXT = "CONTEXT.md"

# What a placeholder may name, and which of them read differently from one host to the next.
VERBS = ("path", "launcher", "agent", "command", "tool", "args", "runtime")
SPECIFIC_VERBS = frozenset({"command", "tool", "args", "runtime"})

_NONE: Mapping[str, str] = MappingProxyType({})

ACTIONS = ("read", "write", "edit", "search", "find", "run", "fetch", "web", "ask", "dispatch", "todo")


class Placeholder(NamedTuple):
    """`{gsd:verb argument}` at a line (1-based) of its file; `home` is how it spells the home directory."""

    verb: str
    argument: str
    line: int
    home: str = "~"


Part = str | Placeholder


class Section(NamedTuple):
    """A stretch of a document's text. `id` is empty for text that every invocation reads.

    `hold` says what a budget may do to it: `keep`, `isolate`, `shrink:<lines>`, `drop`, or empty for
    text that may move (content/holds.py). `line` is where it starts in its file, 0 where nobody knows.
    """

    id: str
    when: str
    parts: tuple[Part, ...]
    hold: str = ""
    line: int = 0


class Document(NamedTuple):
    """One content file. `path` is relative to the content root, POSIX, with its suffix.

    `id` is the name without folder and suffix (`plan-phase`; `git/commits` for a nested reference; the
    folder name for a skill). `sections` hold the text below the frontmatter, in order.

    `name` is what a host shows, where that is not the prefix and the id. `extra` are the frontmatter keys of
    a bundle's document as its author wrote them, less those of docs/content.md; None in content of ours.
    """

    kind: str
    id: str
    path: str
    meta: Mapping[str, Any]
    sections: tuple[Section, ...]
    executable: bool
    name: str = ""
    extra: Mapping[str, Any] | None = None

    @property
    def placeholders(self) -> Iterator[Placeholder]:
        """Every placeholder of the text, in order."""
        for section in self.sections:
            for part in section.parts:
                if isinstance(part, Placeholder):
                    yield part

    @property
    def tier(self) -> str:
        """The smallest install profile that holds this document."""
        return str(self.meta.get("tier", "standard"))


class Asset(NamedTuple):
    """A file that travels with a skill, a hook or a bundle (kind `file`): scripts, images, data.

    Its bytes stay, unless it is a text of a bundle that names paths: then `parts` are its text.
    """

    kind: str
    id: str
    path: str
    data: bytes
    executable: bool
    parts: tuple[Part, ...] = ()


class Hook(NamedTuple):
    """What a host runs at the first of `events` that it has (`session-start`).

    One of `script`, relative to the root, `run`, words for the launcher of the companion, and `line`, a
    bundle's line for a shell. With `tools` (action names) it runs at events of those tools alone.
    """

    id: str
    events: tuple[str, ...]
    script: str = ""
    run: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    line: tuple[Part, ...] = ()


class Catalog(NamedTuple):
    """A content root as loaded. `root` is its absolute directory; `digest` covers every byte of it.

    `servers` are the MCP servers of `mcp.json`, by name, as their author wrote them. `start` is the command
    a person types first, or empty. `sources` says where the files of a bundle stand that are not at their
    usual path, `notes` what a person should know about a bundle. `bundle` says of one whether its loose files
    are the same for every host, and empty of content of ours. `features` are the capabilities whose
    content is merged into it.
    """

    root: str
    id: str
    name: str
    version: str
    prefix: str
    requires: str
    documents: tuple[Document, ...]
    assets: tuple[Asset, ...]
    hooks: tuple[Hook, ...]
    servers: Mapping[str, Any]
    digest: str
    start: str = ""
    sources: Mapping[str, str] = _NONE
    notes: tuple[str, ...] = ()
    bundle: Literal["", "shared", "own"] = ""
    features: tuple[Feature, ...] = ()

    def at(self, path: str) -> str:
        """The file of a document or asset as messages name it."""
        for feature in self.features:
            if any(file.path == path for file in feature.files):
                return f"{feature.folder}/{path}"
        return f"{self.root}/{self.sources.get(path, path)}"

    def name_of(self, document: Document) -> str:
        """What a host shows for a document."""
        return document.name or self.named(document.kind, document.id)

    def named(self, kind: str, id: str) -> str:  # noqa: A002, ARG002
        """What a host shows for a document of this kind and id, unless it has a name of its own."""
        return f"{self.prefix}-{id}"
