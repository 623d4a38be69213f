"""Values of ours as TOML text (TOML 1.0, https://toml.io/en/v1.0.0)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def key(path: Iterable[str | int]) -> str:
    """A key, dotted when it has several parts."""
    return ".".join(part if _BARE.fullmatch(part) else _string(part) for part in map(str, path))


def pair(path: Iterable[str | int], value: Any) -> str:
    """A key with its value on one line."""
    return f"{key(path)} = {inline(value)}"


def inline(value: Any) -> str:
    """A value on one line. Raises GsdError (`value`) for what TOML cannot say."""
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(inline, value))}]"
    if isinstance(value, dict):
        pairs = ", ".join(pair((name,), held) for name, held in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    raise GsdError(f"toml has no way to write {value!r}", reason="value", hint="leave that key out")


def _string(text: str) -> str:
    # JSON's escapes are a subset of TOML's, but TOML also forbids a bare DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
