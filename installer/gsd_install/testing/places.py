"""Where a plugin puts things: inside its directory on every system, each thing at a path of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gsd_install.apply.confine import check_name
from gsd_install.emit.target import target
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.runtime.platform import Platform

if TYPE_CHECKING:
    from gsd_install.runtime.model import Place, Runtime
    from gsd_install.runtime.words import Scope

_SAMPLE = "kit-sample"
_SYSTEMS = (
    Platform("linux", "/home/kit", {}, "/home/kit/project"),
    Platform("macos", "/Users/kit", {}, "/Users/kit/project"),
    Platform(
        "windows",
        "C:\\Users\\kit",
        {"APPDATA": "C:\\Users\\kit\\AppData\\Roaming", "LOCALAPPDATA": "C:\\Users\\kit\\AppData\\Local"},
        "C:\\Users\\kit\\project",
    ),
)


def faults(runtime: Runtime, scope: Scope) -> list[str]:
    """One sentence for each path that is not what it should be in this scope."""
    places = [place for place in runtime.places if place.scope in (None, scope)]
    found = [fault for place in places for fault in _place(place)]
    found += _clashes(places)
    for path in _paths(runtime, scope):
        found += _path(path)
    for platform in _SYSTEMS:
        found += _outside(runtime, scope, platform)
    return list(dict.fromkeys(found))


def _paths(runtime: Runtime, scope: Scope) -> list[str]:
    """Every declared path of the scope."""
    surfaces = [surface for surface in runtime.surfaces if surface.scope in (None, scope)]
    places = [place.path for place in runtime.places if place.scope in (None, scope)]
    return [*places, *(path for surface in surfaces for path in surface.paths)]


def _place(place: Place) -> Iterator[str]:
    if place.kind == "skill" and not place.path.endswith("/{name}/SKILL.md"):
        yield f"the place {place.path!r}: a skill is found only as {{name}}/SKILL.md, one directory deep"
    if place.path.count("{name}") != 1:
        yield f"the place {place.path!r} does not hold {{name}} exactly once"


def _clashes(places: list[Place]) -> Iterator[str]:
    seen: dict[str, Place] = {}
    for place in places:
        other = seen.setdefault(place.path.lower(), place)
        if other is not place:
            yield f"{other.kind} and {place.kind} are both placed at {place.path!r}"


def _path(path: str) -> Iterator[str]:
    """Faults in how a path is spelled."""
    bare = re.sub(r"^[~.]/", "", path).replace("{name}", _SAMPLE)
    if "\\" in bare:
        yield f"{path!r} has a backslash; paths are written with slashes"
        return
    for name in bare.split("/"):
        try:
            check_name(name, path)
        except GsdError as error:
            yield f"{path!r}: {error.message}"


def _outside(runtime: Runtime, scope: Scope, platform: Platform) -> Iterator[str]:
    """Paths that lead out of the directory they are relative to."""
    base = platform.home if scope == "global" else platform.cwd
    made = target(runtime, scope, platform, base=base, payload=platform.path.join(base, ".gsd"))
    if not _inside(made.own, base, platform):
        yield f"on {platform.os} its directory is {made.own}, which is not inside {base}"
    for path in _paths(runtime, scope):
        resolved = made.resolve(path.replace("{name}", _SAMPLE))
        root = base if path.startswith(("~/", "./")) else made.own
        if not _inside(resolved, root, platform):
            yield f"on {platform.os} {path!r} is {resolved}, which is not inside {root}"


def _inside(path: str, root: str, platform: Platform) -> bool:
    try:
        common = platform.path.commonpath([path, root])
    except ValueError:  # two drives, or one of them relative
        return False
    return bool(common == platform.path.normpath(root))


def folder(path: str) -> str:
    """The directory, as declared, with an entry for each document; empty for the runtime's own."""
    return re.split(r"[^/]*\{name\}", path, maxsplit=1)[0].rstrip("/")
