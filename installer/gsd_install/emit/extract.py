"""Make a text fit without losing a sentence: parts of it move to files beside it, in the order they stood.

Whole headed parts move first, the later ones first; where that is not enough, a stretch keeps its first
blocks and the rest of it moves. No block (fence, table, list, comment, paragraph) is ever cut. What is
declared load-bearing stays. Only when that does not fit either do declared shrinks and drops apply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from gsd_install.emit.text import Stretch
from gsd_install.kernel import fragment, markdown
from gsd_install.kernel.compose import BudgetError, compose
from gsd_install.kernel.composition import Composition
from gsd_install.kernel.fragment import Fragment, Rendition
from gsd_install.kernel.measure import Measure

# Where a stretch may be cut: enough places to waste little, few enough to stay quick.
_CUTS = 24


class Moved(NamedTuple):
    """A part that moved; `name` is its file name."""

    name: str
    text: str


class Extracted(NamedTuple):
    """What stays, and what moved. `lost` names declared parts that were left out or shortened."""

    text: str
    moved: tuple[Moved, ...]
    lost: tuple[str, ...]


Pointer = Callable[[str], str]


def extract(stretches: Sequence[Stretch], room: int, measure: Measure, spell: Pointer) -> Extracted:
    """Fit the stretches into `room` units; `spell` gives the path of a moved part by its file name.

    Raises BudgetError when not even the declared losses are enough.
    """
    refusal: BudgetError | None = None
    for declared in (False, True):
        for pieces in (_headed, _cut):
            made = _Pieces(spell, declared=declared)
            fragments = list(pieces(made, stretches))
            try:
                return made.result(compose(fragments, room, measure, mode="optimise"))
            except BudgetError as error:
                refusal = error
    if refusal is None:
        raise ValueError("nothing was tried")
    raise refusal


class _Pieces:
    """Fragments in the making: numbers them, names their files, remembers what would move where."""

    def __init__(self, spell: Pointer, *, declared: bool) -> None:
        self.declared = declared
        self._spell = spell
        self._names: dict[str, str] = {}

    def id(self, title: str) -> str:
        """A new fragment id, which is also the stem of its file name."""
        slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40].rstrip("-")
        made = f"{len(self._names) + 1:02}-{slug or 'part'}"
        self._names[made] = f"{made}.md"
        return made

    def path(self, id: str) -> str:  # noqa: A002
        """The path of a fragment's file, as an agent reads it."""
        return self._spell(self._names[id])

    def held(self, stretch: Stretch) -> Fragment | None:
        """The fragment of a stretch with a rule of its own; None for one that may move."""
        if stretch.hold in ("keep", "isolate"):
            return fragment.verbatim(self.id(stretch.hold), stretch.text, isolate=stretch.hold == "isolate")
        if not self.declared or not stretch.hold:
            return None
        title = next((heading.title for heading in markdown.headings(stretch.text, frontmatter=False)), "text")
        rule, _, lines = stretch.hold.partition(":")
        if rule == "shrink":
            return fragment.head_shrink(self.id(title), stretch.text, int(lines), tier=3)
        return fragment.drop(self.id(title), stretch.text, tier=4)

    def result(self, composition: Composition) -> Extracted:
        """What a composition came to."""
        rest = composition.rest()
        moved = tuple(Moved(self._names[id], rest[id]) for id in composition.moved)
        return Extracted(composition.text, moved, (*composition.omitted, *composition.shrunk))


def _headed(made: _Pieces, stretches: Sequence[Stretch]) -> Iterator[Fragment]:
    """One fragment for each headed part of the top level that occurs, and for what stands before it."""
    level = _level(stretches)
    for stretch in stretches:
        held = made.held(stretch)
        if held:
            yield held
            continue
        for title, text in _parts(stretch.text, level):
            yield _movable(made, title, text)


def _level(stretches: Sequence[Stretch]) -> int:
    levels = [
        heading.level
        for stretch in stretches
        for heading in markdown.headings(stretch.text, frontmatter=False)
        if stretch.hold not in ("keep", "isolate")
    ]
    often = [level for level in set(levels) if levels.count(level) > 1]
    return min(often or levels, default=1)


def _parts(text: str, level: int) -> Iterator[tuple[str, str]]:
    headings = [heading for heading in markdown.headings(text, frontmatter=False) if heading.level <= level]
    starts = [0, *(heading.start for heading in headings), len(text)]
    for title, start, end in zip(["", *(h.title for h in headings)], starts, starts[1:], strict=False):
        if text[start:end]:
            yield title, text[start:end]


def _movable(made: _Pieces, title: str, text: str) -> Fragment:
    id = made.id(title)  # noqa: A001
    if not title:
        return fragment.verbatim(id, text)
    heading = text[: text.index("\n") + 1] if "\n" in text else f"{text}\n"
    pointer = f"{heading}\nRead {made.path(id)} now: it is this part.\n\n"
    if len(pointer.encode()) >= len(text.encode()):
        return fragment.verbatim(id, text)
    return fragment.extract(id, text, pointer)


def _cut(made: _Pieces, stretches: Sequence[Stretch]) -> Iterator[Fragment]:
    """One fragment for each stretch, which may keep any number of its first blocks."""
    for stretch in stretches:
        held = made.held(stretch)
        if held:
            yield held
            continue
        id = made.id("rest")  # noqa: A001
        pointer = f"Read {made.path(id)} now: the text goes on there.\n"
        if len(pointer.encode()) >= len(stretch.text.encode()):
            yield fragment.verbatim(id, stretch.text)
            continue
        full = Rendition("full", stretch.text, len(stretch.text))
        cuts = [Rendition("pointer", f"{stretch.text[:at]}{pointer}", at) for at in _places(stretch.text)]
        yield Fragment(id, (full, *cuts), "extract")


def _places(text: str) -> list[int]:
    """Offsets where a cut may fall, last first, 0 included; never inside a block or behind a heading."""
    blocks = markdown.blocks(text, frontmatter=False)
    starts = [
        block.start
        for before, block in zip(blocks, blocks[1:], strict=False)
        if before.kind == "blank" and block.kind != "blank"
    ]
    headings = {block.end for block in blocks if block.kind == "heading"}
    allowed = [start for start in starts if len(text[:start].rstrip()) + 1 not in headings]
    step = max(1, len(allowed) // _CUTS)
    return [*allowed[::-step], 0]
