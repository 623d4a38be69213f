"""How much a text costs: typed cost functions, each here once.

A measure is additive when the cost of two texts put together is always the sum of their costs. Lines
and tokens are not: two halves of a line are one line, and every count is rounded up. The composer adds
costs while it chooses and measures the finished text once more where the measure is not additive.

The estimate adds a weight for every character, by its class, and one for every word, number and group of
signs, where tokens begin. The weights were fitted to the exact counts of 282 files of Markdown (English
and Chinese prose, manuals with code, tables, package descriptions; 2.7 million characters) and of
sentences in eleven other scripts: o200k_base for `openai`, and ctok 1.3.0, which reconstructs the counts of
Claude 3 to Opus 4.6 for `claude` and of Opus 4.7 and later for `claude-4.7`. There the root mean square of
the error of a file is 3.3 percent; alphabets other than Latin may stray by a third.
"""

from __future__ import annotations

from typing import Protocol

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Weights(NamedTuple):
    """What one model family takes for a text, in hundredths of a token.

    `word`, `number` and `signs` are added where a run of letters, digits or punctuation begins, the others
    for each character. `letter` is one of an alphabet with two bytes in UTF-8 (accented Latin, Cyrillic,
    Greek, Hebrew, Arabic), `indic` one of U+0800 to U+1FFF, `symbol` one of U+2000 to U+2FFF, `stop` one of
    the CJK punctuation, `wide` a full-width or private form, `rare` one beyond the basic plane.
    """

    word: int
    number: int
    signs: int
    lower: int
    upper: int
    digit: int
    sign: int
    space: int
    line: int
    letter: int
    indic: int
    symbol: int
    kana: int
    stop: int
    ideograph: int
    hangul: int
    wide: int
    rare: int


# The tested bound of the error of an estimate: of 3 KB and more of English, Chinese or mixed Markdown, the
# estimate lies within so many percent of the exact count. Shorter texts stray further.
ERROR_PERCENT = 15

FAMILIES: Mapping[str, Weights] = {
    "openai": Weights(49, 140, 63, 9, 30, 30, 12, 17, 38, 16, 31, 97, 71, 30, 81, 56, 30, 300),
    "claude": Weights(41, 168, 80, 12, 48, 30, 20, 15, 20, 46, 84, 132, 64, 40, 130, 134, 40, 449),
    "claude-4.7": Weights(16, 158, 69, 23, 98, 30, 54, 25, 20, 48, 86, 134, 71, 40, 119, 130, 40, 443),
}

# The class of a character by its first byte in UTF-8; the bytes that continue one are taken out.
_ASCII = (
    b" " * 10 + b"\n" + b" " * 22 + b"." * 15 + b"0" * 10 + b"." * 7 + b"A" * 26 + b"." * 6 + b"a" * 26
    + b"." * 4 + b" "
)  # fmt: skip
_CONTINUED = b"-" * 64
_CLASSES = _ASCII + _CONTINUED + b"t" * 32 + b"i" * 2 + b"skhhhhhhggggff" + b"r" * 16
_CONTINUATION = bytes(range(0x80, 0xC0))
_STOP = b"\xe3\x80"  # U+3000 to U+303F


def _begins(members: bytes) -> bytes:
    """A table that leaves `a` for each class among the members, and a space for the others."""
    return bytes(97 if number in members else 32 for number in range(256))


_WORDS, _NUMBERS, _SIGNS = _begins(b"aAti"), _begins(b"0"), _begins(b".")


class Measure(Protocol):
    """A cost function. `id` names it; the word before its colon is the unit (`tokens:openai`).

    `cost` is never negative, 0 for the empty text, and does not fall when text is added at the end by
    more than rounding does.
    """

    @property
    def id(self) -> str: ...

    @property
    def additive(self) -> bool: ...

    def cost(self, text: str) -> int: ...


class _Bytes:
    """UTF-8 bytes. Raises GsdError (reason `not_text`) for a text that has no UTF-8 form."""

    __slots__ = ()
    id = "bytes"
    additive = True

    def cost(self, text: str) -> int:
        if text.isascii():
            return len(text)
        try:
            return len(text.encode())
        except UnicodeEncodeError as error:
            raise GsdError(
                f"character {error.start + 1} is half of a surrogate pair, which no file can hold",
                reason="not_text",
                hint="read the text as UTF-8 instead of UTF-16 code units",
            ) from error


class _Characters:
    """Unicode code points."""

    __slots__ = ()
    id = "characters"
    additive = True
    cost = staticmethod(len)


