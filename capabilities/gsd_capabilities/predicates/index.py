"""The index of predicates that is committed beside the text: sorted, deterministic, without line numbers."""

from __future__ import annotations

import json

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_install.kernel.predicates import Reading

SCHEMA = 1


def index(reading: Reading, *, file: str) -> str:
    """The index as JSON text. An id that occurs twice is GsdError `fail_duplicate_ids`."""
    if reading.duplicates:
        name, count = reading.duplicates[0]
        line = [predicate.line for predicate in reading.predicates if predicate.id == name][1]
        raise GsdError(
            f"the predicate {name!r} is stated {count} times",
            reason="fail_duplicate_ids",
            file=file,
            line=line,
            hint="keep one of them, or give each an id of its own",
        )
    entries = sorted(reading.predicates)
    content = {
        "schemaVersion": SCHEMA,
        "count": len(entries),
        "classes": sorted({entry.klass for entry in entries}),
        "predicates": [
            {"id": entry.id, "klass": entry.klass, "value": entry.value, "section": entry.section}
            for entry in entries
        ],
        "duplicates": [],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def check(expected: str, path: str) -> None:
    """Compare the index at `path` with what it should be.

    Raises GsdError: `fail_index_missing`, `fail_index_unparseable` or `fail_stale`.
    """
    hint = "write it anew: gsd-tools predicates index --write"
    try:
        with open(path, encoding="utf-8", newline="") as stream:
            present = stream.read()
    except FileNotFoundError as error:
        raise GsdError("there is no index", reason="fail_index_missing", file=path, hint=hint) from error
    if present == expected:
        return
    try:
        json.loads(present)
    except ValueError as error:
        raise GsdError(
            f"the index is not JSON: {error}", reason="fail_index_unparseable", file=path, hint=hint
        ) from error
    raise GsdError(
        "the index is not that of the present predicates", reason="fail_stale", file=path, hint=hint
    )
