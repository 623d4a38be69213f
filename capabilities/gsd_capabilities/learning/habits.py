"""The learning habits: what an agent is told about learning from its own work, and where."""

from __future__ import annotations

from gsd_capabilities.learning.jobs import CONSOLIDATION, SCENARIOS
from gsd_capabilities.learning.limits import LEARNING_HABITS_MAX_CHARS
from gsd_install.kernel.errors import GsdError

WITHOUT = SCENARIOS[CONSOLIDATION]


def text(payload_root: str | None) -> str:
    """The habits. Raises GsdError `habits_too_long`, for they stand in almost every prompt."""
    from gsd_capabilities.learning import texts

    found = texts.text(payload_root, "habits")
    if len(found) > LEARNING_HABITS_MAX_CHARS:
        message = (
            f"the learning habits have {len(found):,} characters and may have {LEARNING_HABITS_MAX_CHARS:,}"
        )
        raise GsdError(
            message, reason="habits_too_long", hint="shorten them; what is longer belongs in a reference"
        )
    return found


def for_scenario(scenario: str, payload_root: str | None) -> str:
    """The habits where a scenario has them; nothing while memory is consolidated."""
    return "" if scenario == WITHOUT else text(payload_root)
