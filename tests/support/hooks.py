"""Questions to a hook as a host asks them, without a process."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gsd_capabilities.companion.request import Request
from gsd_capabilities.hooks.envelopes import Answer
from gsd_capabilities.hooks.event import Asked, Host, asked
from gsd_capabilities.hooks.verbs import HOOKS

EVENTS = {
    "SessionStart": "session-start",
    "SessionEnd": "session-end",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "pre-tool",
    "PostToolUse": "post-tool",
    "Stop": "stop",
    "PreCompact": "pre-compact",
}
TOOLS = {
    "Read": "read",
    "Write": "write",
    "Edit": "edit",
    "Bash": "run",
    "Grep": "search",
    "WebFetch": "fetch",
}
CLAUDE = Host("specific", EVENTS, TOOLS)


def question(
    fields: Mapping[str, Any], cwd: Path, *, host: Host = CLAUDE, usual: str = "", payload: str | None = None
) -> Asked:
    """What a hook is asked; its memory is beside the folder of the session."""
    environ = {"TMPDIR": str(cwd), "HOME": str(cwd)}
    request = Request((), {}, str(cwd), payload, environ, bytes)
    return asked(json.dumps(fields).encode(), host, request, usual)


def answered(hook: str, fields: Mapping[str, Any], cwd: Path, **options: Any) -> Answer | None:
    """What a hook answers."""
    module, usual = HOOKS[hook]
    found: Answer | None = importlib.import_module(module).answer(
        question(fields, cwd, **{"usual": usual, **options})
    )
    return found


def project(folder: Path, status: str = "executing") -> Path:
    """A project in the middle of phase 2."""
    planning = folder / ".planning"
    planning.mkdir(parents=True)
    (planning / "STATE.md").write_text(
        f"---\nproject: Photos\nmilestone: v1.0\nphase: 2\nphase_name: Sign in\nplan: 1 of 2\n"
        f"status: {status}\nnext: execute-phase 2\nlast: planned it\n---\n\n## Blockers\n\n- no key yet\n\n"
        "## Log\n",
        encoding="utf-8",
    )
    return folder
