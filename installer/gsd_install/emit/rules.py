"""Rules as files of their own, and a block that points at them: for instructions without room for more."""

from __future__ import annotations

from gsd_install.content.model import BODIES, Catalog, Document
from gsd_install.content.select import specific_paths
from gsd_install.emit.output import Output
from gsd_install.emit.target import Target
from gsd_install.emit.text import Render, rendered
from gsd_install.kernel.record import NamedTuple


class Pointed(NamedTuple):
    """The text of a block that names every rule, and the rules, a file each."""

    text: str
    files: tuple[Output, ...]


def pointed(catalog: Catalog, documents: tuple[Document, ...], target: Target, render: Render) -> Pointed:
    """The rules of a content root for one target; those that name no host are the same for every one."""
    specific = specific_paths(documents, (*BODIES, "rule"))
    files = []
    for document in documents:
        text = "".join(rendered(section.parts, render) for section in document.sections).strip("\r\n")
        if document.kind != "rule" or not text:
            continue
        own = document.path in specific
        path = (
            target.below(target.own, f"{catalog.id}/{document.path}")
            if own
            else target.below(target.payload, f"content/{catalog.id}/{document.path}")
        )
        data = f"{text}\n".encode()
        files.append(
            Output(path, data, False, target.root_of(path), "rule", document.path, shared=not own)  # noqa: FBT003
        )
    includes = any(surface.imports for surface in target.runtime.surfaces)
    mark = "@" if includes else "- "  # an import stands alone on its line, with nothing behind it
    paths = "\n".join(f"{mark}{target.spell(output.path)}" for output in files)
    return Pointed(f"Read these rules before you start, and keep to them:\n\n{paths}", tuple(files))
