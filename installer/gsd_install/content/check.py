"""Does every reference of a catalog lead somewhere?"""

from __future__ import annotations

from collections.abc import Iterator

from gsd_install.content.model import ACTIONS, Catalog, Document, Placeholder
from gsd_install.kernel.errors import GsdError, ManyErrors


def references(catalog: Catalog) -> None:
    """Raise GsdError, or ManyErrors, for every placeholder and `requires` that resolves to nothing."""
    known = {
        "path": {document.path for document in catalog.documents} | {asset.path for asset in catalog.assets},
        "agent": {document.id for document in catalog.documents if document.kind == "agent"},
        "command": {document.id for document in catalog.documents if document.kind == "command"},
        "tool": set(ACTIONS),
    }
    errors = [error for document in catalog.documents for error in _faults(catalog, document, known)]
    if errors:
        raise ManyErrors(tuple(errors)) if len(errors) > 1 else errors[0]


def _faults(catalog: Catalog, document: Document, known: dict[str, set[str]]) -> Iterator[GsdError]:
    file = catalog.at(document.path)
    for placeholder in document.placeholders:
        if placeholder.verb in known and placeholder.argument not in known[placeholder.verb]:
            yield _unresolved(placeholder, known[placeholder.verb], file)
    for name in document.meta.get("requires", ()):
        if name not in known["command"]:
            yield GsdError(f"requires names no command: {name!r}", reason="unresolved", file=file, line=1)


def _unresolved(placeholder: Placeholder, known: set[str], file: str) -> GsdError:
    from difflib import get_close_matches

    near = get_close_matches(placeholder.argument, known, n=1)
    return GsdError(
        f"{{gsd:{placeholder.verb} {placeholder.argument}}} resolves to nothing",
        reason="unresolved",
        file=file,
        line=placeholder.line,
        hint=f"did you mean {near[0]!r}?"
        if near
        else f"there is no such {placeholder.verb} in this content root",
    )
