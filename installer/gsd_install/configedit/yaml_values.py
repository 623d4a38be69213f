"""Values of ours as YAML text."""

from __future__ import annotations

import json
import re

from gsd_install.configedit.values import APPEND
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

# Plain only where YAML 1.1 and 1.2 agree that it is this string; everything else is quoted.
_PLAIN = re.compile(r"(?:~/)?[A-Za-z_/][A-Za-z0-9_/.-]*(?:[ :=@+][A-Za-z0-9_/.-]+)*")
_WORDS = re.compile(r"(?i)y|n|yes|no|on|off|true|false|null")
_SPECIAL = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def scalar(value: Any) -> str:
    """A scalar, quoted where any reader might take it for something else."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and not _WORDS.fullmatch(value):
        return value
    return flow(value)


def flow(value: Any) -> str:
    """A value on one line, as it may stand in brackets: JSON is YAML too."""
    return _SPECIAL.sub(lambda found: f"\\u{ord(found.group()):04x}", json.dumps(value, ensure_ascii=False))


def flow_pair(key: str, value: Any) -> str:
    """A key with its value on one line, as it may stand in brackets."""
    return f"{flow(key)}: {flow(value)}"


def block(step: str | int, value: Any, unit: str) -> list[str]:
    """The lines of one entry: `- value` for the step `-`, else `step: value`."""
    head = "-" if step == APPEND else scalar(step) + ":"
    if not isinstance(value, dict | list) or not value:
        return [f"{head} {scalar(value)}"]
    pairs = value.items() if isinstance(value, dict) else ((APPEND, held) for held in value)
    inner = [line for key, held in pairs for line in block(key, held, unit)]
    if step == APPEND:
        return [f"- {inner[0]}", *("  " + line for line in inner[1:])]
    return [head, *(unit + line for line in inner)]
