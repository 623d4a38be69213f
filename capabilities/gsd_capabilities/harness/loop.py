"""The loop of calls and tools, the same for every entry.

The prefix is prepared before anything else; history gets what is left. When the model makes tools live, the
prefix is prepared anew before the next call, so that no list of schemas from before is ever sent again. Five
looks for tools in a row end the loop.
"""

from __future__ import annotations

from gsd_capabilities.harness import history
from gsd_capabilities.harness.calling import PromptLimitedError, call
from gsd_capabilities.harness.provider import Message
from gsd_capabilities.harness.toolbox import check, problem
from gsd_capabilities.learning import limits
from gsd_capabilities.packs import discovery, finding
from gsd_capabilities.packs.tools import CORE, DISCOVER
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gsd_capabilities.harness.agent import Agent
    from gsd_capabilities.harness.history import Turn
    from gsd_capabilities.harness.prepare import Packed
    from gsd_capabilities.harness.provider import Call, Reply


class Outcome(NamedTuple):
    """What a turn came to: the last answer, the prefix it was asked with, how many turns were left out.

    `ended` is why the answer ended before it was done; empty where it was done.
    """

    text: str
    packed: Packed
    left_out: int
    ended: str = ""


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
            return Outcome(reply.text, packed, left_out, reply.ended)
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
    if one.name not in {tool.name for tool in packed.tools}:
        hint = agent.given.toolbox.missing(one.name) or f"{DISCOVER} makes tools live"
        return problem(f"there is no live tool {one.name!r}", reason="not_live", hint=hint), packed
    agent.state, _ = discovery.called(agent.state, one.name)
    if one.problem:
        return problem(one.problem, reason="bad_arguments"), packed
    agent.used += 1
    return agent.given.toolbox.run(one), packed


def _discovered(agent: Agent, packed: Packed, one: Call) -> tuple[str, Packed]:
    """Tools made live and the prefix with them, and the texts of skills that are named.

    A call that is badly made counts as well.
    """
    wrong = _wrong(one)
    names, query = ((), "") if wrong else (one.arguments.get("names", ()), one.arguments.get("query", ""))
    given = agent.given
    agent.state, found = finding.find(
        agent.scenario,
        given.tools,
        agent.state,
        names,
        query=query,
        manager=given.manager,
        text=agent.text,
    )
    if found.verdict == "break":
        raise finding.loop_detected()
    if wrong:
        return wrong, packed
    skills = given.toolbox.skills(found.unknown)
    unknown = tuple(name for name in found.unknown if name not in skills)
    parts = [f"skill {name}:\n\n{body.strip()}\n" for name, body in skills.items()]
    text = "\n".join([*parts, finding.told(found._replace(unknown=unknown))])
    if found.activated:
        packed = agent.prepare()
        gone = sorted({*found.activated} - {tool.name for tool in packed.tools})
        if gone:
            text += f"\nnot live after all, for want of room: {', '.join(gone)}"
    return text, packed


def _wrong(one: Call) -> str:
    """What is wrong with the arguments of a look for tools; empty where nothing is."""
    try:
        check(CORE[DISCOVER], one.arguments)
    except GsdError as error:
        return problem(str(error), reason=error.reason, hint=error.hint)
    return problem(one.problem, reason="bad_arguments") if one.problem else ""
