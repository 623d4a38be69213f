"""`gsd-tools agent`: a small agent of our own, which works under the same budgets as everything else.

It speaks to the provider that `--url` or GSD_MODEL_URL names, and to nobody else.
"""

from __future__ import annotations

from gsd_capabilities.companion.request import Faulty, Verb
from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request
    from gsd_capabilities.harness.agent import Given


def chat(request: Request) -> object:
    """Answer a message in a new conversation."""
    from gsd_capabilities.harness import entries

    text = _text(request, request.words)
    return entries.chat(_in_scenario(request), text, scenario=_scenario(request))._asdict()


def stream(request: Request) -> object:
    """As `chat`; on a terminal the answer is shown as it comes in."""
    from gsd_capabilities.harness import entries

    text = _text(request, request.words)
    return entries.stream(_in_scenario(request), text, scenario=_scenario(request))._asdict()


def task(request: Request) -> object:
    """Carry a task out: it is started where it is not, with its package before the first call."""
    from gsd_capabilities.harness import assignment, entries

    if len(request.words) != 1:
        raise UsageError("name one task", reason="usage", hint=VERBS["agent task"].usage)
    (task_id,) = request.words
    given = _given(request, task=task_id)
    text = assignment.begun(given.project, task_id, who=given.who, now=given.clock())
    return entries.task(given, task_id, text)._asdict()


def resume(request: Request) -> object:
    """Go on with a conversation."""
    from gsd_capabilities.harness import entries

    if len(request.words) < 2:
        raise UsageError("name a session and say something", reason="usage", hint=VERBS["agent resume"].usage)
    session, *words = request.words
    text = _text(request, tuple(words))
    return entries.resume(_in_scenario(request), session, text, scenario=_scenario(request))._asdict()


def heartbeat(request: Request) -> object:
    """One beat; one that ends badly is told as faulty."""
    from gsd_capabilities.harness.heartbeat import beat
    from gsd_capabilities.work.clock import now_of, who_of

    _none(request, "agent heartbeat")
    due = "due" in request.options
    done = beat(_project(request), who_of(request), now_of(request), lambda: _given(request), only_due=due)
    return done.as_json() if done.success else Faulty(done.as_json())


def distil(request: Request) -> object:
    """The next job of learning, done by the agent; what it proposes waits for a person as ever."""
    from gsd_capabilities.harness import assignment

    _none(request, "agent distil")
    return assignment.distilled(_given(request, learning=True), request)


def afford(request: Request) -> object:
    """Whether a prefix of these sizes may be sent, and how long an answer to it may be. Asks nobody."""
    from gsd_capabilities.harness import afford as policy
    from gsd_capabilities.harness.wiring import number

    _none(request, "agent afford")
    sizes = [number(request, name) for name in ("system", "tools")]
    if None in sizes:
        raise UsageError("both sizes are needed", reason="usage", hint=VERBS["agent afford"].usage)
    system, tools = (size or 0 for size in sizes)
    limit = number(request, "afford")
    verdict = policy.gate(system, tools, limit)
    room = policy.clamp(number(request, "max-tokens"), limit, verdict.fixed) if verdict.fits else None
    return {**verdict._asdict(), "max_tokens": room, "reason": "" if verdict.fits else policy.REJECTED}


def _given(request: Request, *, task: str = "", learning: bool = False) -> Given:
    from gsd_capabilities.harness.wiring import given

    return given(request, _project(request), task=task, learning=learning)


def _project(request: Request) -> Project:
    from gsd_capabilities.companion.project import find, require

    return require(find(request.cwd))


def _in_scenario(request: Request) -> Given:
    from gsd_capabilities.learning.jobs import SCENARIOS

    return _given(request, learning=_scenario(request) in SCENARIOS.values())


def _scenario(request: Request) -> str:
    return request.options.get("scenario", "chat")


def _text(request: Request, words: tuple[str, ...]) -> str:
    """What is said; the only word `-` stands for standard input. Raises UsageError `usage`."""
    text = request.stdin().decode("utf-8", "replace") if words == ("-",) else " ".join(words)
    if not text.strip():
        raise UsageError("nothing is said", reason="usage", hint=VERBS["agent chat"].usage)
    return text


def _none(request: Request, verb: str) -> None:
    if request.words:
        raise UsageError(f"unexpected {request.words[0]!r}", reason="usage", hint=VERBS[verb].usage)


_PROVIDER = frozenset({"url", "model", "key-env", "afford", "max-tokens", "as", "at"})
_SPOKEN = _PROVIDER | {"scenario", "context"}
_FLAGS = frozenset({"manager", "allow-shell"})
_USAGE = (
    "--url URL --model NAME [--key-env VARIABLE] [--afford TOKENS] [--max-tokens TOKENS]"
    " [--manager] [--allow-shell] [--as NAME] [--at TIME]"
)

_SPOKEN_USAGE = f"[--scenario NAME] [--context FILE] {_USAGE}"

VERBS: Mapping[str, Verb] = {
    "agent chat": Verb(chat, f"agent chat TEXT|- {_SPOKEN_USAGE}", _SPOKEN, _FLAGS),
    "agent stream": Verb(stream, f"agent stream TEXT|- {_SPOKEN_USAGE}", _SPOKEN, _FLAGS),
    "agent task": Verb(task, f"agent task ID [--context FILE] {_USAGE}", _PROVIDER | {"context"}, _FLAGS),
    "agent resume": Verb(resume, f"agent resume SESSION TEXT|- {_SPOKEN_USAGE}", _SPOKEN, _FLAGS),
    "agent heartbeat": Verb(heartbeat, f"agent heartbeat [--due] {_USAGE}", _PROVIDER, _FLAGS | {"due"}),
    "agent distil": Verb(distil, f"agent distil {_USAGE}", _PROVIDER, _FLAGS),
    "agent afford": Verb(
        afford,
        "agent afford --system TOKENS --tools TOKENS [--afford TOKENS] [--max-tokens TOKENS]",
        frozenset({"system", "tools", "afford", "max-tokens"}),
    ),
}
