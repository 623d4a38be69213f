"""What hooks remember between two events, and the log of what went wrong in them.

Both stand in the folder of the user's own below the system's temporary directory, and are bounded: a machine
that loses them loses nothing but a warning that is given twice.
"""

from __future__ import annotations

import contextlib
import json
import os

from gsd_capabilities.companion.spill import private
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.files import read_if_there, write_atomic
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

LOG, SESSIONS = "hooks.log", "hooks.json"
LOG_BYTES = 65_536
LINE_CHARACTERS = 400
MOST_SESSIONS = 32


def log(environ: Mapping[str, str], message: str) -> None:
    """Add one line to the log. Where there can be no log there is none: nobody else could be told."""
    import time

    line = " ".join(message.split())[:LINE_CHARACTERS]
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    with contextlib.suppress(OSError, GsdError):
        path = os.path.join(private(environ), LOG)
        kept = read_if_there(path)[-LOG_BYTES // 2 :] if _size(path) > LOG_BYTES else read_if_there(path)
        write_atomic(path, kept + f"{stamp} {line}\n".encode("utf-8", "replace"), mode=0o600)


def recalled(environ: Mapping[str, str], session: str, hook: str) -> Mapping[str, object]:
    """What a hook noted in this session. Raises OSError, and GsdError `unsafe_folder`."""
    found = _sessions(os.path.join(private(environ), SESSIONS)).get(session, {}).get(hook)
    return found if isinstance(found, dict) else {}


def note(environ: Mapping[str, str], session: str, hook: str, values: Mapping[str, object]) -> None:
    """Note something for this session; the oldest sessions are forgotten. Raises as `recalled`."""
    path = os.path.join(private(environ), SESSIONS)
    sessions = _sessions(path)
    own = {**sessions.pop(session, {}), hook: dict(values)}
    newest = dict([*sessions.items(), (session, own)][-MOST_SESSIONS:])
    write_atomic(path, json.dumps(newest).encode(), mode=0o600)


def _sessions(path: str) -> dict[str, dict[str, object]]:
    """Everything noted; nothing where the file is damaged, for it is only a memory."""
    try:
        found = json.loads(read_if_there(path) or b"{}")
    except ValueError:
        return {}
    whole = isinstance(found, dict) and all(isinstance(value, dict) for value in found.values())
    return found if whole else {}


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0
