"""Tools towards people and other agents.

Whoever is at the terminal is told and asked there. Where nobody is, a notice becomes a message, a question
stays open, and an approval is refused.
"""

from __future__ import annotations

from gsd_capabilities.harness.toolbox import verb
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gsd_capabilities.harness.toolbox import Hands

# Whom a message goes to that is meant for the person we work for.
USER = "user"
_YES = frozenset({"y", "yes"})


def notify(hands: Hands, given: Mapping[str, Any]) -> object:
    """Shown, or sent where nobody is there to see it."""
    if hands.person.tell(given["text"]):
        return {"shown": True}
    return verb(hands, "message send", USER, given["text"])


def ask(hands: Hands, given: Mapping[str, Any]) -> object:
    """An answer. Raises GsdError `nobody_there`."""
    options = "".join(f"\n  {number}. {text}" for number, text in enumerate(given.get("options", ()), 1))
    answer = hands.person.ask(f"{given['question']}{options}")
    if answer is None:
        hint = "go on without, or send a message and stop"
        raise GsdError("nobody is there to answer", reason="nobody_there", hint=hint)
    return {"answer": answer}


def approve(hands: Hands, given: Mapping[str, Any]) -> object:
    """Whether a person says yes; nobody's yes is a no."""
    asked = f"{given['action']}\nwhy: {given['reason']}\nallow it? yes or no"
    answer = hands.person.ask(asked)
    if answer is None:
        return {"approved": False, "reason": "nobody is there to allow it"}
    return {"approved": answer.strip().lower() in _YES, "answer": answer}


def mailbox(hands: Hands, given: Mapping[str, Any]) -> object:  # noqa: ARG001 - every tool has the same form
    """What waits for this agent; with that it is read, and nothing that comes in meanwhile is."""
    found: Any = verb(hands, "message list", options={"as": hands.name}, timed=False)
    for one in found["messages"]:
        verb(hands, "message read", one["id"])
    return found


def send(hands: Hands, given: Mapping[str, Any]) -> object:
    """A message."""
    return verb(hands, "message send", given["to"], given["text"])


def team(hands: Hands, given: Mapping[str, Any]) -> object:  # noqa: ARG001 - every tool has the same form
    """Who is there, and how the work stands."""
    from gsd_capabilities.work.team import team as written

    found = written(hands.project)
    people = [one._asdict() for one in found.members] if found else []
    manager = found.manager._asdict() if found and found.manager else None
    return {"manager": manager, "members": people, "board": verb(hands, "task board", timed=False)}


def propose(hands: Hands, given: Mapping[str, Any]) -> object:
    """A requirement before a person, who decides."""
    text = f"proposed requirement: {given['text']}\nwhy: {given['reason']}"
    return verb(hands, "message send", USER, text)
