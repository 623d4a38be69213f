"""The lines that make a body specific to one runtime."""

from __future__ import annotations

from collections.abc import Iterator

from gsd_install.content.model import BODIES, DISCOVERED, FOLDERS, SPECIFIC_VERBS, Placeholder
from gsd_install.content.select import specific_paths
from gsd_install.lint.model import Finding, Tree, finding

_PLACED_BY_HOST = tuple(f"{FOLDERS[kind]}/" for kind in DISCOVERED)


def neutral(tree: Tree) -> Iterator[Finding]:
    """Each placeholder of a body that reads differently from one runtime to the next."""
    specific = specific_paths(tree.catalog.documents)
    for document, _ in tree.documents(*BODIES):
        if document.path not in specific:
            continue
        for item in document.placeholders:
            if why := _why(item, specific):
                yield finding("specific-body", document.path, item.line, why)


def _why(item: Placeholder, specific: frozenset[str]) -> str:
    if item.verb in SPECIFIC_VERBS:
        return f"{{gsd:{f'{item.verb} {item.argument}'.strip()}}} reads differently in each runtime"
    if item.verb != "path":
        return ""
    if item.argument.startswith(_PLACED_BY_HOST):
        return f"each runtime decides where {item.argument} stands"
    return f"{item.argument} is specific to one runtime itself" if item.argument in specific else ""
