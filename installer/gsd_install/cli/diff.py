"""Changed text as unified diffs."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from gsd_install.apply.model import Operation
from gsd_install.apply.plan import Plan
from gsd_install.cli.context import Context


def diffs(here: Context, plan: Plan) -> list[str]:
    """The lines of one diff for each operation that changes text."""
    return [line for operation in plan.operations for line in _diff(here, operation)]


def _diff(here: Context, operation: Operation) -> Iterator[str]:
    if operation.before == operation.after:
        return
    name = here.spell(operation.path)
    before, after = _lines(operation.before), _lines(operation.after)
    if before is None or after is None:
        yield f"binary file {name} differs"
        return
    old = name if operation.before is not None else "/dev/null"
    new = name if operation.after is not None else "/dev/null"
    yield from (line.rstrip("\n") for line in difflib.unified_diff(before, after, old, new))


def _lines(image: bytes | None) -> list[str] | None:
    try:
        return (image or b"").decode("utf-8").splitlines(keepends=True)
    except UnicodeDecodeError:
        return None
