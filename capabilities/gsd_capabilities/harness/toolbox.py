"""The core tools of our own agent and what each does.

A tool answers a model with text. What goes wrong is an answer too, and a bulky one is stored: the model gets
its reference, which `file_read` reads in parts.
"""

from __future__ import annotations

import json

from gsd_capabilities.packs.tools import CORE, DISCOVER
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request
    from gsd_capabilities.harness.person import Person
    from gsd_capabilities.harness.provider import Call
    from gsd_capabilities.packs.tool import Tool

    Run = Callable[["Hands", Mapping[str, Any]], object]

# The name of an agent that was given none.
NAMELESS = "agent"

# Where each tool is implemented.
TABLE: Mapping[str, str] = {
    "file_read": "tool_files:read",
    "file_write": "tool_files:write",
    "file_edit": "tool_files:edit",
    "file_search": "tool_files:search",
    "code_search": "tool_files:lines",
    "shell": "tool_shell:shell",
    "notify_user": "tool_people:notify",
    "request_user_input": "tool_people:ask",
    "request_user_approval": "tool_people:approve",
    "check_mailbox": "tool_people:mailbox",
    "agent_send_message": "tool_people:send",
    "team_status": "tool_people:team",
    "requirement_propose": "tool_people:propose",
    "memory_save": "tool_memory:save",
    "memory_search": "tool_memory:search",
    "memory_update": "tool_memory:update",
    "memory_update_longterm": "tool_memory:update",
    "update_notebook": "tool_memory:notebook",
    "package_list": "tool_memory:list_skills",
    "package_install": "tool_memory:propose_skill",
    "schedule_wakeup": "tool_memory:plan_wakeup",
    "cancel_wakeup": "tool_memory:cancel_wakeup",
    "set_heartbeat_interval": "tool_memory:set_rhythm",
    "task_list": "tool_work:tasks",
    "task_get": "tool_work:task",
    "task_create": "tool_work:add",
    "task_update": "tool_work:move",
    "task_note": "tool_work:note",
    "task_assign": "tool_work:assign",
    "task_submit_review": "tool_work:submit",
    "subtask_create": "tool_work:add_subtask",
    "subtask_list": "tool_work:subtasks",
    "subtask_update": "tool_work:move_subtask",
    "subtask_delete": "tool_work:delete_subtask",
    "review_verdict": "tool_work:verdict",
    "deliverable_create": "tool_work:deliver",
    "deliverable_update": "tool_work:redeliver",
    "deliverable_get": "tool_work:delivered",
}


class Hands(NamedTuple):
    """What tools work with. `request` is what verbs are asked with; it has no key of a provider.

    `task` is the task that the session is about, if it is about one. `learning` says that it looks back at
    finished work.
    """

    request: Request
    project: Project
    person: Person
    who: str = ""
    task: str = ""
    allow_shell: bool = False
    learning: bool = False

    @property
    def name(self) -> str:
        """The name that messages and tasks know the agent by."""
        return self.who or NAMELESS


class Toolbox:
    """Runs tools."""

    __slots__ = ("_hands",)

    def __init__(self, hands: Hands) -> None:
        self._hands = hands

    def run(self, call: Call) -> str:
        """What a call comes to, as text; also where it fails."""
        try:
            self._count()
            check(CORE[call.name], call.arguments)
            result = _implementation(call.name)(self._hands, call.arguments)
            text = _plain(result if isinstance(result, str) else _json(result))
            return text if _given_back(call) else self._kept(call, text)
        except GsdError as error:
            return problem(str(error), reason=error.reason, hint=error.hint)
        except OSError as error:
            return problem((error.strerror or str(error)).lower(), reason="system")

    def missing(self, name: str) -> str:
        """Why a tool cannot be had here; empty for one that can, or that nobody knows."""
        from gsd_capabilities.packs.offer import unavailable

        return unavailable(allow_shell=self._hands.allow_shell).get(name, "")

    def skills(self, names: Iterable[str]) -> dict[str, str]:
        """The texts of those names that are skills; where one cannot be read, what is wrong with it."""
        from gsd_capabilities.harness.tool_skills import loaded

        found: dict[str, str] = {}
        for name in names:
            try:
                found |= loaded(self._hands, (name,))
            except GsdError as error:
                found[name] = problem(str(error), reason=error.reason, hint=error.hint)
        return found

    def _kept(self, call: Call, text: str) -> str:
        """The text, or where it is stored when it is bulky. What cannot be stored stays whole."""
        from gsd_capabilities.artifacts.offload import ToolResult
        from gsd_capabilities.artifacts.store import kept

        hands = self._hands
        content = ToolResult(text, tool=call.name, call=call.id)
        try:
            outcome = kept(hands.project, hands.request.environ, content)
        except GsdError:
            return text
        if outcome.text is None or outcome.text == text:
            return text
        size = len(text.encode())
        return _json({"stored": outcome.text, "bytes": size, "read": "file_read, with this as its path"})

    def _count(self) -> None:
        """Count the call for the task of the session, as long as that runs."""
        from gsd_capabilities.work.tasks import count_call

        hands = self._hands
        if not hands.task:
            return
        try:
            now = moment(hands)
            count_call(hands.project, hands.task, who=hands.who, now=now)
        except GsdError as error:
            if error.reason != "not_running":
                raise


