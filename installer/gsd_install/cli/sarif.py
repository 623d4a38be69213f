"""Drift as SARIF 2.1.0, the format in which CI systems show findings next to files.

The document follows https://docs.oasis-open.org/sarif/sarif/v2.1.0/ (read 2026-11-30): one rule for each
kind of drift, one result for each path, locations as percent-encoded URIs below `%SRCROOT%`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from gsd_install.apply.confine import inside
from gsd_install.apply.model import Finding
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.version import VERSION

if TYPE_CHECKING:
    from typing import Any

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"

# Each kind of drift: how bad it is, and what it means.
RULES: Mapping[str, tuple[str, str]] = {
    "missing": ("error", "what was installed is not there any more"),
    "modified": ("warning", "what was installed has other bytes or another mode"),
    "stale": ("note", "this version would install something else"),
    "foreign": ("error", "a file that is not ours is in a place that is needed"),
}


def document(root: str, findings: Iterable[Finding], notes: Iterable[str]) -> dict[str, Any]:
    """One SARIF log with one run over the location at `root`; `notes` become its notifications."""
    run = {
        "tool": {
            "driver": {"name": "gsd-install", "version": VERSION, "rules": [_rule(name) for name in RULES]}
        },
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {"level": "warning", "message": {"text": note}} for note in notes
                ],
            }
        ],
        "originalUriBaseIds": {ROOT: {"uri": uri(root) + "/"}},
        "results": [_result(root, finding) for finding in findings],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def text(root: str, findings: Iterable[Finding], notes: Iterable[str]) -> str:
    """The same as JSON text, in ASCII."""
    import json

    return json.dumps(document(root, findings, notes), indent=2, ensure_ascii=True)


def uri(path: str) -> str:
    """An absolute path as a `file:` URI, without a slash at the end."""
    encoded = _encoded(path).rstrip("/")
    return f"file://{encoded}" if encoded.startswith("/") or not encoded else f"file:///{encoded}"


def _rule(name: str) -> dict[str, Any]:
    level, meaning = RULES[name]
    return {
        "id": name,
        "shortDescription": {"text": meaning},
        "defaultConfiguration": {"level": level},
    }


def _result(root: str, finding: Finding) -> dict[str, Any]:
    level, meaning = RULES[finding.drift]
    return {
        "ruleId": finding.drift,
        "ruleIndex": list(RULES).index(finding.drift),
        "level": level,
        "message": {"text": finding.note or meaning},
        "locations": [{"physicalLocation": {"artifactLocation": _place(root, finding.path)}}],
        "properties": {"owners": list(finding.owners)},
    }


def _place(root: str, path: str) -> dict[str, str]:
    """Relative to the root where the path is below it, else absolute."""
    if path != root and inside(path, root):
        # A first component with a colon would read as a scheme; it is percent-encoded like the rest.
        return {"uri": _encoded(os.path.relpath(path, root)), "uriBaseId": ROOT}
    return {"uri": uri(path)}


def _encoded(path: str) -> str:
    """A path with forward slashes, every byte that a URI cannot hold percent-encoded."""
    from urllib.parse import quote

    drive, rest = os.path.splitdrive(path)
    return drive.replace("\\", "/") + quote(os.fsencode(rest.replace(os.sep, "/")), safe="/")
