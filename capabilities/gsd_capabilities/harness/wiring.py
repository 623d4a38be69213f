"""What an invocation of the agent is made of: the prefix, the tools, and the provider."""

from __future__ import annotations

from gsd_capabilities.harness.agent import Given
from gsd_capabilities.harness.prepare import Built, Packed
from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request
    from gsd_capabilities.harness.agent import Build
    from gsd_capabilities.harness.person import Person
    from gsd_capabilities.harness.provider import Provider
    from gsd_capabilities.packs.discovery import State
    from gsd_capabilities.packs.tools import Tool
    from gsd_capabilities.prefix.build import Prefix

_URL, _MODEL, _KEY = "GSD_MODEL_URL", "GSD_MODEL", "key-env"
# From so many letters on, a key stands nowhere by chance.
_TELLING = 8


def given(request: Request, project: Project, *, task: str = "", learning: bool = False) -> Given:
    """Everything, from the options of a verb; for a task, or to look back at one with `learning`.

    Raises UsageError, as `provider` and `number` do.
    """
    from gsd_capabilities.harness.person import present
    from gsd_capabilities.harness.toolbox import Hands, Toolbox
    from gsd_capabilities.packs.offer import offered
    from gsd_capabilities.work.clock import who_of

    person = present(request)
    hands = Hands(
        request=_within(request, task),
        project=project,
        person=person,
        who=who_of(request),
        task=task,
        allow_shell="allow-shell" in request.options,
        learning=learning,
    )
    tools = offered(allow_shell=hands.allow_shell)
    return Given(
        project,
        provider(request, person),
        builder(request, project, tools),
        tools,
        Toolbox(hands),
        clock(request),
        who=hands.who,
        manager="manager" in request.options,
        afford=number(request, "afford"),
        max_tokens=number(request, "max-tokens"),
        to=_told_apart(request),
    )


def provider(request: Request, person: Person) -> Provider:
    """The model behind an address that a person named.

    Raises UsageError `no_url`, `no_model`, `no_key`, `bad_url`.
    """
    from gsd_capabilities.harness.http import ChatCompletions

    url, model = _model_at(request)
    return ChatCompletions(url, model, _key(request), person.hear)


def builder(request: Request, project: Project, tools: tuple[Tool, ...]) -> Build:
    """Makes prefixes; each is measured and its size recorded."""
    from gsd_capabilities.prefix import report
    from gsd_capabilities.prefix.build import build
    from gsd_capabilities.prefix.gather import asked as gathered
    from gsd_capabilities.work.clock import now_of, who_of

    manager = "manager" in request.options

    def made(scenario: str, state: State, asked: str, text: str) -> Built:
        from gsd_capabilities.packs.select import live

        selection = live(scenario, tools, state, manager=manager, text=text)
        now = now_of(request)
        found = gathered(request, project, now=now)._replace(mode=asked)
        prefix = build(found, scenario, selection)
        report.record(project, prefix, who=who_of(request), now=now)
        return Built(_packed(prefix, selection.live), selection.evicted)

    return made


def clock(request: Request) -> Callable[[], float]:
    """The time: standing still where `--at` names a moment."""
    from gsd_capabilities.work.clock import now_of

    return lambda: now_of(request)


def number(request: Request, name: str) -> int | None:
    """A number of tokens among the options. Raises UsageError `bad_number`."""
    text = request.options.get(name)
    if text is None:
        return None
    if not text.isascii() or not text.isdigit():
        message = f"--{name} takes a number of tokens and not {text!r}"
        raise UsageError(message, reason="bad_number", hint=f"--{name} 20000")
    return int(text)


def _packed(prefix: Prefix, tools: tuple[Tool, ...]) -> Packed:
    return Packed(
        prefix.scenario,
        prefix.system,
        prefix.tail,
        tools,
        prefix.system_tokens,
        prefix.tool_tokens,
        prefix.warnings,
    )


def _model_at(request: Request) -> tuple[str, str]:
    """The address and the model. Raises UsageError `no_url`, `no_model`."""
    url = request.options.get("url") or request.environ.get(_URL, "")
    model = request.options.get("model") or request.environ.get(_MODEL, "")
    if not url:
        hint = f"--url https://.../v1, or {_URL} in the environment"
        raise UsageError("no provider is named", reason="no_url", hint=hint)
    if not model:
        raise UsageError("no model is named", reason="no_model", hint=f"--model NAME, or {_MODEL}")
    return url, model


def _told_apart(request: Request) -> str:
    """What stands in events, which may be committed, for the model and an address that may be internal."""
    import hashlib

    url, model = _model_at(request)
    return hashlib.sha256(f"{url.rstrip('/')}\0{model}".encode()).hexdigest()[:12]


def _key(request: Request) -> str:
    """The key itself stands in the environment alone, never on a command line. Raises UsageError `no_key`."""
    name = request.options.get(_KEY)
    if name is None:
        return ""
    key = request.environ.get(name, "").strip()
    if not key or not key.isascii() or not key.isprintable():
        message = f"the environment has no usable key under {name!r}"
        raise UsageError(message, reason="no_key", hint="--key-env names a variable that holds the key")
    return key


def _within(request: Request, task: str) -> Request:
    """The request that tools run with.

    Verbs that are about the running task find it in the environment; the key is not there, under any name.
    """
    key = request.environ.get(request.options.get(_KEY, ""), "").strip()
    environ = {name: value for name, value in request.environ.items() if not _shows(value, key)}
    return request._replace(environ={**environ, "GSD_TASK": task} if task else environ)


def _shows(value: str, key: str) -> bool:
    """Whether a variable is the key or holds it; a word of few letters is found in anything."""
    return bool(key) and (value.strip() == key or (len(key) >= _TELLING and key in value))
