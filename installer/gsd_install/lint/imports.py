"""Words in rules that some hosts take for files to include."""

from __future__ import annotations

from collections.abc import Iterator

from gsd_install.emit.imports import loose
from gsd_install.lint.model import Finding, Tree, body, finding


def imports(tree: Tree) -> Iterator[Finding]:
    """Each word with an at-sign in a rule: it is installed in a code span where a host includes files so."""
    for document, whole in tree.documents("rule"):
        text, first = body(whole)
        for line, word in loose(text):
            message = f"{word} is the name of a file to include for some runtimes"
            yield finding("at-sign", document.path, first + line - 1, message)
