"""The verb of `gsd-tools` for loop points: what capabilities add there.

    gsd-tools loop plan:pre 3            steps in order, texts for briefs, and gates as things stand
    gsd-tools loop ship:pre 3 --gates    the gates alone, once the steps are done

A gate that is declared blocking and does not hold ends the command with exit code 1: at once where no step
is active, for a step may be what makes it hold, and always with `--gates`.
"""

from __future__ import annotations

import os

from gsd_capabilities.companion import config as settings
from gsd_capabilities.companion import facts, features, gates, payload, phases
from gsd_capabilities.companion import project as projects
from gsd_capabilities.companion.request import Printed, Verb
from gsd_capabilities.companion.roadmap import FILE as ROADMAP
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.points import POINTS
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gsd_capabilities.companion.features import Hook, Installed
    from gsd_capabilities.companion.gates import Judged
    from gsd_capabilities.companion.request import Request

_STOP = "stop here and tell the person"


class Step(NamedTuple):
    """Something to do: `kind` and `name` say by whom, `read` or `text` how."""

    capability: str
    title: str
    id: str
    kind: str
    name: str
    read: str
    text: str
    produces: tuple[str, ...]
    consumes: tuple[str, ...]
    on_error: str


class Contribution(NamedTuple):
    """A text for the brief of `into`: what stands at `read`, or else `text`."""

    capability: str
    into: str
    read: str
    text: str


class Found(NamedTuple):
    """What is active at a point; `phase` is empty where none is known.

    `launcher` starts this command, and `shown` is how the installed texts write the payload `root`.
    """

    point: str
    phase: str
    steps: tuple[Step, ...]
    contributions: tuple[Contribution, ...]
    gates: tuple[Judged, ...]
    warnings: tuple[str, ...]
    root: str
    shown: str

    @property
    def launcher(self) -> str:
        """How an agent starts this command."""
        return payload.launched(self.root, self.shown)

    def spelled(self, path: str) -> str:
        """A path of the payload as the installed texts write it, which is what hosts are told to allow."""
        inside = path.startswith(os.path.join(self.root, ""))
        return self.shown + path[len(self.root) :].replace(os.sep, "/") if inside else path


def loop(request: Request) -> object:
    """Answer for one point. Raises UsageError `unknown_point`, GsdError `gate_blocked` or `gate_error`."""
    found = find(request)
    only_gates = "gates" in request.options
    if only_gates or not found.steps:
        gates.require(found.point, found.gates)
    if only_gates:
        found = found._replace(steps=(), contributions=())
    if "json" in request.options:
        return _as_data(found)
    return Printed("\n".join(_lines(found)).encode() + b"\n", found.warnings)


def find(request: Request) -> Found:
    """What is active. Raises UsageError for the words, and GsdError where nobody can say what is.

    Also GsdError `unknown_phase` for one that the roadmap lacks.
    """
    point, phase = _words(request)
    root = payload.root(request.payload, request.cwd, request.environ)
    contents = payload.contents(root)
    damaged = next((content.problem for content in contents if content.table is None), "")
    if damaged:
        raise GsdError(damaged, reason="bad_manifest", hint="install again: gsd-install upgrade")
    installed = tuple(item for content in contents for item in features.in_content(content))
    schema = features.schema(installed)
    project = projects.find(request.cwd)
    config = settings.resolve(project, request.environ, schema=schema)
    if phase and os.path.isfile(project.path(ROADMAP)):
        phases.phase(project, phase)  # a number that nobody planned is a slip
    phase = phase or facts.current(project) or ""
    host = payload.host(root, request.runtime)
    warnings = list(features.problems(installed))
    steps = (_step(hook, host, warnings) for hook in features.hooks(installed, features.STEPS, point, config))
    added = (
        _contribution(hook, warnings)
        for hook in features.hooks(installed, features.CONTRIBUTIONS, point, config)
    )
    checked = features.hooks(installed, features.GATES, point, config)
    judged = tuple(gates.judge(hook, phase, request) for hook in checked)
    return Found(
        point,
        phase,
        tuple(step for step in steps if step),
        tuple(item for item in added if item),
        judged,
        (*warnings, *filter(None, map(gates.warning, judged))),
        root,
        shown_root(root, request.cwd, request.environ),
    )


