"""Tools for tasks, reviews and deliverables: each asks the verb that a person would."""

from __future__ import annotations

from gsd_capabilities.harness.toolbox import verb
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gsd_capabilities.harness.toolbox import Hands

_WITH_REASON = ("block", "fail", "cancel")


def tasks(hands: Hands, given: Mapping[str, Any]) -> object:
    """Tasks, or some of them."""
    return verb(hands, "task list", options=given, timed=False)


def task(hands: Hands, given: Mapping[str, Any]) -> object:
    """One task."""
    return verb(hands, "task get", given["id"], timed=False)


def add(hands: Hands, given: Mapping[str, Any]) -> object:
    """A new task."""
    about = "\n".join(filter(None, (given.get("requirement"), given.get("description"))))
    options = {
        "requirement": about,
        "to": given.get("assignee", ""),
        "predecessor": given.get("predecessor", ""),
        "tags": ",".join(given.get("tags", ())),
    }
    named = {name: value for name, value in options.items() if value}
    return verb(hands, "task add", given["title"], options=named)


def move(hands: Hands, given: Mapping[str, Any]) -> object:
    """A task in its next state. Raises GsdError `no_reason`."""
    action, note_text = given["action"], given.get("note", "").strip()
    if action in _WITH_REASON:
        if not note_text:
            hint = "say in note why"
            raise GsdError(f"a task is not moved to {action} without a reason", reason="no_reason", hint=hint)
        return verb(hands, f"task {action}", given["id"], note_text)
    if note_text:
        verb(hands, "task note", note_text, options={"task": given["id"]})
    return verb(hands, f"task {action}", given["id"])


def note(hands: Hands, given: Mapping[str, Any]) -> object:
    """A note of a task."""
    return verb(hands, "task note", given["text"], options=_of(given, "id"))


def assign(hands: Hands, given: Mapping[str, Any]) -> object:
    """A task in somebody's hands. Raises UsageError `task_required`."""
    from gsd_capabilities.work.reviews import task_required

    task_id = given.get("id") or hands.task
    if not task_id:
        raise task_required()
    return verb(hands, "task assign", task_id, given["assignee"])


def submit(hands: Hands, given: Mapping[str, Any]) -> object:
    """A task handed in. Which one is never guessed."""
    made = given.get("deliverables")
    options = _of(given, "task_id") | ({"deliverables": ",".join(made)} if made else {})
    return verb(hands, "review submit", given["summary"], options=options)


def add_subtask(hands: Hands, given: Mapping[str, Any]) -> object:
    """A new subtask."""
    return verb(hands, "task subtask", "add", given["title"], options=_of(given, "task_id"))


def subtasks(hands: Hands, given: Mapping[str, Any]) -> object:
    """The subtasks of a task."""
    return verb(hands, "task subtask", "list", options=_of(given, "task_id"))


def move_subtask(hands: Hands, given: Mapping[str, Any]) -> object:
    """A subtask in another state."""
    options = {**_of(given, "task_id"), "state": given["state"]}
    return verb(hands, "task subtask", "update", given["id"], options=options)


def delete_subtask(hands: Hands, given: Mapping[str, Any]) -> object:
    """The subtasks that are left."""
    return verb(hands, "task subtask", "delete", given["id"], options=_of(given, "task_id"))


def verdict(hands: Hands, given: Mapping[str, Any]) -> object:
    """A review that is decided."""
    notes = {"notes": given["notes"]} if given.get("notes") else {}
    return verb(hands, "review verdict", given["task_id"], given["verdict"], options=notes)


def deliver(hands: Hands, given: Mapping[str, Any]) -> object:
    """The first version of a deliverable."""
    options = {**_of(given, "task_id"), "body": given["body"]}
    return verb(hands, "deliverable create", given["title"], options=options)


def redeliver(hands: Hands, given: Mapping[str, Any]) -> object:
    """The next version of a deliverable."""
    base = {"base": str(given["base"])} if "base" in given else {}
    options = {**base, "body": given["body"], "summary": given["changes"]}
    return verb(hands, "deliverable update", given["id"], options=options)


def delivered(hands: Hands, given: Mapping[str, Any]) -> object:
    """A deliverable with its text."""
    options = {"version": str(given["version"])} if "version" in given else {}
    return verb(hands, "deliverable get", given["id"], options=options, timed=False)


def _of(given: Mapping[str, Any], name: str) -> dict[str, str]:
    return {"task": given[name]} if given.get(name) else {}
