"""The shipped content with that of capabilities: what is wrong with those, and with the whole."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from gsd_install.content.catalog import contents_of
from gsd_install.content.feature import Feature
from gsd_install.content.merge import merge
from gsd_install.kernel.errors import GsdError, ManyErrors
from gsd_install.lint.model import Finding, Tree, finding, texts
from gsd_install.lint.rules import RULES

RULE = "bad-capability"


def merged(core: Tree, features: Sequence[Feature]) -> tuple[Tree, tuple[Finding, ...]]:
    """The tree of the core with what could be merged, and a finding for each fault of what could not."""
    given, unread = contents_of(features)
    catalog, faults = merge(
        core.catalog, [feature for feature in features if feature.said.id in given], given, unread
    )
    every = dict(core.texts)
    for feature in catalog.features:
        every |= texts(given[feature.said.id])
    tree = core._replace(catalog=catalog, texts=every)
    return tree, tuple(item for error in faults.values() for item in findings(core.root, error))


def findings(root: str, error: GsdError) -> Iterator[Finding]:
    """The findings that the fault of a capability is."""
    for fault in error.errors if isinstance(error, ManyErrors) else (error,):
        rule = fault.reason.replace("_", "-")
        path = os.path.relpath(fault.file, root) if fault.file else "."
        yield finding(rule if rule in RULES else RULE, path, fault.line or 1, fault.message, fault.hint or "")


def at_home(tree: Tree, found: Iterable[Finding]) -> Iterator[Finding]:
    """Findings in documents of capabilities with the paths where those stand."""
    homes = {
        file.path: os.path.relpath(f"{feature.folder}/{file.path}", tree.root)
        for feature in tree.catalog.features
        for file in feature.files
    }
    for item in found:
        yield item._replace(path=homes.get(item.path, item.path))