def _words(request: Request) -> tuple[str, str]:
    from gsd_capabilities.companion import roadmap

    if not 1 <= len(request.words) <= 2:
        raise UsageError("wrong number of arguments", reason="usage", hint=f"gsd-tools {_USAGE}")
    point, *phase = request.words
    if point not in POINTS:
        raise UsageError(
            f"there is no loop point {point!r}",
            reason="unknown_point",
            hint=f"there are {', '.join(POINTS)}",
        )
    return point, roadmap.number_of(phase[0]) if phase else ""


def _step(hook: Hook, host: Mapping[str, str] | None, warnings: list[str]) -> Step | None:
    capability, row = hook
    read = _path(capability, row.get("read", ""))
    if not _readable(read):
        what = f"the step {row['id']!r} of the capability {capability.id!r} cannot be done: {read} is gone"
        if row["on_error"] == "halt":
            raise GsdError(what, reason="hook_failed", file=read, hint="install again: gsd-install upgrade")
        warnings.append(f"{what}; it is skipped")
        return None
    name = row["name"]
    if row["kind"] == "command":
        name = host["invoke"].replace("{name}", name) if host else row["target"]
    return Step(
        capability.id,
        capability.title,
        row["id"],
        row["kind"],
        name,
        read,
        row.get("text", ""),
        tuple(row["produces"]),
        tuple(row["consumes"]),
        row["on_error"],
    )


def _contribution(hook: Hook, warnings: list[str]) -> Contribution | None:
    capability, row = hook
    read = _path(capability, row.get("read", ""))
    if not _readable(read):
        warnings.append(
            f"what the capability {capability.id!r} adds to {row['into']} is skipped: {read} is gone"
        )
        return None
    return Contribution(capability.id, row["into"], read, row.get("text", ""))


def _path(capability: Installed, read: str) -> str:
    return capability.path(read) if read else ""


def shown_root(root: str, cwd: str, environ: Mapping[str, str]) -> str:
    """The payload root as an agent writes it: a relative one leads nowhere from below the project's root."""
    shown = payload.spelled(root, environ)
    relative = not shown.startswith("~") and not os.path.isabs(shown)
    return root if relative and os.path.abspath(cwd) != os.path.dirname(root) else shown


def _readable(path: str) -> bool:
    return not path or os.path.isfile(path)


def _as_data(found: Found) -> dict[str, object]:
    return {
        "point": found.point,
        "phase": found.phase or None,
        "steps": [_filled(step) for step in found.steps],
        "contributions": [_filled(item) for item in found.contributions],
        "gates": [gate._asdict() for gate in found.gates],
        "warnings": list(found.warnings),
    }


def _filled(row: Step | Contribution) -> dict[str, object]:
    """The fields of a hook, less the one of `read` and `text` that is empty."""
    return {name: value for name, value in row._asdict().items() if value or name not in ("read", "text")}


def _lines(found: Found) -> Iterator[str]:
    at = f"{found.point}, phase {found.phase}" if found.phase else found.point
    if not (found.steps or found.contributions or found.gates):
        yield f"Nothing to do at {at}."
        return
    yield f"# At {at}"
    if found.steps:
        yield from ("", "## Steps, one after the other", "")
        for number, step in enumerate(found.steps, 1):
            yield from _step_lines(number, step, found)
    if found.contributions:
        yield from ("", "## Texts for briefs")
        for item in found.contributions:
            yield from ("", f"Into the brief of {item.into} ({item.capability}):", "")
            yield f"read {found.spelled(item.read)} before anything else" if item.read else item.text
    if found.gates:
        yield from ("", "## Gates", "")
        yield from map(gates.line, found.gates)
    if found.steps and any(gate.blocking for gate in found.gates):
        words = " ".join(filter(None, (found.point, found.phase)))
        again = f"{found.launcher} loop {words} --gates"
        yield from ("", f"When the steps are done, run `{again}`: if it fails, {_STOP}.")


def _step_lines(number: int, step: Step, found: Found) -> Iterator[str]:
    doing = {"agent": "dispatch the agent", "skill": "use the skill", "command": "run the command"}[step.kind]
    yield f"{number}. {step.id} ({step.title}): {doing} {step.name}."
    yield f"   {f'How: read {found.spelled(step.read)} and follow it.' if step.read else step.text}"
    if step.consumes:
        yield f"   It reads {', '.join(step.consumes)}."
    if step.produces:
        yield f"   It writes {', '.join(step.produces)}."
    yield f"   If it fails, {_STOP}." if step.on_error == "halt" else "   If it fails, say so and go on."


_USAGE = "loop POINT [PHASE] [--gates] [--json]"

VERBS: Mapping[str, Verb] = {"loop": Verb(loop, _USAGE, flags=frozenset({"gates", "json"}))}
