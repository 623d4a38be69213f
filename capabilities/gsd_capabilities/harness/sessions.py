"""Conversations of our own agent: one file each, one message a line, as `learn recall` reads them."""

from __future__ import annotations

import os

from gsd_capabilities.companion.guard import locked
from gsd_capabilities.companion.planning_text import system_errors
from gsd_capabilities.harness.provider import Message
from gsd_capabilities.learning import recall
from gsd_capabilities.work.clock import stamp
from gsd_capabilities.work.unshared import prepare
from gsd_install.kernel.files import read_if_there, write_atomic
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gsd_capabilities.companion.project import Project

_SPOKEN = ("user", "assistant")


def new(now: float) -> str:
    """A name for a conversation that begins now."""
    return f"{stamp(now).replace('-', '').replace(':', '')}-{os.urandom(4).hex()}"


def of_task(project: Project, task: str, *, who: str) -> str:
    """The name of the conversation about a task: its id, or one more for an agent that took it over.

    Raises UsageError `bad_session`.
    """
    if not known(project, task) or recall.is_own(recall.read(project, task), who):
        return task
    import hashlib

    return f"{task}-{hashlib.sha256(who.encode()).hexdigest()[:8]}"


def append(project: Project, session: str, turn: Sequence[Message], *, who: str, now: float) -> None:
    """Add a turn. A call of a tool stands in it with its arguments, its result with the name of the tool.

    What looks like a secret is not kept.
    """
    from gsd_capabilities.hooks.secrets import redacted

    rows = [
        recall.Message(role, redacted(text), now, who if role == "user" else "", who)
        for role, text in _rows(turn)
    ]
    file = recall.path(project, session)
    with locked(project), system_errors(project, file):
        prepare(project, file)
        before = read_if_there(file)
        write_atomic(file, before + b"".join(row.as_line() for row in rows), mode=0o600)


def known(project: Project, session: str) -> bool:
    """Whether there is such a conversation. Raises UsageError `bad_session`."""
    return os.path.isfile(recall.path(project, session))


def turns(project: Project, session: str, *, who: str) -> list[tuple[Message, ...]]:
    """What was said, turn by turn; calls of tools are of their turn and are not repeated.

    Raises GsdError `no_session` and `foreign_session`, UsageError `bad_session`.
    """
    found = recall.read(project, session)
    recall.refuse_foreign(found, who, session)
    made: list[list[Message]] = []
    for one in found:
        if one.role == "user" or not made:
            made.append([])
        if one.role in _SPOKEN and one.text:
            made[-1].append(Message(one.role, one.text))
    return [tuple(turn) for turn in made if turn]


def _rows(turn: Iterable[Message]) -> Iterator[tuple[str, str]]:
    import json

    for message in turn:
        if message.role == "tool":
            yield "tool", f"{message.name}: {message.text}"
        elif message.text or not message.calls:
            yield message.role, message.text
        for call in message.calls:
            yield "call", f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}"
