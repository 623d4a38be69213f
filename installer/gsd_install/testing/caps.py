"""Documents just under, exactly at and over every cap, and what a runtime makes of them.

Everything happens in memory: the same emission with the caps and without them, side by side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from gsd_install.apply.location import global_location, project_location
from gsd_install.content.model import DISCOVERED, Document
from gsd_install.emit.target import target
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import measure
from gsd_install.pipeline import Prepared, Wish, prepare
from gsd_install.plugins import Plugin, Plugins
from gsd_install.testing import sample
from gsd_install.testing.declarations import spell

if TYPE_CHECKING:
    from gsd_install.runtime.model import Cap, Runtime, Scope
    from gsd_install.runtime.platform import Platform

_WORD = re.compile(r"w\d{6}")
_FRAGMENT = re.compile(r"w\d{1,5}(?!\d)")
_NUMBER = re.compile(r"\d[\d,]*")


class Reply(NamedTuple):
    """What became of one document: `text` is where the host finds it, `all_text` includes what stands aside."""

    text: str
    all_text: str
    warnings: tuple[str, ...]
    error: GsdError | None


class Case(NamedTuple):
    """One runtime in one scope, on a machine in memory."""

    plugins: Plugins
    plugin: Plugin
    scope: Scope
    platform: Platform

    @property
    def runtime(self) -> Runtime:
        """What the plugin says it is."""
        return self.plugin.runtime


class _Uncapped(Plugins):
    """The same plugins without a single limit."""

    def get(self, runtime_id: str) -> Plugin:
        return super().get(runtime_id)._replace(caps=())


def faults(case: Case) -> list[str]:
    """One sentence for each document that a cap did not fit, or was not refused as it should."""
    return [fault for cap in applicable(case) for fault in _cap(case, cap)]


def applicable(case: Case) -> tuple[Cap, ...]:
    """The caps that limit something this runtime places in this scope."""
    runtime = case.runtime
    kinds = {place.kind for place in runtime.places if place.scope in (None, case.scope)} & set(DISCOVERED)
    if any(surface.name == "instructions" and surface.scope in (None, case.scope) for surface in runtime.surfaces):
        kinds.add("rule")
    return tuple(cap for cap in case.plugin.caps if cap.kind in kinds and cap.scope in (None, case.scope))


def _cap(case: Case, cap: Cap) -> Iterator[str]:
    make, size = _series(case, cap)
    at = _largest(size, cap.limit)
    for label, steps in (
        ("one under", _largest(size, cap.limit - 1)),
        ("at", at),
        ("just over", _next(size, at)),
        ("far over", _next(size, at) * 3),
    ):
        document = make(steps)
        yield from (f"{spell(cap)}, a document {label}: {fault}" for fault in _honoured(case, document))


def _series(case: Case, cap: Cap) -> tuple[Callable[[int], Document], Callable[[int], int]]:
    """Documents that grow by steps, and how much of what `cap` limits each of them has."""

    def make(steps: int) -> Document:
        return _grown(cap, steps)

    def size(steps: int) -> int:
        return _size(cap, make(steps), emitted(case, make(steps), uncapped=True).text)

    return make, size


def _grown(cap: Cap, steps: int) -> Document:
    meta = {"description": "What a document of an exact size is for"}
    if cap.field == "name":
        return sample.document(cap.kind, "n" * (steps + 1), meta, "Nothing.\n")
    if cap.field is not None:
        value = _filler(steps + 1).strip()
        return sample.document(cap.kind, "sized", meta | {cap.field: value}, "Nothing.\n")
    text = "".join(f"{word}\n" for word in _words(steps)) if cap.unit == "lines" else f"{_filler(steps)}\n"
    return sample.document(cap.kind, "sized", meta, f"First line.\n{text}Last line.\n")


def _words(count: int) -> Iterable[str]:
    return (f"w{number:06}" for number in range(count))


def _filler(length: int) -> str:
    """Exactly `length` characters of numbered words, eight to a line."""
    return "".join(f"{word} " for word in _words(length // 8 + 1))[:length]


def _size(cap: Cap, document: Document, text: str) -> int:
    if cap.field == "name":
        return measure(f"{sample.PREFIX}-{document.id}", cap.unit)
    return measure(text if cap.field is None else str(document.meta.get(cap.field, "")), cap.unit)


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


def emitted(case: Case, document: Document, *, uncapped: bool = False) -> Reply:
    """Emit one document for one runtime."""
    plugins = _Uncapped() if uncapped else case.plugins
    surfaces = frozenset({"instructions"} if document.kind == "rule" else ())
    try:
        prepared = _prepare(case, plugins, document, surfaces)
    except GsdError as error:
        return Reply("", "", (), error)
    warnings = tuple(warning for unit in prepared.units for warning in unit.warnings)
    texts = {output.path: output.data.decode() for output in prepared.outputs}
    edits = "".join(str(edit.value) for edit in prepared.desired.edits)
    text = edits if document.kind == "rule" else texts.get(_path(case, document), "")
    return Reply(text, "\n".join([*texts.values(), edits]), warnings, None)


def _prepare(case: Case, plugins: Plugins, document: Document, surfaces: frozenset[str]) -> Prepared:
    platform = case.platform
    location = global_location(platform) if case.scope == "global" else project_location(platform, platform.cwd)
    wish = Wish(profile="full", surfaces=surfaces)
    return prepare(location, {}, plugins, [(case.runtime.id, sample.catalog(document), wish)])


def _path(case: Case, document: Document) -> str:
    base = case.platform.home if case.scope == "global" else case.platform.cwd
    made = target(case.runtime, case.scope, case.platform, base=base, payload=base)
    return made.resolve(made.places(document.kind)[0].path.replace("{name}", f"{sample.PREFIX}-{document.id}"))


def _honoured(case: Case, document: Document) -> Iterator[str]:
    """Faults in how the caps treat one document."""
    caps = [cap for cap in applicable(case) if cap.kind == document.kind]
    plain = emitted(case, document, uncapped=True)
    if plain.error is not None:
        yield f"it is refused without any cap: {plain.error}"
        return
    broken = [cap for cap in caps if _size(cap, document, plain.text) > cap.limit]
    reply = emitted(case, document)
    if not broken:
        yield from _untouched(plain, reply)
    elif reply.error is not None:
        yield from _refused(reply.error, broken)
    else:
        yield from (fault for cap in broken for fault in _fitted(cap, document, reply))
        if all(cap.field for cap in broken) or not any(cap.on_excess == "shrink" for cap in broken):
            yield from _lost(plain, reply, broken)


def _untouched(plain: Reply, reply: Reply) -> Iterator[str]:
    if reply.error is not None:
        yield f"it keeps every cap and is refused: {reply.error}"
    elif reply.text != plain.text:
        yield "it keeps every cap and is changed"
    elif reply.warnings:
        yield f"it keeps every cap and is warned about: {reply.warnings[0]}"


def _refused(error: GsdError, broken: list[Cap]) -> Iterator[str]:
    if error.reason != "over_cap":
        yield f"it is refused for another reason than its size: {error}"
    if not error.hint or not error.file:
        yield f"its refusal names no file or gives no hint: {error}"
    if all(cap.on_excess != "refuse" for cap in broken):
        yield f"it is refused where {spell(broken[0])} only wants another answer"


def _fitted(cap: Cap, document: Document, reply: Reply) -> Iterator[str]:
    """Faults where the document was placed although it is over `cap`."""
    size = _size(cap, document, reply.text) if cap.field in (None, "name") else _kept(cap, reply.text)
    if cap.on_excess == "warn":
        if not any(cap.kind in warning or document.id in warning for warning in reply.warnings):
            yield f"it is over {spell(cap)} and nobody is warned"
    elif size > cap.limit:
        yield f"it is placed with {size:,} {cap.unit}, over {spell(cap)}"
    elif cap.on_excess == "shrink":
        yield from _shrunk(cap, document, reply)


def _kept(cap: Cap, text: str) -> int:
    """How much of a field of numbered words stands in `text`."""
    words = list(dict.fromkeys(_WORD.findall(text)))
    return measure(" ".join(words), cap.unit)


def _shrunk(cap: Cap, document: Document, reply: Reply) -> Iterator[str]:
    before = measure(str(document.meta[cap.field or ""]), cap.unit)
    sizes = {int(number.replace(",", "")) for warning in reply.warnings for number in _NUMBER.findall(warning)}
    if before not in sizes or not any(size <= cap.limit for size in sizes):
        yield f"it is cut from {before:,} {cap.unit} and no warning names both sizes: {reply.warnings}"
    if _FRAGMENT.search(reply.text):
        yield "it is cut inside a word"


def _lost(plain: Reply, reply: Reply, broken: list[Cap]) -> Iterator[str]:
    if any(cap.field not in (None, "name") for cap in broken):
        return  # the numbered words are those of the field that may be cut
    missing = set(_WORD.findall(plain.all_text)) - set(_WORD.findall(reply.all_text))
    if missing:
        yield f"{len(missing)} words of its text are nowhere: {', '.join(sorted(missing)[:3])}"
