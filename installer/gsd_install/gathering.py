"""Which capabilities the installed distributions declare: found by entry points, read without importing.

What a `capability.toml` says was packed when its distribution was built: parsing TOML takes longer than all
the rest here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from gsd_install.content.feature import CONTENT_KINDS, Capability, Feature, packed, unpacked
from gsd_install.content.model import FOLDERS
from gsd_install.declared import CAPABILITIES, Declared, declared
from gsd_install.kernel.errors import GsdError, ManyErrors
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

    from gsd_install.content.tree import SourceFile

MANIFEST = "capability.toml"

# Beside the capability packages of a distribution: what their manifests say, read when it was built.
PACKED = "capabilities.json"

_FOLDERS = tuple(f"{FOLDERS[kind]}/" for kind in CONTENT_KINDS)
_NOT_THEIRS = ("rules/", "hooks/")


class Brought(NamedTuple):
    """One declared capability. `feature` is its content, `manifest` what its file says, byte for byte."""

    entry: Declared
    feature: Feature
    manifest: bytes = b""
    from_pack: bool = False

    @property
    def said(self) -> Capability:
        """What it says of itself."""
        return self.feature.said


class Gathered(NamedTuple):
    """The capabilities that go together, and those that are left out, each with its reason."""

    brought: tuple[Brought, ...] = ()
    faults: tuple[tuple[Declared, GsdError], ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """A sentence for each one that is left out."""
        return tuple(_left_out(entry, error) for entry, error in self.faults)

    @property
    def features(self) -> tuple[Feature, ...]:
        """Those that bring content or hooks."""
        return tuple(item.feature for item in self.brought if item.said.role == "feature")

    def signature(self) -> list[Any]:
        """What tells this set of features from another: manifests by hash, content by names and sizes."""
        import hashlib

        return [
            [
                item.said.id,
                hashlib.sha256(item.manifest).hexdigest(),
                [[file.path, file.size] for file in item.feature.files],
            ]
            for item in self.brought
            if item.said.role == "feature"
        ]

    def sentence(self, name: str, error: GsdError) -> str:
        """How a capability of this set is named when it is left out after all."""
        return _left_out(next(item.entry for item in self.brought if item.said.id == name), error)

    def without(self, names: Iterable[str]) -> Gathered:
        """The others, less those that require one of `names`."""
        gone = set(names)
        while more := [
            item.said.id
            for item in self.brought
            if item.said.id not in gone and not gone.isdisjoint(item.said.requires)
        ]:
            gone.update(more)
        return self._replace(brought=tuple(item for item in self.brought if item.said.id not in gone))


def gather_capabilities(found: Iterable[Declared] | None = None) -> Gathered:
    """Every declared capability that can be used, by id; the others are named with their reason."""
    reader = _Reader()
    brought: dict[str, Brought] = {}
    wrong: list[tuple[Declared, GsdError]] = []
    for entry in declared(group=CAPABILITIES) if found is None else found:
        try:
            if entry.name in brought:
                other = brought[entry.name].entry.distribution
                raise GsdError(f"{other} brings one of this id already", reason="capability_clash")
            brought[entry.name] = reader.read(entry)
        except GsdError as error:
            wrong.append((entry, error))
    if wrong or not reader.whole(brought):
        _keep_coherent(brought, wrong)
    return Gathered(tuple(brought.values()), tuple(wrong))


def read(entry: Declared) -> Capability:
    """What a declared capability says of itself. Raises GsdError."""
    return _Reader().read(entry).said


def pack(gathered: Gathered) -> bytes:
    """The manifests of a distribution's capabilities, for `PACKED`."""
    import json

    stored = {
        item.said.id: [item.manifest.decode(), packed(item.said)]
        for item in gathered.brought
        if item.manifest
    }
    return json.dumps(stored, ensure_ascii=False, separators=(",", ":")).encode()


class Folders:
    """The directories of packages, found without importing them; each top-level package is looked up once."""

    def __init__(self) -> None:
        self._tops: dict[str, tuple[str, ...]] = {}

    def of(self, package: str) -> str:
        """The directory of a package. Raises GsdError when there is none."""
        top, *inner = package.split(".")
        if top not in self._tops:
            self._tops[top] = tuple(_locations(top))
        for location in self._tops[top]:
            folder = os.path.join(location, *inner)
            if os.path.isdir(folder):
                return folder
        raise GsdError(
            f"there is no package {package}", reason="unresolved", hint="reinstall its distribution"
        )


