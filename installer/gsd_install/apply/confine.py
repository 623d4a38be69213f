"""Every write stays inside its declared root: checked per path component, before anything is written.

Names are checked by the rules of every system we run on, not only of this one: what installs here must
survive a clone on Windows and a case-insensitive disk.
"""

from __future__ import annotations

import os
import re
import stat

from gsd_install.apply import disk
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gsd_install.apply.model import Location

LONGEST = 200  # bytes in a name; the usual limit is 255, and temporary names and suffixes need room

_EMPTY = os.sep + os.sep
# Windows has a second separator, `os.altsep`; where there is none, a path splits in one place.
_ALONE = os.altsep is None
_PLAIN = re.compile(r"[A-Za-z0-9_.-]*[A-Za-z0-9_-]")
_FORBIDDEN = re.compile(r'[<>:"|?*\\/\x00-\x1f\x7f]')
# https://learn.microsoft.com/windows/win32/fileio/naming-a-file (read 2026-11-30)
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{device}{digit}" for device in ("com", "lpt") for digit in "0123456789¹²³"]
)


class EscapeError(GsdError):
    """A link on the way leaves the root."""


class Directory(NamedTuple):
    """A directory on the way to a file: its path with links resolved, and whether it exists."""

    real: str
    exists: bool


def check_name(name: str, path: str) -> None:
    """Raise GsdError for a file or directory name that some system cannot store."""
    if name.partition(".")[0].rstrip(" ").lower() in _RESERVED:
        raise _bad_name(name, path, "is reserved by Windows")
    if len(name) <= LONGEST and _PLAIN.fullmatch(name) and name[0] != "-":
        return
    problem = _problem(name)
    if problem:
        raise _bad_name(name, path, problem)


def _problem(name: str) -> str | None:
    if name in {"", ".", ".."}:
        return "is no name"
    if _FORBIDDEN.search(name):
        return "has a character that some systems cannot store"
    if name[-1] in ". ":
        return "ends with a dot or a space, which Windows drops"
    if name[0] == "-":
        return "starts with a dash, which programs take for an option"
    try:
        os.fsencode(name)
        too_long = len(name.encode()) > LONGEST
    except UnicodeEncodeError:
        return "cannot be spelled in this locale, or at all"
    return f"is longer than {LONGEST} bytes" if too_long else None


def _bad_name(name: str, path: str, problem: str) -> GsdError:
    return GsdError(
        f"the name {name!r} {problem}", reason="name", file=path, hint="rename it in the content root"
    )


