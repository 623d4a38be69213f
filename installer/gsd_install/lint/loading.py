"""Load a content root as an install would, but past its faults: each is noted and mended."""

from __future__ import annotations

from collections.abc import Iterable

from gsd_install.content import parse, reading, tree
from gsd_install.content.model import FOLDERS, Catalog, Document, Section
from gsd_install.kernel.errors import GsdError, ManyErrors
from gsd_install.kernel.record import NamedTuple
from gsd_install.lint.mend import Mended
from gsd_install.lint.model import Finding, Tree, finding, texts

_KINDS = {folder: kind for kind, folder in FOLDERS.items()}
_NO_ROOT = "no_content_root"


class Loaded(NamedTuple):
    """`tree` is None where a root could not be read at all."""

    tree: Tree | None
    findings: tuple[Finding, ...]


def load(root: str) -> Loaded:
    """The tree at `root` with every fault that loading it reports, each once.

    Raises GsdError (reason `no_content_root`) where there is no folder.
    """
    try:
        files = tree.walk(root)
        contents = {file.path: tree.read(root, file.path) for file in files}
    except GsdError as error:
        if error.reason == _NO_ROOT:
            raise
        return Loaded(None, (_finding(error, (error.file or "").removeprefix(f"{root}/")),))
    return _read(root, files, contents)


def _read(root: str, files: tuple[tree.SourceFile, ...], contents: dict[str, bytes]) -> Loaded:
    mended = Mended(root, dict(contents))
    found: dict[Finding, None] = {}
    while True:
        kept = tuple(file for file in files if file.path in mended.contents)
        before = mended.contents.copy()
        try:
            catalog = reading.catalog(root, kept, mended.contents)
        except GsdError as error:
            for fault in error.errors if isinstance(error, ManyErrors) else (error,):
                _note(fault, mended, found)
                _note_others(mended.path(fault), root, mended, found)
        else:
            made = Tree(root, _unshifted(catalog, mended.shifts), texts(contents), frozenset(mended.dropped))
            return Loaded(made, tuple(found))
        if mended.contents == before:
            return Loaded(None, tuple(found))


def _note(fault: GsdError, mended: Mended, found: dict[Finding, None]) -> None:
    """Enter a fault, unless it follows from another, and take it out of the text."""
    if not mended.follows(fault):
        found[_finding(fault, mended.path(fault), mended.line(fault))] = None
    mended.mend(fault)


def _note_others(path: str, root: str, mended: Mended, found: dict[Finding, None]) -> None:
    """Enter what else is wrong in a document, without loading the whole tree again for each fault."""
    folder, _, rest = path.partition("/")
    if folder not in _KINDS or (_KINDS[folder] == "skill" and not path.endswith("/SKILL.md")):
        return
    name = rest.removesuffix("/SKILL.md").removesuffix(".md")
    while path in mended.contents:
        data = mended.contents[path]
        try:
            parse.document(_KINDS[folder], name, path, data, file=f"{root}/{path}", executable=False)
            return
        except GsdError as fault:
            _note(fault, mended, found)
        if mended.contents.get(path) == data:
            return


def _finding(error: GsdError, path: str, line: int = 1) -> Finding:
    rule = error.reason.replace("_", "-")
    return finding(rule, path or "content.toml", line, error.message, error.hint or "")


def _unshifted(catalog: Catalog, shifts: dict[str, int]) -> Catalog:
    """The catalog with the lines that its author's files have."""
    documents = [
        _moved(document, shifts[document.path]) if document.path in shifts else document
        for document in catalog.documents
    ]
    return catalog._replace(documents=tuple(documents))


def _moved(document: Document, by: int) -> Document:
    return document._replace(sections=tuple(_sections(document.sections, by)))


def _sections(sections: Iterable[Section], by: int) -> Iterable[Section]:
    for section in sections:
        parts = (
            part if isinstance(part, str) else part._replace(line=part.line - by) for part in section.parts
        )
        yield section._replace(line=section.line - by, parts=tuple(parts))
