"""The one bundle that tells a workflow what this invocation needs to know.

Paths instead of contents, switches instead of a configuration file, and which sections to read; so that no
text of a workflow has to probe the project by itself.
"""

from __future__ import annotations

import os

from gsd_capabilities.companion import facts as known
from gsd_capabilities.companion import features, payload, words
from gsd_capabilities.companion.request import Verb
from gsd_install.kernel import applicability
from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.facts import Situation
    from gsd_capabilities.companion.payload import Step, Workflow
    from gsd_capabilities.companion.request import Request
    from gsd_install.kernel.applicability import Facts

# Where something stands below the folder of the active workstream, and below the shared one.
_PLANNING = {
    "state": "STATE.md",
    "roadmap": "ROADMAP.md",
    "requirements": "REQUIREMENTS.md",
    "handoff": "HANDOFF.md",
    "milestones": "milestones",
}
_SHARED = {
    "project": "PROJECT.md",
    "config": "config.json",
    "codebase": "codebase",
    "research": "research",
}
_PHASE = {
    "spec": "SPEC",
    "context": "CONTEXT",
    "phase_research": "RESEARCH",
    "ui_spec": "UI-SPEC",
    "outline": "OUTLINE",
    "plan_review": "PLAN-REVIEW",
    "verification": "VERIFICATION",
    "uat": "UAT",
    "review": "REVIEW",
    "security": "SECURITY",
}
# Settings that other entries of the bundle speak for, or that concern the companion alone.
_ELSEWHERE = ("version", "effort", "context.", "artifacts.")


class Invocation(NamedTuple):
    """A workflow, what is going on around it, and the facts that follow."""

    workflow: Workflow
    situation: Situation
    facts: Facts


def invocation(request: Request, payload_root: str) -> Invocation:
    """Read the words of a request: a workflow, then what was typed behind its command.

    Raises UsageError `missing_workflow`, and what `payload.workflow` and `facts.situation` raise.
    """
    if not request.words:
        raise UsageError(
            "no workflow is named", reason="missing_workflow", hint="gsd-tools init plan-phase 3 --research"
        )
    workflow = payload.workflow(payload_root, request.words[0])
    typed = words.arguments(request.words[1:], workflow.id, workflow.hint, request.stdin)
    installed = features.in_content(workflow.content)
    now = known.situation(workflow.id, workflow.hint, typed, request.cwd, request.environ, installed)
    return Invocation(workflow, now, known.facts(now))


def init(request: Request) -> dict[str, object]:
    """The bundle of one invocation. Raises what `invocation` and `payload.host` raise."""
    root = payload.root(request.payload, request.cwd, request.environ)
    call = invocation(request, root)
    paths = _paths(call)
    return {
        "workflow": call.workflow.id,
        "content": call.workflow.content.id,
        "arguments": _arguments(call.situation),
        "root": call.situation.project.root,
        "paths": paths,
        "exists": {name: os.path.exists(_absolute(call, path)) for name, path in paths.items()},
        "phase": _phase(call.situation),
        "facts": _facts(call.facts),
        "config": _config(call.situation),
        "agents": _agents(call),
        "commands": _commands(call, payload.host(root, request.runtime)),
        "loop": features.active(call.situation.features, call.workflow.id, call.situation.config),
        "predicates": _predicates(call),
        "section_manifest": manifest(call),
        "problems": _problems(call),
    }


def manifest(call: Invocation) -> dict[str, object] | None:
    """Which sections this invocation includes, and the files to read for them.

    None when nobody can say which there are: then every step file is to be read. Nothing to `read` means
    that none is.
    """
    if call.workflow.steps is None:
        return None
    included = _included(call)
    excluded = [step.id for step in call.workflow.steps if step not in included]
    return {
        "workflow": call.workflow.id,
        "included": [step.id for step in included],
        "excluded": excluded,
        "read": [step.read for step in included],
    }


def _included(call: Invocation) -> list[Step]:
    return [step for step in call.workflow.steps or () if applicability.applies(step.when, call.facts)]


