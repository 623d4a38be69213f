"""Read a content root file by file, and report every fault of it at once."""

from __future__ import annotations

import hashlib
import os

from gsd_install.content import check, parse
from gsd_install.content.manifest import Manifest, hooks, manifest, servers
from gsd_install.content.model import FOLDERS, Asset, Catalog, Document
from gsd_install.content.tree import SourceFile, read
from gsd_install.kernel.errors import GsdError, ManyErrors


def catalog(root: str, files: tuple[SourceFile, ...]) -> Catalog:
    """The catalog of a tree. Raises GsdError, or ManyErrors with every fault of it."""
    contents = {file.path: read(root, file) for file in files}
    head = manifest(root, contents)
    errors: list[GsdError] = []
    documents: list[Document] = []
    assets: list[Asset] = []
    for file in files:
        try:
            item = _item(root, file, contents[file.path])
        except GsdError as error:
            errors.append(error)
            continue
        if isinstance(item, Document):
            documents.append(item)
        elif item:
            assets.append(item)
    if errors:
        raise ManyErrors(tuple(errors)) if len(errors) > 1 else errors[0]
    found = _catalog(root, head, documents, assets, contents)
    check.references(found)
    return found


def _item(root: str, file: SourceFile, data: bytes) -> Document | Asset | None:
    folder, _, rest = file.path.partition("/")
    kind = next((kind for kind, name in FOLDERS.items() if name == folder), None)
    if folder == "hooks":
        return None if rest == "hooks.toml" else Asset("hook", rest, file.path, data, file.executable)
    if kind is None or not rest:
        return None
    where = f"{root}/{file.path}"
    if kind == "skill":
        name, _, inner = rest.partition("/")
        if inner != "SKILL.md":
            if not inner:
                raise GsdError(
                    "a skill is a folder with a SKILL.md",
                    reason="stray_file",
                    file=where,
                    hint=f"move it to skills/{os.path.splitext(name)[0]}/SKILL.md",
                )
            return Asset("skill", name, file.path, data, file.executable)
        return parse.document(kind, name, file.path, data, file=where, executable=file.executable)
    stem, suffix = os.path.splitext(rest)
    if suffix != ".md":
        raise GsdError(f"{folder}/ holds Markdown files only", reason="stray_file", file=where)
    if "/" in stem and kind not in {"reference", "template"}:
        raise GsdError(f"{folder}/ has no folders below it", reason="stray_file", file=where)
    return parse.document(kind, stem, file.path, data, file=where, executable=file.executable)


def _catalog(
    root: str, head: Manifest, documents: list[Document], assets: list[Asset], contents: dict[str, bytes]
) -> Catalog:
    if not documents:
        raise GsdError(
            "the content root holds no content",
            reason="empty_content",
            file=root,
            hint=f"put documents into {', '.join(name + '/' for name in FOLDERS.values())}",
        )
    digest = hashlib.sha256()
    for path in sorted(contents):
        digest.update(f"{path}\0{len(contents[path])}\0".encode())
        digest.update(contents[path])
    return Catalog(
        root,
        head.id,
        head.name,
        head.version,
        head.prefix,
        head.requires,
        tuple(documents),
        tuple(assets),
        hooks(root, contents),
        servers(root, contents),
        digest.hexdigest(),
    )