def moment(hands: Hands) -> float:
    """Now, in seconds of the epoch."""
    from gsd_capabilities.work.clock import now_of

    return now_of(hands.request)


def verb(
    hands: Hands,
    name: str,
    *words: str,
    options: Mapping[str, str] | None = None,
    timed: bool = True,
    stdin: bytes = b"",
) -> object:
    """What a verb of `gsd-tools` answers. With `timed`, it is told for whom and when, as this one was."""
    from gsd_capabilities.companion.main import ask

    given = {**(options or {})}
    if timed:
        at = hands.request.options.get("at")
        given |= {"as": hands.name} | ({"at": at} if at is not None else {})
    flags = [f"--{key}={value}" for key, value in given.items()]
    return ask([*name.split(), *flags, "--", *words], hands.request, stdin=stdin)


def check(tool: Tool, arguments: Mapping[str, object]) -> None:
    """Whether arguments are those of a tool. Raises GsdError `bad_arguments`."""
    properties, needed = tool.schema["properties"], tool.schema.get("required", ())
    wrong = [f"{name} is missing" for name in needed if name not in arguments]
    wrong += [f"there is no {name}" for name in arguments if name not in properties]
    wrong += [
        f"{name} is no {properties[name]['type']}"
        for name, value in arguments.items()
        if name in properties and not _fits(properties[name], value)
    ]
    if wrong:
        hint = f"it takes {', '.join(properties) or 'nothing'}"
        raise GsdError(f"{tool.name}: {'; '.join(wrong)}", reason="bad_arguments", hint=hint)


def problem(text: str, *, reason: str = "error", hint: str | None = None) -> str:
    """How a model is told what is wrong."""
    told = {"error": text, "reason": reason, "hint": hint}
    return _json({name: value for name, value in told.items() if value})


def _fits(rule: Mapping[str, Any], value: object) -> bool:
    kind = rule["type"]
    if kind == "array":
        return isinstance(value, list) and all(_fits(rule["items"], one) for one in value)
    if kind == "integer":
        return type(value) is int and rule.get("minimum", value) <= value <= rule.get("maximum", value)
    if kind == "boolean":
        return isinstance(value, bool)
    return isinstance(value, str) and _is_text(value) and value in rule.get("enum", (value,))


def _is_text(value: str) -> bool:
    """Whether it can be written down and handed to the system: it has no NUL and no half of a character."""
    return "\0" not in value and _plain(value) == value


def _plain(text: str) -> str:
    """The text with a question mark for each half of a character, as names of files may have them."""
    return text.encode("utf-8", "replace").decode()


def _implementation(name: str) -> Run:
    from importlib import import_module

    if name == DISCOVER or name not in TABLE:
        raise GsdError(f"there is no tool {name!r}", reason="unknown_tool")
    module, _, function = TABLE[name].partition(":")
    run: Run = getattr(import_module(f"gsd_capabilities.harness.{module}"), function)
    return run


def _given_back(call: Call) -> bool:
    """Whether this is a stored result that was asked back, which is never stored again."""
    from gsd_capabilities.artifacts.reference import is_meant

    return call.name == "file_read" and is_meant(call.arguments.get("path"))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
