"""Frontmatter keys of a bundle's documents: which of them a host gets, and what is said of the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gsd_install.content.bundles.author import SPOKEN_FOR
from gsd_install.content.model import DISCOVERED, Catalog, Document
from gsd_install.emit.places import place_for
from gsd_install.emit.target import Target
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.runtime.model import Form

if TYPE_CHECKING:
    from typing import Any

    from gsd_install.runtime.words import FieldValue

_OURS = frozenset({"name", "description"})
_POSITIONAL = ("$1", "$2", "$3", "$ARGUMENTS[")
_MANY = 3


def keeps(form: Form, key: str) -> bool:
    """Whether a form holds a key that none of its fields asks for."""
    return form.keeps == "all" or (form.keeps == "unknown" and key not in SPOKEN_FOR)


def is_for_host(key: str, value: object) -> bool:
    """Whether a key holds the keys for one host alone: a mapping below the name of a runtime.

    The mappings that the host of bundles or the specification of skills knows are no such thing.
    """
    return isinstance(value, dict) and key not in SPOKEN_FOR and key != "metadata"


def with_kept(
    fields: Mapping[str, FieldValue], form: Form, extra: Mapping[str, Any], runtime: str
) -> Mapping[str, FieldValue]:
    """The fields of a form, those of `extra` that it keeps, and those that are for this runtime alone.

    Where the form adds a grant of its own to one of the author's, both stand: `Bash(git:*), Read(~/.gsd/**)`.
    """
    constant = {field.key: field.constant for field in form.fields if isinstance(field.constant, str)}
    found = dict(fields)
    for key, value in extra.items():
        if is_for_host(key, value):
            found |= {name: item for name, item in value.items() if key == runtime and name not in _OURS}
        elif not keeps(form, key):
            continue
        elif key in constant:
            given = ", ".join(value) if isinstance(value, list) else str(value)
            found[key] = f"{given}, {fields[key]}"
        else:
            found[key] = value
    return found


def left_out(catalog: Catalog, documents: Iterable[Document], target: Target) -> tuple[str, ...]:
    """A sentence for each key that this host does not get, and one for arguments it cannot put in."""
    lost: dict[str, list[str]] = {}
    positional: list[str] = []
    for document in documents:
        place = place_for(document.kind, target) if document.kind in DISCOVERED else None
        if place is None or document.extra is None:
            continue
        name = catalog.name_of(document)
        form = place.forms[-1]
        taken = {field.source or field.key for field in form.fields} | {"argument-hint", "title"}
        for key, value in document.extra.items():
            if key not in taken and not keeps(form, key) and not is_for_host(key, value):
                lost.setdefault(key, []).append(name)
        if target.runtime.arguments != "$ARGUMENTS" and document.kind == "command" and _numbered(document):
            positional.append(name)
    title = target.runtime.title
    said = [
        f"{catalog.id}: {title} does not get the key {key} of {_listed(names)}" for key, names in lost.items()
    ]
    if positional:
        said.append(f"{catalog.id}: {title} puts nothing in the place of $1 in {_listed(positional)}")
    return tuple(said)


def grouped(notes: Iterable[str]) -> tuple[str, ...]:
    """What is to be known of a bundle, each thing once; a note names a file, and says what behind `: `."""
    files: dict[str, list[str]] = {}
    for note in notes:
        file, _, said = note.partition(": ")
        files.setdefault(said, []).append(file)
    return tuple(f"{_listed(names)}: {said}" for said, names in files.items())


def _numbered(document: Document) -> bool:
    texts: Iterator[str] = (
        part for section in document.sections for part in section.parts if isinstance(part, str)
    )
    return any(mark in text for text in texts for mark in _POSITIONAL)


def _listed(names: list[str]) -> str:
    if len(names) <= _MANY:
        return ", ".join(names)
    return f"{', '.join(names[:_MANY])} and {len(names) - _MANY} more"
