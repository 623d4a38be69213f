"""Documents just under, exactly at and over every cap, and what a runtime makes of them.

Everything happens in memory: the same emission with the caps and without them, side by side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from gsd_install.content.model import DISCOVERED, Document
from gsd_install.kernel.errors import GsdError, ManyErrors
from gsd_install.kernel.measure import measure
from gsd_install.testing import sample
from gsd_install.testing.declarations import spell
from gsd_install.testing.emission import Case, Reply, emitted

if TYPE_CHECKING:
    from gsd_install.runtime.model import Cap

_WORD = re.compile(r"qq\d{5,}")
_FRAGMENT = re.compile(r"qq\d{0,4}(?!\d)")
_NUMBER = re.compile(r"\d[\d,]*")
_NOTHING = "Nothing.\n"
_LISTED = 100
# Caps on everything of a kind together: no document is to blame alone.
_SUMS = ("listing", "chain")

Documents = tuple[Document, ...]


def faults(case: Case) -> list[str]:
    """One sentence for each document that a cap did not fit, or was not refused as it should."""
    return [fault for cap in applicable(case) for fault in _cap(case, cap)]


def applicable(case: Case) -> tuple[Cap, ...]:
    """The caps that limit something this runtime places in this scope."""
    kinds = {place.kind for place in case.places} & set(DISCOVERED)
    found = [cap for cap in case.plugin.caps if cap.scope in (None, case.scope)]
    chained = any(surface.name == "instructions" for surface in case.surfaces)
    return tuple(
        cap for cap in found if cap.kind in kinds or (chained and cap.kind == "rule" and cap.field == "chain")
    )


def _cap(case: Case, cap: Cap) -> Iterator[str]:
    def size(steps: int) -> int:
        return _size(case, cap, _grown(cap, steps))

    if size(cap.limit * 8 + 64) <= cap.limit:
        if _places_text(case, cap):
            yield f"{spell(cap)}: a text of any length keeps it, so its form must be leaving text out"
        return
    at = _largest(size, cap.limit)
    over = _next(size, at)
    steps = {"one under": _largest(size, cap.limit - 1), "at": at, "just over": over, "far over": over * 3}
    for label, number in steps.items():
        for fault in _honoured(case, _grown(cap, number)):
            yield f"{spell(cap)}, {label}: {fault}"


def _places_text(case: Case, cap: Cap) -> bool:
    """Whether what the cap limits holds a text, and not only a pointer to one."""
    places = [place for place in case.places if place.kind == cap.kind]
    return cap.field in (None, "chain") and (not places or places[0].forms[0].whole)


def _grown(cap: Cap, steps: int) -> Documents:
    """Documents, most often one, in which what `cap` limits grows with `steps`."""
    about = "What a document of an exact size is for"
    if cap.field == "name":
        return (sample.document(cap.kind, "n" * (steps + 1), {"description": about}, _NOTHING),)
    if cap.field == "listing":
        return _listed(cap, steps)
    if cap.field not in (None, "chain"):
        meta = {"description": about, cap.field: _filler(steps + 1).strip()}
        return (sample.document(cap.kind, "sized", meta, _NOTHING),)
    text = "".join(f"{word}\n" for word in _words(steps)) if cap.unit == "lines" else f"{_filler(steps)}\n"
    return (sample.document(cap.kind, "sized", {"description": about}, f"First line.\n{text}Last line.\n"),)


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


def _size(case: Case, cap: Cap, documents: Documents) -> int:
    """How much of what `cap` limits there is when nothing limits it."""
    if cap.field == "listing":
        return sum(measure(f"{_name(item)}{item.meta['description']}", cap.unit) for item in documents)
    if cap.field == "name":
        return measure(_name(documents[0]), cap.unit)
    if cap.field not in (None, "chain"):
        return measure(str(documents[0].meta.get(cap.field, "")), cap.unit)
    return measure(emitted(case, documents, uncapped=True).text, cap.unit)


def _name(document: Document) -> str:
    return f"{sample.PREFIX}-{document.id}"


def _largest(size: Callable[[int], int], limit: int) -> int:
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


def _honoured(case: Case, documents: Documents) -> Iterator[str]:
    """Faults in how the caps treat some documents."""
    plain = emitted(case, documents, uncapped=True)
    if plain.error is not None:
        yield f"it is refused without any cap: {plain.error}"
        return
    caps = [cap for cap in applicable(case) if cap.kind == documents[0].kind]
    broken = [cap for cap in caps if _size(case, cap, documents) > cap.limit]
    reply = emitted(case, documents)
    if not broken:
        yield from _untouched(plain, reply)
    elif reply.error is not None:
        yield from _refused(reply.error, broken)
    else:
        yield from (fault for cap in broken for fault in _fitted(cap, documents[0], reply))
        yield from _lost(plain, reply, broken)


def _untouched(plain: Reply, reply: Reply) -> Iterator[str]:
    if reply.error is not None:
        yield f"it keeps every cap and is refused: {reply.error}"
    elif reply.text != plain.text:
        yield "it keeps every cap and is changed"
    elif reply.warnings:
        yield f"it keeps every cap and is warned about: {reply.warnings[0]}"


def _refused(error: GsdError, broken: list[Cap]) -> Iterator[str]:
    for item in error.errors if isinstance(error, ManyErrors) else (error,):
        if item.reason != "over_cap":
            yield f"it is refused for another reason than its size: {item}"
        if not item.hint:
            yield f"its refusal gives no hint: {item}"
        if not item.file and all(cap.field not in _SUMS for cap in broken):
            yield f"its refusal names no file: {item}"
    if all(cap.on_excess != "refuse" for cap in broken):
        yield f"it is refused, which {spell(broken[0])} does not ask for: {error}"


def _fitted(cap: Cap, document: Document, reply: Reply) -> Iterator[str]:
    """Faults where the document was placed although it is over `cap`."""
    if cap.on_excess == "warn":
        if cap.limit not in _numbers(reply.warnings):
            yield f"it is over the cap and no warning names the limit: {reply.warnings}"
        return
    size = _placed(cap, document, reply.text)
    if size > cap.limit:
        yield f"it is placed with {size:,} {cap.unit}"
    elif cap.on_excess == "shrink":
        yield from _shrunk(cap, document, reply)


def _numbers(sentences: Iterable[str]) -> set[int]:
    return {int(number.replace(",", "")) for text in sentences for number in _NUMBER.findall(text)}


def _placed(cap: Cap, document: Document, text: str) -> int:
    """How much of what `cap` limits stands in the placed text."""
    if cap.field in (None, "chain"):
        return measure(text, cap.unit)
    if cap.field == "name":
        return measure(_name(document), cap.unit)
    if cap.field == "listing":
        return cap.limit + 1  # they are all listed, or the whole install is refused
    value = str(document.meta[cap.field])
    length = _largest(lambda length: 0 if length <= len(value) and value[:length] in text else 1, 0)
    return measure(value[:length], cap.unit)


def _shrunk(cap: Cap, document: Document, reply: Reply) -> Iterator[str]:
    before = measure(str(document.meta[cap.field or ""]), cap.unit)
    sizes = {
        int(number.replace(",", "")) for warning in reply.warnings for number in _NUMBER.findall(warning)
    }
    if before not in sizes or not any(size <= cap.limit for size in sizes):
        yield f"it is cut from {before:,} {cap.unit} and no warning names both sizes: {reply.warnings}"
    if _FRAGMENT.search(reply.text):
        yield "it is cut inside a word"


def _lost(plain: Reply, reply: Reply, broken: list[Cap]) -> Iterator[str]:
    if any(cap.field not in (None, "name", *_SUMS) for cap in broken):
        return  # the numbered words are those of a field, which may be cut
    missing = set(_WORD.findall(plain.all_text)) - set(_WORD.findall(reply.all_text))
    if missing:
        yield f"{len(missing)} words of its text are nowhere: {', '.join(sorted(missing)[:3])}"
