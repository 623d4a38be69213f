"""Everything that is wrong with a content root, at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from gsd_install.content.feature import Feature
from gsd_install.lint.bundles import bundle_findings
from gsd_install.lint.characters import characters
from gsd_install.lint.citations import citations
from gsd_install.lint.imports import imports
from gsd_install.lint.launchers import launchers
from gsd_install.lint.loading import load
from gsd_install.lint.merged import at_home, merged
from gsd_install.lint.model import Finding, Host, Tree
from gsd_install.lint.names import names
from gsd_install.lint.neutral import neutral
from gsd_install.lint.reach import reach
from gsd_install.lint.sections import inline, markers, padding
from gsd_install.lint.sizes import listings, sizes

Check = Callable[[Tree], Iterator[Finding]]

CHECKS: tuple[Check, ...] = (
    names,
    padding,
    markers,
    inline,
    reach,
    launchers,
    citations,
    characters,
    imports,
    sizes,
    listings,
    neutral,
)


def lint(
    root: str,
    hosts: Iterable[Host] = (),
    features: Sequence[Feature] = (),
    started: Iterable[str] | None = None,
) -> tuple[Finding, ...]:
    """Every finding in the content root at `root`, by file and line; listings are held against `hosts`.

    `started` are the names of the launchers that are installed along, if that is known.

    The content of `features` is looked at as merged into it, after the root alone, which must be clean
    without them. Paths of theirs are relative to the root too. Where the root does not load they are passed
    over.

    Of a bundle, which keeps to no rules of ours: what stops an install, and what an install would say.

    Raises GsdError (reason `no_content_root`) where there is no folder.
    """
    found_in_bundle = bundle_findings(root)
    if found_in_bundle is not None:
        return found_in_bundle
    loaded = load(root)
    found = [*loaded.findings]
    if loaded.tree is not None:
        known = None if started is None else frozenset(started)
        tree = loaded.tree._replace(hosts=tuple(hosts), launchers=known)
        found += _checked(tree)
        if features and not loaded.findings:
            whole, faults = merged(tree, features)
            found += [*faults, *at_home(whole, _checked(whole))]
    return tuple(sorted(dict.fromkeys(found)))


def _checked(tree: Tree) -> Iterator[Finding]:
    for check in CHECKS:
        yield from check(tree)
