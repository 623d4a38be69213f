"""Which documents an install profile holds, and which of them are specific to one runtime."""

from __future__ import annotations

from collections.abc import Iterable

from gsd_install.content.model import (
    BODIES,
    CONTEXT,
    DISCOVERED,
    FOLDERS,
    SPECIFIC_VERBS,
    TIERS,
    Catalog,
    Document,
)
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_install.content.feature import Capability

# Paths that a host's own layout decides.
_PLACED_BY_HOST = tuple(f"{FOLDERS[kind]}/" for kind in DISCOVERED)


def select(catalog: Catalog, profile: str) -> tuple[Document, ...]:
    """The documents of a profile: its commands, skills and rules, what they require, what those read.

    The file of conventions is in every profile, for the companion answers from it.

    An agent is in when a selected text names it and its tier is in the profile, and the largest profile holds
    every agent; a body is in when a selected text points at it. So is what a hook of a capability of these
    tiers dispatches or reads.
    """
    tiers = TIERS[: TIERS.index(profile) + 1]
    by_path = {document.path: document for document in catalog.documents}
    by_path |= {
        asset.path: by_path[f"skills/{asset.id}/SKILL.md"]
        for asset in catalog.assets
        if asset.kind == "skill"
    }
    commands = {document.id: document for document in catalog.documents if document.kind == "command"}
    agents = {document.id: document for document in catalog.documents if document.kind == "agent"}
    pending = [
        document
        for document in catalog.documents
        if document.kind == "rule"
        or document.path == CONTEXT
        or (document.kind in {"command", "skill"} and document.tier in tiers)
        or (document.kind == "agent" and profile == TIERS[-1])
        or document.extra is not None  # a bundle is installed whole
    ]
    for feature in catalog.features:
        if feature.said.tier in tiers:
            read, dispatched = hooked(feature.said)
            pending += [by_path[path] for path in read]
            pending += [agents[name] for name in dispatched]
    chosen: set[str] = set()
    while pending:
        document = pending.pop()
        if document.path in chosen:
            continue
        chosen.add(document.path)
        pending += [commands[name] for name in document.meta.get("requires", ())]
        for placeholder in document.placeholders:
            if placeholder.verb == "path" and placeholder.argument in by_path:
                pending.append(by_path[placeholder.argument])
            elif placeholder.verb == "agent" and agents[placeholder.argument].tier in tiers:
                pending.append(agents[placeholder.argument])
    return tuple(document for document in catalog.documents if document.path in chosen)


def hooked(said: Capability) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The paths of the documents that a capability's hooks read, and the agents they dispatch."""
    read = [step.read for step in said.steps] + [item.read for item in said.contributions]
    agents = [step.target for step in said.steps if step.kind == "agent"]
    agents += [gate.agent for gate in said.gates if gate.agent]
    return tuple(filter(None, read)), tuple(agents)


def specific_paths(documents: Iterable[Document], kinds: tuple[str, ...] = BODIES) -> frozenset[str]:
    """The paths of bodies, or of other kinds, that read differently from one host to the next.

    A static property: a body is specific when its own text is, when it points at one that is, or when it
    points at a file whose place each host decides.
    """
    bodies = {document.path: document for document in documents if document.kind in kinds}
    points_at = {
        path: {p.argument for p in document.placeholders if p.verb == "path"}
        for path, document in bodies.items()
    }
    specific = {
        path
        for path, document in bodies.items()
        if any(p.verb in SPECIFIC_VERBS for p in document.placeholders)
        or any(argument.startswith(_PLACED_BY_HOST) for argument in points_at[path])
    }
    while True:
        more = {path for path in bodies if path not in specific and points_at[path] & specific}
        if not more:
            return frozenset(specific)
        specific |= more
