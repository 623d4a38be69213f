"""Making a section as short as its rule says, with a pointer at its end to where the rest is.

All of it through the composer: nothing here cuts a text.
"""

from __future__ import annotations

from gsd_install.kernel.compose import compose
from gsd_install.kernel.fragment import drop, proportional_truncate
from gsd_install.kernel.measure import CHARACTERS, LINES
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def items(
    texts: Sequence[str], most: int, pointer: str, measure: Measure = CHARACTERS, separator: str = "\n"
) -> Piece:
    """As many whole texts as `most` units hold; the later ones give way first."""
    fragments = [drop(str(number), text) for number, text in enumerate(texts)]
    made = compose(fragments, most, measure, mode="optimise", separator=separator, note=lambda _: pointer)
    return Piece(made.text, pointer, bool(made.omitted))


def first(texts: Sequence[str], most: int, pointer: str) -> Piece:
    """The first `most` of some lines, and a pointer where there are more."""
    fragments = [drop(str(number), f"{text}\n") for number, text in enumerate(texts)]
    made = compose(fragments, most, LINES, mode="optimise", note=None)
    return Piece(made.text + pointer if made.omitted else made.text.rstrip("\n"), pointer, bool(made.omitted))


def whole(text: str, pointer: str = "") -> Piece:
    """All of a text; `pointer` stands for it where there is no room."""
    return Piece(text.strip("\n"), pointer)
