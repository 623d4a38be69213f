"""How answers and errors are written."""

from __future__ import annotations

from gsd_capabilities.companion.request import Printed
from gsd_install.kernel.errors import GsdError


def printed(result: object) -> tuple[bytes, tuple[str, ...]]:
    """What a verb answered as bytes, and the notes on it: text and bytes as they are, the rest as JSON."""
    if isinstance(result, Printed):
        return result.data, result.notes
    if isinstance(result, bytes):
        return result, ()
    if isinstance(result, str):
        return result.encode(errors="surrogateescape"), ()
    import json

    return json.dumps(result, indent=2, ensure_ascii=False).encode(errors="surrogateescape") + b"\n", ()


def told(error: GsdError, *, as_json: bool) -> bytes:
    """A known error, as text or as one JSON object on a line."""
    if as_json:
        return _as_json(error, error.reason)
    hint = f"hint: {error.hint}\n" if error.hint else ""
    return f"gsd-tools: {error}\n{hint}".encode(errors="replace")


def bug(error: Exception, *, as_json: bool) -> bytes:
    """An error nobody expected, with where it came from."""
    if as_json:
        return _as_json(GsdError(f"{type(error).__name__}: {error}"), "bug")
    import traceback

    return "".join(traceback.format_exception(error)).encode(errors="replace")


def _as_json(error: GsdError, reason: str) -> bytes:
    import json

    content: dict[str, object] = {
        "ok": False,
        "reason": reason,
        "message": error.message,
        "file": error.file,
        "line": error.line,
        "hint": error.hint,
    }
    sizes = {name: getattr(error, name) for name in ("required", "available", "unit") if hasattr(error, name)}
    return json.dumps(content | sizes, ensure_ascii=False).encode(errors="replace") + b"\n"
