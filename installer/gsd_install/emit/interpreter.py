"""Which Python a hook or a launcher shall start: one that is still there tomorrow.

The directories of version managers are facts of the tools themselves: Homebrew's Cellar and opt, the
`installs`, `versions` and `shims` of mise, asdf and pyenv, the caches of uv and pipx, uv's own Pythons.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.runtime.platform import Platform

if TYPE_CHECKING:
    from re import Match

# The names a search tries, in this order, and where it looks when PATH does not help.
NAMES = ("python3", "python3.14", "python3.13", "python3.12", "python3.11", "python")
FOLDERS = ("/usr/local/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/usr/bin", "/bin")

_ADVICE = "install gsd-install for good (uv tool install gsd-install, or pipx install gsd-install)"

# Folders whose content anything may delete at any time: the environments of `uvx` and `pipx run`.
_EPHEMERAL = frozenset({".cache", "cache", "caches", "archive-v0", "builds-v0", "environments-v2"})
_CACHE_VARIABLES = ("XDG_CACHE_HOME", "UV_CACHE_DIR")
# Each with a part of every path that matches: most paths have none of them, and compiling takes long.
_VERSIONS = "/versions/", r"^(.*/)versions/[^/]+/(?:bin/)?([^/]+)$"
_INSTALLS = "/installs/python/", r"^(.*/)installs/python/[^/]+/(?:bin/)?([^/]+)$"
_CELLAR = "/Cellar/", r"^(.*/)Cellar/([^/]+)/[^/]+/(.+/)?([^/]+)$"
_UV_PYTHON = "/uv/python/", r"^(.*/uv/python/[a-z]+-\d+\.\d+)\.\d+[^/-]*(-.+)$"


class Interpreter(NamedTuple):
    """`path` is what to write down where nobody looks whether it is still there: absolute, or empty.

    `exact` is the Python itself, which may go with an upgrade; for who does look, it is the fastest. `note`
    is a sentence for the report, or empty.
    """

    path: str = ""
    exact: str = ""
    note: str = ""


def stable(executables: Iterable[str], platform: Platform, exists: Callable[[str], bool]) -> Interpreter:
    """The Python to write down, for the first of `executables` that is not in a cache.

    A path with a version in it gives way to one that outlives an upgrade, where there is one. If all are in
    caches, it is the first on PATH or in the usual directories that is not; if there is none, empty.
    """
    for path in executables:
        if path and not is_ephemeral(path, platform):
            return _outliving(path, exists)
    for path in _usual(platform):
        if exists(path) and not is_ephemeral(path, platform):
            return _outliving(path, exists)
    return Interpreter(note=f"no Python was found that will stay where it is: {_ADVICE}")


def is_ephemeral(path: str, platform: Platform) -> bool:
    """Whether a path lies in a cache, which may be emptied at any time."""
    slashed = path.replace("\\", "/")
    caches = [platform.variable(name) for name in _CACHE_VARIABLES]
    inside = any(cache and slashed.startswith(cache.replace("\\", "/").rstrip("/") + "/") for cache in caches)
    return inside or not _EPHEMERAL.isdisjoint(slashed.casefold().split("/")[:-1])


def _outliving(path: str, exists: Callable[[str], bool]) -> Interpreter:
    slashed = path.replace("\\", "/")
    if cellar := _matched(_CELLAR, slashed):
        prefix, formula, inner, name = cellar.groups()
        found = (f"{prefix}bin/{name}", f"{prefix}bin/python3", f"{prefix}opt/{formula}/{inner or ''}{name}")
        return _first(found, path, exists)
    if managed := _matched(_VERSIONS, slashed) or _matched(_INSTALLS, slashed):
        folder, name = managed.groups()
        suffix = ".exe" if name.lower().endswith(".exe") else ""
        shims = (name, f"python3{suffix}", f"python{suffix}", "python.bat")
        return _first((f"{folder}shims/{shim}" for shim in shims), path, exists)
    if uv := _matched(_UV_PYTHON, slashed):
        minor = f"{uv[1]}{uv[2]}"
        return Interpreter(minor if exists(minor) else path, path)
    return Interpreter(path, path)


def _matched(pattern: tuple[str, str], path: str) -> Match[str] | None:
    part, whole = pattern
    return re.match(whole, path) if part in path else None


def _first(candidates: Iterable[str], path: str, exists: Callable[[str], bool]) -> Interpreter:
    for candidate in candidates:
        if exists(candidate):
            return Interpreter(candidate, path)
    note = f"{path} goes with the next upgrade of that Python: run gsd-install again then"
    return Interpreter(path, path, note)


def _usual(platform: Platform) -> Iterator[str]:
    windows = platform.os == "windows"
    folders = (platform.variable("PATH") or "").split(";" if windows else ":")
    for folder in (*folders, *(() if windows else FOLDERS)):
        if platform.path.isabs(folder):
            for name in NAMES:
                yield str(platform.path.join(folder, f"{name}.exe" if windows else name))
