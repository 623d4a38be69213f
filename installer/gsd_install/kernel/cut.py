"""Cut a text to a budget without breaking it.

A cut keeps the beginning of the text. It falls at a line end where that wastes little, else at the end
of a sentence, else of a word, else between two characters as a reader sees them. A cut inside a code
fence, an HTML comment or frontmatter falls before it where that wastes little; else it keeps whole lines
of it and closes it.
"""

from __future__ import annotations

from gsd_install.kernel.graphemes import next_whole, whole
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Literal

    from gsd_install.kernel.measure import Measure

    Boundary = Literal["line", "sentence", "word"]

BOUNDARIES = ("line", "sentence", "word")

_TRIES = 6


class Cut(NamedTuple):
    """`text` begins with the first `kept` characters of the source; what follows them was added."""

    kept: int
    text: str


class _Open(NamedTuple):
    """A fence, comment or frontmatter that a cut would leave open: its first line, its second, its end."""

    start: int
    body: int
    closer: str


def shorten(text: str, units: int, measure: Measure, *, boundary: Boundary = "line", ending: str = "") -> Cut:
    """The longest safe cut of `text` that costs at most `units`, with `ending` behind it.

    A text that fits is returned whole, without the ending; where nothing of it fits the cut is empty.
    """
    if measure.cost(text) <= units:
        return Cut(len(text), text)
    room = units - measure.cost(ending)
    for _ in range(_TRIES):
        cut = _within(text, room, measure, boundary, ending)
        over = measure.cost(cut.text) - units
        if over <= 0:
            return cut
        room -= over
    return Cut(0, "")


def least(text: str, floor: int, measure: Measure, *, ending: str = "") -> Cut:
    """The shortest safe cut of `text` that costs at least `floor`; the whole text where none is cheaper."""
    if floor <= 0:
        return Cut(0, "")
    cost = measure.cost(text)
    if cost <= floor:
        return Cut(len(text), text)
    kept = _pleasant(text, next_whole(text, longest_prefix(text, floor - 1, measure) + 1))
    block = _open_block(text, kept)
    if block:
        kept = _line_end(text, max(kept - 1, block.body))
        block = _open_block(text, kept)
    cut = Cut(kept, text[:kept] + _closing(text, kept, block) + ending)
    return cut if floor <= measure.cost(cut.text) < cost else Cut(len(text), text)


def head(text: str, lines: int) -> Cut:
    """The first `lines` lines of `text` with their line ends."""
    kept = 0
    for _ in range(lines):
        kept = _line_end(text, kept)
    block = _open_block(text, kept)
    if block and kept <= block.body:
        kept, block = block.start, None
    return Cut(kept, text[:kept] + _closing(text, kept, block))


def longest_prefix(text: str, units: int, measure: Measure) -> int:
    """How many characters from the start of `text` cost at most `units`.

    The longest such prefix under an additive measure. Under another one, where each try may be dear, a
    prefix that leaves at most a 64th of `units` unused, or the best of a few tries.
    """
    low, low_cost, high, high_cost = 0, 0, len(text), measure.cost(text)
    if high_cost <= units:
        return high
    tries = 0
    enough = 0 if measure.additive else units // 64
    while high - low > 1 and units - low_cost > enough and (measure.additive or tries < _TRIES):
        tries += 1
        guess = _guess(low, low_cost, high, high_cost, units, halve=tries % 3 == 0)
        cost = measure.cost(text[:guess])
        if cost <= units:
            low, low_cost = guess, cost
        else:
            high, high_cost = guess, cost
    return low


def _guess(low: int, low_cost: int, high: int, high_cost: int, units: int, *, halve: bool) -> int:
    """Where the cost should reach `units`: by interpolation, now and then by halving for safety."""
    if halve or high_cost <= low_cost:
        return (low + high) // 2
    guess = low + (high - low) * (units - low_cost) // (high_cost - low_cost)
    return min(max(guess, low + 1), high - 1)


def _within(text: str, room: int, measure: Measure, boundary: Boundary, ending: str) -> Cut:
    most = longest_prefix(text, room, measure) if room > 0 else 0
    kept = _snap(text, most, boundary)
    block = _open_block(text, kept)
    if block:
        inside = longest_prefix(text, room - measure.cost(f"{block.closer}\n"), measure)
        line_end = text.rfind("\n", block.body, inside) + 1
        near = block.start * 4 >= most * 3
        kept, block = (block.start, None) if near or not line_end else (line_end, block)
    return Cut(kept, text[:kept] + _closing(text, kept, block) + ending) if kept else Cut(0, "")


def _snap(text: str, most: int, boundary: Boundary) -> int:
    """The best place to cut that keeps at most `most` characters."""
    coarsest = BOUNDARIES.index(boundary)
    tail = most - most // 4
    if coarsest == 0 and (line := text.rfind("\n", tail - 1 if tail else 0, most) + 1):
        return line
    if coarsest <= 1 and (sentence := _sentence_end(text, tail, most)):
        return sentence
    return _word_end(text, most - most // 2, most) or whole(text, most)


def _sentence_end(text: str, least: int, most: int) -> int:
    """The last end of a sentence between the two positions, or 0."""
    import re

    start = max(least - 1, 0)
    ends = re.finditer("[.!?…]['\")\\]”’]*(?=\\s)|[。！？]", text[start : most + 1])
    places = [start + match.end() for match in ends]
    return next((place for place in reversed(places) if place <= most and whole(text, place) == place), 0)


def _word_end(text: str, least: int, most: int) -> int:
    """The last end of a word between the two positions, or 0."""
    for place in range(most, max(least, 1) - 1, -1):
        if text[place].isspace() and not text[place - 1].isspace():
            return place
    return 0


def _pleasant(text: str, at: int) -> int:
    """`at`, or the end of its line, or of its word, where that is at most an eighth further on."""
    most = min(at + at // 8, len(text))
    line = text.find("\n", max(at - 1, 0), most) + 1
    if line:
        return line
    if at < len(text) and text[at - 1].isspace():
        return at
    return next((place for place in range(at, most) if text[place].isspace()), at)


def _line_end(text: str, at: int) -> int:
    """The end of the line that `at` is in, behind its line feed."""
    return text.find("\n", at) + 1 or len(text)


def _open_block(text: str, at: int) -> _Open | None:
    """What a cut at `at` would leave open."""
    kept = text[:at]
    if at >= len(text) or not (
        "```" in kept or "~~~" in kept or "<!--" in kept or kept.startswith(("---", "\ufeff---"))
    ):
        return None
    from gsd_install.kernel.markdown import scan

    lines = scan(text)
    number = next(index for index, line in enumerate(lines) if at < line.end)
    opens = lines[number].kind in ("fence", "comment") and lines[number].start < at
    if not (lines[number].inner or opens):
        return None
    while lines[number].inner:
        number -= 1
    first = lines[number]
    return _Open(first.start, first.end, _closer(text[first.start : first.end]))


def _closer(first: str) -> str:
    """The line that closes what the line `first` opens."""
    import re

    fence = re.search("`{3,}|~{3,}", first)
    if first.lstrip("\ufeff").startswith("---"):
        return "---"
    if fence is None or first.lstrip().startswith("<!--"):
        return "-->"
    return " " * len(first[: fence.start()].expandtabs(4)) + fence[0]


def _closing(text: str, kept: int, block: _Open | None) -> str:
    if block is None:
        return ""
    return f"{block.closer}\n" if text[kept - 1] == "\n" else f"\n{block.closer}\n"
