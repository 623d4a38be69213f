"""Documents just under, exactly at and over every cap, and what a runtime makes of them.

Everything happens in memory: the same emission with the caps and without them, side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from gsd_install.content.model import DISCOVERED, Document
from gsd_install.kernel.errors import GsdError, ManyErrors
from gsd_install.kernel.measure import measure
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.testing import sized
from gsd_install.testing.declarations import spell
from gsd_install.testing.emission import Case, Reply, emitted, path_of
from gsd_install.testing.sized import Documents

if TYPE_CHECKING:
    from gsd_install.runtime.model import Cap

_NUMBER = re.compile(r"\d[\d,]*")
_LONGEST_DESCRIPTION = 1_024


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
    series = sized.series(case, cap)
    if not series and _places_text(case, cap):
        yield f"{spell(cap)}: a text of any length keeps it, so its form must be leaving text out"
    for label, documents in series.items():
        yield from (f"{spell(cap)}, {label}: {fault}" for fault in _honoured(case, documents))


def _places_text(case: Case, cap: Cap) -> bool:
    """Whether what the cap limits holds a text, and not only a pointer to one."""
    places = [place for place in case.places if place.kind == cap.kind]
    return cap.field in (None, "chain") and (not places or places[0].forms[0].whole)


def for_disk(case: Case) -> tuple[Documents, Documents]:
    """Documents to install for real: those that can be placed, and those just over a cap that refuses.

    Caps on sums are left out, and descriptions longer than the content format allows.
    """
    fitting: dict[str, Document] = {}
    refused: dict[str, Document] = {}
    for number, cap in enumerate(applicable(case)):
        if cap.field in sized.SUMS:
            continue
        for label, (document,) in sized.series(case, cap, number).items():
            if len(str(document.meta["description"])) > _LONGEST_DESCRIPTION:
                continue
            if emitted(case, (document,)).error is None:
                fitting[document.path] = document
            elif label == "just over":
                refused[document.path] = document
    return tuple(fitting.values()), tuple(refused.values())


def on_disk(case: Case, documents: Documents) -> Iterator[str]:
    """Sentences about installed documents that differ from their emission or are over a cap."""
    for document in documents:
        file = path_of(case, document)
        text = Path(file).read_bytes().decode()
        if text != emitted(case, (document,)).text:
            yield f"{file} does not hold what was emitted"
        for cap in applicable(case):
            if cap.kind == document.kind and cap.field is None and cap.on_excess != "warn":
                found = measure(text, cap.unit)
                if found > cap.limit:
                    yield f"{file} has {found:,} {cap.unit}, over {spell(cap)}"


def _honoured(case: Case, documents: Documents) -> Iterator[str]:
    """Faults in how the caps treat some documents."""
    plain = emitted(case, documents, uncapped=True)
    if plain.error is not None:
        yield f"it is refused without any cap: {plain.error}"
        return
    caps = [cap for cap in applicable(case) if cap.kind == documents[0].kind]
    broken = [cap for cap in caps if sized.size(case, cap, documents) > cap.limit]
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
        if not item.file and all(cap.field not in sized.SUMS for cap in broken):
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
        return measure(sized.name(document), cap.unit)
    if cap.field == "listing":
        return cap.limit + 1  # they are all listed, or the whole install is refused
    value = str(document.meta[cap.field])
    length = sized.largest(lambda length: 0 if length <= len(value) and value[:length] in text else 1, 0)
    return measure(value[:length], cap.unit)


def _shrunk(cap: Cap, document: Document, reply: Reply) -> Iterator[str]:
    before = measure(str(document.meta[cap.field or ""]), cap.unit)
    sizes = {
        int(number.replace(",", "")) for warning in reply.warnings for number in _NUMBER.findall(warning)
    }
    if before not in sizes or not any(size <= cap.limit for size in sizes):
        yield f"it is cut from {before:,} {cap.unit} and no warning names both sizes: {reply.warnings}"
    if sized.FRAGMENT.search(reply.text):
        yield "it is cut inside a word"


def _lost(plain: Reply, reply: Reply, broken: list[Cap]) -> Iterator[str]:
    if any(cap.field not in (None, "name", *sized.SUMS) for cap in broken):
        return  # the numbered words are those of a field, which may be cut
    missing = set(sized.WORD.findall(plain.all_text)) - set(sized.WORD.findall(reply.all_text))
    if missing:
        yield f"{len(missing)} words of its text are nowhere: {', '.join(sorted(missing)[:3])}"
