"""Check what a plugin returned, so that a mistake in it is named and does not surface as a bug of ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import get_args

from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.runtime import words
from gsd_install.runtime.model import (
    Ask,
    Cap,
    Entry,
    Field,
    Form,
    Home,
    Place,
    Rewrite,
    Runtime,
    Source,
    Surface,
)

if TYPE_CHECKING:
    from typing import Any

SHARED_DIALECTS = frozenset({"json", "markdown", "plain", "toml", "yaml"})
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_ABSOLUTE = re.compile(r"~$|~[/\\]|%\w+%|[/\\]|[A-Za-z]:[/\\]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

# What each field holds: one type, or `[type]` for several of them.
_RUNTIME = {
    "id": str,
    "title": str,
    "home": Home,
    "project": str,
    "places": [Place],
    "invoke": str,
    "arguments": str,
    "tools": Mapping,
    "reads": str,
    "detect": [str],
    "cross_reads": [str],
    "surfaces": [Surface],
    "notes": [str],
    "sources": [Source],
    "start": str,
    "requires": str,
    "asks": [Ask],
}
_HOME = {"path": str, "env": [str], "parents": [tuple]}
_PLACE = {"kind": str, "path": str, "forms": [Form]}
_FORM = {"dialect": str, "fields": [Field]}
_SURFACE = {
    "name": str,
    "format": str,
    "paths": [str],
    "entries": [Entry],
    "events": Mapping,
    "envelope": str,
    "tools": Mapping,
    "every": str,
    "project_dir": str,
    "shared": bool,
    "imports": bool,
}
_ASK = {"kinds": [str], "words": [str], "path": [str], "pattern": str, "said": [str], "environ": Mapping}
_CAP = {"kind": str, "limit": int, "unit": str, "on_excess": str}

# The fields that take a word of a closed list.
_WORDS = {
    "kind": frozenset(get_args(words.Kind)),
    "scope": frozenset((None, *get_args(words.Scope))),
    "reads": frozenset(get_args(words.Reads)),
    "unit": frozenset(get_args(words.CapUnit)),
    "on_excess": frozenset(get_args(words.OnExcess)),
    "name": frozenset(get_args(words.SurfaceName)),
    "format": frozenset(get_args(words.SurfaceFormat)),
    "envelope": frozenset(get_args(words.Envelope)),
    "keeps": frozenset(get_args(words.Keeps)),
}


def faults(runtime_id: str, runtime: object, converters: Mapping[str, object]) -> list[str]:
    """Every way in which a runtime breaks the contract; empty when it keeps it."""
    if not isinstance(runtime, Runtime):
        return [f"gsd_runtime returned {_type(runtime)}, not Runtime"]
    shape = [*_shape(runtime, "runtime", _RUNTIME), *_words(runtime, "runtime", "reads")]
    if shape:
        return shape
    return [
        *_identity(runtime_id, runtime),
        *_home(runtime.home),
        *(fault for place in runtime.places for fault in _place(place, converters)),
        *(fault for surface in runtime.surfaces for fault in _surface(surface)),
        *(fault for ask in runtime.asks for fault in _ask(ask, runtime.detect)),
    ]


def cap_faults(answer: object) -> list[str]:
    """What is wrong with the answer to `gsd_caps`."""
    return _items("gsd_caps", answer, Cap, _cap)


def rewrite_faults(answer: object) -> list[str]:
    """What is wrong with the answer to `gsd_path_rewrites`."""
    return _items("gsd_path_rewrites", answer, Rewrite, lambda rule: _shape(rule, "rewrite", {"find": str}))


def converter_faults(answer: object) -> list[str]:
    """What is wrong with the answer to `gsd_converters`."""
    if not isinstance(answer, Mapping):
        return [f"gsd_converters returned {_type(answer)}, not a mapping"]
    return [f"gsd_converters: {name!r} is no function" for name, make in answer.items() if not callable(make)]


def _items(hook: str, answer: object, kind: type, check: Callable[[Any], Iterable[str]]) -> list[str]:
    if not isinstance(answer, (tuple, list)) or isinstance(answer, kind):
        return [f"{hook} returned {_type(answer)}, not a tuple of {kind.__name__}"]
    strangers = [
        f"{hook} returned {_type(item)} where {kind.__name__} belongs"
        for item in answer
        if type(item) is not kind
    ]
    return strangers or [fault for item in answer for fault in check(item)]


def _shape(value: object, label: str, fields: Mapping[str, Any]) -> Iterator[str]:
    for name, wanted in fields.items():
        found = getattr(value, name)
        if not isinstance(wanted, list):
            if not isinstance(found, wanted) or (wanted is int and isinstance(found, bool)):
                yield f"{label}.{name} is {_type(found)}, not {wanted.__name__}"
            continue
        [item] = wanted
        if not isinstance(found, (tuple, list)):
            yield f"{label}.{name} is {_type(found)}, not a tuple of {item.__name__}"
        elif not all(isinstance(each, item) for each in found):
            yield f"{label}.{name} holds something that is not {item.__name__}: is a comma missing?"


def _words(value: object, label: str, *names: str) -> Iterator[str]:
    for name in names:
        found = getattr(value, name)
        if not isinstance(found, (str, type(None))) or found not in _WORDS[name]:
            known = ", ".join(sorted(str(word) for word in _WORDS[name]))
            yield f"{label}.{name} cannot be {found!r}, only one of: {known}"


def _identity(runtime_id: str, runtime: Runtime) -> Iterator[str]:
    if runtime.id != runtime_id:
        yield f"it is declared as {runtime_id!r} but its runtime has the id {runtime.id!r}"
    if not _ID.fullmatch(runtime.id):
        yield f"the id {runtime.id!r} is not made of small letters, digits and single hyphens"
    if "{name}" not in runtime.invoke:
        yield f"invoke {runtime.invoke!r} lacks {{name}}"
    if not runtime.places:
        yield "it has no places: nothing could be installed"
    if not runtime.project or runtime.project.startswith("~") or _leads_out(runtime.project):
        yield f"project {runtime.project!r} leads out of the project"


def _home(home: Home) -> Iterator[str]:
    shape = [*_shape(home, "home", _HOME)]
    yield from shape
    if shape:
        return
    for path in (home.path, home.windows, home.macos):
        if path is not None and not _ABSOLUTE.match(path):
            yield f"home {path!r} is neither absolute nor below the user's home"


def _place(place: Place, converters: Mapping[str, object]) -> Iterator[str]:
    shape = [*_shape(place, "place", _PLACE), *_words(place, "place", "kind", "scope")]
    if shape:
        yield from shape
        return
    yield from _path("place", place.path, place.scope)
    if "{name}" not in place.path:
        yield f"the place {place.path!r} lacks {{name}}"
    if not place.forms:
        yield f"the place {place.path!r} has no form"
    for form in place.forms:
        fault = [*_shape(form, "form", _FORM), *_words(form, "form", "keeps")]
        yield from fault
        if not fault and form.dialect not in SHARED_DIALECTS and form.dialect not in converters:
            yield f"the form dialect {form.dialect!r} of {place.path!r} has no converter"


def _surface(surface: Surface) -> Iterator[str]:
    shape = [
        *_shape(surface, "surface", _SURFACE),
        *_words(surface, "surface", "name", "format", "scope", "envelope"),
    ]
    yield from shape
    if shape:
        return
    if not surface.paths:
        yield f"the {surface.name} surface has no path"
    for path in surface.paths:
        yield from _path(f"{surface.name} surface", path, surface.scope)


def _ask(ask: Ask, marks: tuple[str, ...]) -> Iterator[str]:
    shape = [*_shape(ask, "ask", _ASK)]
    yield from shape
    if shape:
        return
    what = f"the ask {' '.join(ask.words)!r}"
    if not ask.words or not ask.kinds or not set(ask.kinds) <= _WORDS["kind"]:
        yield f"{what} needs words, and kinds out of: {', '.join(sorted(map(str, _WORDS['kind'])))}"
    if not any(not mark.startswith("~") for mark in marks):
        yield f"{what} needs a program to follow: the first name in detect"
    if bool(ask.path) == bool(ask.pattern):
        yield f"{what} needs either a path or a pattern"
    try:
        groups = re.compile(ask.pattern).groups
    except re.error as error:
        yield f"the pattern of {what} does not parse: {error}"
    else:
        if ask.pattern and groups != 1:
            yield f"the pattern of {what} has {groups} groups, not one"


def _path(what: str, path: str, scope: object) -> Iterator[str]:
    if _leads_out(path):
        yield f"the {what} {path!r} leads out of its directory"
    if not {"", "."}.isdisjoint(path.split("/")[1:]):
        yield f"the {what} {path!r} is not written plainly: names with one forward slash between them"
    wanted = {"~/": "global", "./": "project"}.get(path[:2])
    if wanted and scope != wanted:
        yield f"the {what} {path!r} needs scope={wanted!r}: in the other one there is no such directory"


def _leads_out(path: str) -> bool:
    parts = path.replace("\\", "/").split("/")
    return ".." in parts or not parts[0] or ":" in path or bool(_CONTROL.search(path))


def _cap(cap: Cap) -> Iterator[str]:
    shape = [*_shape(cap, "cap", _CAP), *_words(cap, "cap", "kind", "unit", "on_excess", "scope")]
    yield from shape
    if not shape and cap.limit <= 0:
        yield f"the cap on {cap.kind} has the limit {cap.limit}"


def _type(value: object) -> str:
    return "None" if value is None else type(value).__name__
