"""The log of a session in `.planning/session.jsonl`, from which context/history.py builds the history.

One JSON object a line, `{"role": "user", "text": "..."}`. Bounded in rounds and bytes; what looks like a
secret is replaced before it is written. The file is made only where there is a project, and a `.gitignore`
that ignores it and itself is made with it.
"""

from __future__ import annotations

import json
import os

from gsd_install.kernel.files import read_if_there, write_atomic
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.hooks.envelopes import Answer
    from gsd_capabilities.hooks.event import Asked

FILE = "session.jsonl"
ROUNDS = 40
LOG_BYTES = 262_144
MESSAGE_CHARACTERS = 8_000
LOCK_SECONDS = 2.0
_USER = b'{"role": "user"'


def answer(asked: Asked) -> Answer | None:
    """Add what the event says to the log. Raises LockedError, OSError; never has anything to say."""
    project = asked.project
    role, text = _message(asked)
    if project.exists and text.strip():
        add(project, role, text)
    return None


def add(project: Project, role: str, text: str) -> None:
    """Add one message; the oldest rounds go when there are too many."""
    from gsd_capabilities.companion import guard

    row = _row(role, text)
    path = project.path(FILE)
    with guard.locked(project, wait=LOCK_SECONDS):
        before = read_if_there(path)
        if not before:
            _ignored(project.planning)
        rows = before.splitlines()
        if not rows or rows[-1] != row:
            write_atomic(path, b"".join(b"%s\n" % one for one in bounded([*rows, row])), mode=0o600)


def bounded(rows: list[bytes]) -> list[bytes]:
    """The newest whole rounds that keep within both bounds; always at least the last message."""
    starts = [at for at, row in enumerate(rows) if row.startswith(_USER)]
    if len(starts) > ROUNDS:
        rows = rows[starts[-ROUNDS] :]
    while len(rows) > 1 and sum(len(row) + 1 for row in rows) > LOG_BYTES:
        after = next((at for at, row in enumerate(rows) if at and row.startswith(_USER)), len(rows) - 1)
        rows = rows[after:]
    return rows


def _message(asked: Asked) -> tuple[str, str]:
    """Who said what: the user at a prompt, the agent when it stops."""
    if asked.event in ("prompt", ""):
        prompt = asked.text("prompt", "user_prompt") or _joined(asked.fields.get("prompt"))
        if prompt:
            return "user", prompt
    if asked.event in ("stop", ""):
        reply = asked.text("last_assistant_message", "prompt_response", "response")
        return "assistant", reply or _last_reply(asked.text("transcript_path"))
    return "", ""


def _last_reply(path: str) -> str:
    """The last text of the agent in a transcript of messages; empty where there is none."""
    if not path or not os.path.isfile(path):
        return ""
    from gsd_capabilities.hooks.usage import tail

    for row in reversed(tail(path)):
        if b'"assistant"' not in row:
            continue
        try:
            value = json.loads(row)
        except ValueError:
            continue  # the first row of a tail is cut
        message = value.get("message") if isinstance(value, dict) else None
        text = _joined(message.get("content")) if isinstance(message, dict) else ""
        if text:
            return text
    return ""


def _joined(content: object) -> str:
    """The texts of a message that comes in parts."""
    parts = content if isinstance(content, list) else []
    found = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n\n".join(text for text in found if isinstance(text, str))


def _row(role: str, text: str) -> bytes:
    from gsd_capabilities.hooks.secrets import redacted

    kept = redacted(text.strip())
    if len(kept) > MESSAGE_CHARACTERS:
        from gsd_install.kernel.cut import shorten
        from gsd_install.kernel.measure import CHARACTERS

        cut = shorten(kept, MESSAGE_CHARACTERS, CHARACTERS)
        kept = f"{cut.text.rstrip()} [{len(kept) - cut.kept} more characters]"
    return json.dumps({"role": role, "text": kept}, ensure_ascii=False).encode("utf-8", "replace")


def _ignored(folder: str) -> None:
    """Keep git from seeing the log, unless somebody has rules of their own here."""

    path = os.path.join(folder, ".gitignore")
    if not os.path.lexists(path):
        write_atomic(path, f"/.gitignore\n/{FILE}\n".encode())
