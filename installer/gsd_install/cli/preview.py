"""`gsd-install preview DOC --runtime R`: what one document becomes in a runtime, without installing it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable

from gsd_install.apply.location import target_at
from gsd_install.cli.context import Context, context
from gsd_install.cli.result import Result
from gsd_install.content.model import FOLDERS, Catalog, Document
from gsd_install.content.select import select
from gsd_install.contents import open_contents
from gsd_install.emit.emit import Emitter, bodies, emitter, piece
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.payload import payload
from gsd_install.plugins import Plugin, Plugins
from gsd_install.shipped import shipped_root

if TYPE_CHECKING:
    from typing import Any


class _File(NamedTuple):
    path: str
    kind: str
    rendition: str
    data: bytes


def main(args: argparse.Namespace) -> Result:
    """Print the emitted bytes of a document's first file, or of each file it becomes."""
    here = context(args, search=False)
    plugin = Plugins().get(args.runtime)
    [content] = open_contents([args.content or shipped_root()], here.platform)
    document = _document(content.catalog, args.document)
    made = _emitter(content.catalog, document, plugin, here)
    files, warnings = _files(made, document)
    if not files:
        raise GsdError(
            f"{plugin.runtime.title} has no place for {document.path}",
            reason="no_place",
            hint="`gsd-install runtimes --json` shows what it has places for",
        )
    shown = files if args.every else files[:1]
    if not args.json:
        _write(here, shown, headed=args.every)
    return Result(_as_data(here, document, plugin, shown), (), warnings)


def _document(catalog: Catalog, name: str) -> Document:
    """The document of a path, with or without its suffix, or the first of an id in the order of kinds."""
    asked = name.replace("\\", "/").removesuffix(".md").removesuffix("/SKILL")
    kinds = list(FOLDERS)
    documents = sorted(catalog.documents, key=lambda item: kinds.index(item.kind))
    stems = {document.path.removesuffix(".md").removesuffix("/SKILL"): document for document in documents}
    ids = {document.id: document for document in reversed(documents)}
    found = stems.get(asked) or ids.get(asked)
    if found is None:
        from difflib import get_close_matches

        near = get_close_matches(asked, [*stems, *ids], n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"{catalog.root} holds the documents"
        raise UsageError(f"there is no document {name!r}", reason="unknown_document", hint=hint)
    return found


def _emitter(catalog: Catalog, document: Document, plugin: Plugin, here: Context) -> Emitter:
    """What an install of the largest profile would emit with; a document of no profile comes along."""
    chosen = select(catalog, "full")
    if document not in chosen:
        chosen = (*chosen, document)
    place = target_at(here.location, plugin.runtime)
    launcher = payload().code.render
    return emitter(
        catalog,
        chosen,
        place,
        plugin.caps,
        plugin.converters,
        launcher=launcher,
        rewrites=plugin.rewrites,
    )


def _files(made: Emitter, document: Document) -> tuple[list[_File], tuple[str, ...]]:
    """The files of a document, the one that is read first at the top, and what an install would warn of."""
    if document.kind == "rule":
        return _block(made, document), ()
    document = next(item for item in made.documents if item.path == document.path)
    found = piece(made, document)
    outputs = found.outputs
    if not outputs and not found.kind and not found.absent:
        outputs = bodies(made, [document], shared=True)
    files = [_File(item.path, item.kind, item.rendition, item.data) for item in outputs]
    return files, found.warnings


def _block(made: Emitter, document: Document) -> list[_File]:
    """What a rule adds to the host's instructions, with `--with instructions`."""
    from gsd_install.emit.surfaces import insertions

    found, _, _ = insertions(
        made.catalog,
        (document,),
        made.target,
        frozenset({"instructions"}),
        located=made.located,
        render=made.render,
        interpreter=sys.executable,
        exists=os.path.exists,
    )
    return [
        _File(item.path, "rule", "block", f"{item.value}\n".encode())
        for item in found
        if item.format == "block"
    ]


def _write(here: Context, files: Iterable[_File], *, headed: bool) -> None:
    """Print the bytes as they are; with headers, each file from a new line on."""
    sys.stdout.flush()
    stream = sys.stdout.buffer
    for file in files:
        if headed:
            stream.write(f"==> {here.spell(file.path)} ({file.rendition})\n".encode())
        stream.write(file.data)
        if not file.data.endswith(b"\n") and (headed or stream.isatty()):
            stream.write(b"\n")
    stream.flush()


def _as_data(here: Context, document: Document, plugin: Plugin, files: Iterable[_File]) -> dict[str, Any]:
    return {
        "document": document.path,
        "runtime": plugin.runtime.id,
        "scope": here.location.scope,
        "files": [
            {
                "path": here.spell(file.path),
                "kind": file.kind,
                "rendition": file.rendition,
                "bytes": len(file.data),
                "text": _text(file.data),
            }
            for file in files
        ],
    }


def _text(data: bytes) -> str | None:
    """The text of a file; None for one that is none."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
