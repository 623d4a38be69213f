"""Skills for our own agent: the text of one is given when it is asked for by its name, and not before."""

from __future__ import annotations

import os

from gsd_capabilities.harness.toolbox import verb
from gsd_capabilities.prefix import listing
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gsd_capabilities.harness.toolbox import Hands


def loaded(hands: Hands, names: Iterable[str]) -> dict[str, str]:
    """The texts of those names that are skills, each of which counts as used now; others are left out.

    Raises GsdError for one that is listed and cannot be read.
    """
    from gsd_capabilities.companion import payload

    rows = listing.skills(hands.project, payload.found(hands.request)).rows
    known = {row.name for row in rows}
    found = {name: _text(hands, name) for name in dict.fromkeys(names) if name in known}
    for name in found:
        verb(hands, "skill use", name, options={"task": hands.task} if hands.task else {})
    return found


def _text(hands: Hands, name: str) -> str:
    """One that a person approved in this project, else the one that ships."""
    from gsd_capabilities.companion.planning_text import read_optional

    learned = os.path.join(hands.project.shared, listing.LEARNED, "skills", name, "SKILL.md")
    text = read_optional(hands.project, learned)
    return _shipped(hands, name) if text is None else text


def _shipped(hands: Hands, name: str) -> str:
    from gsd_capabilities.catalog.addresses import RefusedError, address
    from gsd_capabilities.catalog.library import Library
    from gsd_capabilities.companion import payload
    from gsd_install.shipped import shipped_root

    try:
        library = Library(shipped_root(), payload.found(hands.request) or "")
        _, text = library.read(address(f"skills/{name}/SKILL.md"))
    except RefusedError as error:
        message = f"the text of the skill {name!r} cannot be had here: {error.message}"
        hint = "a runtime that it is installed for has it"
        raise GsdError(message, reason=error.reason, hint=hint) from error
    return text if isinstance(text, str) else text.decode("utf-8", "replace")
