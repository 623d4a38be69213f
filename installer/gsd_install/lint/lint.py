"""Everything that is wrong with a content root, at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from gsd_install.lint.characters import characters
from gsd_install.lint.citations import citations
from gsd_install.lint.loading import load
from gsd_install.lint.model import Finding, Host, Tree
from gsd_install.lint.names import names
from gsd_install.lint.neutral import neutral
from gsd_install.lint.reach import reach
from gsd_install.lint.sections import markers, padding
from gsd_install.lint.sizes import listings, sizes

Check = Callable[[Tree], Iterator[Finding]]

CHECKS: tuple[Check, ...] = (
    names,
    padding,
    markers,
    reach,
    citations,
    characters,
    sizes,
    listings,
    neutral,
)


def lint(root: str, hosts: Iterable[Host] = ()) -> tuple[Finding, ...]:
    """Every finding in the content root at `root`, by file and line; listings are held against `hosts`.

    Raises GsdError (reason `no_content_root`) where there is no folder.
    """
    loaded = load(root)
    found = [*loaded.findings]
    if loaded.tree is not None:
        tree = loaded.tree._replace(hosts=tuple(hosts))
        for check in CHECKS:
            found += check(tree)
    return tuple(sorted(dict.fromkeys(found)))
