"""Write one document once more, to learn what stands in its files before their dialects wrote them."""

from __future__ import annotations

from collections.abc import Mapping

from gsd_install.contents import Content
from gsd_install.emit.emit import emitter, piece
from gsd_install.emit.target import Target
from gsd_install.runtime.dialects import DIALECTS
from gsd_install.runtime.model import Cap, Converter, Draft, Rewrite


def bodies(
    content: Content,
    profile: str,
    source: str,
    target: Target,
    caps: tuple[Cap, ...],
    converters: Mapping[str, Converter],
    elsewhere: frozenset[str],
    launcher: str,
    rewrites: tuple[Rewrite, ...] = (),
) -> Mapping[bytes, str]:
    """The bodies that were tried for the document `source`, by the bytes of the file each made."""
    found: dict[bytes, str] = {}

    def noted(convert: Converter) -> Converter:
        def converted(draft: Draft) -> str:
            text = convert(draft)
            found[text.encode()] = draft.body
            return text

        return converted

    noting = {name: noted(convert) for name, convert in {**DIALECTS, **converters}.items()}
    documents, specific = content.documents(profile), content.specific(profile)
    made = emitter(content.catalog, documents, target, caps, noting, elsewhere, specific, launcher, rewrites)
    for document in made.documents:
        if document.path == source:
            piece(made, document)
    return found
