"""Load a content root: from its packed catalog where that is current, else by parsing every file."""

from __future__ import annotations

import json
import os

from gsd_install.content import tree
from gsd_install.content.model import Asset, Catalog, Document, Hook, Placeholder, Section
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

PACKED = tree.PACKED
FORMAT = 2


def load(root: str) -> Catalog:
    """The catalog of a content root.

    A packed catalog is used when the tree still holds the very bytes it was made from; `pack` writes it
    at build time from this same function. Raises GsdError, or ManyErrors with every fault of the tree.
    """
    files = tree.walk(root)
    contents = {file.path: tree.read(root, file.path) for file in files}
    return _unpack(root, contents) or _parsed(root, files, contents)


def pack(root: str) -> bytes:
    """The packed form of a content root, for the build."""
    files = tree.walk(root)
    catalog = _parsed(root, files, {file.path: tree.read(root, file.path) for file in files})
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
        if packed["format"] != FORMAT or packed["head"][-1] != tree.digest(contents):
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
        hooks=tuple(_hook(*item) for item in packed["hooks"]),
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


def _hook(id: str, events: list[str], script: str, run: list[str], tools: list[str]) -> Hook:  # noqa: A002
    return Hook(id, tuple(events), script, tuple(run), tuple(tools))


def _section(item: list[Any]) -> Section:
    id, when, parts, hold, line = item  # noqa: A001
    made = tuple(part if isinstance(part, str) else Placeholder(*part) for part in parts)
    return Section(id, when, made, hold, line)
