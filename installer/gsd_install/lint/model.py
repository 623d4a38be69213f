"""What linting looks at and what it finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from gsd_install.content.model import FOLDERS, Catalog, Document
from gsd_install.kernel import markdown
from gsd_install.kernel.record import NamedTuple
from gsd_install.lint.rules import RULES
from gsd_install.runtime.model import Cap, Runtime

# Facts of a content root, one a line, which its texts may cite.
CONTEXT = "CONTEXT.md"

Level = Literal["error", "warning", "note"]


class Finding(NamedTuple):
    """One thing to look at; `path` is relative to the content root, `line` 1-based, `rule` a key of RULES.

    `fix` says what to do about it.
    """

    path: str
    line: int
    rule: str
    message: str
    fix: str

    @property
    def level(self) -> Level:
        """How bad it is."""
        return RULES[self.rule].level


class Host(NamedTuple):
    """A runtime whose limits on listings the content is held against."""

    runtime: Runtime
    caps: tuple[Cap, ...]


class Tree(NamedTuple):
    """A content root as far as it could be read.

    `catalog` is what loading gives once faults are mended; `texts` are the files that are text, as their
    author wrote them; `dropped` the paths that `catalog` could not hold. `launchers` are the names of those
    that are installed along; None where nobody says.
    """

    root: str
    catalog: Catalog
    texts: Mapping[str, str]
    dropped: frozenset[str] = frozenset()
    hosts: tuple[Host, ...] = ()
    launchers: frozenset[str] | None = None

    def documents(self, *kinds: str) -> Iterator[tuple[Document, str]]:
        """The documents of these kinds, each with its text."""
        for document in self.catalog.documents:
            if document.kind in kinds:
                yield document, self.texts[document.path]


def texts(contents: Mapping[str, bytes]) -> dict[str, str]:
    """Every file that is UTF-8, and documents that are not with marks in the place of what cannot be read."""
    found = {}
    for path, data in contents.items():
        document = path.endswith(".md") and (path == CONTEXT or path.partition("/")[0] in FOLDERS.values())
        try:
            found[path] = data.decode("utf-8", errors="replace" if document else "strict")
        except UnicodeDecodeError:
            continue  # an image or the like: it travels unread
    return found


def finding(rule: str, path: str, line: int, message: str, fix: str = "") -> Finding:
    """A finding; without a `fix` of its own it gets that of its rule."""
    return Finding(path, line, rule, message, fix or RULES[rule].fix)


def body(text: str) -> tuple[str, int]:
    """What stands below the frontmatter, and the line it starts at."""
    frame = markdown.FRAME.match(text)
    if frame is None:
        return text.removeprefix("\ufeff"), 1
    return text[frame.end() :], 1 + sum(1 for _ in markdown.lines(frame[0]))


def field_line(text: str, key: str) -> int:
    """The line of a field of the frontmatter; 1 where it is not found."""
    frame = markdown.FRAME.match(text)
    rows = markdown.lines(frame[0]) if frame else ()
    return next((number for number, (_, _, row) in enumerate(rows, 1) if row.startswith(f"{key}:")), 1)
