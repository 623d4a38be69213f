"""Texts and listings that are too long."""

from __future__ import annotations

from collections.abc import Iterator

from gsd_install.content.model import Document
from gsd_install.emit.draft import description_of
from gsd_install.emit.places import NEAREST
from gsd_install.kernel.measure import BYTES, measure
from gsd_install.lint.model import Finding, Host, Tree, body, field_line, finding
from gsd_install.lint.rules import DESCRIPTION_CHARACTERS, KIB, SIZES
from gsd_install.runtime.model import Cap


def sizes(tree: Tree) -> Iterator[Finding]:
    """Workflow bodies, agents and commands over their size, and descriptions over theirs."""
    for document in tree.catalog.documents:
        text = tree.texts[document.path]
        size = BYTES.cost(body(text)[0] if document.kind == "workflow" else text)
        if document.kind in SIZES and size > SIZES[document.kind]:
            message = f"this {document.kind} has {size:,} bytes, more than {SIZES[document.kind] // KIB} KiB"
            yield finding(f"large-{document.kind}", document.path, 1, message)
        length = len(description_of(document))
        if length > DESCRIPTION_CHARACTERS:
            message = f"the description has {length:,} characters of at most {DESCRIPTION_CHARACTERS:,}"
            yield finding("long-description", document.path, field_line(text, "description"), message)


def listings(tree: Tree) -> Iterator[Finding]:
    """Sums of names and descriptions that are over what a runtime lists, the user's own not counted."""
    for host in tree.hosts:
        for cap in host.caps:
            if cap.field == "listing" and (found := _listing(tree, host, cap)):
                yield found


def _listing(tree: Tree, host: Host, cap: Cap) -> Finding | None:
    listed = [document for document in tree.catalog.documents if _kind(host, document, cap) == cap.kind]
    costs = {
        document.path: measure(f"{tree.catalog.name_of(document)}{description_of(document)}", cap.unit)
        for document in listed
    }
    total = sum(costs.values())
    if total <= cap.limit:
        return None
    largest = max(costs, key=lambda path: costs[path])
    message = (
        f"{host.runtime.title} would list {total:,} {cap.unit} of {cap.kind}s, the limit is {cap.limit:,}; "
        f"this one has {costs[largest]:,}"
    )
    return finding("listing-budget", largest, field_line(tree.texts[largest], "description"), message)


def _kind(host: Host, document: Document, cap: Cap) -> str:
    """What a document is placed as in a host: its kind, or the nearest that has a place."""
    scopes = (None, cap.scope) if cap.scope else (None, "global", "project")
    kinds = {place.kind for place in host.runtime.places if place.scope in scopes}
    return next((kind for kind in NEAREST.get(document.kind, ()) if kind in kinds), "")
