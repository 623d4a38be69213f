"""How sections give way: the three strategies as steps of one ladder, walked by the composer.

The composer lets the highest tier give way first and gives back at the end what still fits. In the order of
its tiers: discardable sections are left out; deprecated ones lose their head, then go; the inner messages
of older rounds are summarised; sections of pools that took too much become a summary, then a pointer; the
other summarizable ones follow. Immutable sections and the text of the template are never touched.
"""

from __future__ import annotations

from gsd_capabilities.context.summary import summarised
from gsd_install.kernel.fragment import Fragment, Rendition, drop, verbatim
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gsd_capabilities.context.layout import Piece
    from gsd_capabilities.context.sections import Section

_OTHER, _OVERDRAWN, _MIDDLE, _DEPRECATED, _DISCARDABLE = 2, 3, 4, 5, 6


def fragments(pieces: Sequence[Piece], overdrawn: Collection[str]) -> list[Fragment]:
    """The pieces for the composer; sections of the `overdrawn` pools give way before others."""
    present = {piece.section.id for piece in pieces if piece.section}
    made = []
    for number, piece in enumerate(pieces):
        if piece.section is None:
            made.append(verbatim(f"template:{number}", piece.text))
        else:
            needed = piece.section.requires
            if needed:
                needed = tuple(name for name in needed if name in present)
            made.append(_fragment(piece.section, piece.text, needed, overdrawn))
    return made


def pointer(one: Section) -> str:
    """The line that stands for a section, and says where it can be read."""
    lines = one.text.count("\n") + 1
    where = f", in {one.source}" if one.source else ""
    return f"[{one.title}: {lines:,} {'line' if lines == 1 else 'lines'} left out{where}]"


def newest(text: str) -> str:
    """A text without its head: its last section, or its last paragraph."""
    from gsd_install.kernel.markdown import headings

    found = headings(text)
    start = found[-1].start if found else text.rstrip("\n").rfind("\n\n") + 2
    return text[start:] if start > 1 else ""


def _fragment(one: Section, before: str, needed: tuple[str, ...], overdrawn: Collection[str]) -> Fragment:
    if one.tier == "immutable":
        return verbatim(one.id, one.text, wrapper=before)
    if one.tier == "discardable":
        shorter = newest(one.text) if one.deprecated else ""
        return drop(
            one.id,
            one.text,
            [Rendition("shrunk", shorter)] if shorter else [],
            tier=_DEPRECATED if one.deprecated else _DISCARDABLE,
            priority=one.priority,
            wrapper=before,
            requires=needed,
        )
    return Fragment(
        one.id,
        (Rendition("full", one.text, len(one.text)), *_lower(one)),
        "extract",
        tier=_tier(one, overdrawn),
        priority=one.priority,
        wrapper=before,
        requires=needed,
    )


def _tier(one: Section, overdrawn: Collection[str]) -> int:
    if one.middle:
        return _MIDDLE
    return _OVERDRAWN if one.pool in overdrawn else _OTHER


def _lower(one: Section) -> list[Rendition]:
    """Summary and pointer; a plan may be summarised and not lost, so it has no pointer."""
    summary = summarised(one.text)
    lower = [Rendition("outline", summary)] if summary else []
    return lower if one.role == "plan" else [*lower, Rendition("shrunk", pointer(one))]
