"""Read a content root file by file, and report every fault of it at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from gsd_install.content import check, parse
from gsd_install.content.manifest import NAME, Manifest, hooks, manifest, servers
from gsd_install.content.model import CONTEXT, FOLDERS, Asset, Catalog, Document
from gsd_install.content.tree import SourceFile, case_clash, is_script
from gsd_install.kernel.digests import of_files
from gsd_install.kernel.errors import GsdError, ManyErrors

_KINDS = {folder: kind for kind, folder in FOLDERS.items()}
_NESTED = frozenset({"reference", "template"})


def catalog(root: str, files: tuple[SourceFile, ...], contents: Mapping[str, bytes]) -> Catalog:
    """The catalog of a tree. Raises GsdError, or ManyErrors with every fault of it."""
    head = manifest(root, contents)
    items = read(root, files, contents)
    found = _catalog(root, head, items, contents)
    check.references(found)
    return found


def read(root: str, files: Iterable[SourceFile], contents: Mapping[str, bytes]) -> list[Document | Asset]:
    """The documents and assets that files are. Raises GsdError, or ManyErrors with every fault of them."""
    files = tuple(files)
    errors = [*_twins(root, files)]
    items: list[Document | Asset] = []
    for file in files:
        try:
            items += _item(root, file, contents[file.path])
        except GsdError as error:
            errors.append(error)
    errors += _headless(root, contents)
    if errors:
        raise ManyErrors(tuple(errors)) if len(errors) > 1 else errors[0]
    return items


def _twins(root: str, files: tuple[SourceFile, ...]) -> Iterator[GsdError]:
    """Files that would be one file where case does not count."""
    seen: dict[str, str] = {}
    for file in files:
        first = seen.setdefault(file.path.casefold(), file.path)
        if first != file.path:
            yield case_clash(root, file.path, first)


def _item(root: str, file: SourceFile, data: bytes) -> Iterator[Document | Asset]:
    """What one file of the tree is, if it is anything."""
    folder, _, rest = file.path.partition("/")
    where = f"{root}/{file.path}"
    if rest and (folder in FOLDERS or folder == "hook"):
        raise GsdError(
            f"there is no kind of content called {folder!r}",
            reason="stray_file",
            file=where,
            hint=f"the folder is called {FOLDERS.get(folder, 'hooks')}/",
        )
    if folder == "hooks" and rest and rest != "hooks.toml":
        yield Asset("hook", rest, file.path, data, is_script(file, data))
    elif folder == "skills" and rest:
        yield _of_skill(file, rest, data, where)
    elif file.path == CONTEXT:
        yield parse.document("reference", "CONTEXT", file.path, data, file=where, executable=False)
    elif folder in _KINDS and rest:
        yield _document(_KINDS[folder], file, rest, data, where)


def _of_skill(file: SourceFile, rest: str, data: bytes, where: str) -> Document | Asset:
    name, _, inner = rest.partition("/")
    if not inner:
        raise GsdError(
            "a skill is a folder with a SKILL.md",
            reason="stray_file",
            file=where,
            hint=f"move it to skills/{os.path.splitext(name)[0]}/SKILL.md",
        )
    if inner != "SKILL.md":
        return Asset("skill", name, file.path, data, is_script(file, data))
    _check_name(name, where)
    return parse.document("skill", name, file.path, data, file=where, executable=False)


def _document(kind: str, file: SourceFile, rest: str, data: bytes, where: str) -> Document:
    stem, suffix = os.path.splitext(rest)
    if suffix != ".md":
        raise GsdError(
            f"{FOLDERS[kind]}/ holds Markdown files only",
            reason="stray_file",
            file=where,
            hint="end its name in .md, or put it beside the SKILL.md that needs it",
        )
    if kind not in _NESTED:
        if "/" in stem:
            raise GsdError(
                f"{FOLDERS[kind]}/ has no folders below it",
                reason="stray_file",
                file=where,
                hint=f"move it to {FOLDERS[kind]}/{stem.replace('/', '-')}.md",
            )
        _check_name(stem, where)
    return parse.document(kind, stem, file.path, data, file=where, executable=False)


def _check_name(name: str, where: str) -> None:
    if not NAME.fullmatch(name):
        raise GsdError(
            f"{name!r} cannot be a name",
            reason="bad_name",
            file=where,
            hint="use small letters, digits and single hyphens",
        )


def _headless(root: str, paths: Iterable[str]) -> Iterator[GsdError]:
    """Skill folders that hold files but no SKILL.md."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        top, _, rest = path.partition("/")
        name, _, inner = rest.partition("/")
        if top == "skills" and inner:
            folders.setdefault(name, []).append(inner)
    for name, found in folders.items():
        if "SKILL.md" in found:
            continue
        near = next((inner for inner in found if inner.lower() == "skill.md"), None)
        yield GsdError(
            f"the skill {name!r} has no SKILL.md",
            reason="no_skill_md",
            file=f"{root}/skills/{name}",
            hint=f"rename {near} to SKILL.md"
            if near
            else "a folder below skills/ is a skill: add its SKILL.md",
        )


def _catalog(
    root: str, head: Manifest, items: list[Document | Asset], contents: Mapping[str, bytes]
) -> Catalog:
    documents = tuple(item for item in items if isinstance(item, Document))
    if not documents:
        raise GsdError(
            "the content root holds no content",
            reason="empty_content",
            file=root,
            hint=f"put documents into {', '.join(name + '/' for name in FOLDERS.values())}",
        )
    return Catalog(
        root,
        head.id,
        head.name,
        head.version,
        head.prefix,
        head.requires,
        documents,
        tuple(item for item in items if isinstance(item, Asset)),
        hooks(root, contents),
        servers(root, contents),
        of_files(contents),
        head.start,
    )
