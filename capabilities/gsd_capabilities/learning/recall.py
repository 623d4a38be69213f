"""Conversations that were kept: `.planning/work/sessions/<id>.jsonl`, one message a line.

A message is `{"role", "text", "at", "who", "owner"}`. Only the owner of a conversation may read it.
"""

from __future__ import annotations

import json
import os
import re

from gsd_capabilities.companion.planning_text import system_errors
from gsd_capabilities.learning.limits import RECALL_PAGE, RECALL_PAGE_MOST
from gsd_capabilities.work.clock import stamp
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gsd_capabilities.companion.project import Project

FOLDER = ("work", "sessions")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class Message(NamedTuple):
    """One message; `at` is when it was said, in seconds of the epoch or as it is written, if known."""

    role: str
    text: str
    at: str | float = ""
    who: str = ""
    owner: str = ""

    def as_line(self) -> bytes:
        """The message as one line of a conversation."""
        row = {**self._asdict(), "at": _moment(self.at)}
        return json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


class Page(NamedTuple):
    """Messages with their numbers from 1; `before` asks for the page before this one, None at the start."""

    session: str
    total: int
    messages: tuple[tuple[int, Message], ...]
    before: int | None

    def as_json(self) -> dict[str, object]:
        """The page for JSON."""
        rows = [
            {"number": number, "role": one.role, "text": one.text, "who": one.who, "at": _moment(one.at)}
            for number, one in self.messages
        ]
        return {"session": self.session, "total": self.total, "messages": rows, "before": self.before}


def path(project: Project, session: str) -> str:
    """The file of a conversation. Raises UsageError `bad_session`."""
    if not _ID.fullmatch(session):
        message = f"{session!r} is no name of a conversation"
        raise UsageError(message, reason="bad_session", hint="it has letters, digits, dots and hyphens only")
    return os.path.join(project.shared, *FOLDER, f"{session}.jsonl")


def exists(project: Project, session: str) -> bool:
    """Whether a conversation of this name was kept."""
    return _ID.fullmatch(session) is not None and os.path.isfile(path(project, session))


def page(
    project: Project, session: str, *, who: str, before: int | None = None, limit: int = RECALL_PAGE
) -> Page:
    """The last `limit` messages, or those before number `before`.

    Raises GsdError `no_session` and `foreign_session`, UsageError `bad_session` and `bad_page`.
    """
    if not 1 <= limit <= RECALL_PAGE_MOST or (before is not None and before < 1):
        message = f"a page has 1 to {RECALL_PAGE_MOST} messages, and message numbers begin with 1"
        raise UsageError(message, reason="bad_page", hint="learn recall SESSION --before 41 --limit 40")
    found = read(project, session)
    refuse_foreign(found, who, session)
    end = len(found) if before is None else min(before - 1, len(found))
    start = max(end - limit, 0)
    numbered = tuple(enumerate(found, 1))[start:end]
    return Page(session, len(found), numbered, start + 1 if start else None)


def read(project: Project, session: str) -> tuple[Message, ...]:
    """Every message of a conversation. Raises GsdError `no_session`."""
    file = path(project, session)
    with system_errors(project, file):
        try:
            with open(file, "rb") as stream:
                data = stream.read()
        except FileNotFoundError:
            message = f"there is no conversation {session!r}"
            raise GsdError(
                message, reason="no_session", hint="only what was kept can be read again"
            ) from None
    return parsed(data)


def parsed(data: bytes) -> tuple[Message, ...]:
    """The messages of a transcript; a line that is none is passed over."""
    return tuple(_messages(data.decode("utf-8-sig", "replace").split("\n")))


def is_own(found: Iterable[Message], who: str) -> bool:
    """Whether no message is owned by somebody else than `who`."""
    return all(one.owner in ("", who) for one in found)


def refuse_foreign(found: Iterable[Message], who: str, name: str) -> None:
    """Raises GsdError `foreign_session` if any message is owned by somebody else than `who`."""
    if not is_own(found, who):
        message = f"the conversation {name!r} belongs to somebody else"
        raise GsdError(
            message, reason="foreign_session", hint="its owner can read it: --as NAME, or GSD_AGENT"
        )


def _messages(lines: Iterable[str]) -> Iterator[Message]:
    for line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict) and (one := _message(row)):
            yield one


def _message(row: dict[str, object]) -> Message | None:
    """A message of ours, or one as hosts keep it: in a field `message` and with its text in parts."""
    inner = row.get("message")
    said = inner if isinstance(inner, dict) else row
    role, text = _text(said.get("role")), said.get("text", _joined(said.get("content")))
    if not role or not isinstance(text, str) or not text:
        return None
    return Message(role, text, _moment(row.get("at")), _text(row.get("who")), _text(row.get("owner")))


def _joined(content: object) -> str:
    parts = content if isinstance(content, list) else [{"text": content}]
    found = (_text(part.get("text")) for part in parts if isinstance(part, dict))
    return "\n\n".join(text for text in found if text)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _moment(at: object) -> str:
    """When something was said, as it is written; a number that is no moment says nothing."""
    try:
        return stamp(at) if isinstance(at, int | float) else _text(at)
    except (OverflowError, ValueError, OSError):
        return ""
