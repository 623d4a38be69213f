"""When the agent stops: a word that lessons of finished work wait, once in a session."""

from __future__ import annotations

import os

from gsd_capabilities.hooks.envelopes import Answer
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.hooks.event import Asked

_HOOK = "learning-trigger"


def answer(asked: Asked) -> Answer | None:
    """One line for the user where jobs wait and nothing was said of it in this session; None otherwise."""
    from gsd_install.kernel import events

    project = asked.project
    if not project.exists or not os.path.isfile(events.path(project.shared)) or _said(asked):
        return None
    try:
        from gsd_capabilities.learning.jobs import waiting
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("gsd_capabilities.learning"):
            raise
        return None  # the capability that has it is not installed
    count = len(waiting(project))
    if not count:
        return None
    from gsd_capabilities.hooks import memory
    from gsd_capabilities.hooks.spelling import typed

    memory.note(asked.environ, asked.session or "project", _HOOK, {"said": True})
    waits = "lesson waits" if count == 1 else "lessons wait"
    return Answer("notice", f"{count} {waits}: run {typed('learn', asked)}")


def _said(asked: Asked) -> bool:
    from gsd_capabilities.hooks import memory

    return memory.recalled(asked.environ, asked.session or "project", _HOOK).get("said") is True
