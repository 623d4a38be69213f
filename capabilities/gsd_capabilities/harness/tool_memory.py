"""Tools for what an agent keeps: memory, its notebook, skills it proposes, and when it wakes."""

from __future__ import annotations

from gsd_capabilities.harness import beats
from gsd_capabilities.harness.toolbox import moment, verb
from gsd_capabilities.learning.impact import LOW
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gsd_capabilities.harness.toolbox import Hands


def save(hands: Hands, given: Mapping[str, Any]) -> object:
    """A new entry."""
    if given.get("store") == "state":
        return _state(hands, given)
    options = {"title": given["title"], "text": given["text"], **_at(hands)}
    return verb(hands, "memory save", options=options, timed=False)


def update(hands: Hands, given: Mapping[str, Any]) -> object:
    """An entry with another text."""
    if given.get("store") == "state":
        return _state(hands, given)
    return verb(hands, "memory update", given["title"], given["text"], options=_at(hands), timed=False)


def search(hands: Hands, given: Mapping[str, Any]) -> object:
    """Entries that hold every word."""
    return verb(hands, "memory search", *given["words"].split(), options=_at(hands), timed=False)


def notebook(hands: Hands, given: Mapping[str, Any]) -> object:
    """The one entry of this agent, in place of what it said before."""
    return verb(hands, "memory note", given["text"], options={"title": hands.name})


def list_skills(hands: Hands, given: Mapping[str, Any]) -> object:  # noqa: ARG001 - every tool has the same form
    """Skills that are installed, by name, and proposals that wait."""
    from gsd_capabilities.companion import payload
    from gsd_capabilities.prefix.listing import skills

    waiting = verb(hands, "skill pending", timed=False)
    rows = skills(hands.project, payload.found(hands.request)).rows
    return {"installed": {row.name: row.description for row in rows}, "proposed": waiting}


def propose_skill(hands: Hands, given: Mapping[str, Any]) -> object:
    """A skill that is proposed, and goes live where it is of low impact, judged from what it holds too."""
    impact = {"impact": given["impact"]} if given.get("impact") else {}
    made: Any = verb(hands, "skill propose", given["name"], options=impact, stdin=given["body"].encode())
    if made["impact"] != LOW:
        return made
    return verb(hands, "skill install", given["name"])


def plan_wakeup(hands: Hands, given: Mapping[str, Any]) -> object:
    """A wake-up that is planned."""
    from gsd_capabilities.work.clock import seconds, stamp

    at = seconds(given["at"])
    after = beats.change(hands.project, hands.who, lambda rhythm: beats.planned(rhythm, at, given["reason"]))
    return {"id": after.wakeups[-1].id, "at": stamp(at)}


def cancel_wakeup(hands: Hands, given: Mapping[str, Any]) -> object:
    """The wake-ups that are left."""
    after = beats.change(hands.project, hands.who, lambda rhythm: beats.cancelled(rhythm, given["id"]))
    return {"cancelled": given["id"], "planned": [one.id for one in after.wakeups]}


def set_rhythm(hands: Hands, given: Mapping[str, Any]) -> object:
    """Another rhythm."""
    after = beats.change(hands.project, hands.who, lambda rhythm: beats.every(rhythm, given["seconds"]))
    return {"seconds": after.base, "now": moment(hands)}


def _state(hands: Hands, given: Mapping[str, Any]) -> object:
    return verb(hands, "memory state", given["title"], given["text"], options=_at(hands), timed=False)


def _at(hands: Hands) -> dict[str, str]:
    at = hands.request.options.get("at")
    return {} if at is None else {"at": at}
