"""Changed text as unified diffs, without the secrets that files of the user may hold."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from gsd_install.apply.model import Operation
from gsd_install.apply.plan import Plan
from gsd_install.cli.context import Context

_MASK = "***"
# The value of a key that names a secret, in JSON, TOML or YAML; and what looks like one anywhere.
_KEYED = re.compile(
    r"""(?ix) (["']?[\w.-]*(?:token|secret|passw(?:or)?d|api[_-]?key|authorization|credential)[\w.-]*["']?
    \s*[:=]\s*) ("(?:[^"\\]|\\.)*" | '[^']*' | [^\s,}\]]+)"""
)
_SHAPED = re.compile(r"\b(?:sk|pk|gh[pousr]|glpat|xox[abprs]|AKIA)[-_A-Za-z0-9]{12,}")


def diffs(here: Context, plan: Plan) -> list[str]:
    """The lines of one diff for each operation that changes text."""
    return [line for operation in plan.operations for line in _diff(here, operation)]


def masked(line: str) -> str:
    """A line of a file of the user, with a mask in the place of what key or looks tell as a secret."""
    return _SHAPED.sub(_MASK, _KEYED.sub(rf'\1"{_MASK}"', line))


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
    for line in difflib.unified_diff(before, after, old, new):
        yield masked(line.rstrip("\n")) if operation.action == "edit" else line.rstrip("\n")


def _lines(image: bytes | None) -> list[str] | None:
    try:
        return (image or b"").decode("utf-8").splitlines(keepends=True)
    except UnicodeDecodeError:
        return None
