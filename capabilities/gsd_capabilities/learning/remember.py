"""Remembering something from a conversation: a bounded excerpt of it becomes a conversation of its own, which
a distillation then looks at. The conversation itself is only read.
"""

from __future__ import annotations

import os

from gsd_capabilities.companion.guard import locked
from gsd_capabilities.companion.planning_text import inside, system_errors
from gsd_capabilities.learning import jobs, recall
from gsd_capabilities.learning.limits import REMEMBER_CHARS, REMEMBER_MESSAGES
from gsd_capabilities.learning.recall import Message
from gsd_capabilities.work.clock import stamp
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gsd_capabilities.companion.project import Project

_PEOPLE = ("user", "human")
CUT = " [the rest of this message is left out]"


class Excerpt(NamedTuple):
    """The newest messages, oldest first, and how many before them were left out."""

    messages: tuple[Message, ...]
    left_out: int


class Remembered(NamedTuple):
    """The conversation that was seeded, the job about it, and what the excerpt holds."""

    session: str
    job: jobs.Job
    messages: int
    left_out: int


def remember(project: Project, transcript: bytes, *, note: str, who: str, now: float) -> Remembered:
    """Seed a conversation with the end of a transcript and open a distillation about it.

    Raises GsdError `empty_transcript`, `foreign_session`, and `not_direct` where several people speak.
    """
    found = recall.parsed(transcript)
    if not found:
        hint = 'one JSON object a line: {"role": "user", "text": "..."}'
        raise GsdError("the transcript has no messages", reason="empty_transcript", hint=hint)
    recall.refuse_foreign(found, who, "transcript")
    _refuse_several(found, who)
    seed = excerpt(found)
    session = _seeded(project, seed, note, who, now)
    job = jobs.open_session(project, session, who, now=now)
    return Remembered(session, job, len(seed.messages), seed.left_out)


def excerpt(messages: Sequence[Message]) -> Excerpt:
    """At most the last 40 messages and 24,000 characters: whole messages, and of a single longer one its
    beginning with a mark. What looks like a secret is replaced.
    """
    from gsd_capabilities.hooks.secrets import redacted

    kept: list[Message] = []
    used = 0
    for one in reversed(messages):
        text = redacted(one.text)
        used += len(text)
        if len(kept) == REMEMBER_MESSAGES or (kept and used > REMEMBER_CHARS):
            break
        kept.append(one._replace(text=_bounded(text)))
    return Excerpt(tuple(reversed(kept)), len(messages) - len(kept))


def _bounded(text: str) -> str:
    from gsd_install.kernel.cut import shorten
    from gsd_install.kernel.measure import CHARACTERS

    return shorten(text, REMEMBER_CHARS, CHARACTERS, ending=CUT).text


def _refuse_several(messages: Sequence[Message], who: str) -> None:
    people = {one.who for one in messages if one.role in _PEOPLE and one.who} | ({who} - {""})
    if len(people) > 1:
        message = f"several people speak in this conversation: {', '.join(sorted(people))}"
        hint = "only a conversation of one person with an agent can be remembered"
        raise GsdError(message, reason="not_direct", hint=hint)


def _seeded(project: Project, seed: Excerpt, note: str, who: str, now: float) -> str:
    """Write the new conversation under a name that is free."""
    from gsd_capabilities.hooks.secrets import redacted
    from gsd_capabilities.work.unshared import prepare
    from gsd_install.kernel.files import write_atomic

    at = stamp(now)
    rows = []
    if seed.left_out:
        rows.append(Message("note", f"[{seed.left_out} earlier messages are left out]", at, who, who))
    rows += [one._replace(owner=who) for one in seed.messages]
    if note:
        rows.append(Message("note", f"Remember this: {redacted(note)}", at, who, who))
    with locked(project):
        number = 1
        while os.path.lexists(file := recall.path(project, f"remembered-{number}")):
            number += 1
        inside(project, file)
        with system_errors(project, file):
            prepare(project, file)
            write_atomic(file, b"".join(row.as_line() for row in rows), mode=0o600)
    return f"remembered-{number}"