class _Lines:
    """Lines as an editor shows them: the last one counts without its line feed too."""

    __slots__ = ()
    id = "lines"
    additive = False

    def cost(self, text: str) -> int:
        return text.count("\n") + (text != "" and not text.endswith("\n"))


class _Estimate:
    """Tokens of one model family, estimated from the classes of characters and rounded up."""

    __slots__ = ("_weights", "id")
    additive = False

    def __init__(self, family: str) -> None:
        self.id = f"tokens:{family}"
        self._weights = FAMILIES[family]

    def cost(self, text: str) -> int:
        data = text.encode("utf-8", "surrogatepass")
        found, weights = data.translate(_CLASSES, _CONTINUATION), self._weights
        hundredths = _of_runs(found, weights) + _of_ascii(found.count, weights)
        if len(found) != len(data):
            hundredths += _of_others(found.count, data.count(_STOP), weights)
        return -(-hundredths // 100)


def _of_runs(found: bytes, weights: Weights) -> int:
    bounded = b" " + found
    return (
        bounded.translate(_WORDS).count(b" a") * weights.word
        + bounded.translate(_NUMBERS).count(b" a") * weights.number
        + bounded.translate(_SIGNS).count(b" a") * weights.signs
    )


def _of_ascii(count: Callable[[bytes], int], weights: Weights) -> int:
    return (
        count(b"a") * weights.lower
        + count(b"A") * weights.upper
        + count(b"0") * weights.digit
        + count(b".") * weights.sign
        + count(b" ") * weights.space
        + count(b"\n") * weights.line
    )


def _of_others(count: Callable[[bytes], int], stops: int, weights: Weights) -> int:
    return (
        count(b"t") * weights.letter
        + count(b"i") * weights.indic
        + count(b"s") * weights.symbol
        + (count(b"k") - stops) * weights.kana
        + stops * weights.stop
        + count(b"h") * weights.ideograph
        + count(b"g") * weights.hangul
        + count(b"f") * weights.wide
        + count(b"r") * weights.rare
    )


class Counted:
    """Tokens counted by `count`, a function from outside the kernel; `name` tells them apart."""

    __slots__ = ("_count", "id")
    additive = False

    def __init__(self, name: str, count: Callable[[str], int]) -> None:
        self.id = f"tokens:{name}"
        self._count = count

    def cost(self, text: str) -> int:
        return self._count(text)


class Memo:
    """Costs that are known already, by (measure id, text).

    Give one memo to many calls to count an unchanged text once.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, dict[str, int]] = {}

    def of(self, measure: Measure) -> Measure:
        """The same measure, asked at most once for each text."""
        if isinstance(measure, _Remembered):
            return measure
        return _Remembered(measure, self._known.setdefault(measure.id, {}))


class _Remembered:
    __slots__ = ("_known", "_measure", "additive", "id")

    def __init__(self, measure: Measure, known: dict[str, int]) -> None:
        self.id = measure.id
        self.additive = measure.additive
        self._measure = measure
        self._known = known

    def cost(self, text: str) -> int:
        cost = self._known.get(text)
        if cost is None:
            cost = self._known[text] = self._measure.cost(text)
        return cost


BYTES: Measure = _Bytes()
CHARACTERS: Measure = _Characters()
LINES: Measure = _Lines()


def estimated(family: str = "openai") -> Measure:
    """Estimated tokens of a model family of `FAMILIES`. Raises GsdError (reason `unknown_measure`)."""
    if family not in FAMILIES:
        raise _unknown(f"tokens:{family}")
    return _Estimate(family)


def named(measure_id: str) -> Measure:
    """The measure of that id: `bytes`, `characters`, `lines`, `tokens` or `tokens:<family>`.

    `tokens` is the estimate for the `openai` family. Raises GsdError (reason `unknown_measure`).
    """
    for known in (BYTES, CHARACTERS, LINES):
        if known.id == measure_id:
            return known
    unit, _, family = measure_id.partition(":")
    if unit != "tokens":
        raise _unknown(measure_id)
    return estimated(family or "openai")


def measure(text: str, measure_id: str) -> int:
    """What `text` costs under the measure of that id (`named`)."""
    return named(measure_id).cost(text)


def unit(used: Measure) -> str:
    """The word for what a measure counts, for messages."""
    return used.id.partition(":")[0]


def _unknown(measure_id: str) -> GsdError:
    known = ", ".join(["bytes", "characters", "lines", *(f"tokens:{family}" for family in FAMILIES)])
    return GsdError(f"unknown measure {measure_id!r}", reason="unknown_measure", hint=f"one of {known}")
