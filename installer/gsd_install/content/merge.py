"""The content of capabilities, read and put into the catalog of the core; what does not fit is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gsd_install.content import check, coherence, linking, reading
from gsd_install.content.feature import Capability, Feature
from gsd_install.content.model import TIERS, Asset, Catalog, Document
from gsd_install.kernel.errors import GsdError, ManyErrors
from gsd_install.kernel.record import NamedTuple

Contents = Mapping[str, bytes]

_TIERED = ("command", "agent", "skill")


class Merged(NamedTuple):
    """The core with what could be merged, and what is wrong with each capability that is left out, by id."""

    catalog: Catalog
    faults: Mapping[str, GsdError]


def merge(
    core: Catalog,
    features: Sequence[Feature],
    given: Mapping[str, Contents],
    faults: Mapping[str, GsdError],
) -> Merged:
    """Put the content of capabilities, `given` by id and path, into the core.

    Of two that clash, the later one in `features` is left out; one that requires it, or one of those that
    have `faults` already, is left out too.
    """
    brought: dict[str, list[Document | Asset]] = {}
    wrong = dict(faults)
    for feature in features:
        try:
            brought[feature.said.id] = list(_items(feature, given[feature.said.id]))
        except GsdError as error:
            wrong[feature.said.id] = error
    known = {feature.said.id: feature for feature in features}
    while True:
        alive = {name: feature for name, feature in known.items() if name not in wrong}
        new = _faults(core, alive, brought, frozenset(wrong))
        if not new:
            return Merged(_joined(core, alive.values(), brought), wrong)
        wrong |= new


def _items(feature: Feature, given: Contents) -> Iterator[Document | Asset]:
    for item in reading.read(feature.folder, feature.files, given):
        if isinstance(item, Document) and item.kind in _TIERED:
            yield _lifted(item, feature.said.tier)
        else:
            yield item


def _lifted(document: Document, tier: str) -> Document:
    """The document in a tier that is not below its capability's."""
    if TIERS.index(document.tier) >= TIERS.index(tier):
        return document
    return document._replace(meta={**document.meta, "tier": tier})


def _faults(
    core: Catalog,
    alive: Mapping[str, Feature],
    brought: Mapping[str, list[Document | Asset]],
    gone: frozenset[str],
) -> dict[str, GsdError]:
    """The faults of those that are left, those that follow from others first."""
    features = gone.union(alive)
    said = {name: _among(feature.said, features) for name, feature in alive.items()}
    manifests = {name: f"{feature.folder}/capability.toml" for name, feature in alive.items()}
    wrong = coherence.faults(said, manifests, gone)
    if wrong:
        return wrong
    wrong = _clashes(core, alive, brought)
    if wrong:
        return wrong
    for name, feature in alive.items():
        visible = [alive[other] for other in coherence.reachable(name, said)]
        seen = _joined(core, visible, brought)
        own = tuple(item for item in brought[name] if isinstance(item, Document))
        errors = (*check.faults(seen, own), *linking.faults(feature, own, seen))
        if errors:
            wrong[name] = ManyErrors(errors) if len(errors) > 1 else errors[0]
    return wrong


def _among(said: Capability, features: frozenset[str]) -> Capability:
    """The capability without what it requires of those that bring no content."""
    return said._replace(requires=tuple(name for name in said.requires if name in features))


def _clashes(
    core: Catalog, alive: Mapping[str, Feature], brought: Mapping[str, list[Document | Asset]]
) -> dict[str, GsdError]:
    """Capabilities that bring a path, or the name of a command or a skill, which is taken."""
    taken: dict[str, str] = {}
    first: tuple[Document | Asset, ...] = (*core.documents, *core.assets)
    for item in first:
        taken |= dict.fromkeys(_names(item), "the core")
    wrong = {}
    for name, feature in alive.items():
        mine = [(key, item) for item in brought[name] for key in _names(item)]
        clash = next(((key, item) for key, item in mine if key in taken), None)
        if clash is None:
            taken |= dict.fromkeys((key for key, _ in mine), f"the capability {name!r}")
            continue
        key, item = clash
        wrong[name] = GsdError(
            f"{taken[key]} brings {item.path if '/' in key else f'the name {item.id!r}'} already",
            reason="content_clash",
            file=f"{feature.folder}/{item.path}",
            hint="rename it",
        )
    return wrong


def _names(item: Document | Asset) -> tuple[str, ...]:
    """What no other item may have: its path where case does not count, and the name that hosts list."""
    listed = isinstance(item, Document) and item.kind in {"command", "skill"}
    return (item.path.casefold(), item.id) if listed else (item.path.casefold(),)


def _joined(
    core: Catalog, features: Iterable[Feature], brought: Mapping[str, list[Document | Asset]]
) -> Catalog:
    """The core with the content of some capabilities, in the order of paths that parsing gives."""
    features = tuple(features)
    items = [item for feature in features for item in brought[feature.said.id]]
    documents = [*core.documents, *(item for item in items if isinstance(item, Document))]
    assets = [*core.assets, *(item for item in items if isinstance(item, Asset))]
    return core._replace(
        documents=tuple(sorted(documents, key=lambda item: item.path)),
        assets=tuple(sorted(assets, key=lambda item: item.path)),
        features=features,
    )
