"""`gsd-install doctor --live`: which runtimes are really on this machine, and what have they loaded?

A file that is where it belongs is not yet one that its host takes. Each host that can be asked is given a
copy of what the ledger says is its, in a home of its own that is deleted afterwards: no file of the user's is
touched, none of their settings, accounts and hooks takes part.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping

from gsd_install.apply.copying import copy
from gsd_install.apply.ledger import path_of
from gsd_install.cli import listening
from gsd_install.cli.context import Context
from gsd_install.emit.target import Target, target
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.plugins import Plugins
from gsd_install.runtime.model import Ask, Place, Runtime
from gsd_install.runtime.platform import Platform

if TYPE_CHECKING:
    from typing import Any

Names = dict[str, dict[str, str]]


class Live(NamedTuple):
    """One runtime. `program` is empty where it is not on PATH; `asked` whether it was asked what it has
    loaded, and `problem` is what kept it from answering.

    `loaded` counts by kind what is both installed and listed; `missing` are the files that are not listed;
    `unasked` are the kinds of what is installed that it has no way to be asked about.
    """

    runtime: str
    program: str
    installed: bool
    asked: bool = False
    loaded: Mapping[str, int] = {}
    missing: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    problem: str = ""

    @property
    def ok(self) -> bool:
        """Whether there is nothing to complain of."""
        return not self.missing and not self.problem

    def as_data(self) -> dict[str, Any]:
        """For scripts."""
        return self._asdict() | {"ok": self.ok, "loaded": dict(self.loaded)}

    @property
    def message(self) -> str:
        """The same as a sentence."""
        if not self.program:
            return "it is installed for, and its program is not on PATH"
        if not self.installed:
            return f"{self.program} is here, and nothing is installed for it"
        if self.problem:
            return f"{self.program} could not be asked: {self.problem}"
        if not self.asked:
            return f"{self.program} is here, and has no way to be asked what it has loaded"
        if self.missing:
            return f"installed and not loaded: {', '.join(self.missing)}"
        loaded = ", ".join(f"{count} of kind {kind}" for kind, count in sorted(self.loaded.items()))
        unasked = f"; not asked about: {', '.join(self.unasked)}" if self.unasked else ""
        return f"{self.program} has loaded {loaded}{unasked}"


def look(here: Context, plugins: Plugins) -> Iterator[Live]:
    """Ask the runtimes of the global scope that are installed for, or whose program is on this machine."""
    owners = {key.partition(":")[0] for key in here.units}
    for name in plugins.ids():
        try:
            runtime = plugins.get(name).runtime
        except GsdError:
            continue  # doctor names it with the reason
        program = _program(runtime, here.platform)
        if name in owners and program and runtime.asks:
            yield _asked(here, runtime, program)
        elif name in owners or program:
            yield Live(name, program, name in owners)


def _program(runtime: Runtime, platform: Platform) -> str:
    path = platform.variable("PATH")
    marks = [mark for mark in runtime.detect if not mark.startswith("~/")]
    found = (shutil.which(mark, path=path) for mark in marks if path)
    return next(filter(None, found), "")


def _asked(here: Context, runtime: Runtime, program: str) -> Live:
    import tempfile

    real = _target(here, runtime)
    expected = _expected(here, real)
    with tempfile.TemporaryDirectory(prefix="gsd-live-", ignore_cleanup_errors=True) as home:
        copy(_copies(here, real, home))
        listed, problem = _listed(runtime, program, os.path.realpath(home))
    kinds = {kind for ask in runtime.asks for kind in ask.kinds}
    loaded: dict[str, int] = {}
    missing: list[str] = []
    for kind in sorted(expected.keys() & kinds):
        lost = [path for name, path in expected[kind].items() if name not in listed.get(kind, ())]
        loaded[kind] = len(expected[kind]) - len(lost)
        missing += [] if problem else sorted(here.spell(path) for path in lost)
    unasked = tuple(sorted(expected.keys() - kinds))
    return Live(
        runtime.id,
        program,
        installed=True,
        asked=True,
        loaded=loaded,
        missing=tuple(missing),
        unasked=unasked,
        problem=problem,
    )


def _target(here: Context, runtime: Runtime) -> Target:
    records = (record for key, record in here.units.items() if key.partition(":")[0] == runtime.id)
    configured = next(filter(None, (record.get("config_dir") for record in records)), None)
    root, payload = here.location.root, here.location.payload
    return target(runtime, "global", here.platform, base=root, payload=payload, config_dir=configured)


def _files(here: Context, real: Target) -> Iterator[str]:
    """The paths of what the ledger says its host reads, less what the user deleted on purpose.

    Beside what is its own that is what was placed for another host in a directory that it reads too.
    """
    shared = [path.partition("{name}") for path in real.cross_read("{name}")]
    for key, owned in here.ledger.files.items():
        path = path_of(here.location, key)
        mine = any(owner.partition(":")[0] == real.runtime.id for owner in owned.owners)
        if not owned.deleted and (mine or any(_between(path, *parts) for parts in shared)):
            yield path


def _between(path: str, before: str, _: str, after: str) -> str:
    """What stands for the name in a path; empty where the path does not fit the pattern or lies deeper."""
    name = path[len(before) : len(path) - len(after)]
    fits = path.startswith(before) and path.endswith(after) and os.sep not in name
    return name if fits else ""


def _expected(here: Context, real: Target) -> Names:
    """Kind, name and path of each file that its host should list, in its own places or those it reads too."""
    patterns = [(place.kind, real.resolve(place.path)) for place in real.runtime.places if _global(place)]
    patterns += [("skill", path) for path in real.cross_read("{name}")]
    expected: Names = {}
    for path in _files(here, real):
        for kind, pattern in patterns:
            name = _between(path, *pattern.partition("{name}"))
            if name:
                expected.setdefault(kind, {})[name] = path
                break
    return expected


def _global(place: Place) -> bool:
    return place.scope in (None, "global")


def _copies(here: Context, real: Target, home: str) -> Iterator[tuple[str, str]]:
    """Each file installed for a runtime, and where its host looks for it by default in another home."""
    there = real.platform._replace(home=home, env={}, cwd=home)
    copied = target(real.runtime, "global", there, base=home, payload=os.path.join(home, ".gsd"))
    for path in _files(here, real):
        for old, new in ((real.own, copied.own), (real.base, home)):
            if path.startswith(old.rstrip(os.sep) + os.sep) and os.path.isfile(path):
                yield path, os.path.join(new, os.path.relpath(path, old))
                break


def _listed(runtime: Runtime, program: str, home: str) -> tuple[dict[str, frozenset[str]], str]:
    """The names a host lists by kind; and what kept it from answering, where something did."""
    listed: dict[str, frozenset[str]] = {}
    for asks in _runs(runtime.asks):
        heard = listening.heard(program, asks, home, seconds=listening.SECONDS)
        for ask in asks:
            names = listening.names(ask, heard.text)
            if not names and heard.problem:
                return listed, heard.problem
            for kind in ask.kinds:
                listed[kind] = listed.get(kind, frozenset()) | names
    return listed, ""


def _runs(asks: tuple[Ask, ...]) -> list[list[Ask]]:
    """Asks that one run of the host answers together."""
    runs: list[list[Ask]] = []
    for ask in asks:
        for run in runs:
            if (run[0].words, run[0].said, run[0].environ) == (ask.words, ask.said, ask.environ):
                run.append(ask)
                break
        else:
            runs.append([ask])
    return runs
