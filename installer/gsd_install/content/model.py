"""A content tree in memory: what an author wrote, parsed once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

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

TIERS = ("core", "standard", "full")

# The file at the root that holds conventions as predicates, which the companion answers from.
CONTEXT = "CONTEXT.md"

# What a placeholder may name, and which of them read differently from one host to the next.
VERBS = ("path", "launcher", "agent", "command", "tool", "args", "runtime")
SPECIFIC_VERBS = frozenset({"command", "tool", "args", "runtime"})

ACTIONS = ("read", "write", "edit", "search", "find", "run", "fetch", "web", "ask", "dispatch", "todo")


class Placeholder(NamedTuple):
    """`{gsd:verb argument}` at a line (1-based) of its file."""

    verb: str
    argument: str
    line: int


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
    """

    kind: str
    id: str
    path: str
    meta: Mapping[str, Any]
    sections: tuple[Section, ...]
    executable: bool

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
    """A file that travels unread with a skill or a hook: scripts, images, data."""

    kind: str
    id: str
    path: str
    data: bytes
    executable: bool


class Hook(NamedTuple):
    """What a host runs at the first of `events` that it has (`session-start`).

    Either `script`, relative to the root, or `run`, words for the launcher of the companion. With `tools`
    (action names) it runs at events of those tools alone.
    """

    id: str
    events: tuple[str, ...]
    script: str = ""
    run: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


class Catalog(NamedTuple):
    """A content root as loaded. `root` is its absolute directory; `digest` covers every byte of it.

    `servers` are the MCP servers of `mcp.json`, by name, as their author wrote them. `start` is the command
    a person types first, or empty.
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

    def at(self, path: str) -> str:
        """The file of a document or asset as messages name it."""
        return f"{self.root}/{path}"
