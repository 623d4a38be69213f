"""Check what a plugin returned, so that a mistake in it is named and does not surface as a bug of ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gsd_install.runtime.model import Cap, Place, Runtime

SHARED_DIALECTS = frozenset({"markdown", "plain", "toml"})


def faults(
    runtime_id: str, runtime: object, caps: tuple[object, ...], converters: Mapping[str, object]
) -> list[str]:
    """Every way in which the answers break the contract; empty when they keep it."""
    if not isinstance(runtime, Runtime):
        return [f"gsd_runtime returned {type(runtime).__name__}, not a Runtime"]
    return [
        *_identity(runtime_id, runtime),
        *(fault for place in runtime.places for fault in _place(place, converters)),
        *_caps(caps),
    ]


def _identity(runtime_id: str, runtime: Runtime) -> Iterator[str]:
    if runtime.id != runtime_id:
        yield f"it is declared as {runtime_id!r} but its runtime has the id {runtime.id!r}"
    if "{name}" not in runtime.invoke:
        yield f"invoke {runtime.invoke!r} lacks {{name}}"
    if not runtime.places:
        yield "it has no places: nothing could be installed"


def _place(place: Place, converters: Mapping[str, object]) -> Iterator[str]:
    parts = place.path.replace("\\", "/").split("/")
    if "{name}" not in place.path:
        yield f"the place {place.path!r} lacks {{name}}"
    if ".." in parts or place.path.startswith("/") or ":" in parts[0]:
        yield f"the place {place.path!r} leads out of its directory"
    if not place.forms:
        yield f"the place {place.path!r} has no form"
    for form in place.forms:
        if form.dialect not in SHARED_DIALECTS and form.dialect not in converters:
            yield f"the form dialect {form.dialect!r} of {place.path!r} has no converter"


def _caps(caps: tuple[object, ...]) -> Iterator[str]:
    for cap in caps:
        if not isinstance(cap, Cap):
            yield f"gsd_caps returned {type(cap).__name__}, not a Cap"
        elif cap.limit <= 0:
            yield f"the cap on {cap.kind} has the limit {cap.limit}"
