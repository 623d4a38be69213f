"""`gsd-tools context build` and `gsd-tools context report`."""

from __future__ import annotations

import os

from gsd_capabilities.companion.request import Verb
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.config import Config
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request
    from gsd_capabilities.context.disclosure import Rule
    from gsd_capabilities.context.engine import Counters, Order, Sources
    from gsd_capabilities.context.monitor import Monitor
    from gsd_capabilities.context.providers import Providers
    from gsd_capabilities.context.settings import Settings


def _build(request: Request) -> object:
    """The context as text; with `--explain` the report and the text."""
    from gsd_capabilities.context.engine import build

    project, settings = _settled(request)
    sources = _sources(request, project, settings)
    built = build(_order(request), sources, settings, _counters(request))
    if "explain" not in request.options:
        return built.text
    return {"report": built.report.told(), "text": built.text}


def _report(request: Request) -> object:
    """Pools, use and projection of the context that `context build` would start from."""
    from gsd_capabilities.context.engine import survey

    project, settings = _settled(request)
    sources = _sources(request, project, settings)
    found = survey(_order(request), sources, settings, _counters(request))
    return {**found.told(), "projection": _projection(sources.monitor, settings)}


def _projection(monitor: Monitor | None, settings: Settings) -> object:
    if monitor is None:
        return None
    return {
        "initial": monitor.initial,
        "used": monitor.used,
        "current_round": monitor.current_round,
        "remaining": monitor.remaining,
        "growth": round(monitor.growth, 1),
        "projected_rounds": monitor.projected_rounds,
        "compaction_due": monitor.compaction_due,
        "level": monitor.level(settings.max_tokens),
    }


def _settled(request: Request) -> tuple[Project, Settings]:
    """The project and its settings, those of the call on top."""
    from gsd_capabilities.companion import config, project
    from gsd_capabilities.context.settings import checked, windowed

    if request.words:
        raise UsageError(
            f"unexpected {request.words[0]!r}", reason="usage", hint=VERBS["context build"].usage
        )
    found = project.find(request.cwd)
    given = _configured(config.resolve(found, request.environ))
    window, reserve = _number(request, "max-tokens"), _number(request, "reserve-tokens")
    return found, checked(windowed(given, window, reserve))


def _configured(config: Config) -> Settings:
    from gsd_capabilities.context.settings import Settings

    default = config.source("context.soft_limit_tokens") == "default"
    pools = config.get("context.pools")
    made = Settings(
        max_tokens=_whole(config, "max_tokens"),
        reserve_tokens=_whole(config, "reserve_tokens"),
        soft_limit=None if default else _whole(config, "soft_limit_tokens"),
        history_rounds=_whole(config, "history_rounds"),
        diff_lines=_whole(config, "diff_lines"),
    )
    return made._replace(pools=pools) if isinstance(pools, dict) else made


def _whole(config: Config, name: str) -> int:
    """A number among the settings; their schema has checked it."""
    return int(str(config.get(f"context.{name}")))


def _order(request: Request) -> Order:
    from gsd_capabilities.context.engine import Order

    options = request.options
    return Order(
        mode=options.get("mode", "dev"),
        template=_template(request, options.get("template", "full")),
        request=_text(request, "request"),
        output=_text(request, "output-instructions"),
        core=_names(options.get("core", "")),
        project=_names(options.get("ref", "")),
        session=_names(options.get("session-ref", "")),
        rules=_rules(request, options.get("rules", "")),
        step=options.get("step", ""),
        compact="compact" in options,
    )


def _sources(request: Request, project: Project, settings: Settings) -> Sources:
    from gsd_capabilities.context.engine import Sources
    from gsd_capabilities.context.providers import standard
    from gsd_capabilities.context.references import Loader, Roots

    session = request.options.get("session", "")
    state = standard(
        project.root,
        project.planning,
        session=os.path.join(request.cwd, session) if session else "",
        tree="tree" in request.options,
    )
    for name in _names(request.options.get("without", "")):
        state = _without(state, name)
    loader = Loader(Roots(project.planning, _bundled(request)), url_bytes=settings.url_bytes)
    return Sources(loader, state, _monitor(request, settings))


