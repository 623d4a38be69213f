"""Which paths a text of the codebase map names, and the commit it was made at: pure.

The form of the map is that of the templates below `templates/codebase/`.
"""

from __future__ import annotations

import re

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPAN = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"(?:\./)?([\w.@+-]+(?:/[\w.@+-]+)*)/?(?::[\w.:-]+)?", re.ASCII)
_MAPPED = re.compile(r"^Mapped at `?([0-9a-f]{7,40})\b", re.MULTILINE)


class Named(NamedTuple):
    """A path as line `line` (from 1) of a text names it: relative to the repository, `/` between names."""

    path: str
    line: int


def paths(text: str) -> Iterator[Named]:
    """What may be a path in the code spans of `text`, a `:symbol` behind it taken off.

    Words with spaces, globs, `<placeholders>`, absolute paths and addresses are none. A plain word may be
    one; whether it was ever in the tree is for the caller to know.
    """
    for number, line in enumerate(text.splitlines(), 1):
        for span in _SPAN.findall(line):
            found = _PATH.fullmatch(span)
            if found and set(found[1]) - set("./"):
                yield Named(found[1], number)


def mapped_at(text: str) -> str | None:
    """The commit in the line `Mapped at <commit>, <date>.`"""
    found = _MAPPED.search(text)
    return found[1] if found else None
