"""Words with an at-sign in instructions, which some hosts take for files to include."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gsd_install.kernel import markdown

# Code spans are passed over; a mail address or a path in the middle of a word is no word of its own.
_SPAN_OR_WORD = re.compile(r"(?P<span>(`+)(?!`).*?(?<!`)\2(?!`))|(?<![\w`@./-])@[\w./~-]*[\w/~-]")


def shielded(text: str) -> str:
    """The text with each such word in a code span; one that is alone on its line is meant as an import."""
    return "".join(
        line if at is None else _SPAN_OR_WORD.sub(lambda found: found["span"] or f"`{found[0]}`", line)
        for line, at in _lines(text)
    )


def loose(text: str) -> Iterator[tuple[int, str]]:
    """The line, from 1, and the spelling of each word that `shielded` puts into a code span."""
    for line, at in _lines(text):
        if at is not None:
            found = _SPAN_OR_WORD.finditer(line)
            yield from ((at, match[0]) for match in found if not match["span"])


def _lines(text: str) -> Iterator[tuple[str, int | None]]:
    """Each line, with its number where such a word in it would count."""
    for number, line in enumerate(markdown.scan(text, frontmatter=False), 1):
        row = text[line.start : line.end]
        alone = row.strip().startswith("@") and len(row.split()) == 1 and not row.strip().endswith(":")
        yield row, None if line.kind in ("fence", "comment") or alone else number
