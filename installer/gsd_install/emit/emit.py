"""A content root and a runtime become outputs: everything here is pure and in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from gsd_install.content.model import BODIES, DISCOVERED, FILE, Asset, Catalog, Document
from gsd_install.content.select import specific_paths
from gsd_install.emit.command import needs_launcher, told
from gsd_install.emit.draft import description_of, draft
from gsd_install.emit.fit import Fitted, Subject, fit
from gsd_install.emit.output import Emission, Origin, Output, Piece, gather
from gsd_install.emit.places import aside, locate, own_files, own_path, place_for
from gsd_install.emit.target import Target
from gsd_install.emit.text import Render, Stretch, composed, rendered, renderer
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import NamedTuple
from gsd_install.runtime.model import Cap, Converter, Draft, Form, Place, Rewrite

_POINTER = "Read {} and follow it to the end. Its arguments: {}\n"


class Emitter(NamedTuple):
    """One content root on its way to one target. `located` maps its paths to absolute ones.

    `launcher` is the name of the one that renders workflows, or empty.
    """

    catalog: Catalog
    documents: tuple[Document, ...]
    target: Target
    caps: tuple[Cap, ...]
    converters: Mapping[str, Converter]
    specific: frozenset[str]
    located: Mapping[str, str]
    render: Render
    launcher: str = ""


def emit(
    catalog: Catalog,
    documents: tuple[Document, ...],
    target: Target,
    caps: tuple[Cap, ...],
    converters: Mapping[str, Converter],
    elsewhere: frozenset[str] = frozenset(),
    specific: frozenset[str] | None = None,
    launcher: str = "",
    rewrites: tuple[Rewrite, ...] = (),
) -> Emission:
    """Everything the runtime itself gets; the shared texts come from `emit_shared`.

    `elsewhere` are skill files of other runtimes: one that this host lists too is not written again.
    `specific` is what `specific_paths` says of the documents, for a caller that knows it already.
    `rewrites` are for the texts of a bundle.
    Raises GsdError for a document that fits no form of its place.
    """
    made = emitter(catalog, documents, target, caps, converters, elsewhere, specific, launcher, rewrites)
    emission = gather(piece(made, document) for document in made.documents)
    files = tuple(_asset(made, asset) for asset in made.catalog.assets if asset.kind == FILE)
    if not files or not own_files(catalog):
        return emission
    return emission._replace(outputs=emission.outputs + files)


def emitter(
    catalog: Catalog,
    documents: tuple[Document, ...],
    target: Target,
    caps: tuple[Cap, ...] = (),
    converters: Mapping[str, Converter] = MappingProxyType({}),
    elsewhere: frozenset[str] = frozenset(),
    specific: frozenset[str] | None = None,
    launcher: str = "",
    rewrites: tuple[Rewrite, ...] = (),
) -> Emitter:
    """All that is the same for every document on its way to one target."""
    specific = specific_paths(documents) if specific is None else specific
    if catalog.bundle:
        from gsd_install.emit.foreign import localized

        catalog, documents = localized(catalog, documents, target, rewrites)
    located = locate(catalog, documents, target, specific, elsewhere)
    valid = tuple(cap for cap in caps if cap.scope in (None, target.scope))
    render = renderer(catalog, target, located)
    return Emitter(catalog, documents, target, valid, converters, specific, located, render, launcher)


def piece(emitter: Emitter, document: Document) -> Piece:
    """What one document comes to. Raises GsdError when it fits no form of its place."""
    if document.kind not in DISCOVERED:
        own = bodies(emitter, [document] if document.path in emitter.specific else [], shared=False)
        return Piece("", "", "", "", own, ())
    target, catalog = emitter.target, emitter.catalog
    place = place_for(document.kind, target)
    if place is None:
        return Piece("", "", "", document.kind, tuple(_unplaced(emitter, document)), ())
    name = catalog.name_of(document)
    if emitter.located[document.path] != own_path(catalog, document, place, target):
        return Piece(place.kind, name, description_of(document), "", (), ())
    written, fitted = _discovered(emitter, document, place)
    return Piece(place.kind, name, fitted.description, "", tuple(written), fitted.warnings)


def emit_shared(
    catalog: Catalog, documents: tuple[Document, ...], target: Target, specific: frozenset[str] | None = None
) -> tuple[Output, ...]:
    """The texts that every runtime of the scope reads: bodies that name no host.

    Any target of the scope gives the same bytes.
    """
    made = emitter(catalog, documents, target, specific=specific)
    shared = [
        document for document in documents if document.kind in BODIES and document.path not in made.specific
    ]
    if own_files(catalog):
        return bodies(made, shared, shared=True)
    files = (_asset(made, asset)._replace(shared=True) for asset in catalog.assets if asset.kind == FILE)
    return (*bodies(made, shared, shared=True), *files)


def bodies(emitter: Emitter, documents: Iterable[Document], *, shared: bool) -> tuple[Output, ...]:
    """The outputs of documents that are read by path, with a file for each gated section."""
    outputs = []
    target = emitter.target

    def absolute(relative: str) -> str:
        return aside(emitter.catalog, target, relative, own=not shared)

    for document in documents:
        stretches, steps = composed(
            document, emitter.render, lambda relative: target.spell(absolute(relative))
        )
        text = "".join(stretch.text for stretch in stretches)
        outputs.append(_output(emitter, absolute(document.path), text, document, shared=shared))
        outputs += [
            _output(
                emitter, absolute(step.path), step.text, document, shared=shared, rendition=f"step {step.id}"
            )
            for step in steps
        ]
    return tuple(outputs)


def _output(
    emitter: Emitter,
    path: str,
    text: str,
    document: Document,
    kind: str = "",
    *,
    shared: bool = False,
    rendition: str = "full",
) -> Output:
    root = emitter.target.root_of(path)
    return Output(
        path,
        text.encode(),
        document.executable,
        root,
        kind or document.kind,
        document.path,
        shared,
        rendition,
    )


def _discovered(emitter: Emitter, document: Document, place: Place) -> tuple[list[Output], Fitted]:
    """The outputs of one document that the host finds by itself."""
    target, catalog = emitter.target, emitter.catalog
    name = catalog.name_of(document)
    path = emitter.located[document.path]
    forms, stretches = _written(emitter, document, place)
    instead = aside(catalog, target, document.path, own=True)
    beside = _beside(emitter, document, place, instead)
    payload = target.spell(target.payload)

    def drafted(form: Form, text: str, description: str) -> Draft:
        return draft(
            document, form, target.runtime, name=name, body=text, payload=payload, description=description
        )

    fitted = fit(
        Subject(
            kind=place.kind,
            name=name,
            file=catalog.at(document.path),
            forms=forms,
            stretches=stretches,
            pointer=_POINTER.format(target.spell(instead), target.runtime.arguments),
            description=description_of(document),
            convert=lambda form, text, description: _converter(emitter, form)(
                drafted(form, text, description)
            ),
            values=lambda form, description: drafted(form, "", description).fields,
            spell=lambda part: target.spell(beside(part)),
        ),
        emitter.caps,
    )
    rendition = "full" if fitted.whole else "pointer"
    first = _output(emitter, path, fitted.text, document, place.kind, rendition=rendition)
    outputs = [first._replace(fit=fitted.reason, origins=fitted.origins)]
    if not fitted.whole:
        outputs.append(_output(emitter, instead, "".join(stretch.text for stretch in stretches), document))
    for part in fitted.moved:
        output = _output(emitter, beside(part.name), part.text, document, rendition=f"part {part.name}")
        origins = (Origin(0, len(part.text), part.at),)
        outputs.append(output._replace(fit=fitted.reason, origins=origins))
    if document.kind == "skill":
        beside_it = (asset for asset in catalog.assets if (asset.kind, asset.id) == ("skill", document.id))
        outputs += [_asset(emitter, asset) for asset in beside_it]
    return outputs, fitted


def _written(
    emitter: Emitter, document: Document, place: Place
) -> tuple[tuple[Form, ...], tuple[Stretch, ...]]:
    """The forms a document may take, and its text in them. Raises GsdError when there is no form."""
    run = told(document, place.forms, emitter.target, emitter.launcher, emitter.render, emitter.specific)
    if run is not None:
        return run
    forms = tuple(form for form in place.forms if not needs_launcher(form))
    if not forms:
        raise GsdError(
            f"{emitter.target.runtime.title} has no form that does without a launcher for a {document.kind}",
            reason="plugin_broken",
            file=emitter.catalog.at(document.path),
            hint="its plugin needs one more form for that place",
        )
    return forms, composed(document, emitter.render, emitter.target.spell)[0]


def _unplaced(emitter: Emitter, document: Document) -> list[Output]:
    """A document the host has no place for, as a plain text where another one points at it."""
    others = [other for other in emitter.documents if other.path != document.path]
    pointed = {item.argument for other in others for item in other.placeholders if item.verb == "path"}
    assets = [
        asset for asset in emitter.catalog.assets if (asset.kind, asset.id) == (document.kind, document.id)
    ]
    if pointed.isdisjoint([document.path, *(asset.path for asset in assets)]):
        return []
    stretches, _ = composed(document, emitter.render, emitter.target.spell)
    text = "".join(stretch.text for stretch in stretches)
    return [
        _output(emitter, emitter.located[document.path], text, document),
        *(_asset(emitter, a) for a in assets),
    ]


def _beside(emitter: Emitter, document: Document, place: Place, instead: str) -> Callable[[str], str]:
    """Where parts of a document go: into its own folder where it has one, else where nothing is discovered.

    The folder holds nothing else: a skill may bring one of that name along.
    """
    names = emitter.target.platform.path
    alone = "{name}/" in place.path.replace("\\", "/")
    folder = names.dirname(emitter.located[document.path]) if alone else names.splitext(instead)[0]
    own = (document.kind, document.id)
    brought = [
        emitter.located[asset.path].casefold() + names.sep
        for asset in emitter.catalog.assets
        if (asset.kind, asset.id) == own
    ]
    parts, number = names.join(folder, "parts"), 1
    while any(path.startswith(f"{parts}{names.sep}".casefold()) for path in brought):
        number += 1
        parts = names.join(folder, f"parts-{number}")
    return lambda part: str(names.join(parts, part))


def _asset(emitter: Emitter, asset: Asset) -> Output:
    path = emitter.located[asset.path]
    data = rendered(asset.parts, emitter.render).encode() if asset.parts else asset.data
    return Output(path, data, asset.executable, emitter.target.root_of(path), asset.kind, asset.path)


def _converter(emitter: Emitter, form: Form) -> Converter:
    if form.dialect in emitter.converters:
        return emitter.converters[form.dialect]
    from gsd_install.runtime.dialects import DIALECTS

    return DIALECTS[form.dialect]
