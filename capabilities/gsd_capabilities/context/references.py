"""Loading references: each is read once in a run, under its normalised name.

A name is looked up in the planning folder, then as an absolute path, then among the bundled references. A
remote address is fetched only from a host that the user allow-listed, and only by a fetcher from outside.
"""

from __future__ import annotations

import os

from gsd_capabilities.context.sections import section
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gsd_capabilities.context.sections import Section
    from gsd_install.kernel.frontmatter import Field, Frontmatter

    # Bytes of an address, at most so many and one more to tell that there is more.
    Fetcher = Callable[[str, int], bytes]

_REMOTE = ("http://", "https://")

_READABLE = "allow this user to read it"


class Roots(NamedTuple):
    """The folders that names are relative to; empty where there is none."""

    planning: str
    bundled: str = ""


class Reference(NamedTuple):
    """A loaded document: where it is, its text without frontmatter, and what the frontmatter said."""

    id: str
    title: str
    text: str
    priority: int | None
    tier: str
    deprecated: bool
    requires: tuple[str, ...]


class Loader:
    """Reads references and remembers them. `read` counts what was really read, for tests and reports.

    `fetch` gets remote addresses of the allow-listed `hosts` (`remote.allowed`), at most `url_bytes` of each;
    `keep` stores what came under its address, so that the same bytes can be found again.
    """

    __slots__ = ("_fetch", "_hosts", "_keep", "_known", "_roots", "_url_bytes", "read")

    def __init__(
        self,
        roots: Roots,
        *,
        hosts: Iterable[str] = (),
        url_bytes: int = 262_144,
        fetch: Fetcher | None = None,
        keep: Callable[[str, bytes], object] | None = None,
    ) -> None:
        self._roots = Roots(*(root and os.path.realpath(root) for root in roots))
        self._hosts = tuple(hosts)
        self._url_bytes = url_bytes
        self._fetch = fetch
        self._keep = keep
        self._known: dict[str, Reference] = {}
        self.read = 0

    def load(self, name: str) -> Reference:
        """The reference of that name; an `@` in front is part of the notation.

        Raises GsdError: `missing_reference` with the nearest name, `unreadable`, `not_text`,
        `bad_reference` for frontmatter that says what it cannot, and for remote addresses
        `remote_refused`, `remote_too_large` and what the fetcher raises (`remote.fetch`).
        """
        name = name.removeprefix("@")
        key = name if name.startswith(_REMOTE) else self._found(name)
        if key not in self._known:
            data = self._remote(key) if key.startswith(_REMOTE) else _bytes(key)
            self.read += 1
            self._known[key] = _reference(key, self._source(key), self._title(key), data)
        return self._known[key]

    def sections(self, names: Sequence[str], role: str) -> list[Section]:
        """The references and what they require, by descending priority and, among equals, as named.

        Raises what `load` raises, and GsdError (reason `requirement_cycle`).
        """
        ids: dict[str, Reference] = {}
        waiting = [*names]
        required: dict[str, tuple[str, ...]] = {}
        while waiting:
            found = self.load(waiting.pop(0))
            if found.id not in ids:
                ids[found.id] = found
                required[found.id] = tuple(self.load(other).id for other in found.requires)
                waiting.extend(found.requires)
        _check_cycles(required)
        made = [self._section(found, role, required[found.id]) for found in ids.values()]
        return sorted(made, key=lambda one: -one.priority)

    def _section(self, found: Reference, role: str, requires: tuple[str, ...]) -> Section:
        return section(
            found.id,
            role,
            found.text.strip("\n"),
            title=found.title,
            tier=found.tier,
            priority=found.priority,
            source=found.id,
            deprecated=found.deprecated,
            requires=requires,
        )

    def _source(self, key: str) -> str:
        """How a reader finds the document: from the project's folder where it lies in there."""
        project = os.path.join(os.path.dirname(self._roots.planning), "")
        return key.removeprefix(project).replace(os.sep, "/") if self._roots.planning else key

    def _title(self, key: str) -> str:
        for root in (self._roots.planning, self._roots.bundled):
            if root and key.startswith(root + os.sep):
                return os.path.relpath(key, root).replace(os.sep, "/")
        return key

    def _found(self, name: str) -> str:
        roots = ("",) if os.path.isabs(name) else (self._roots.planning, self._roots.bundled)
        for root in roots:
            for ending in ("", ".md"):
                path = os.path.realpath(os.path.join(root, name + ending))
                # A relative name stays in its folder, by `..` and by symlink alike.
                inside = not root or path.startswith(root + os.sep)
                if inside and os.path.isfile(path) and (root or os.path.isabs(name)):
                    return path
        raise self._missing(name)

    def _missing(self, name: str) -> GsdError:
        import difflib

        near = difflib.get_close_matches(name, self._names(), 1, 0.4)
        hint = f"did you mean {near[0]!r}?" if near else f"put it into {self._roots.planning or 'a folder'}"
        return GsdError(f"there is no reference {name!r}", reason="missing_reference", hint=hint)

    def _names(self) -> list[str]:
        """Every name that a relative reference could have."""
        found = []
        for root in (self._roots.planning, self._roots.bundled):
            for folder, _, files in os.walk(root) if root else ():
                below = os.path.relpath(folder, root).replace(os.sep, "/")
                found += [name if below == "." else f"{below}/{name}" for name in files if name[-3:] == ".md"]
        return sorted(set(found))

    def _remote(self, address: str) -> bytes:
        from gsd_capabilities.context.remote import allowed, refused

        if self._fetch is None or not allowed(address, self._hosts):
            raise refused(address)
        data = self._fetch(address, self._url_bytes)
        if len(data) > self._url_bytes:
            raise GsdError(f"{address} holds more than {self._url_bytes:,} bytes",
                           reason="remote_too_large", hint="save the part that matters")  # fmt: skip
        if self._keep:
            self._keep(address, data)
        return data