class Confine:
    """The checks of one plan; what is learnt about a directory is learnt once."""

    __slots__ = ("_directories", "_listings", "_location", "_names", "_outputs", "_roots")

    def __init__(self, location: Location) -> None:
        self._location = location
        self._roots: dict[str, Directory] = {}
        self._directories: dict[tuple[str, str], Directory | GsdError] = {}
        self._listings: dict[str, dict[str, str]] = {}
        self._outputs: dict[str, str] = {}
        self._names: set[str] = set()

    def place(self, path: str, root: str) -> Directory:
        """The directory that holds `path`. Raises GsdError where `path` may not be written.

        Raises EscapeError where a link below the root leads out of it.
        """
        parent, name = _split(path)
        self._check_name(name, path)
        if _EMPTY in path and _EMPTY in path[1:]:
            raise _bad_name("", path, "is no name")
        found = self.directory(parent, root, path)
        self._require_distinct(path, f"{found.real}{os.sep}{name}")
        return found

    def exists(self, directory: str, root: str) -> bool | None:
        """Whether a directory that was checked exists; None for one that was not."""
        known = self._directories.get((directory, root))
        return known.exists if isinstance(known, Directory) else None

    def _check_name(self, name: str, path: str) -> None:
        """`check_name`, once for each name: many files have the same."""
        if name not in self._names:
            check_name(name, path)
            self._names.add(name)

    def directory(self, path: str, root: str, file: str) -> Directory:
        """A directory inside `root`, its components checked; `file` is what the message speaks of."""
        known = self._directories.get((path, root))
        if known is None:
            try:
                known = self._directory(path, root, file)
            except GsdError as error:
                known = error
            self._directories[path, root] = known
        if isinstance(known, GsdError):
            raise known
        return known

    def _directory(self, path: str, root: str, file: str) -> Directory:
        if path == root:
            return self._root(root)
        parent, name = _split(path)
        if len(path) <= len(root) or not name or name in {".", ".."}:
            raise GsdError(f"it does not stay inside {root}", reason="outside", file=file)
        above = self.directory(parent, root, file)
        real = f"{above.real}{os.sep}{name}"
        found = disk.look(real) if above.exists else None
        if found is None:
            self._check_name(name, path)
            if above.exists:
                self._require_case(above.real, name, path)
            return Directory(real, exists=False)
        if stat.S_ISLNK(found.st_mode):
            return self._through(real, path, root)
        if not stat.S_ISDIR(found.st_mode):
            raise GsdError(
                "this is not a directory", reason="not_a_directory", file=path, hint="move it away"
            )
        return Directory(real, exists=True)

    def _through(self, real: str, path: str, root: str) -> Directory:
        target = os.path.realpath(real)
        if not inside(target, self._root(root).real):
            raise EscapeError(
                f"this link leads out of {root}, to {target}",
                reason="symlink",
                file=path,
                hint="replace the link by a directory, or point it to a place inside",
            )
        if not os.path.isdir(target):
            raise GsdError("this link leads to no directory", reason="not_a_directory", file=path)
        return Directory(target, exists=True)

    def _root(self, root: str) -> Directory:
        known = self._roots.get(root)
        if known is None:
            known = self._roots[root] = self._resolved_root(root)
        return known

    def _resolved_root(self, root: str) -> Directory:
        real = os.path.realpath(root)
        base = self._location.root
        if root != base and inside(root, base) and not inside(real, self._root(base).real):
            raise EscapeError(
                f"this link leads out of {base}, to {real}",
                reason="symlink",
                file=root,
                hint=f"name the directory it leads to: --config-dir {real}",
            )
        found = disk.look(real)
        if found is not None and not stat.S_ISDIR(found.st_mode):
            raise GsdError(
                "this is not a directory", reason="not_a_directory", file=root, hint="move it away"
            )
        return Directory(real, found is not None)

    def _require_distinct(self, path: str, real: str) -> None:
        """Two outputs must not be one file: not through links, and not where case does not count."""
        other = self._outputs.setdefault(fold(real), path)
        if other != path:
            raise GsdError(
                f"this is the same file as {other} on some disks, or through a link",
                reason="collision",
                file=path,
                hint="rename one of the two, or remove the link that makes them one",
            )

    def require_free(self, path: str, place: Directory) -> None:
        """Raise GsdError where a name that differs only in case is taken already."""
        if place.exists:
            self._require_case(place.real, os.path.basename(path), path)

    def _require_case(self, directory: str, name: str, path: str) -> None:
        listing = self._listings.get(directory)
        if listing is None:
            listing = self._listings[directory] = {fold(other): other for other in disk.names(directory)}
        other = listing.get(fold(name), name)
        if other != name:
            raise GsdError(
                f"{other} is there already, which is the same name on some disks",
                reason="collision",
                file=path,
                hint=f"rename or remove {os.path.join(directory, other)}",
            )


def _split(path: str) -> tuple[str, str]:
    """`os.path.split`, which looks for more than there is in the paths of a plan."""
    parent, _, name = path.rpartition(os.sep)
    return (parent, name) if parent and _ALONE else os.path.split(path)


def inside(path: str, root: str) -> bool:
    """Is `path` the directory `root` or below it? Both absolute and normal."""
    return path == root or path.startswith(root if root.endswith(os.sep) else root + os.sep)


def fold(name: str) -> str:
    """What two names have in common that a case-insensitive disk takes for one."""
    if name.isascii():
        return name.lower()
    import unicodedata

    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
