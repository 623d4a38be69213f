"""A content root and a runtime become outputs: everything here is pure and in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gsd_install.content.model import BODIES, DISCOVERED, Asset, Catalog, Document
from gsd_install.content.select import specific_paths
from gsd_install.emit.draft import draft
from gsd_install.emit.fit import Subject, fit
from gsd_install.emit.output import Emission, Output
from gsd_install.emit.target import Target
from gsd_install.emit.text import Render, composed, invocation, renderer
from gsd_install.runtime.model import Cap, Converter, Form, Place

# A kind is placed as itself where the host has a place for it, else as the nearest kind it has.
NEAREST = {"command": ("command", "skill"), "agent": ("agent",), "skill": ("skill",)}


class Emitter(NamedTuple):
    """One content root on its way to one target. `located` maps its paths to absolute ones."""

    catalog: Catalog
    documents: tuple[Document, ...]
    target: Target
    caps: tuple[Cap, ...]
    converters: Mapping[str, Converter]
    specific: frozenset[str]
    located: Mapping[str, str]
    render: Render


def emit(
    catalog: Catalog,
    documents: tuple[Document, ...],
    target: Target,
    caps: tuple[Cap, ...],
    converters: Mapping[str, Converter],
) -> Emission:
    """Everything the runtime itself gets; the shared texts come from `emit_shared`.

    Raises GsdError for a document that fits no form of its place.
    """
    specific = specific_paths(documents)
    located = locate(catalog, documents, target, specific)
    emitter = Emitter(
        catalog, documents, target, tuple(cap for cap in caps if cap.scope in (None, target.scope)), converters,
        specific, located, renderer(catalog, target, located),
    )
    outputs: list[Output] = []
    warnings: list[str] = []
    placed: Counter[str] = Counter()
    absent: set[str] = set()
    for document in documents:
        if document.kind not in DISCOVERED:
            continue
        place = place_for(document.kind, target)
        if place is None:
            absent.add(document.kind)
            continue
        written, said = _discovered(emitter, document, place)
        outputs += written
        warnings += said
        placed[place.kind] += 1
    outputs += bodies(emitter, [document for document in documents if document.path in specific], shared=False)
    return Emission(tuple(outputs), (), tuple(placed.items()), tuple(sorted(absent)), tuple(warnings))


def emit_shared(catalog: Catalog, documents: tuple[Document, ...], target: Target) -> tuple[Output, ...]:
    """The texts that every runtime of the scope reads: bodies that name no host.

    Any target of the scope gives the same bytes.
    """
    specific = specific_paths(documents)
    located = locate(catalog, documents, target, specific)
    emitter = Emitter(catalog, documents, target, (), {}, specific, located, renderer(catalog, target, located))
    return bodies(emitter, [d for d in documents if d.kind in BODIES and d.path not in specific], shared=True)


def place_for(kind: str, target: Target) -> Place | None:
    """The place of a kind in this target, or of the nearest kind that has one."""
    for candidate in NEAREST[kind]:
        places = target.places(candidate)
        if places:
            return places[0]
    return None


def locate(
    catalog: Catalog, documents: Iterable[Document], target: Target, specific: frozenset[str]
) -> dict[str, str]:
    """Where every document and asset of the content root stands in this target, absolute."""
    located: dict[str, str] = {}
    for document in documents:
        if document.kind in DISCOVERED:
            place = place_for(document.kind, target)
            if place is not None:
                name = f"{catalog.prefix}-{document.id}"
                located[document.path] = target.resolve(place.path.replace("{name}", name))
        else:
            located[document.path] = _aside(catalog, target, document.path, own=document.path in specific)
    skills = {document.id: located[document.path] for document in documents if document.kind == "skill" and document.path in located}
    for asset in catalog.assets:
        if asset.kind == "hook":
            located[asset.path] = _aside(catalog, target, asset.path, own=False)
        elif asset.id in skills:
            inner = asset.path.removeprefix(f"skills/{asset.id}/")
            path = target.platform.path
            located[asset.path] = path.join(path.dirname(skills[asset.id]), *inner.split("/"))
    return located


def _aside(catalog: Catalog, target: Target, path: str, *, own: bool) -> str:
    """Where a text that no host discovers stands: in the payload, or below the runtime's own directory."""
    join = target.platform.path.join
    parts = path.split("/")
    return str(join(target.own, catalog.id, *parts) if own else join(target.payload, "content", catalog.id, *parts))


def bodies(emitter: Emitter, documents: Iterable[Document], *, shared: bool) -> tuple[Output, ...]:
    """The outputs of documents that are read by path, with a file for each gated section."""
    outputs = []
    target = emitter.target

    def absolute(relative: str) -> str:
        return _aside(emitter.catalog, target, relative, own=not shared)

    for document in documents:
        stretches, steps = composed(document, emitter.render, lambda relative: target.spell(absolute(relative)))
        text = "".join(stretch.text for stretch in stretches)
        outputs.append(_output(emitter, absolute(document.path), text, document, shared=shared))
        outputs += [_output(emitter, absolute(step.path), step.text, document, shared=shared) for step in steps]
    return tuple(outputs)


def _output(emitter: Emitter, path: str, text: str, document: Document, *, shared: bool) -> Output:
    root = emitter.target.root_of(path)
    return Output(path, text.encode(), document.executable, root, document.kind, document.path, shared)


def _discovered(emitter: Emitter, document: Document, place: Place) -> tuple[list[Output], tuple[str, ...]]:
    target, catalog = emitter.target, emitter.catalog
    name = f"{catalog.prefix}-{document.id}"
    body, _ = composed(document, emitter.render, target.spell)
    aside = _aside(catalog, target, document.path, own=True)
    payload = target.spell(target.payload)

    def convert(form: Form, text: str, description: str) -> str:
        made = draft(document, form, target.runtime, name=name, body=text, payload=payload)
        if description != made.description:
            made = made._replace(description=description, fields={
                key: description if value == made.description else value for key, value in made.fields.items()
            })
        return _converter(emitter, form)(made)

    subject = Subject(
        place.kind, name, catalog.at(document.path), place.forms, body,
        f"Read {target.spell(aside)} and follow it to the end. Its arguments: {target.runtime.arguments}\n",
        " ".join(str(document.meta.get("description", "")).split()), convert,
    )
    fitted = fit(subject, emitter.caps)
    path = emitter.located[document.path]
    outputs = [_output(emitter, path, fitted.text, document, shared=False)]
    if not fitted.whole:
        outputs.append(_output(emitter, aside, body, document, shared=False))
    outputs += [_asset(emitter, asset) for asset in catalog.assets if asset.kind == document.kind == "skill" and asset.id == document.id]
    return outputs, fitted.warnings


def _asset(emitter: Emitter, asset: Asset) -> Output:
    path = emitter.located[asset.path]
    return Output(path, asset.data, asset.executable, emitter.target.root_of(path), asset.kind, asset.path)


def _converter(emitter: Emitter, form: Form) -> Converter:
    if form.dialect in emitter.converters:
        return emitter.converters[form.dialect]
    from gsd_install.runtime.dialects import DIALECTS

    return DIALECTS[form.dialect]


def first_command(catalog: Catalog, documents: Iterable[Document], target: Target) -> str | None:
    """How the first command of a content root is typed: what the report tells the user to try."""
    for document in documents:
        if document.kind == "command":
            return invocation(target.runtime, f"{catalog.prefix}-{document.id}")
    return None
