"""`gsd-tools context build` and `gsd-tools context report`."""

from __future__ import annotations

import os

from gsd_capabilities.companion.request import Printed, Verb, file_of
from gsd_capabilities.context.wiring import names
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.request import Request
    from gsd_capabilities.context.disclosure import Rule
    from gsd_capabilities.context.engine import Order
    from gsd_capabilities.context.monitor import Monitor
    from gsd_capabilities.context.settings import Settings
    from gsd_capabilities.context.wiring import SetUp


def _build(request: Request) -> object:
    """The context as text; with `--explain` the report and the text."""
    from gsd_capabilities.context import wiring
    from gsd_capabilities.context.engine import build

    set_up = _set_up(request)
    sources = wiring.sources(request, set_up)
    built = build(_order(request), sources, set_up.settings, wiring.counters(_family(request)))
    if "explain" in request.options:
        return {"report": {**built.report.told(), "unknown_settings": set_up.unknown}, "text": built.text}
    return Printed(built.text.encode(errors="surrogateescape"), set_up.notes)


def _report(request: Request) -> object:
    """Pools, use and projection of the context that `context build` would start from.

    Bars in a terminal, JSON everywhere else and with `--json`.
    """
    from gsd_capabilities.context import wiring
    from gsd_capabilities.context.bars import drawn
    from gsd_capabilities.context.engine import survey

    set_up = _set_up(request)
    sources = wiring.sources(request, set_up)
    found = survey(_order(request), sources, set_up.settings, wiring.counters(_family(request)))
    projection = _projection(sources.monitor, set_up.settings)
    if request.terminal and "json" not in request.options:
        return Printed(drawn(found, sources.monitor).encode(), set_up.notes)
    return {**found.told(), "projection": projection, "unknown_settings": set_up.unknown}


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


def _set_up(request: Request) -> SetUp:
    """The project and its settings, those of the call on top."""
    from gsd_capabilities.context.settings import checked, windowed
    from gsd_capabilities.context.wiring import set_up

    if request.words:
        raise UsageError(
            f"unexpected {request.words[0]!r}", reason="usage", hint=VERBS["context build"].usage
        )
    found = set_up(request)
    window, reserve = _number(request, "max-tokens"), _number(request, "reserve-tokens")
    return found._replace(settings=checked(windowed(found.settings, window, reserve)))


def _family(request: Request) -> str:
    return request.options.get("family", "openai")


def _order(request: Request) -> Order:
    from gsd_capabilities.context.engine import Order

    options = request.options
    return Order(
        mode=options.get("mode", "dev"),
        template=_template(request, options.get("template", "full")),
        request=_text(request, "request"),
        output=_text(request, "output-instructions"),
        core=names(options.get("core", "")),
        project=names(options.get("ref", "")),
        session=names(options.get("session-ref", "")),
        rules=_rules(request, options.get("rules", "")),
        step=options.get("step", ""),
        compact="compact" in options,
    )


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
        return _decoded(file_of(request, text[1:]), text[1:])
    return text


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
        found = json.loads(_decoded(file_of(request, name), name))
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
    "context report": Verb(_report, f"context report {_USAGE} [--json]", _VALUES, _FLAGS | {"json"}),
}
