"""The one place that calls a model.

Every call is recorded before it is made, so that counting the events `model-called` of a project tells how
quiet it was. A reservation that cannot be paid is tried once more with less; a prompt that is too long is
never sent again as it is: what the provider said is believed for a while and `PromptLimitedError` asks for a
smaller one.
"""

from __future__ import annotations

from gsd_capabilities.harness import afford
from gsd_capabilities.harness.history import cost
from gsd_capabilities.harness.parse402 import Ceiling, Reservation, parse
from gsd_capabilities.harness.provider import Message, PaymentError
from gsd_capabilities.work.events import events, record
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.harness.agent import Agent
    from gsd_capabilities.harness.history import Turn
    from gsd_capabilities.harness.prepare import Packed
    from gsd_capabilities.harness.provider import Reply

CALLED, ANSWERED, LIMITED = "model-called", "model-answered", "prompt-limited"


class PromptLimitedError(GsdError):
    """The provider takes shorter prompts only, and said how short."""

    def __init__(self, found: Ceiling) -> None:
        super().__init__(
            f"the provider takes prompts of {found.limit:,} tokens, and this one has {found.prompt:,}",
            reason="prompt_limited",
            hint="name what it takes: --afford TOKENS",
        )


def remembered(project: Project, to: str, now: float) -> afford.Hint:
    """What a provider said to an earlier invocation, unless a call to it went through since."""
    last = [one for one in events(project, (LIMITED, ANSWERED)) if one.data.get("to") == to][-1:]
    if not last or last[0].kind == ANSWERED or last[0].at > now:
        return afford.Hint()
    tokens = last[0].data.get("afford")
    return afford.Hint(tokens, last[0].at) if isinstance(tokens, int) else afford.Hint()


def call(agent: Agent, packed: Packed, earlier: Sequence[Turn], turn: Sequence[Message]) -> Reply:
    """One answer of the model, with one retry of a reservation that was refused.

    What changes from call to call stands between the earlier turns and this one.

    Raises RejectedError where nothing remains for an answer (nothing is sent), PromptLimitedError,
    PaymentError, and what the provider raises.
    """
    spoken = [message for one in earlier for message in one]
    prompt = packed.fixed + cost([*spoken, *turn])
    live = [Message("user", f"[Live context]\n\n{packed.tail}")] if packed.tail else []
    messages = [*spoken, *live, *turn]
    most = afford.clamp(agent.given.max_tokens, agent.afford, prompt)
    try:
        reply = _sent(agent, packed, messages, most, prompt)
    except PaymentError as error:
        found = parse(error.body)
        if isinstance(found, Ceiling):
            raise _limited(agent, found) from error
        less = afford.retry(found.affordable) if isinstance(found, Reservation) else None
        if less is None:
            raise
        reply = _sent(agent, packed, messages, less, prompt)
    agent.hint.clear()
    data: dict[str, object] = {"prompt": reply.prompt, "output": reply.output}
    _record(agent, ANSWERED, data)
    return reply


def _sent(agent: Agent, packed: Packed, messages: Sequence[Message], most: int | None, prompt: int) -> Reply:
    data: dict[str, object] = {
        "scenario": packed.scenario,
        "fixed": packed.fixed,
        "prompt": prompt,
        "max_tokens": most,
        "afford": agent.afford,
        "stream": agent.stream,
    }
    _record(agent, CALLED, data)
    agent.calls += 1
    return agent.given.provider.send(packed.system, messages, packed.tools, most, stream=agent.stream)


def _limited(agent: Agent, found: Ceiling) -> PromptLimitedError:
    tokens = afford.believed(found.limit)
    agent.hint.learn(tokens, agent.given.clock())
    data: dict[str, object] = {"prompt": found.prompt, "limit": found.limit, "afford": tokens}
    _record(agent, LIMITED, data)
    return PromptLimitedError(found)


def _record(agent: Agent, kind: str, data: dict[str, object]) -> None:
    given = agent.given
    told = {**data, "to": given.to}
    record(given.project, kind, agent.session, who=given.who, data=told, now=given.clock())