def _without(state: Providers, name: str) -> Providers:
    """The sources without one of them."""
    left = {
        "plan": state._replace(plan=None),
        "session": state._replace(session=None),
        "git": state._replace(git=None),
        "environment": state._replace(environment=None),
    }
    if name not in left:
        raise UsageError(
            f"unknown source {name!r}", reason="unknown_source", hint=f"one of {', '.join(left)}"
        )
    return left[name]


def _bundled(request: Request) -> str:
    """The references that were installed; empty where nothing is."""
    from gsd_capabilities.companion import payload

    try:
        installed = payload.contents(payload.root(request.payload, request.cwd, request.environ))
    except GsdError as error:
        if error.reason != "no_payload":
            raise
        return ""
    return next(
        (path for one in installed if os.path.isdir(path := os.path.join(one.root, one.id, "references"))), ""
    )


def _monitor(request: Request, settings: Settings) -> Monitor | None:
    from gsd_capabilities.context.monitor import watched

    seen = _names(request.options.get("used", ""))
    if not seen:
        return None
    if not all(word.isascii() and word.isdecimal() for word in seen):
        raise UsageError("--used takes numbers of tokens", reason="usage", hint="--used 12000,15000,19000")
    return watched(settings.available, map(int, seen))


def _counters(request: Request) -> Counters:
    from gsd_capabilities.context.engine import Counters
    from gsd_install.kernel.measure import estimated

    return Counters(estimated(request.options.get("family", "openai")))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))


def _number(request: Request, name: str) -> int | None:
    text = request.options.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal()):
        raise UsageError(f"--{name} is {text!r}", reason="usage", hint="a whole number of tokens")
    return int(text)


def _text(request: Request, name: str) -> str | None:
    """The text of an option: as it stands, `@FILE`, or `-` for standard input."""
    text = request.options.get(name)
    if text is None:
        return None
    if text == "-":
        return _decoded(request.stdin(), "standard input")
    if text.startswith("@") and " " not in text:
        return _decoded(_read(request, text[1:]), text[1:])
    return text


def _read(request: Request, name: str) -> bytes:
    try:
        with open(os.path.join(request.cwd, name), "rb") as file:
            return file.read()
    except OSError as error:
        message, hint = f"cannot be read: {error.strerror}", f"names of files are relative to {request.cwd}"
        raise GsdError(message, reason="unreadable", file=name, hint=hint) from error


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GsdError(
            "the text is not UTF-8", reason="not_text", file=name, hint="save it as UTF-8"
        ) from error


def _template(request: Request, name: str) -> str:
    """A known name stays; a path is relative to the folder of the call."""
    from gsd_capabilities.context.templates import TEMPLATES

    return name if name in TEMPLATES else os.path.join(request.cwd, name)


_RULES = 'write [{"when": "mode:review", "load": "checklist.md"}]'


def _rules(request: Request, name: str) -> tuple[Rule, ...]:
    import json

    from gsd_capabilities.context.disclosure import rules

    if not name:
        return ()
    try:
        found = json.loads(_decoded(_read(request, name), name))
    except ValueError as error:
        message = f"the rules are not JSON: {error}"
        raise GsdError(message, reason="bad_rules", file=name, hint=_RULES) from error
    if not isinstance(found, list):
        raise GsdError("the rules are no list", reason="bad_rules", file=name, hint=_RULES)
    return rules(found, file=name)


_VALUES = frozenset(
    {
        "mode", "template", "request", "output-instructions", "max-tokens", "reserve-tokens", "core", "ref",
        "session-ref", "rules", "step", "session", "without", "used", "family",
    }
)  # fmt: skip
_FLAGS = frozenset({"compact", "tree"})
_USAGE = (
    "[--mode dev|research|review] [--template full|lean|PATH] [--request TEXT|@FILE|-] "
    "[--output-instructions TEXT|@FILE|-] [--max-tokens N] [--reserve-tokens N] [--core NAMES] [--ref NAMES] "
    "[--session-ref NAMES] [--rules FILE] [--step NAME] [--session FILE] [--without NAMES] [--tree] "
    "[--used TOKENS,TOKENS] [--family openai|claude|claude-4.7] [--compact]"
)

VERBS: Mapping[str, Verb] = {
    "context build": Verb(_build, f"context build {_USAGE} [--explain]", _VALUES, _FLAGS | {"explain"}),
    "context report": Verb(_report, f"context report {_USAGE}", _VALUES, _FLAGS),
}
