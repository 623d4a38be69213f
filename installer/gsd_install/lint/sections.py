"""Sections that cost more than they save, and markers where nobody composes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gsd_install.content.model import Document, Placeholder
from gsd_install.content.placeholders import is_marker
from gsd_install.kernel import markdown
from gsd_install.kernel.measure import BYTES
from gsd_install.kernel.scope import should_compose
from gsd_install.lint.model import Finding, Tree, body, finding
from gsd_install.lint.rules import SECTION_BYTES

_MARKER = re.compile(r"[ \t]*<!--[ \t]*/?gsd:(?:section|keep|isolate|shrink|drop)\b")
_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_STEPS = ("list", "fence")
_PATH = re.compile(r"`[^`\s]*[/.][^`\s]*`|`[^`]+ [^`]*`")


def padding(tree: Tree) -> Iterator[Finding]:
    """Sections that are too small, or that ask for nothing."""
    for document in tree.catalog.documents:
        for name, (line, text) in gated(document).items():
            size = BYTES.cost(text)
            if size < SECTION_BYTES:
                message = f"the section {name!r} has {size} bytes of at least {SECTION_BYTES}"
                yield finding("small-section", document.path, line, message)
            if not _asks(text):
                message = f"the section {name!r} holds no step, no command and no path"
                yield finding("idle-section", document.path, line, message)


def gated(document: Document) -> dict[str, tuple[int, str]]:
    """The gated sections of a document: the line of the marker, and the text with its placeholders."""
    found: dict[str, tuple[int, str]] = {}
    for section in document.sections:
        if section.id:
            line, before = found.get(section.id, (max(1, section.line - 1), ""))
            text = "".join(part if isinstance(part, str) else _source(part) for part in section.parts)
            found[section.id] = (line, before + text)
    return found


def markers(tree: Tree) -> Iterator[Finding]:
    """Markers in documents that are emitted as they were written."""
    for document in tree.catalog.documents:
        if should_compose(document.kind):
            continue
        text, first = body(tree.texts[document.path])
        for number, row in _comments(text, first):
            if _MARKER.match(row):
                message = f"a {document.kind} is never composed: a host would show {row.strip()!r}"
                yield finding("stray-marker", document.path, number, message)


def inline(tree: Tree) -> Iterator[Finding]:
    """Markers that share their line with text: no marker is finer than whole lines."""
    for document in tree.catalog.documents:
        if not should_compose(document.kind):
            continue
        text, first = body(tree.texts[document.path])
        for number, row in _shared_lines(text, first):
            if match := _MARKER.search(_SPAN.sub("", row)):
                message = f"{match[0].strip()!r} shares its line with text, and a host would show it"
                yield finding("inline-marker", document.path, number, message)


def _shared_lines(text: str, first: int) -> Iterator[tuple[int, str]]:
    """Each line that is more than one comment, outside of fences, comments and literal regions."""
    literal = False
    for number, line in enumerate(markdown.scan(text, frontmatter=False), first):
        row = text[line.start : line.end].strip()
        if is_marker(row):
            literal = not literal
        whole = line.kind == "comment" and (row.endswith("-->") or "-->" not in row) and row.count("-->") < 2
        if not (whole or literal or line.inner or line.kind == "fence"):
            yield number, row


def _source(part: Placeholder) -> str:
    return f"{{gsd:{part.verb} {part.argument}}}" if part.argument else f"{{gsd:{part.verb}}}"


def _asks(text: str) -> bool:
    """Whether a text holds a step, a command or a path."""
    if "{gsd:path " in text or _PATH.search(text):
        return True
    return any(line.kind in _STEPS for line in markdown.scan(text, frontmatter=False))


def _comments(text: str, first: int) -> Iterator[tuple[int, str]]:
    """Each line that opens a comment, outside of fences and of literal regions."""
    literal = False
    for number, line in enumerate(markdown.scan(text, frontmatter=False), first):
        row = text[line.start : line.end]
        if is_marker(row):
            literal = not literal
        elif line.kind == "comment" and not line.inner and not literal:
            yield number, row
