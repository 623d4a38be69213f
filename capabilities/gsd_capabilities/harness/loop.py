"""The loop of calls and tools, the same for every entry.

The prefix is prepared before anything else; history gets what is left. When the model makes tools live, the
prefix is prepared anew before the next call, so that no list of schemas from before is ever sent again. Five
looks for tools in a row end the loop.
"""

from __future__ import annotations

import json

from gsd_capabilities.harness import history
from gsd_capabilities.harness.calling import PromptLimitedError, call
from gsd_capabilities.harness.provider import Message
from gsd_capabilities.learning import limits
from gsd_capabilities.packs import discovery, finding
from gsd_capabilities.packs.tools import DISCOVER
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gsd_capabilities.harness.agent import Agent
    from gsd_capabilities.harness.history import Turn
    from gsd_capabilities.harness.prepare import Packed
    from gsd_capabilities.harness.provider import Call, Reply


class Outcome(NamedTuple):
    """What a turn came to: the last answer, the prefix it was asked with, how many turns were left out."""

    text: str
    packed: Packed
    left_out: int


def run(agent: Agent, earlier: Sequence[Turn], turn: list[Message]) -> Outcome:
    """Answer the message that `turn` begins with, with as many calls of tools as it takes; they are added.

    Raises RejectedError before the first call or between two of them, GsdError `loop_detected`,
    `too_many_rounds`, and what the provider raises.
    """
    packed = agent.prepare()
    for _ in range(limits.AGENT_ROUNDS):
        reply, packed, left_out = _answered(agent, packed, earlier, turn)
        turn.append(Message("assistant", reply.text, reply.calls))
        if not reply.calls:
            return Outcome(reply.text, packed, left_out)
        for one in reply.calls:
            text, packed = _used(agent, packed, one)
            turn.append(Message("tool", text, call=one.id, name=one.name))
    message = f"after {limits.AGENT_ROUNDS} rounds of tools there is no answer yet"
    raise GsdError(message, reason="too_many_rounds", hint="ask for a smaller step, or make it a task")


def _answered(
    agent: Agent, packed: Packed, earlier: Sequence[Turn], turn: Sequence[Message]
) -> tuple[Reply, Packed, int]:
    """One answer. A prompt that turns out to be too long is prepared once more, with what was learnt.

    Raises PromptLimitedError where that makes it no smaller.
    """
    kept = history.packed(earlier, _room(agent, packed, turn))
    try:
        return call(agent, packed, kept, turn), packed, len(earlier) - len(kept)
    except PromptLimitedError:
        less = agent.prepare()
        fewer = history.packed(earlier, _room(agent, less, turn))
        if (less.system, less.tools, fewer) == (packed.system, packed.tools, kept):
            raise
        return call(agent, less, fewer, turn), less, len(earlier) - len(fewer)


def _room(agent: Agent, packed: Packed, turn: Sequence[Message]) -> int | None:
    """Tokens for history: what a prefix that has passed, this turn and an answer leave; None for no limit."""
    limit = agent.afford
    if limit is None:
        return None
    reserve = limits.PROMPT_AFFORD_OUTPUT_RESERVE + limits.PROMPT_AFFORD_SAFETY
    return limit - packed.fixed - history.cost(turn) - reserve


def _used(agent: Agent, packed: Packed, one: Call) -> tuple[str, Packed]:
    """What a call comes to, and the prefix from then on. Raises GsdError `loop_detected`, RejectedError."""
    if one.name == DISCOVER:
        return _discovered(agent, packed, one)
    agent.state, _ = discovery.called(agent.state, one.name)
    if one.problem:
        return _problem(one.problem), packed
    if one.name not in {tool.name for tool in packed.tools}:
        return _problem(f"there is no live tool {one.name!r}; {DISCOVER} makes tools live"), packed
    agent.used += 1
    return agent.given.toolbox.run(one), packed


def _discovered(agent: Agent, packed: Packed, one: Call) -> tuple[str, Packed]:
    """Tools made live, and the prefix with them."""
    names = one.arguments.get("names")
    wanted = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    given, query = agent.given, str(one.arguments.get("query", ""))
    agent.state, found = finding.find(
        agent.scenario, given.tools, agent.state, wanted, query=query, manager=given.manager
    )
    if found.verdict == "break":
        message = f"{limits.DISCOVER_BREAK} looks for tools in a row, and none was used"
        hint = "say what is to be done with which tool; gsd-tools packs list names the packs"
        raise GsdError(message, reason="loop_detected", hint=hint)
    text = finding.text(found)
    if found.activated:
        packed = agent.prepare()
        gone = sorted({*found.activated} - {tool.name for tool in packed.tools})
        if gone:
            text += f"\nnot live after all, for want of room: {', '.join(gone)}"
    return text, packed


def _problem(text: str) -> str:
    return json.dumps({"error": text}, ensure_ascii=False)
