"""When a verb runs and for whom: the options `--at` and `--as`, and how a moment is written."""

from __future__ import annotations

import time

from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.companion.request import Request

AT, AS = "at", "as"
AGENT = "GSD_AGENT"
# The first moment after the year 9999, in seconds of the epoch.
_END = 253_402_300_800
_HINT = "write it like --at 2026-12-01T00:00:00Z"


def now_of(request: Request) -> float:
    """Seconds of the epoch: what `--at` says, else the clock. Raises UsageError `bad_time`."""
    text = request.options.get(AT)
    return time.time() if text is None else seconds(text)


def seconds(text: str) -> float:
    """Seconds of the epoch for a moment in ISO 8601 with its zone. Raises UsageError `bad_time`."""
    from datetime import datetime

    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f"{text!r} is no moment", reason="bad_time", hint=_HINT) from None
    if moment.tzinfo is None:
        raise UsageError(f"{text!r} does not say its zone", reason="bad_time", hint=_HINT)
    at = moment.timestamp()
    if not 0 <= at < _END:
        raise UsageError(f"{text!r} is not between 1970 and 9999", reason="bad_time", hint=_HINT)
    return at


def stamp(at: float) -> str:
    """A moment in UTC to the second: `2026-12-01T00:00:00Z`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


def who_of(request: Request) -> str:
    """The agent or person a verb runs for: `--as`, else `GSD_AGENT` of the environment, else nobody."""
    return request.options.get(AS) or request.environ.get(AGENT, "")
