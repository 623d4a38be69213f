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


def faults(case: Case) -> list[str]:
    """One sentence for each document that a cap did not fit, or was not refused as it should."""
    return [fault for cap in applicable(case) for fault in _cap(case, cap)]


def applicable(case: Case) -> tuple[Cap, ...]:
    """The caps that limit something this runtime places in this scope."""
    kinds = {place.kind for place in case.places} & set(DISCOVERED)
    if any(surface.name == "instructions" for surface in case.surfaces):
        kinds.add("rule")
    return tuple(cap for cap in case.plugin.caps if cap.kind in kinds and cap.scope in (None, case.scope))


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
            yield f"{spell(cap)}, a document {label}: {fault}"


def _places_text(case: Case, cap: Cap) -> bool:
    """Whether what the cap limits holds a text, and not only a pointer to one."""
    places = [place for place in case.places if place.kind == cap.kind]
    return cap.field is None and (not places or places[0].forms[0].whole)


def _grown(cap: Cap, steps: int) -> Document:
    """A document in which what `cap` limits grows with `steps`."""
    meta = {"description": "What a document of an exact size is for"}
    if cap.field == "name":
        return sample.document(cap.kind, "n" * (steps + 1), meta, "Nothing.\n")
    if cap.field is not None:
        return sample.document(
            cap.kind, "sized", meta | {cap.field: _filler(steps + 1).strip()}, "Nothing.\n"
        )
    text = "".join(f"{word}\n" for word in _words(steps)) if cap.unit == "lines" else f"{_filler(steps)}\n"
    return sample.document(cap.kind, "sized", meta, f"First line.\n{text}Last line.\n")


def _words(count: int) -> Iterable[str]:
    return (f"qq{number:05}" for number in range(count))


def _filler(length: int) -> str:
    """Exactly `length` characters of numbered words."""
    return "".join(f"{word} " for word in _words(length // 8 + 1))[:length]


def _size(case: Case, cap: Cap, document: Document) -> int:
    """How much of what `cap` limits the document has when nothing limits it."""
    if cap.field == "name":
        return measure(f"{sample.PREFIX}-{document.id}", cap.unit)
    if cap.field is not None:
        return measure(str(document.meta.get(cap.field, "")), cap.unit)
    return measure(emitted(case, document, uncapped=True).text, cap.unit)


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


def _honoured(case: Case, document: Document) -> Iterator[str]:
    """Faults in how the caps treat one document."""
    plain = emitted(case, document, uncapped=True)
    if plain.error is not None:
        yield f"it is refused without any cap: {plain.error}"
        return
    caps = [cap for cap in applicable(case) if cap.kind == document.kind]
    broken = [cap for cap in caps if _size(case, cap, document) > cap.limit]
    reply = emitted(case, document)
    if not broken:
        yield from _untouched(plain, reply)
    elif reply.error is not None:
        yield from _refused(reply.error, broken)
    else:
        yield from (fault for cap in broken for fault in _fitted(cap, document, reply))
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
        if not item.hint or not item.file:
            yield f"its refusal names no file or gives no hint: {item}"
    if all(cap.on_excess != "refuse" for cap in broken):
        yield f"it is refused, which {spell(broken[0])} does not ask for: {error}"


def _fitted(cap: Cap, document: Document, reply: Reply) -> Iterator[str]:
    """Faults where the document was placed although it is over `cap`."""
    size = _placed(cap, document, reply.text)
    if cap.on_excess == "warn":
        if not any(document.id in warning for warning in reply.warnings):
            yield "it is over the cap and nobody is warned"
    elif size > cap.limit:
        yield f"it is placed with {size:,} {cap.unit}"
    elif cap.on_excess == "shrink":
        yield from _shrunk(cap, document, reply)


def _placed(cap: Cap, document: Document, text: str) -> int:
    """How much of what `cap` limits stands in the placed text."""
    if cap.field is None:
        return measure(text, cap.unit)
    if cap.field == "name":
        return measure(f"{sample.PREFIX}-{document.id}", cap.unit)
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
    if any(cap.field not in (None, "name") for cap in broken):
        return  # the numbered words are those of a field, which may be cut
    missing = set(_WORD.findall(plain.all_text)) - set(_WORD.findall(reply.all_text))
    if missing:
        yield f"{len(missing)} words of its text are nowhere: {', '.join(sorted(missing)[:3])}"
