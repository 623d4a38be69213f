"""Scenarios, and the pack that each uses: the room for its tools and its prefix, and its prompt profile.

A scenario belongs to exactly one pack; a name that nobody knows is an error, for a guess would hand out the
tools of another scenario.
"""

from __future__ import annotations

from gsd_capabilities.learning import limits
from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Pack(NamedTuple):
    """`tool_tokens` for definitions of tools, `fixed_tokens` for them and the system text together.

    `name` is also the prompt profile; `govern` shares the sections of `execute`.
    """

    name: str
    tool_tokens: int
    fixed_tokens: int


REFLEX = Pack("reflex", limits.TOOL_DEF_BUDGET_REFLEX, limits.COLD_REFLEX_FIXED_MAX)
CONVERSE = Pack("converse", limits.TOOL_DEF_BUDGET_CONVERSE, limits.COLD_CONVERSE_FIXED_MAX)
EXECUTE = Pack("execute", limits.TOOL_DEF_BUDGET_EXECUTE, limits.COLD_EXECUTE_FIXED_MAX)
GOVERN = Pack("govern", limits.TOOL_DEF_BUDGET_GOVERN, limits.COLD_GOVERN_FIXED_MAX)

PACKS: Mapping[str, Pack] = {pack.name: pack for pack in (REFLEX, CONVERSE, EXECUTE, GOVERN)}

SCENARIOS: Mapping[str, Pack] = {
    "heartbeat": REFLEX,
    "memory_consolidation": REFLEX,
    "memory_flush": REFLEX,
    "distillation": REFLEX,
    "chat": CONVERSE,
    "a2a": CONVERSE,
    "group_chat": CONVERSE,
    "comment_response": CONVERSE,
    "requirement_action": CONVERSE,
    "workflow_action": CONVERSE,
    "task_execution": EXECUTE,
    "review": GOVERN,
    "deliberation": GOVERN,
}

# Scenarios that are about one task, review or requirement: tools bound to it are live only here.
ENTITY_BOUND = frozenset(
    {"comment_response", "requirement_action", "workflow_action", "task_execution", "review", "deliberation"}
)


def pack_of(scenario: str) -> Pack:
    """The pack of a scenario. Raises UsageError `unknown_scenario`."""
    pack = SCENARIOS.get(scenario)
    if pack is None:
        import difflib

        close = difflib.get_close_matches(scenario, SCENARIOS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(SCENARIOS)}"
        raise UsageError(f"there is no scenario {scenario!r}", reason="unknown_scenario", hint=hint)
    return pack
