"""How much a text costs: typed cost functions, each here once.

A measure is additive when the cost of two texts put together is always the sum of their costs. Lines
and tokens are not: two halves of a line are one line, and every count is rounded up. The composer adds
costs while it chooses and measures the finished text once more where the measure is not additive.

Divisors of the estimate, in characters a token: 3.88, 3.36 and 2.34 on 464 Markdown files of prose in
Latin script (o200k_base for `openai`; ctok 1.3.0, which reconstructs the counts of Claude 3 to Opus 4.6
for `claude` and of Opus 4.7 and later for `claude-4.7`); 1.40, 0.95 and 0.95 on 5,000 characters of
Chinese, Japanese and Korean, counted the same ways. A single file may stray from it by a third.
"""

from __future__ import annotations

from typing import Protocol

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Characters a token, in hundredths: (other text, CJK text).
FAMILIES: Mapping[str, tuple[int, int]] = {
    "openai": (388, 140),
    "claude": (336, 95),
    "claude-4.7": (234, 95),
}

# Hangul jamo; radicals, kana and ideographs; more jamo; Hangul syllables; compatibility ideographs and
# forms; fullwidth forms; the supplementary ideographic planes.
_CJK = (
    "[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
    "\U00020000-\U0003fffd]"
)


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
    """Tokens of one model family, estimated from character counts and rounded up."""

    __slots__ = ("_cjk", "_other", "id")
    additive = False

    def __init__(self, family: str) -> None:
        self.id = f"tokens:{family}"
        self._other, self._cjk = FAMILIES[family]

    def cost(self, text: str) -> int:
        cjk = _cjk_characters(text)
        hundredths = 100 * ((len(text) - cjk) * self._cjk + cjk * self._other)
        return -(-hundredths // (self._other * self._cjk))


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

    Give one memo to many calls to count an unchanged text once. `learn` enters a cost counted elsewhere,
    say when the package was built.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], int] = {}

    def learn(self, measure_id: str, text: str, cost: int) -> None:
        """Take `cost` as the cost of `text` under the measure of that id."""
        self._known[measure_id, text] = cost

    def of(self, measure: Measure) -> Measure:
        """The same measure, asked at most once for each text."""
        return measure if isinstance(measure, _Remembered) else _Remembered(measure, self._known)


class _Remembered:
    __slots__ = ("_known", "_measure", "additive", "id")

    def __init__(self, measure: Measure, known: dict[tuple[str, str], int]) -> None:
        self.id = measure.id
        self.additive = measure.additive
        self._measure = measure
        self._known = known

    def cost(self, text: str) -> int:
        key = self.id, text
        cost = self._known.get(key)
        if cost is None:
            cost = self._known[key] = self._measure.cost(text)
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


def _cjk_characters(text: str) -> int:
    if text.isascii():
        return 0
    import re

    return len(re.findall(_CJK, text))


def _unknown(measure_id: str) -> GsdError:
    known = ", ".join(["bytes", "characters", "lines", *(f"tokens:{family}" for family in FAMILIES)])
    return GsdError(f"unknown measure {measure_id!r}", reason="unknown_measure", hint=f"one of {known}")