def code_of(said: Capability, folders: Folders) -> Iterator[tuple[str, str]]:
    """The modules of a capability's packages: path below `lib/`, and file; none for a parent's `__init__.py`.

    Raises GsdError for a package or the module of a launcher that is not there.
    """
    modules = set()
    for package in said.packages:
        parts = package.split(".")[:-1]
        for depth in range(len(parts)):
            yield "/".join([*parts[: depth + 1], "__init__.py"]), ""
    for package in said.packages:
        folder = folders.of(package)
        for name in sorted(os.listdir(folder)):
            if name.endswith(".py"):
                modules.add(f"{package}.{name[:-3]}")
                yield f"{package.replace('.', '/')}/{name}", os.path.join(folder, name)
    for name, function in said.launchers:
        module = function.partition(":")[0]
        if module not in modules:
            raise GsdError(
                f"the launcher {name!r} starts {module}, which is in none of its packages",
                reason="unresolved",
            )


def _locations(top: str) -> Iterable[str]:
    from importlib.util import find_spec

    try:
        spec = find_spec(top)
    except ValueError:
        spec = None
    return (spec.submodule_search_locations or ()) if spec else ()


def _left_out(entry: Declared, error: GsdError) -> str:
    first, *others = error.errors if isinstance(error, ManyErrors) else (error,)
    more = f" (and {len(others)} more, see gsd-install lint)" if others else ""
    return f"the capability {entry.name!r} of {entry.distribution} is left out: {first}{more}"


def _keep_coherent(brought: dict[str, Brought], wrong: list[tuple[Declared, GsdError]]) -> None:
    """Take out what does not go with the others."""
    from gsd_install.content.coherence import faults

    said = {name: item.said for name, item in brought.items()}
    files = {name: f"{item.feature.folder}/{MANIFEST}" for name, item in brought.items()}
    for name, error in faults(said, files, [entry.name for entry, _ in wrong]).items():
        wrong.append((brought.pop(name).entry, error))


class _Reader:
    """Reads manifests; each pack is opened once."""

    def __init__(self) -> None:
        self._folders = Folders()
        self._packs: dict[str, dict[str, Any]] = {}

    def read(self, entry: Declared) -> Brought:
        """A declared capability with the list of its files. Raises GsdError."""
        folder = self._folders.of(entry.module)
        file = os.path.join(folder, MANIFEST)
        try:
            with open(file, "rb") as stream:
                data = stream.read()
        except FileNotFoundError:
            return Brought(entry, Feature(Capability(entry.name, entry.name), folder))
        stored = self._packed(os.path.dirname(folder), entry.name, data)
        said = stored or _parsed(data, file)
        if said.id != entry.name:
            raise GsdError(
                f"its id is {said.id!r}",
                reason="bad_value",
                file=file,
                hint="id is the name of the entry point",
            )
        if stored is None:
            list(code_of(said, self._folders))  # what was packed was there when its distribution was built
        files = tuple(_content(folder)) if said.role == "feature" else ()
        return Brought(entry, Feature(said, folder, files), data, stored is not None)

    def whole(self, brought: dict[str, Brought]) -> bool:
        """Whether these are exactly what one pack holds, which was found coherent when it was built."""
        if not all(item.from_pack for item in brought.values()):
            return False
        return sum(map(len, self._packs.values())) == len(brought) and len(self._packs) == 1

    def _packed(self, parent: str, name: str, data: bytes) -> Capability | None:
        """The manifest as packed for these very bytes."""
        if parent not in self._packs:
            self._packs[parent] = _stored(os.path.join(parent, PACKED))
        text, fields = self._packs[parent].get(name, ("", None))
        return None if fields is None or text.encode() != data else unpacked(fields)


def _stored(path: str) -> dict[str, Any]:
    import json

    try:
        with open(path, "rb") as stream:
            found: dict[str, Any] = json.loads(stream.read())
    except FileNotFoundError:
        return {}
    return found


def _parsed(data: bytes, file: str) -> Capability:
    from gsd_install.content.capability import capability

    return capability(data, file=file)


def _content(folder: str) -> Iterator[SourceFile]:
    """The files of a package that are content. Raises GsdError for folders that a capability cannot have."""
    from gsd_install.content.tree import walk

    for file in walk(folder):
        if file.path.startswith(_FOLDERS):
            yield file
        elif file.path.startswith(_NOT_THEIRS):
            raise GsdError(
                f"a capability has no {file.path.partition('/')[0]}/",
                reason="stray_file",
                file=f"{folder}/{file.path}",
                hint=f"its folders are {', '.join(_FOLDERS)}",
            )
