"""What a truncated context is checked for: its structure, and mentions of sections that are gone.

The third check, measuring again, is part of fitting (`fit`).
"""

from __future__ import annotations

import re

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gsd_capabilities.context.sections import Section

REQUIRED = ("core", "request", "output")

_SEE = (
    r"(?:\b(?:[Ss]ee|[Rr]efer to)\s+(?:(?:the|above)\s+){0,2}"
    r"|(?:详见|参见|请见|参阅)\s*(?:上面的|上文的|上述)?\s*)"
)
_HINT = re.compile("(?i)\\b(?:see|refer)\\b|[详参请]见|参阅|@")


class Repaired(NamedTuple):
    """The sections with their mentions repaired, and the ids of those that changed."""

    sections: tuple[Section, ...]
    changed: tuple[str, ...]


def check_structure(given: Iterable[Section], text: str) -> None:
    """Raise GsdError (reason `broken_structure`) unless every protected section stands whole in `text`."""
    missing = [
        one.title
        for one in given
        if (one.role in REQUIRED or one.tier == "immutable") and one.text not in text
    ]
    if missing:
        raise GsdError(
            f"the context lacks {', '.join(missing)}",
            reason="broken_structure",
            hint="the template must have a place for each of them",
        )


def repaired(sections: Sequence[Section], gone: Iterable[Section]) -> Repaired:
    """Replace mentions of sections that are gone by a remark; nothing else of a text changes.

    A mention is `@name`, or a word like "see" or 详见 before the name or title: in backticks, or bare where
    the phrase ends behind it, so that "see Environment variables" is none of the section Environment.
    Immutable sections keep their bytes. A name that a section still there has too is not gone.
    """
    lost = {one.id: one for one in gone}
    there = {name for one in sections if one.id not in lost for name in (one.id, one.title)}
    names = {name for one in lost.values() for name in (one.id, one.title) if name} - there
    found = _mentions(names) if names else None
    made, changed = [], []
    for one in sections:
        text = one.text
        if found and one.tier != "immutable" and _HINT.search(text):
            text = found.sub(_remark, text)
        if text != one.text:
            changed.append(one.id)
        made.append(one._replace(text=text) if text != one.text else one)
    return Repaired(tuple(made), tuple(changed))


def _mentions(names: Iterable[str]) -> re.Pattern[str]:
    known = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))
    bare = rf"(?P<bare>{known})(?=\s+(?:above|below)\b|\s*(?:[,;:!?)\]。，；：！？）]|\.(?!\w)|$))"
    return re.compile(
        rf"{_SEE}(?:`(?P<ticked>{known})`|{bare})(?:\s+(?:above|below)\b)?|(?<![\w@/.])@(?P<at>{known})(?![\w/-]|\.\w)",
        re.MULTILINE,
    )


def _remark(match: re.Match[str]) -> str:
    return f"({match['ticked'] or match['bare'] or match['at']} omitted)"
