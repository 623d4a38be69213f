"""Does what a capability says match what it brings, and do its hooks lead somewhere?"""

from __future__ import annotations

from collections.abc import Iterator

from gsd_install.content.feature import Capability, Feature
from gsd_install.content.model import BODIES, CONTEXT, TIERS, Catalog, Document
from gsd_install.content.select import specific_paths
from gsd_install.kernel.errors import GsdError


def faults(feature: Feature, own: tuple[Document, ...], seen: Catalog) -> Iterator[GsdError]:
    """What is wrong. `own` are the documents it brings, `seen` all that its texts may name."""
    for error in (*_lists(feature.said, own), *_hooks(feature.said, seen)):
        error.file = f"{feature.folder}/capability.toml"
        yield error


def _lists(said: Capability, own: tuple[Document, ...]) -> Iterator[GsdError]:
    """Differences between its lists and its folders, in both directions."""
    for kind, names in (("agent", said.agents), ("command", said.commands), ("skill", said.skills)):
        there = {document.id for document in own if document.kind == kind}
        for name in names:
            if name not in there:
                message = f"{kind}s names {name!r}, and {kind}s/ does not hold it"
                yield GsdError(message, reason="unresolved", hint="add the file, or delete the name")
        for name in sorted(there.difference(names)):
            message = f"{kind}s/ holds {name!r}, and {kind}s does not name it"
            yield GsdError(message, reason="unresolved", hint=f'add "{name}" to {kind}s')


def _hooks(said: Capability, seen: Catalog) -> Iterator[GsdError]:
    found = {(document.kind, document.id): document for document in seen.documents}
    neutral = {document.path for document in seen.documents if document.kind in BODIES}
    neutral -= specific_paths(seen.documents)
    for step in said.steps:
        yield from _target(said, f"the step {step.id!r}", step.kind, step.target, found)
        yield from _read(f"the step {step.id!r}", step.read, neutral)
    for item in said.contributions:
        where = f"the contribution to {item.into!r} at {item.point}"
        if ("agent", item.into) not in found and ("workflow", item.into) not in found:
            yield _nothing(where, "agent or workflow", item.into)
        yield from _read(where, item.read, neutral)
    for gate in said.gates:
        if gate.agent:
            yield from _target(said, f"the gate {gate.id!r}", "agent", gate.agent, found)
        if gate.predicate and gate.predicate not in _predicates(seen):
            yield _nothing(f"the gate {gate.id!r}", "predicate", gate.predicate)


def _target(
    said: Capability, where: str, kind: str, name: str, found: dict[tuple[str, str], Document]
) -> Iterator[GsdError]:
    document = found.get((kind, name))
    if document is None:
        yield _nothing(where, kind, name)
    elif TIERS.index(document.tier) > TIERS.index(said.tier):
        yield GsdError(
            f"{where} needs the {kind} {name!r}, whose tier is {document.tier}",
            reason="bad_value",
            hint=f"a profile that holds the step must hold the {kind}: its own tier is {said.tier}",
        )


def _read(where: str, path: str, neutral: set[str]) -> Iterator[GsdError]:
    if path and path not in neutral:
        yield GsdError(
            f"{where} reads {path!r}, which is no neutral body",
            reason="unresolved",
            hint="name a file of references/, templates/ or workflows/ that reads the same for every host",
        )


def _predicates(seen: Catalog) -> frozenset[str]:
    from gsd_install.kernel.predicates import read

    context = next((document for document in seen.documents if document.path == CONTEXT), None)
    if context is None:
        return frozenset()
    text = "".join(part for section in context.sections for part in section.parts if isinstance(part, str))
    return frozenset(predicate.id for predicate in read(text).predicates)


def _nothing(where: str, kind: str, name: str) -> GsdError:
    return GsdError(
        f"{where} names the {kind} {name!r}, which is not there",
        reason="unresolved",
        hint="it may name what the core holds, what it brings itself, and what it requires",
    )