def _arguments(now: Situation) -> dict[str, object]:
    typed = now.arguments
    return {
        "text": typed.text,
        "words": typed.words,
        "flags": sorted(typed.flags),
        "values": typed.values,
        "missing": typed.missing,
        "unknown": typed.unknown,
    }


def _paths(call: Invocation) -> dict[str, str]:
    """Where things are or would be: relative to the project when they lie in it."""
    project, phase = call.situation.project, call.situation.phase
    found = {name: project.path(place) for name, place in _PLANNING.items()}
    found |= {name: os.path.join(project.shared, place) for name, place in _SHARED.items()}
    if phase and phase.directory:
        found["phase"] = phase.directory
        found |= {
            name: os.path.join(phase.directory, f"{phase.key}-{file}.md") for name, file in _PHASE.items()
        }
    found["workflow"] = call.workflow.path
    return {name: project.shown(path) for name, path in found.items()}


def _absolute(call: Invocation, path: str) -> str:
    return os.path.join(call.situation.project.root, path)


def _phase(now: Situation) -> dict[str, object] | None:
    if now.number is None:
        return None
    about: dict[str, object] = {"number": now.number, "given": now.given, "found": now.phase is not None}
    if now.phase is None:
        return about | {"known": [phase.number for phase in now.phases]}
    phase = now.phase
    return about | {
        "key": phase.key,
        "title": phase.title,
        "slug": phase.slug,
        "goal": phase.goal,
        "status": phase.status,
        "mode": phase.mode,
        "closes": phase.closes,
        "plans": [_plan(now, plan.id, plan.path, plan.summary) for plan in phase.plans],
    }


def _plan(now: Situation, name: str, path: str, summary: str | None) -> dict[str, object]:
    shown = now.project.shown
    return {"id": name, "path": shown(path), "summary": shown(summary) if summary else None}


def _facts(facts: Facts) -> dict[str, object]:
    return {name: value for name, value in facts._asdict().items() if name != "flags"}


def _config(now: Situation) -> dict[str, object]:
    return {name: now.config.get(name) for name in now.config.schema if not name.startswith(_ELSEWHERE)}


def _agents(call: Invocation) -> dict[str, str] | None:
    """The effort of each agent: what the settings say, else its own; None when its own is not known."""
    if call.workflow.content.table is None:
        return None
    table: Mapping[str, Mapping[str, str]] = call.workflow.content.table.get("agents", {})
    chosen = call.situation.config.get("effort")
    wanted = chosen if isinstance(chosen, dict) else {}
    return {name: wanted.get(name, agent["effort"]) for name, agent in table.items()}


def _commands(call: Invocation, host: Mapping[str, str] | None) -> dict[str, str] | None:
    """How a person types each command in the host; None when the host is not known."""
    table = call.workflow.content.table
    if host is None or table is None:
        return None
    return {name: host["invoke"].replace("{name}", f"{table['prefix']}-{name}") for name in table["commands"]}


def _predicates(call: Invocation) -> list[str]:
    """The ids of the predicates that concern this workflow, of the project and then of the content."""
    from gsd_capabilities.predicates import select, sources
    from gsd_install.kernel.predicates import read

    candidates = [sources.of_project(call.situation.project.root), call.workflow.content.context]
    readings = [read(sources.text(path)) for path in sources.present(candidates)]
    text = _instructions(call)
    chosen = [select.for_workflow(reading.predicates, call.workflow.id, text) for reading in readings]
    return [predicate.id for group in chosen for predicate in group]


def _instructions(call: Invocation) -> str:
    """What this invocation reads: the body, and the sections that apply."""
    paths = [call.workflow.path, *(step.read for step in _included(call))]
    return b"\n".join(map(payload.read, paths)).decode(errors="replace")


def _problems(call: Invocation) -> list[str]:
    found = [f"{where}: there is no setting {key!r}" for key, where in call.situation.config.unknown]
    found += features.problems(call.situation.features)
    return [call.workflow.problem, *found] if call.workflow.problem else found


VERBS: Mapping[str, Verb] = {
    "init": Verb(
        init,
        "init WORKFLOW [ARGS | -]",
        passes=True,
        spills=True,
    )
}
