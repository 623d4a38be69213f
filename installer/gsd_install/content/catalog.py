"""Load a content root: from its packed catalog where that is current, else by parsing every file."""

from __future__ import annotations

import json
import os

from gsd_install.content import tree
from gsd_install.content.feature import packed
from gsd_install.content.model import Asset, Catalog, Document, Hook, Part, Placeholder, Section
from gsd_install.kernel.digests import of_files
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gsd_install.content.feature import Feature

PACKED = tree.PACKED
FORMAT = 2


class Loaded(NamedTuple):
    """A catalog, and what is wrong with each capability that is not in it, by id."""

    catalog: Catalog
    faults: Mapping[str, GsdError]


def load(root: str) -> Catalog:
    """The catalog of a content root.

    A packed catalog is used when the tree still holds the very bytes it was made from; `pack` writes it
    at build time from this same function. Raises GsdError, or ManyErrors with every fault of the tree.
    """
    return load_with(root).catalog


def load_with(root: str, features: Sequence[Feature] = ()) -> Loaded:
    """The same with the content of capabilities, and what is wrong with each that is left out."""
    if not os.path.lexists(f"{root}/content.toml"):
        from gsd_install.content.bundles.reading import bundle

        found = bundle(root)
        if found is not None:
            return Loaded(found, {})
    files = tree.walk(root)
    contents = {file.path: tree.read(root, file.path) for file in files}
    given, faults = contents_of(features)
    usable = [feature for feature in features if feature.said.id not in faults]
    stored = None if faults else _unpack(root, _all(contents, usable, given))
    if stored is not None:
        return Loaded(stored._replace(features=tuple(usable)), {})
    core = _parsed(root, files, contents)
    if not features:
        return Loaded(core, {})
    from gsd_install.content.merge import merge

    made = merge(core, usable, given, faults)
    digest = of_files(_all(contents, made.catalog.features, given))
    return Loaded(made.catalog._replace(digest=digest), made.faults)


def pack(root: str, features: Sequence[Feature] = ()) -> bytes:
    """The packed form of a content root, for the build. Raises GsdError for a capability that is at fault."""
    catalog, faults = load_with(root, features)
    for error in faults.values():
        raise error
    document = {
        "format": FORMAT,
        "head": [
            catalog.id,
            catalog.name,
            catalog.version,
            catalog.prefix,
            catalog.requires,
            catalog.start,
            catalog.digest,
        ],
        "documents": [_packed_document(document) for document in catalog.documents],
        "assets": [[*asset[:3], _text_or_hex(asset.data), asset.executable] for asset in catalog.assets],
        "hooks": catalog.hooks,
        "servers": catalog.servers,
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=False).encode()


def contents_of(
    features: Iterable[Feature],
) -> tuple[dict[str, Mapping[str, bytes]], dict[str, GsdError]]:
    """The bytes of capabilities by id and path, and the error of each that cannot be read."""
    given: dict[str, Mapping[str, bytes]] = {}
    faults: dict[str, GsdError] = {}
    for feature in features:
        try:
            given[feature.said.id] = {
                file.path: tree.read(feature.folder, file.path) for file in feature.files
            }
        except GsdError as error:
            faults[feature.said.id] = error
    return given, faults


def _all(
    contents: Mapping[str, bytes],
    features: Iterable[Feature],
    given: Mapping[str, Mapping[str, bytes]],
) -> dict[str, bytes]:
    """Every byte that a merged catalog is made from, under names that no two parts share."""
    found = dict(contents)
    for feature in features:
        name = feature.said.id
        found[f"{name}:"] = json.dumps(packed(feature.said)).encode()
        found |= {f"{name}:{path}": data for path, data in given[name].items()}
    return found


def _parsed(root: str, files: tuple[tree.SourceFile, ...], contents: dict[str, bytes]) -> Catalog:
    from gsd_install.content import reading  # parsers cost more to import than a packed catalog to read

    return reading.catalog(root, files, contents)


def _packed_document(document: Document) -> list[Any]:
    parts = [
        [section.id, section.when, [*section.parts], section.hold, section.line]
        for section in document.sections
    ]
    return [document.kind, document.id, document.path, dict(document.meta), parts, document.executable]


def _text_or_hex(data: bytes) -> str | list[str]:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return [data.hex()]


def _unpack(root: str, contents: dict[str, bytes]) -> Catalog | None:
    """The packed catalog, or None where there is none or the tree is another one by now."""
    if not os.path.lexists(f"{root}/{PACKED}"):
        return None
    try:
        packed = json.loads(tree.read(root, PACKED))
        if packed["format"] != FORMAT or packed["head"][-1] != of_files(contents):
            return None
        return _catalog(root, packed)
    except (ValueError, TypeError, LookupError) as error:
        raise GsdError(
            f"the packed catalog cannot be read: {type(error).__name__}: {error}",
            reason="packed_catalog",
            file=f"{root}/{PACKED}",
            hint="reinstall gsd-install, or delete this file where the content is your own",
        ) from error


def _catalog(root: str, packed: dict[str, Any]) -> Catalog:
    id, name, version, prefix, requires, start, digest = packed["head"]  # noqa: A001
    return Catalog(
        root=root,
        id=id,
        name=name,
        version=version,
        prefix=prefix,
        requires=requires,
        documents=tuple(_document(item) for item in packed["documents"]),
        assets=tuple(_asset(*item) for item in packed["assets"]),
        hooks=tuple(_hook(item) for item in packed["hooks"]),
        servers=packed["servers"],
        digest=digest,
        start=start,
    )


def _document(item: list[Any]) -> Document:
    kind, id, path, meta, sections, executable = item  # noqa: A001
    return Document(kind, id, path, meta, tuple(_section(section) for section in sections), executable)


def _asset(kind: str, id: str, path: str, data: str | list[str], executable: bool) -> Asset:  # noqa: A002, FBT001
    return Asset(
        kind, id, path, data.encode() if isinstance(data, str) else bytes.fromhex(data[0]), executable
    )


def _hook(item: list[Any]) -> Hook:
    id, events, script, run, tools, line = item  # noqa: A001
    return Hook(id, tuple(events), script, tuple(run), tuple(tools), _parts(line))


def _section(item: list[Any]) -> Section:
    id, when, parts, hold, line = item  # noqa: A001
    return Section(id, when, _parts(parts), hold, line)


def _parts(stored: list[Any]) -> tuple[Part, ...]:
    return tuple(part if isinstance(part, str) else Placeholder(*part) for part in stored)
