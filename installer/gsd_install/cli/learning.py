"""What the verb `skills` stands on: the project, what it learned, and how that reaches its runtimes."""

from __future__ import annotations

import argparse
import os
import time

from gsd_install.apply.ledger import load
from gsd_install.apply.location import global_location, project_location, target_at
from gsd_install.cli.changes import Asked, carry_out
from gsd_install.cli.context import Context
from gsd_install.cli.result import Result
from gsd_install.cli.where import platform_of
from gsd_install.contents import open_contents
from gsd_install.emit.places import place_for
from gsd_install.kernel import events, learned, learned_rules
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.learned_moves import inside, settle, system_errors
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.plugins import Plugins
from gsd_install.units import Wish, unit_key

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from gsd_install.kernel.learned import Decisions, Proposal
    from gsd_install.runtime.platform import Platform

# Every learned document is of every install profile.
_WISH = Wish(profile="full")


def project(args: argparse.Namespace) -> Context:
    """The project that the current folder lies in. Raises GsdError `no_project`."""
    platform = platform_of(args)
    folder = platform.cwd
    while not os.path.isdir(learned.planning(folder)):
        parent = os.path.dirname(folder)
        if parent == folder:
            message = f"there is no {learned.PLANNING}/ here or above"
            raise GsdError(message, reason="no_project", file=platform.cwd, hint="go to a project first")
        folder = parent
    location = project_location(platform, folder)
    return Context(platform, location, load(location))


def history(here: Context) -> Decisions:
    """The last event about each proposal."""
    planning = learned.planning(here.location.root)
    with system_errors(planning):
        return learned.decisions(events.read(planning, learned.LIFE))


def waiting(here: Context) -> tuple[Proposal, ...]:
    """The proposals of the project."""
    with system_errors(learned.pending_folder(here.location.root)):
        return learned.proposals(here.location.root)


def alive(here: Context) -> tuple[Proposal, ...]:
    """What is live."""
    with system_errors(learned.live_folder(here.location.root)):
        return learned.live(here.location.root)


def note(here: Context, kind: str, found: Proposal, **data: object) -> None:
    """Write down what a person decided about a proposal. Raises GsdError `outside`, as `settle`."""
    platform = here.platform
    who = platform.variable("USER") or platform.variable("USERNAME") or ""
    data = {"digest": found.digest, "kind": found.kind, **data}
    planning = learned.planning(here.location.root)
    inside(here.location.root, os.path.dirname(events.path(planning)))
    with system_errors(planning):
        events.append(planning, events.Event(kind, found.name, who, time.time(), data))


def carried_out(here: Context, found: Proposal) -> bool:
    """Let a proposal that was approved go live; whether it did, for only the bytes that were approved do."""
    settle(here.location.root)
    live = {(one.kind, one.name): one.files for one in alive(here)}
    if found.kind == learned.SKILL:
        return live.get((learned.SKILL, found.name)) == found.files
    agents = learned_rules.documents(found.name, found.files)
    members = ((path, live.get((kind, name))) for path, kind, name in agents)
    return all(files and files["AGENT.md"].data == found.files[path].data for path, files in members)


def can_go_live(here: Context, plugins: Plugins, found: Proposal) -> None:
    """Raise GsdError, before anything is decided, for a proposal that could reach no runtime."""
    check(found)
    runtimes(here, plugins, kinds_of([found]))


def check(found: Proposal) -> None:
    """Raise GsdError for what could not be installed of a proposal, before anything is decided."""
    from gsd_install.content.parse import document

    learned_rules.check(found.name, found.files)
    for path, kind, name in learned_rules.documents(found.name, found.files):
        document(kind, name, path, found.files[path].data, file=f"{found.folder}/{path}", executable=False)


def runtimes(
    here: Context, plugins: Plugins, kinds: Collection[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The runtimes that get documents of these kinds, and a sentence for each that has no place for any.

    They are those that the project records, else those of the user's own scope. Raises GsdError
    `not_installed` where there is none, `nothing_discoverable` where none has a place.
    """
    own = _runtimes(here.units, learned_too=False)
    if not own:
        own = _runtimes(load(global_location(here.platform)).units, learned_too=False)
    found = sorted(own | _runtimes(here.units, learned_too=True))
    if not found:
        message = "no runtime is installed, in this project or in your home"
        hint = "gsd-install --runtime NAME, with --scope project for this project alone"
        raise GsdError(message, reason="not_installed", hint=hint)
    problems = {name: _problem(here, plugins, name, kinds) for name in found}
    taking = tuple(name for name, problem in problems.items() if not problem)
    sentences = tuple(f"{name} gets nothing: {problem}" for name, problem in problems.items() if problem)
    if not taking:
        hint = "install a runtime that has one: gsd-install runtimes lists them"
        raise GsdError("; ".join(sentences), reason="nothing_discoverable", hint=hint)
    return taking, sentences


def _problem(here: Context, plugins: Plugins, name: str, kinds: Collection[str]) -> str:
    """Why a runtime can take nothing of these kinds in a project, or nothing."""
    try:
        runtime = plugins.get(name).runtime
    except GsdError as error:
        return error.message
    made = target_at(here.location, runtime, _config_dir(here, name))
    if any(place_for(kind, made) for kind in kinds):
        return ""
    return f"it has no place in a project for: {', '.join(sorted(kinds))}"


def _config_dir(here: Context, name: str) -> str | None:
    """The directory of a runtime's own that another unit of the project records, if one does."""
    units = (unit for key, unit in here.units.items() if key.partition(":")[0] == name)
    return next((str(unit["config_dir"]) for unit in units if "config_dir" in unit), None)


def kinds_of(found: Iterable[Proposal]) -> set[str]:
    """The kinds of documents that proposals are made of: a team is agents."""
    return {learned.SKILL if one.kind == learned.SKILL else learned.AGENT for one in found}


def _runtimes(units: Collection[str], *, learned_too: bool) -> set[str]:
    parts = [key.partition(":") for key in units]
    return {runtime for runtime, _, content in parts if learned_too or content != learned.ID}


def sync(args: argparse.Namespace, here: Context, plugins: Plugins) -> Result:
    """Finish what was decided, then bring every runtime to what is live, as one transaction."""
    settle(here.location.root)
    ours = {key for key in here.units if key.partition(":")[2] == learned.ID}
    if not ours and not alive(here):
        return Result({"changed": False}, ("nothing is learned in this project yet",))
    return carry_out(args, here, plugins, lambda now: _asked(now, plugins))


def _asked(now: Context, plugins: Plugins) -> Asked:
    ours = {key for key in now.units if key.partition(":")[2] == learned.ID}
    live = alive(now)
    if not live:
        return Asked(removed=frozenset(ours))
    names, sentences = runtimes(now, plugins, kinds_of(live))
    [content] = open_contents([learned.live_folder(now.location.root)], now.platform)
    wishes = [(name, content, _WISH._replace(config_dir=_config_dir(now, name))) for name in names]
    wanted = {unit_key(name, content.id) for name in names}
    return Asked(wishes, frozenset(ours - wanted), sentences)


def agent_says(platform: Platform) -> str:
    """The variable that says an agent runs us, or empty.

    AI_AGENT is what hosts agreed on among themselves: those that do set it for the commands they run.
    """
    return next((name for name in ("GSD_AGENT", "AI_AGENT") if platform.variable(name)), "")
