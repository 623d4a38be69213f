"""What a tool call answers with: the result itself, or a reference where it is bulky, or why it failed."""

from __future__ import annotations

from gsd_capabilities.artifacts import verbs as artifacts
from gsd_capabilities.artifacts import vocabulary
from gsd_capabilities.catalog import tools
from gsd_capabilities.companion import project as projects
from gsd_capabilities.companion.request import Request
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gsd_capabilities.catalog.desk import Desk
    from gsd_capabilities.catalog.tools import Answer, Tool

BULKY = "the result is bulky: gsd_artifact_get reads it back, whole or in part"


def called(tool: Tool, desk: Desk, arguments: Mapping[str, Any], call: str) -> dict[str, Any]:
    """Run a tool; what it answers, as `tools.OUTPUT` says. Raises what nobody foresaw."""
    try:
        answer = tool.run(desk, arguments)
        return {"ok": True, **_settled(answer, desk, tool.name, call)}
    except GsdError as error:
        return failed(error)


def failed(error: GsdError) -> dict[str, Any]:
    """What a tool answers that failed."""
    return {"ok": False, "reason": error.reason, "message": error.message} | (
        {"hint": error.hint} if error.hint else {}
    )


def _settled(answer: Answer, desk: Desk, tool: str, call: str) -> dict[str, Any]:
    """The answer, or the artifact it went to; where that fails, the answer is whole and a note says why."""
    notes = list(answer.notes)
    found = tools.shown(answer.data)
    if not answer.recovered and projects.find(desk.cwd).exists:
        try:
            reference = stored(answer, desk, tool, call)
        except GsdError as error:
            reference = ""
            notes.append(error.message)
        if reference:
            found = {"artifact": reference, "bytes": len(answer.data)}
            notes.append(BULKY)
    return found | ({"notes": notes} if notes else {})


def stored(answer: Answer, desk: Desk, tool: str, call: str) -> str:
    """The reference of a result over the threshold of the project; empty for one that stays.

    Raises GsdError where there is no project or nothing can be stored.
    """
    options = {"tool": tool, "call": call} | ({"instructions": ""} if answer.instructions else {})
    request = Request((), options, desk.cwd, None, desk.environ, lambda: answer.data)
    decided = artifacts.VERBS["artifact put"].run(request)
    if not isinstance(decided, dict) or decided["outcome"] == vocabulary.INLINE:
        return ""
    return str(decided["reference"])


def text(found: Mapping[str, Any]) -> str:
    """What a client shows that reads no structured answers."""
    if not found["ok"]:
        hint = f"\nhint: {found['hint']}" if "hint" in found else ""
        return f"{found['reason']}: {found['message']}{hint}"
    notes = "".join(f"\n{note}" for note in found.get("notes", ()))
    return f"{found['artifact']}{notes}" if "artifact" in found else str(found["output"])
