"""What is to be said of a bundle: what keeps an install from it, else what an install has to make up for."""

from __future__ import annotations

import os

from gsd_install.content.bundles.reading import bundle
from gsd_install.kernel.errors import GsdError, ManyErrors
from gsd_install.lint.model import Finding, finding

_RULE = "bundle"


def bundle_findings(root: str) -> tuple[Finding, ...] | None:
    """The findings in a bundle, by file; None where `root` is a content root of ours, or no folder at all."""
    if os.path.lexists(f"{root}/content.toml") or not os.path.isdir(root):
        return None
    try:
        found = bundle(root)
    except GsdError as error:
        errors = error.errors if isinstance(error, ManyErrors) else (error,)
        return tuple(sorted(_fault(root, each) for each in errors))
    if found is None:
        return None
    return tuple(sorted(_note(note) for note in found.notes))


def _fault(root: str, error: GsdError) -> Finding:
    path = (error.file or root).removeprefix(root).lstrip("/")
    return finding(
        error.reason.replace("_", "-"), path or ".", error.line or 1, error.message, error.hint or ""
    )


def _note(note: str) -> Finding:
    path, _, said = note.partition(": ")
    return finding(_RULE, path, 1, said)
