"""Knowledge for a prompt: whole sections, the stale ones last, with headings that cannot pose as sections."""

from __future__ import annotations

import re
from itertools import pairwise

from gsd_capabilities.learning.limits import KNOWLEDGE_STALE_DAYS
from gsd_capabilities.prefix.fit import items
from gsd_install.kernel.measure import estimated
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gsd_capabilities.prefix.fit import Piece

_DAY = 86_400
_LOWEST, _DEEPEST = 3, 6
_DATE = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
# Reports of what went wrong once, and of what was said once: rarely what the next task needs.
_STALE = frozenset(
    {"transcript", "transcripts", "incident", "incidents", "outage", "outages", "fault", "faults"}
)


def shown(text: str, most: int, pointer: str, now: float) -> Piece:
    """At most `most` tokens of knowledge in whole sections; where some are missing it ends with `pointer`."""
    sections = [part for part in _sections(text) if part.strip()]
    ordered = sorted(sections, key=lambda part: stale(part, now))
    return items([demoted(part).strip() for part in ordered], most, pointer, estimated(), between="\n\n")


def stale(section: str, now: float) -> bool:
    """Whether the heading of a section names a day long past, or a fault or transcript."""
    heading, _, _ = section.lstrip().partition("\n")
    if not heading.startswith("#"):
        return False
    named = set(re.findall(r"[a-z]+", heading.lower()))
    return bool(named & _STALE) or any(now - at > KNOWLEDGE_STALE_DAYS * _DAY for at in _days(heading))


def demoted(text: str) -> str:
    """The text with every heading a level deeper, and none above the third."""
    from gsd_install.kernel.markdown import headings

    parts, at = [], 0
    for heading in headings(text, frontmatter=False):
        start = text.index("#", heading.start)
        parts += [text[at:start], "#" * min(max(heading.level + 1, _LOWEST), _DEEPEST)]
        at = start + heading.level
    return "".join([*parts, text[at:]])


def _sections(text: str) -> Iterator[str]:
    """The text before the first section, then each section of the second level with what is below it."""
    from gsd_install.kernel.markdown import headings

    starts = [heading.start for heading in headings(text, frontmatter=False) if heading.level <= 2]
    bounds = [0, *starts, len(text)]
    for start, end in pairwise(bounds):
        part = text[start:end]
        heading, _, body = part.partition("\n")
        if body.strip() or not heading.startswith("# "):
            yield part


def _days(heading: str) -> Iterator[float]:
    import calendar

    for year, month, day in _DATE.findall(heading):
        try:
            yield float(calendar.timegm((int(year), int(month), int(day), 0, 0, 0)))
        except (ValueError, OverflowError):
            continue
