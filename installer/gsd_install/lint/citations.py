"""Predicates that agents and workflows cite: are they in CONTEXT.md, and in these words?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gsd_install.kernel import markdown
from gsd_install.kernel.predicates import read
from gsd_install.kernel.scope import should_compose
from gsd_install.lint.model import CONTEXT, Finding, Tree, body, finding

_ID = r"[A-Z][A-Z0-9_-]*(?:\.[A-Za-z0-9_-]+)*"
_SPAN = re.compile(rf"(?<!`)`({_ID})=([^`\r\n\u2028\u2029]+)`(?!`)")


def citations(tree: Tree) -> Iterator[Finding]:
    """Cited predicates that CONTEXT.md lacks or has with another value; none where there is no such file."""
    if CONTEXT not in tree.texts:
        return
    facts = predicates(tree.texts[CONTEXT])
    for document in tree.catalog.documents:
        if not should_compose(document.kind):
            continue
        for line, name, value in _cited(tree.texts[document.path]):
            if name not in facts:
                yield finding(
                    "unknown-citation", document.path, line, f"{name} is not in {CONTEXT}", _near(name, facts)
                )
            elif value not in facts[name]:
                fix = f"write `{name}={facts[name][0]}`"
                yield finding(
                    "stale-citation", document.path, line, f"{name} has another value in {CONTEXT}", fix
                )


def predicates(text: str) -> dict[str, list[str]]:
    """The values of each predicate of a text."""
    found: dict[str, list[str]] = {}
    for fact in read(text).predicates:
        found.setdefault(fact.id, []).append(fact.value)
    return found


def _cited(text: str) -> Iterator[tuple[int, str, str]]:
    for number, row in _prose(*body(text)):
        for match in _SPAN.finditer(row):
            yield number, match[1], match[2]


def _prose(text: str, first: int) -> Iterator[tuple[int, str]]:
    """The lines of a text that are neither in a fence nor in a comment nor quoted."""
    for number, line in enumerate(markdown.scan(text, frontmatter=False), first):
        row = text[line.start : line.end].rstrip("\r\n")
        if line.kind not in ("fence", "comment") and not row.lstrip().startswith(">"):
            yield number, row


def _near(name: str, facts: dict[str, list[str]]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, facts, n=1)
    return f"did you mean `{near[0]}={facts[near[0]][0]}`?" if near else ""
