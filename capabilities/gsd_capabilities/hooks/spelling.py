"""How a person types a command in the host that asks."""

from __future__ import annotations

import os

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.hooks.event import Asked


def typed(command: str, asked: Asked) -> str:
    """The command by its name, and how it is typed in this host where that is known."""
    name, _, words = command.partition(" ")
    spelled = _spelled(name, asked)
    return f"{command}, typed {' '.join(filter(None, (spelled, words)))}" if spelled else command


def _spelled(name: str, asked: Asked) -> str:
    import json

    from gsd_capabilities.companion import payload

    if not (name and asked.payload and asked.runtime):
        return ""
    try:
        with open(os.path.join(asked.payload, "hosts", f"{asked.runtime}.json"), "rb") as file:
            invoke = str(json.loads(file.read())["invoke"])
        contents = payload.contents(asked.payload)
    except (FileNotFoundError, GsdError):
        return ""
    known = [content.table for content in contents if content.table and name in content.table["commands"]]
    return invoke.replace("{name}", f"{known[0]['prefix']}-{name}") if known else ""