def _check_cycles(required: Mapping[str, tuple[str, ...]]) -> None:
    """Raise GsdError (reason `requirement_cycle`) for references that require each other."""
    left = dict(required)
    while left:
        ready = [name for name, needs in left.items() if not any(other in left for other in needs)]
        if not ready:
            names = ", ".join(sorted(left))
            hint = "let one of them hold what both need"
            raise GsdError(f"references require each other: {names}", reason="requirement_cycle", hint=hint)
        for name in ready:
            del left[name]


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise GsdError(
            f"cannot be read: {error.strerror}", reason="unreadable", file=path, hint=_READABLE
        ) from error


def _reference(key: str, source: str, title: str, data: bytes) -> Reference:
    from gsd_install.kernel.frontmatter import split

    try:
        matter = split(data.decode("utf-8-sig"), file=key)
    except UnicodeDecodeError as error:
        hint = "save it as UTF-8"
        raise GsdError("the reference is not UTF-8", reason="not_text", file=key, hint=hint) from error
    return Reference(
        source,
        title,
        matter.body,
        _typed(matter, "priority", int, None, key),
        _typed(matter, "tier", str, "", key),
        _typed(matter, "deprecated", bool, False, key),  # noqa: FBT003
        tuple(_names_of(matter, key)),
    )


def _names_of(matter: Frontmatter, file: str) -> list[str]:
    value: Field = matter.fields.get("requires", [])
    if isinstance(value, str):
        return [value]
    return _typed(matter, "requires", list, [], file)


if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")
    D = TypeVar("D")


def _typed(matter: Frontmatter, name: str, kind: type[T], default: D, file: str) -> T | D:
    """A field of that kind; the default where there is none."""
    if name not in matter.fields:
        return default
    value = matter.fields[name]
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    words = {int: "a whole number", str: "a word", bool: "true or false", list: "a list of names"}
    raise GsdError(
        f"{name!r} is {value!r}",
        reason="bad_reference",
        file=file,
        line=matter.lines[name],
        hint=f"{name} is {words[kind]}",
    )
