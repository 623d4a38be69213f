"""How full the context is: the view of the one monitor (context/monitor.py) on what a host's transcript says.

Two kinds of transcript are understood, both JSON lines: messages with a `usage` of the model's provider, and
events `token_count` with the window. Of others nothing is said.
"""

from __future__ import annotations

import json
import os

from gsd_capabilities.hooks.envelopes import Answer
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gsd_capabilities.context.monitor import Monitor
    from gsd_capabilities.hooks.event import Asked

TAIL_BYTES = 262_144
# What a message with `usage` does not say: the usual window of such models, and of those with a long one.
WINDOW, LONG_WINDOW = 200_000, 1_000_000
AGAIN_PERCENT = 5
_HOOK = "context-monitor"
_PARTS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
_ADVICE = {
    "warning": "Finish the step at hand and record its result before you begin another.",
    "critical": "Record where the work stands now (pause-work), then compact or start a new session.",
}


class Usage(NamedTuple):
    """The window in tokens, and what stood in it after each request, oldest first."""

    window: int
    totals: tuple[int, ...]


def answer(asked: Asked) -> Answer | None:
    """A warning with a projection, when there is something new to warn of."""
    path = asked.text("transcript_path")
    if not asked.heard or not path or not os.path.isfile(path):
        return None
    usage = read(tail(path))
    if not usage.totals:
        return None
    from gsd_capabilities.context.monitor import watched

    window = _configured(asked) or usage.window
    monitor = watched(window, usage.totals)
    level = monitor.level(window)
    if not _new(asked, level, monitor.used * 100 // window):
        return None
    return Answer("context", f"{_told(monitor, window)} {_ADVICE[level]}")


def read(rows: Iterable[bytes]) -> Usage:
    """What the rows of a transcript say; a row that is cut or of another kind says nothing."""
    totals: dict[object, int] = {}
    window = 0
    for number, row in enumerate(rows):
        if b'"usage"' not in row and b'"token_count"' not in row:
            continue
        try:
            value = json.loads(row)
        except ValueError:
            continue  # the first row of a tail is cut
        key, total, said = _row(value if isinstance(value, dict) else {}, number)
        if total:
            totals[key] = total
            window = max(window, said)
    if totals and max(totals.values()) > window:
        window = LONG_WINDOW
    return Usage(window, tuple(totals.values()))


def _row(value: dict[str, object], number: int) -> tuple[object, int, int]:
    """A key that the rows of one request share, its tokens, and the window."""
    message, payload = _inner(value, "message"), _inner(value, "payload")
    usage = _inner(message, "usage")
    if usage and not value.get("isSidechain"):
        window = LONG_WINDOW if "[1m]" in str(message.get("model", "")) else WINDOW
        return message.get("id", number), sum(_whole(usage.get(part)) for part in _PARTS), window
    info = _inner(payload, "info")
    last = _inner(info, "last_token_usage")
    return number, _whole(last.get("total_tokens")), _whole(info.get("model_context_window"))


def _inner(value: dict[str, object], name: str) -> dict[str, object]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def tail(path: str) -> list[bytes]:
    """The rows at the end of a file; the first one may be cut."""
    with open(path, "rb") as file:
        file.seek(max(os.fstat(file.fileno()).st_size - TAIL_BYTES, 0))
        return file.read(TAIL_BYTES).split(b"\n")


def _configured(asked: Asked) -> int:
    """The window that the user or the project set; 0 where nobody did."""
    project = asked.project
    if not project.exists:
        return 0
    from gsd_capabilities.companion import config

    found = config.resolve(project, asked.environ)
    value = found.get("context.max_tokens")
    return value if found.source("context.max_tokens") != config.DEFAULT and isinstance(value, int) else 0


def _new(asked: Asked, level: str, percent: int) -> bool:
    """Whether to warn: at another level than last time, or 5 per cent of the window later."""
    from gsd_capabilities.hooks import memory

    session = asked.session or "project"
    before = memory.recalled(asked.environ, session, _HOOK)
    if level == "healthy":
        if before:
            memory.note(asked.environ, session, _HOOK, {})
        return False
    at = before.get("percent")
    if before.get("level") == level and isinstance(at, int) and 0 <= percent - at < AGAIN_PERCENT:
        return False
    memory.note(asked.environ, session, _HOOK, {"level": level, "percent": percent})
    return True


def _told(monitor: Monitor, window: int) -> str:
    percent = monitor.used * 100 // window
    used = f"{percent} % of the context window is used ({monitor.used:,} of {window:,} tokens)"
    ahead = monitor.projected_rounds
    if ahead is None:
        return f"{used}."
    return f"{used}; at this rate it is full in {ahead} request{'' if ahead == 1 else 's'}."
