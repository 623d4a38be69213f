"""`gsd-tools hook ID`: what a host runs at an event of a session.

A hook reads the host's JSON from standard input and answers as that host understands it. It fails open:
whatever goes wrong inside leaves a line in the log and lets the host go on as if there were no hook.
"""

from __future__ import annotations

from gsd_capabilities.companion.request import Printed, Verb
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gsd_capabilities.companion.request import Request
    from gsd_capabilities.hooks.envelopes import Answer
    from gsd_capabilities.hooks.event import Asked

_HERE = "gsd_capabilities.hooks"

# Each hook, where its function is, and the event it takes itself to be at when the host does not say.
HOOKS: Mapping[str, tuple[str, str]] = {
    "session-orientation": (f"{_HERE}.orientation", "session-start"),
    "round-log": (f"{_HERE}.round_log", ""),
    "context-monitor": (f"{_HERE}.usage", "post-tool"),
    "injection-guard": (f"{_HERE}.injection", "post-tool"),
    "read-guard": (f"{_HERE}.read_guard", "pre-tool"),
    "commit-check": (f"{_HERE}.commit_check", "pre-tool"),
    "task-tracker": (f"{_HERE}.task_tracker", "post-tool"),
    "phase-boundary": (f"{_HERE}.boundary", "stop"),
    "learning-trigger": (f"{_HERE}.lessons", "stop"),
}


class Blocked(GsdError):  # noqa: N818 - it is a veto, not a mistake
    """What the host is about to do must not be done: its exit code is what hosts take for a veto."""

    exit_code = 2


def hook(request: Request) -> Printed:
    """Run one hook. Raises Blocked for hosts that are told by an exit code, and nothing else."""
    name = request.words[0] if request.words else ""
    try:
        return _answered(name, request)
    except Blocked:
        raise
    except Exception as error:  # noqa: BLE001 - a hook must never stand in the way of the host
        from gsd_capabilities.hooks.memory import log

        log(request.environ, f"{name or 'hook'}: {type(error).__name__}: {error}")
        return Printed(b"")


def _answered(name: str, request: Request) -> Printed:
    from gsd_capabilities.hooks.envelopes import said
    from gsd_capabilities.hooks.event import asked, host_of, received

    if name not in HOOKS:
        raise GsdError(f"there is no hook {name!r}", reason="unknown_hook")
    module, usual = HOOKS[name]
    host = host_of(request.payload, request.runtime)
    question = asked(received(0), host, request, usual)
    if question.broken:
        from gsd_capabilities.hooks.memory import log

        log(request.environ, f"{name}: {question.broken}")
    answer = _function(module)(question)
    reply = said(host.envelope, question.event, question.said_event, answer)
    if reply.veto:
        raise Blocked(reply.veto, reason="blocked")
    return Printed(reply.text.encode())


def _function(module: str) -> Callable[[Asked], Answer | None]:
    from importlib import import_module

    function: Callable[[Asked], Answer | None] = import_module(module).answer
    return function


VERBS: Mapping[str, Verb] = {
    "hook": Verb(
        hook, f"hook {' | '.join(HOOKS)}   (reads the host's event from standard input)", passes=True
    )
}
