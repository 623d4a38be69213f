"""What the options of the verbs mean."""

from __future__ import annotations

from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def number(options: Mapping[str, str], name: str, default: int | None) -> int | None:
    """The number of bytes that an option gives. Raises UsageError."""
    text = options.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f"--{name} takes a number of bytes, not {text!r}", reason="usage", hint="say 50000")
    return int(text)


def duration(options: Mapping[str, str]) -> float | None:
    """The age in seconds that `--older-than` gives. Raises UsageError."""
    text = options.get("older-than")
    if text is None:
        return None
    number, unit = text[:-1], text[-1:]
    if unit not in _SECONDS or not (number.isascii() and number.isdigit()):
        hint = "say a number and s, m, h or d: --older-than 7d"
        raise UsageError(f"--older-than takes an age, not {text!r}", reason="usage", hint=hint)
    return float(int(number) * _SECONDS[unit])
