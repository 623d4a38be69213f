"""Making a section as short as its rule says, with a pointer at its end to where the rest is.

All of it through the composer: nothing here cuts a text.
"""

from __future__ import annotations

from gsd_install.kernel.compose import compose
from gsd_install.kernel.fragment import drop, proportional_truncate, verbatim
from gsd_install.kernel.measure import CHARACTERS, LINES
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gsd_install.kernel.measure import Measure


class Piece(NamedTuple):
    """The text of a section; `capped` says that it is not all, and then it ends with `pointer`."""

    text: str
    pointer: str = ""
    capped: bool = False


def words(text: str, most: int, pointer: str) -> Piece:
    """At most `most` characters of a text, up to the end of a word."""
    fragment = proportional_truncate("text", text, boundary="word", ending=f"...\n{pointer}")
    made = compose([fragment], most, CHARACTERS, note=None)
    return Piece(made.text, pointer, made.text != text)


def line(text: str, most: int) -> str:
    """A text on one line of at most `most` characters."""
    flat = " ".join(text.split())
    if len(flat) <= most:
        return flat
    return compose(
        [proportional_truncate("line", flat, boundary="word", ending="...")], most, CHARACTERS, note=None
    ).text


def lines(texts: Iterable[str], most: int) -> tuple[list[str], bool]:
    """Each text on a line of at most `most` characters, and whether one of them is not all there."""
    flat = [" ".join(text.split()) for text in texts]
    shown = [line(text, most) for text in flat]
    return shown, shown != flat


def items(
    texts: Sequence[str], most: int, pointer: str, measure: Measure = CHARACTERS, *, between: str = "\n"
) -> Piece:
    """As many whole texts as `most` units hold, the first ones; `pointer` where some are missing."""
    fragments = [drop(str(number), text) for number, text in enumerate(texts)]
    made = compose(fragments, most, measure, mode="optimise", separator=between, note=lambda _: pointer)
    return Piece(made.text, pointer, bool(made.omitted))


def listed(texts: Sequence[str], most: int, pointer: str, *, short: bool) -> Piece:
    """The first lines that `most` characters hold; `pointer` where some are missing or `short`."""
    if not short:
        return items(texts, most, pointer)
    fragments = [drop(str(number), text) for number, text in enumerate(texts)]
    ended = [*fragments, verbatim("pointer", pointer)]
    made = compose(ended, most, CHARACTERS, mode="optimise", separator="\n", note=None)
    return Piece(made.text, pointer, capped=True)


def first(texts: Sequence[str], most: int, pointer: str, *, short: bool) -> Piece:
    """The first `most` of some lines; `pointer` where there are more, or where they are `short`."""
    fragments = [drop(str(number), f"{text}\n") for number, text in enumerate(texts)]
    made = compose(fragments, most, LINES, mode="optimise", note=None)
    capped = short or bool(made.omitted)
    return Piece(made.text + pointer if capped else made.text.rstrip("\n"), pointer, capped)


def whole(text: str, pointer: str = "") -> Piece:
    """All of a text; `pointer` stands for it where there is no room."""
    return Piece(text.strip("\n"), pointer)
