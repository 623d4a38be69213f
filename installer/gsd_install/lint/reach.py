"""Texts that nobody is led to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gsd_install.content.model import BODIES, FOLDERS, Document
from gsd_install.content.select import hooked
from gsd_install.lint.model import CONTEXT, Finding, Tree, finding

_LINK = re.compile(r"\{gsd:path[ \t]+([^{}\r\n]*?)[ \t]*\}")
_AGENT = re.compile(r"\{gsd:agent[ \t]+([^{}\r\n]*?)[ \t]*\}")
_OPTION = "flag:"


def reach(tree: Tree) -> Iterator[Finding]:
    """Bodies that nothing leads to, agents that no text names, and sections that no invocation reads."""
    reached = _reached(tree)
    for document, _ in tree.documents(*BODIES):
        if document.path.casefold() not in reached:
            yield finding("unreachable", document.path, 1, f"nothing leads to this {document.kind}")
    named = _dispatched(tree)
    for document, _ in tree.documents("agent"):
        if document.id not in named:
            yield finding("unnamed-agent", document.path, 1, f"no text names the agent {document.id!r}")
    for document, _ in tree.documents("workflow"):
        yield from _unread(tree, document, led=document.path.casefold() in reached)


def _reached(tree: Tree) -> frozenset[str]:
    """Every path that is led to, case folded: of two that differ in case, either may be meant."""
    links = {document.path: _links(document) for document in tree.catalog.documents}
    for path in tree.dropped:
        links[path] = set(_LINK.findall(tree.texts.get(path, "")))
    starts = (CONTEXT, *(f"{folder}/" for kind, folder in FOLDERS.items() if kind not in BODIES))
    pending = [path for path in links if path.startswith(starts) or path in tree.dropped]
    pending += [path for feature in tree.catalog.features for path in hooked(feature.said)[0]]
    found: set[str] = set()
    while pending:
        path = pending.pop()
        if path not in found:
            found.add(path)
            pending += links.get(path, ())
    return frozenset(path.casefold() for path in found)


def _links(document: Document) -> set[str]:
    return {item.argument for item in document.placeholders if item.verb == "path"}


def _dispatched(tree: Tree) -> set[str]:
    """The agents that a text names, the texts included that could not be loaded."""
    loaded = (item for document in tree.catalog.documents for item in document.placeholders)
    named = {item.argument for item in loaded if item.verb == "agent"}
    named.update(name for feature in tree.catalog.features for name in hooked(feature.said)[1])
    return named.union(*(_AGENT.findall(tree.texts.get(path, "")) for path in tree.dropped))


def _unread(tree: Tree, document: Document, *, led: bool) -> Iterator[Finding]:
    """The sections of a workflow whose step files nobody reads."""
    seen: set[str] = set()
    for section in document.sections:
        if not section.id or section.id in seen:
            continue
        seen.add(section.id)
        line = max(1, section.line - 1)
        if not led:
            message = f"no command leads to the step file of the section {section.id!r}"
            yield finding("unread-step", document.path, line, message)
        elif section.when.startswith(_OPTION):
            option = section.when.removeprefix(_OPTION)
            if not _offered(tree, document, section.id, option):
                message = f"the section {section.id!r} waits for {option}, which no text offers"
                yield finding("unread-step", document.path, line, message)


def _offered(tree: Tree, document: Document, gated: str, option: str) -> bool:
    """Whether a text of the root names an option: any but the section that waits for it."""
    word = re.compile(rf"(?<![\w:-]){re.escape(option)}(?![\w-])")
    own = (part for section in document.sections if section.id != gated for part in section.parts)
    others = (text for path, text in tree.texts.items() if path != document.path)
    return any(word.search(text) for text in (*own, *others) if isinstance(text, str))
