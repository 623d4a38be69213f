"""The ways into the agent: chat, stream, task, resume. All of them go through one loop and one gate."""

from __future__ import annotations

from gsd_capabilities.harness import beats, calling, loop, sessions
from gsd_capabilities.harness.afford import RejectedError
from gsd_capabilities.harness.agent import Agent
from gsd_capabilities.harness.provider import Message
from gsd_capabilities.work.events import record
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gsd_capabilities.harness.agent import Given
    from gsd_capabilities.harness.history import Turn
    from gsd_capabilities.harness.loop import Outcome

REJECTED = "prompt-rejected"
_WITH_PEOPLE = frozenset({"chat", "group_chat"})


class Answer(NamedTuple):
    """What an entry answers; `calls` counts calls of the model, `tools` those of tools."""

    session: str
    text: str
    scenario: str
    downgraded: bool
    calls: int
    tools: int
    system_tokens: int
    tool_tokens: int
    left_out: int
    warnings: tuple[str, ...]


def chat(given: Given, text: str, *, scenario: str = "chat", session: str = "") -> Answer:
    """Answer a message in a new conversation. Raises RejectedError, and what the loop raises."""
    return _conversed(opened(given, scenario, session), text)


def stream(given: Given, text: str, *, scenario: str = "chat") -> Answer:
    """As `chat`; the answer is shown as it comes in."""
    return _conversed(opened(given, scenario, stream=True), text)


def task(given: Given, task_id: str, text: str) -> Answer:
    """Carry a task out, or go on with it, in a conversation of its own."""
    session = sessions.of_task(given.project, task_id, who=given.who)
    begun = sessions.known(given.project, session)
    earlier = sessions.turns(given.project, session, who=given.who) if begun else ()
    return spoken(opened(given, "task_execution", session), text, earlier)


def resume(given: Given, session: str, text: str, *, scenario: str = "chat") -> Answer:
    """Go on with a conversation. Raises GsdError `no_session`, `foreign_session`, `bad_session`."""
    earlier = sessions.turns(given.project, session, who=given.who)
    return _conversed(opened(given, scenario, session), text, earlier)


def opened(given: Given, scenario: str, session: str = "", *, stream: bool = False) -> Agent:
    """A session: the tools that were live in it before, and what the provider said a moment ago."""
    from gsd_capabilities.packs import store

    name = session or sessions.new(given.clock())
    hint = calling.remembered(given.project, given.to, given.clock())
    return Agent(given, name, scenario, store.load(given.project, name), hint, stream=stream)


def _conversed(agent: Agent, text: str, earlier: Sequence[Turn] = ()) -> Answer:
    """As `spoken`; beats of the agent yield to a person's chat as long as it takes."""
    if agent.asked not in _WITH_PEOPLE:
        return spoken(agent, text, earlier)
    given = agent.given
    with beats.conversation(given.project, given.who, given.clock()):
        return spoken(agent, text, earlier)


def spoken(agent: Agent, text: str, earlier: Sequence[Turn] = ()) -> Answer:
    """One turn of a session, which is kept also where it ends in an error, once anything was sent.

    Looks for tools of an earlier turn are not counted any more.
    """
    agent.text, agent.state = text, agent.state._replace(streak=0)
    turn = [Message("user", text)]
    try:
        return _answer(agent, loop.run(agent, earlier, turn))
    except RejectedError as error:
        _rejected(agent, error)
        raise
    finally:
        if agent.calls:
            _keep(agent, turn)


def _answer(agent: Agent, outcome: Outcome) -> Answer:
    packed = outcome.packed
    return Answer(
        agent.session,
        outcome.text,
        agent.scenario,
        agent.downgraded,
        agent.calls,
        agent.used,
        packed.system_tokens,
        packed.tool_tokens,
        outcome.left_out,
        (*packed.warnings, *_unfinished(outcome)),
    )


def _unfinished(outcome: Outcome) -> Iterator[str]:
    if outcome.ended:
        yield f"the answer is not all there: the provider ended it for {outcome.ended!r}"
    elif not outcome.text.strip():
        yield "the answer is empty"


def _rejected(agent: Agent, error: RejectedError) -> None:
    given = agent.given
    data = {**error.verdict._asdict(), "scenario": agent.scenario, "calls": agent.calls}
    record(given.project, REJECTED, agent.session, who=given.who, data=data, now=given.clock())


def _keep(agent: Agent, turn: Sequence[Message]) -> None:
    from gsd_capabilities.packs import store

    given = agent.given
    sessions.append(given.project, agent.session, turn, who=given.who, now=given.clock())
    store.change(given.project, agent.session, lambda _: (agent.state, None))
