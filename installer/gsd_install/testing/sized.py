"""Documents of an exact size: just under, at and over what a cap allows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from gsd_install.content.model import Document
from gsd_install.kernel.measure import measure
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.testing import sample
from gsd_install.testing.emission import Case, emitted

if TYPE_CHECKING:
    from gsd_install.runtime.model import Cap

Documents = tuple[Document, ...]

# Caps on everything of a kind together: no document is to blame alone.
SUMS = ("listing", "chain")
LABELS = ("one under", "at", "just over", "far over")
WORD = re.compile(r"qq\d{5,}")
FRAGMENT = re.compile(r"qq\d{0,4}(?!\d)")

_ABOUT = "What a document of an exact size is for"
_NOTHING = "Nothing.\n"
_LISTED = 100


def series(case: Case, cap: Cap, number: int = 0) -> dict[str, Documents]:
    """Documents for each of `LABELS`; none where a text of any length keeps the cap.

    `number` makes their names differ from those made for another cap, and not in length.
    """

    def grown(steps: int, label: int = 0) -> Documents:
        return _grown(cap, steps, f"sized-{number:02}{label}")

    def cost(steps: int) -> int:
        return size(case, cap, grown(steps))

    if cost(cap.limit * 8 + 64) <= cap.limit:
        return {}
    at = largest(cost, cap.limit)
    over = _next(cost, at)
    steps = (largest(cost, cap.limit - 1), at, over, over * 3)
    return {label: grown(steps[index], index) for index, label in enumerate(LABELS)}


def size(case: Case, cap: Cap, documents: Documents) -> int:
    """How much of what `cap` limits there is when nothing limits it."""
    if cap.field == "listing":
        return sum(measure(f"{name(item)}{item.meta['description']}", cap.unit) for item in documents)
    if cap.field == "name":
        return measure(name(documents[0]), cap.unit)
    if cap.field not in (None, "chain"):
        return measure(str(documents[0].meta.get(cap.field, "")), cap.unit)
    return measure(emitted(case, documents, uncapped=True).text, cap.unit)


def name(document: Document) -> str:
    """The name a document is installed under."""
    return f"{sample.PREFIX}-{document.id}"


def _grown(cap: Cap, steps: int, id: str) -> Documents:  # noqa: A002
    """Documents, most often one, in which what `cap` limits grows with `steps`."""
    if cap.field == "name":
        return (sample.document(cap.kind, "n" * (steps + 1), {"description": _ABOUT}, _NOTHING),)
    if cap.field == "listing":
        return _listed(cap, steps)
    if cap.field not in (None, "chain"):
        meta = {"description": _ABOUT, cap.field: _filler(steps + 1).strip()}
        return (sample.document(cap.kind, id, meta, _NOTHING),)
    text = "".join(f"{word}\n" for word in _words(steps)) if cap.unit == "lines" else f"{_filler(steps)}\n"
    return (sample.document(cap.kind, id, {"description": _ABOUT}, f"First line.\n{text}Last line.\n"),)


def _listed(cap: Cap, steps: int) -> Documents:
    """As many documents as it takes to list `steps` characters more than one of them does."""
    each = _LISTED - len(f"{sample.PREFIX}-sized-00000")
    more, rest = divmod(steps, _LISTED)
    lengths = [each + rest, *[each] * more]
    return tuple(
        sample.document(cap.kind, f"sized-{number:05}", {"description": "d" * length}, _NOTHING)
        for number, length in enumerate(lengths)
    )


def _words(count: int) -> Iterable[str]:
    return (f"qq{number:05}" for number in range(count))


def _filler(length: int) -> str:
    """Exactly `length` characters of numbered words."""
    return "".join(f"{word} " for word in _words(length // 8 + 1))[:length]


def largest(size: Callable[[int], int], limit: int) -> int:
    """The most steps that stay within `limit`; 0 where even that is too much."""
    low, high = 0, 1
    while size(high) <= limit:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if size(middle) <= limit else (low, middle)
    return low


def _next(size: Callable[[int], int], steps: int) -> int:
    """The fewest steps that make more than `steps` do."""
    now, more = size(steps), steps + 1
    while size(more) <= now:
        more += 1
    return more
