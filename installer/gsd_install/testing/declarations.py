"""What a plugin declares, checked without installing anything: names, places, sources.

Every function returns sentences, one for each fault; none means that all is well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from typing import get_args

from gsd_install.content.model import ACTIONS, DISCOVERED
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.runtime import words

if TYPE_CHECKING:
    from gsd_install.plugins import Plugin
    from gsd_install.runtime.model import Cap, Runtime, Source, Surface

UNKNOWN = "unknown"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def names(plugin: Plugin) -> list[str]:
    """Faults in names and words that the contract alone does not rule out."""
    return [*_identity(plugin.runtime), *_words(plugin.runtime), *_surfaces(plugin.runtime), *_caps(plugin)]


def _identity(runtime: Runtime) -> Iterator[str]:
    for field in ("title", "invoke", "arguments"):
        value = getattr(runtime, field)
        if not value.strip() or "\n" in value:
            yield f"{field} {value!r} is not one line of text"
    left = re.sub(r"\{(title|command)\}", "", runtime.start)
    if "{" in left or "}" in left:
        yield f"start {runtime.start!r} has a placeholder other than {{title}} and {{command}}"


def _words(runtime: Runtime) -> Iterator[str]:
    for action, tool in runtime.tools.items():
        if action not in ACTIONS:
            yield f"tools names the action {action!r}, which is none of {', '.join(ACTIONS)}"
        if not tool.strip():
            yield f"tools gives the action {action!r} no name"
    for mark in runtime.detect:
        if not mark.startswith("~/") and ("/" in mark or "\\" in mark or not mark.strip()):
            yield f"detect {mark!r} is neither the name of an executable nor a directory below ~/"
    for path in runtime.cross_reads:
        if not path.startswith(("~/", "./")) or "{name}" not in path:
            yield f"cross_reads {path!r} is not ~/... or ./... with {{name}}"


def _surfaces(runtime: Runtime) -> Iterator[str]:
    formats: dict[tuple[str, str], str] = {}
    for surface in runtime.surfaces:
        for scope, path in ((scope, path) for scope in _scopes(surface) for path in surface.paths):
            if formats.setdefault((scope, path), surface.format) != surface.format:
                yield f"{path} is declared as {formats[scope, path]} and as {surface.format} in {scope} scope"


def _scopes(declared: Surface) -> Iterable[str]:
    return get_args(words.Scope) if declared.scope is None else (declared.scope,)


def _caps(plugin: Plugin) -> Iterator[str]:
    placed = {place.kind for place in plugin.runtime.places}
    placed |= {"rule" for surface in plugin.runtime.surfaces if surface.name == "instructions"}
    for cap in plugin.caps:
        label = spell(cap)
        if cap.kind not in placed:
            yield f"{label}: it limits nothing, for no {cap.kind} is placed"
        if cap.kind == "rule" and cap.field != "chain":
            yield f"{label}: instructions stand in one file with the user's; limit the sum, field='chain'"
        if cap.on_excess == "shrink" and cap.field != "description":
            yield f"{label}: only a description can be shrunk"


def spell(cap: Cap) -> str:
    """A cap as faults name it."""
    what = f"{cap.kind} {cap.field}" if cap.field else str(cap.kind)
    return f"the cap of {cap.limit:,} {cap.unit} on {what} ({cap.on_excess})"


def sources(plugin: Plugin) -> list[str]:
    """Facts that say neither where they were read nor, with `Source("unknown")`, that nobody knows."""
    runtime = plugin.runtime
    facts = [
        *((f"the place {place.path!r}", place.source) for place in runtime.places),
        *(
            (f"the surface {surface.name!r} ({surface.paths})", surface.source)
            for surface in runtime.surfaces
        ),
        *((spell(cap), cap.source) for cap in plugin.caps),
        *((f"the ask {' '.join(ask.words)!r}", ask.source) for ask in runtime.asks),
    ]
    found = [
        f'{fact} has no source; where nobody knows, say Source("unknown")'
        for fact, source in facts
        if not source
    ]
    if not runtime.sources:
        found.append(
            "Runtime.sources is empty: nothing says where the home, the tools and the rest were read"
        )
    return found + [fault for source in _all(plugin) for fault in _malformed(source)]


def dates(plugin: Plugin, today: date) -> list[str]:
    """Sources that are dated later than `today`."""
    dated = [source for source in _all(plugin) if _DATE.fullmatch(source.date)]
    return [
        f"{source.url} is dated {source.date}, which is later than today, {today.isoformat()}"
        for source in dated
        if source.date > today.isoformat()
    ]


def _all(plugin: Plugin) -> list[Source]:
    runtime = plugin.runtime
    held = [place.source for place in runtime.places] + [surface.source for surface in runtime.surfaces]
    held += [cap.source for cap in plugin.caps] + [ask.source for ask in runtime.asks]
    return list(dict.fromkeys([*runtime.sources, *(source for source in held if source)]))


def _malformed(source: Source) -> Iterator[str]:
    if not source.url.strip():
        yield "a source has no address"
    if source.date != UNKNOWN and not _is_date(source.date):
        yield f"{source.url} is dated {source.date!r}, which is neither an ISO date nor 'unknown'"
    if source.url == UNKNOWN and source.date != UNKNOWN:
        yield f"an unknown source is dated {source.date}"


def _is_date(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def scopes(runtime: Runtime) -> frozenset[str]:
    """The scopes in which the runtime has a place for anything a host discovers."""
    placed = [place for place in runtime.places if place.kind in DISCOVERED]
    return frozenset(
        scope for scope in get_args(words.Scope) for place in placed if place.scope in (None, scope)
    )
