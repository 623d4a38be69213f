"""`gsd-tools prefix show`, `prefix check` and `prefix log`: what prompts of our own agent begin with."""

from __future__ import annotations

from gsd_capabilities.companion.request import Faulty, Verb
from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request
    from gsd_capabilities.prefix.build import Prefix
    from gsd_capabilities.prefix.sources import Sources


def _show(request: Request) -> object:
    """The prefix of a scenario by section, with `--text` its system text and its tail; its size is logged."""
    from gsd_capabilities.companion.project import find
    from gsd_capabilities.prefix import report
    from gsd_capabilities.work.clock import who_of

    if len(request.words) != 1:
        raise UsageError("name one scenario", reason="usage", hint=VERBS["prefix show"].usage)
    project = find(request.cwd)
    sources = _sources(request, project)
    made = _built(sources, request.words[0])
    report.record(project, made, who=who_of(request), now=sources.now)
    if "text" in request.options:
        return f"{made.system}\n\n{made.tail}\n"
    return report.told(made)


def _check(request: Request) -> object:
    """Whether the prefix of every scenario holds the limit of its pack, with all tools that our agent has."""
    from gsd_capabilities.companion.project import find
    from gsd_capabilities.packs.scenarios import SCENARIOS
    from gsd_capabilities.prefix.report import contract

    _no_words(request, "prefix check")
    sources = _sources(request, find(request.cwd))
    answer = contract(_built(sources, scenario) for scenario in SCENARIOS)
    return answer if answer["holds"] else Faulty(answer)


def _log(request: Request) -> object:
    """The sizes that were measured in this project, by `prefix show` and by calls of the agent."""
    from gsd_capabilities.companion.project import find
    from gsd_capabilities.prefix.report import measured

    _no_words(request, "prefix log")
    return {"measured": list(measured(find(request.cwd)))}


def _no_words(request: Request, verb: str) -> None:
    if request.words:
        raise UsageError(f"unexpected {request.words[0]!r}", reason="usage", hint=VERBS[verb].usage)


def _built(sources: Sources, scenario: str) -> Prefix:
    from gsd_capabilities.packs.discovery import State
    from gsd_capabilities.packs.offer import offered
    from gsd_capabilities.packs.select import live
    from gsd_capabilities.prefix.build import build

    tools = offered(allow_shell=True)
    return build(sources, scenario, live(scenario, tools, State(), manager=sources.manager))


def _sources(request: Request, project: Project) -> Sources:
    from gsd_capabilities.prefix.gather import asked
    from gsd_capabilities.work.clock import now_of

    return asked(request, project, now=now_of(request))


_VALUES = frozenset({"as", "at", "context"})

VERBS: Mapping[str, Verb] = {
    "prefix show": Verb(
        _show,
        "prefix show SCENARIO [--as NAME] [--manager] [--at TIME] [--context FILE] [--text]",
        values=_VALUES,
        flags=frozenset({"manager", "text"}),
    ),
    "prefix check": Verb(
        _check,
        "prefix check [--as NAME] [--manager] [--at TIME] [--context FILE]",
        values=_VALUES,
        flags=frozenset({"manager"}),
    ),
    "prefix log": Verb(_log, "prefix log"),
}
