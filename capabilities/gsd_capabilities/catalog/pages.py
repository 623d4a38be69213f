"""Pages of a listing, and cursors that know which listing they belong to.

A cursor is the base64url form of `{"f": <fingerprint of the listing>, "i": <index>}`: one that was given for
another listing is refused instead of skipping or repeating entries.
"""

from __future__ import annotations

from gsd_capabilities.catalog.addresses import RefusedError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

SIZE = 50
_HINT = "list again from the start: the cursor is damaged, or the content has changed"


class Page(NamedTuple):
    """Entries `start` to `end` of a listing, and the cursor of the next page, None behind the last."""

    start: int
    end: int
    after: str | None


def fingerprint(names: Iterable[str]) -> str:
    """What tells one listing from another."""
    import hashlib

    return hashlib.sha256("\n".join(names).encode(errors="surrogateescape")).hexdigest()[:16]


def page(cursor: str | None, total: int, listing: str) -> Page:
    """The page that a cursor stands for. Raises RefusedError `unknown_cursor`."""
    start = 0 if cursor is None else _index(cursor, listing)
    end = min(start + SIZE, total)
    return Page(min(start, total), end, _cursor(end, listing) if end < total else None)


def _cursor(index: int, listing: str) -> str:
    import base64
    import json

    text = json.dumps({"f": listing, "i": index}, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _index(cursor: str, listing: str) -> int:
    import base64
    import json

    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        stored = json.loads(data)
        found, index = stored["f"], stored["i"]
    except (ValueError, TypeError, LookupError, RecursionError):
        raise RefusedError("unknown_cursor", "this is no cursor of ours", hint=_HINT) from None
    if found != listing or type(index) is not int or index < 0:
        raise RefusedError("unknown_cursor", "this cursor belongs to another listing", hint=_HINT)
    return index
