"""Characters that a person does not see and a model reads.

Bidirectional controls turn text around (CVE-2021-42574); zero-width, tag and variation characters can carry
a hidden message. Joiners are let be where writing needs them: between emoji and between letters of scripts
that join.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from gsd_install.lint.model import Finding, Tree, finding

_RANGES = (
    (0x00AD, 0x00AD, "soft hyphen"),
    (0x061C, 0x061C, "bidirectional control"),
    (0x180E, 0x180E, "zero-width character"),
    (0x200B, 0x200D, "zero-width character"),
    (0x200E, 0x200F, "bidirectional control"),
    (0x202A, 0x202E, "bidirectional control"),
    (0x2060, 0x2064, "zero-width character"),
    (0x2066, 0x206F, "bidirectional control"),
    (0xFEFF, 0xFEFF, "byte-order mark"),
    (0xE0000, 0xE007F, "tag character"),
    (0xE0100, 0xE01EF, "variation selector"),
)
_HIDDEN = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last, _ in _RANGES) + "]")
_JOINERS = "\u200c\u200d"
_FIRST_JOINING, _FIRST_PICTURE = 0x0600, 0x2190


def characters(tree: Tree) -> Iterator[Finding]:
    """Each line of a text that holds hidden characters, with their names."""
    for path, text in tree.texts.items():
        if text.isascii():
            continue
        for number, row in enumerate(text.split("\n"), 1):
            # A byte-order mark is one at the very top, where the loader drops it.
            bare = row.removeprefix("\ufeff") if number == 1 else row
            found = [match for match in _HIDDEN.finditer(bare) if not _joins(bare, match.start())]
            if found:
                yield finding("hidden-unicode", path, number, _said(found, len(row) - len(bare)))


def _said(found: list[re.Match[str]], before: int) -> str:
    kinds = dict.fromkeys(f"{_kind(match[0])} U+{ord(match[0]):04X}" for match in found)
    more = f", {len(found)} in all" if len(found) > 1 else ""
    return f"{', '.join(kinds)} from column {found[0].start() + before + 1} on{more}"


def _kind(character: str) -> str:
    return next(kind for first, last, kind in _RANGES if first <= ord(character) <= last)


def _joins(row: str, at: int) -> bool:
    """Whether a joiner stands between two characters that it joins."""
    if row[at] not in _JOINERS or not 0 < at < len(row) - 1:
        return False
    sides = row[at - 1], row[at + 1]
    return all(_picture(side) for side in sides) or all(_joining(side) for side in sides)


def _picture(character: str) -> bool:
    return ord(character) >= _FIRST_PICTURE and unicodedata.category(character) in ("So", "Sk", "Mn")


def _joining(character: str) -> bool:
    return ord(character) >= _FIRST_JOINING and unicodedata.category(character)[0] in "LM"
