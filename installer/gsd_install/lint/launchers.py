"""Launchers that texts name: does a capability bring them?"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from gsd_install.lint.model import Finding, Tree, finding


def launchers(tree: Tree) -> Iterator[Finding]:
    """Each `{gsd:launcher}` whose launcher nobody brings; none where it is not known who brings which."""
    if tree.launchers is None:
        return
    for document in tree.catalog.documents:
        for item in document.placeholders:
            if item.verb == "launcher" and item.argument not in tree.launchers:
                near = get_close_matches(item.argument, tree.launchers, n=1)
                fix = f"write {{gsd:launcher {near[0]}}}" if near else ""
                message = f"no installed capability brings a launcher {item.argument!r}"
                yield finding("unknown-launcher", document.path, item.line, message, fix)
