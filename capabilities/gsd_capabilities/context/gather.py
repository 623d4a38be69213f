"""The first four stages: resolve, load, inject, render. Gathers everything that disclosure lets in."""

from __future__ import annotations

from gsd_capabilities.context import disclosure, history
from gsd_capabilities.context.disclosure import Facts
from gsd_capabilities.context.sections import KEYS, section
from gsd_capabilities.context.settings import checked
from gsd_capabilities.context.template import Node, parsed
from gsd_capabilities.context.templates import mode, template
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gsd_capabilities.context.disclosure import Rule
    from gsd_capabilities.context.git import Changes
    from gsd_capabilities.context.history import Message
    from gsd_capabilities.context.monitor import Monitor
    from gsd_capabilities.context.plan import Plan
    from gsd_capabilities.context.providers import Providers
    from gsd_capabilities.context.references import Loader
    from gsd_capabilities.context.sections import Section
    from gsd_capabilities.context.settings import Settings


class Order(NamedTuple):
    """What is asked for; `request` and `output` are None where there is none.

    `core`, `project` and `session` name references of the three groups, `rules` add to them on a trigger.
    `extra` are ready sections.
    """

    mode: str = "dev"
    template: str = "full"
    request: str | None = None
    output: str | None = None
    core: tuple[str, ...] = ()
    project: tuple[str, ...] = ()
    session: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    step: str = ""
    compact: bool = False
    extra: tuple[Section, ...] = ()


class Sources(NamedTuple):
    """Where everything comes from.

    With a `monitor` whose projection is too short the history is compacted before there is need.
    """

    loader: Loader
    providers: Providers
    monitor: Monitor | None = None

    @property
    def compaction_due(self) -> bool:
        return self.monitor is not None and self.monitor.compaction_due


class Gathered(NamedTuple):
    """A template and the sections for it, none of them empty; `absent` says which source gave none, and why.

    `stages` are those it went through, in order.
    """

    order: Order
    nodes: Sequence[Node]
    sections: Sequence[Section]
    absent: Mapping[str, str]
    compacted: bool
    stages: tuple[str, ...]


class _State(NamedTuple):
    plan: Plan | None
    session: list[Message] | None
    git: Changes | None


def gathered(order: Order, sources: Sources, settings: Settings) -> Gathered:
    """Everything that an order lets in.

    Raises GsdError for settings, templates, rules or references that make no sense.
    """
    stages = ["resolve"]
    checked(settings)
    nodes = _resolved(order)
    state = _observed(sources.providers, settings)
    stages.append("load")
    references = _loaded(order, sources.loader, state)
    stages.append("inject")
    added = _injected(order, sources, settings, state)
    absent = _absent(sources.providers, state, {one.role for one in [*references, *added]})
    sections = [one for one in [*references, *added, *order.extra] if one.text]
    return Gathered(order, nodes, sections, absent, sources.compaction_due, tuple(stages))


def _resolved(order: Order) -> tuple[Node, ...]:
    """The template, wrapped in its mode."""
    around = mode(order.mode)
    text, file = template(order.template)
    return (Node("literal", around.head), *parsed(text, KEYS, file=file), Node("literal", around.foot))


def _observed(providers: Providers, settings: Settings) -> _State:
    """Read what disclosure may ask about; nothing is part of the context yet."""
    return _State(
        providers.plan() if providers.plan else None,
        providers.session() if providers.session else None,
        providers.git(settings.diff_lines) if providers.git else None,
    )


def _loaded(order: Order, loader: Loader, state: _State) -> list[Section]:
    """The references of the three groups and those that were disclosed, each once."""
    facts = Facts(
        order.mode,
        order.step,
        state.plan.tags if state.plan else frozenset(),
        state.git.paths if state.git else (),
        order.request or "",
    )
    disclosed = disclosure.disclosed(order.rules, facts)
    groups = (("core", order.core), ("project", order.project), ("session", (*order.session, *disclosed)))
    found: dict[str, Section] = {}
    for role, names in groups:
        for one in loader.sections(names, role):
            found.setdefault(one.id, one)
    return list(found.values())


def _injected(order: Order, sources: Sources, settings: Settings, state: _State) -> list[Section]:
    """The sections of the state, the request and the output instructions."""
    providers = sources.providers
    talk = history.sections(
        state.session or (),
        providers.session_name,
        whole=settings.history_rounds,
        kept=settings.kept_rounds,
        compact=sources.compaction_due,
    )
    others = (
        state.git.section if state.git else None,
        providers.tree() if providers.tree else None,
        providers.environment() if providers.environment else None,
    )
    given = (("request", order.request), ("output", order.output))
    return [
        *(state.plan.sections if state.plan else ()),
        *talk,
        *(one for one in others if one),
        *(section(role, role, text) for role, text in given if text),
    ]


def _absent(providers: Providers, state: _State, there: set[str]) -> dict[str, str]:
    """Why a source gave no section, by role."""
    off = "switched off"
    why = {
        "core": "none named",
        "plan": "no plan of a current phase" if providers.plan else off,
        "history": "no session log" if providers.session else off,
        "git": state.git.absent if state.git else off,
        "tree": "no files" if providers.tree else off,
        "environment": off,
        "request": "none given",
        "output": "none given",
    }
    return {role: reason for role, reason in why.items() if role not in there}
