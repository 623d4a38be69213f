"""The verbs of `gsd-tools` for STATE.md, the phases, and commits of planning files."""

from __future__ import annotations

from gsd_capabilities.companion import project as projects
from gsd_capabilities.companion.request import Faulty, Verb
from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.phase_text import New
    from gsd_capabilities.companion.phases import Phase, Plan
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request

NEW_OPTIONS = frozenset({"goal", "depends", "requirements", "mode", "criteria"})


def _project(request: Request) -> Project:
    return projects.require(projects.find(request.cwd))


def _words(request: Request, least: int, most: int | None, usage: str) -> tuple[str, ...]:
    """The words of a request, if there are as many as the verb takes. Raises UsageError."""
    if len(request.words) < least or (most is not None and len(request.words) > most):
        raise UsageError("wrong number of arguments", reason="usage", hint=f"gsd-tools {usage}")
    return request.words


def _state_get(request: Request) -> object:
    from gsd_capabilities.companion import state

    words = _words(request, 0, 1, VERBS["state get"].usage)
    fields = state.read(_project(request))
    if not words:
        return fields
    return fields.get(state.known_field(words[0]), "")


def _state_set(request: Request) -> object:
    from gsd_capabilities.companion import state

    usage = VERBS["state set"].usage
    fields = {}
    for word in _words(request, 1, None, usage):
        name, sign, value = word.partition("=")
        if not sign:
            message = f"{word!r} is not FIELD=VALUE"
            raise UsageError(message, reason="usage", hint=f"gsd-tools {usage}")
        fields[name] = value
    project = _project(request)
    changed = state.update(project, {"updated": _today(), **fields})
    return {"changed": changed, "fields": state.read(project)}


def _phase_list(request: Request) -> object:
    from gsd_capabilities.companion import phases

    _words(request, 0, 0, VERBS["phase list"].usage)
    project = _project(request)
    return [_brief(project, phase) for phase in phases.phases(project)]


def _phase_show(request: Request) -> object:
    from gsd_capabilities.companion import phases

    (number,) = _words(request, 1, 1, VERBS["phase show"].usage)
    project = _project(request)
    return _whole(project, phases.phase(project, number))


def _phase_add(request: Request) -> object:
    from gsd_capabilities.companion import phase_edit

    words = _words(request, 1, None, VERBS["phase add"].usage)
    project = _project(request)
    return _brief(project, phase_edit.add(project, _new(" ".join(words), request.options)))


def _phase_insert(request: Request) -> object:
    from gsd_capabilities.companion import phase_edit, roadmap

    parent, *words = _words(request, 2, None, VERBS["phase insert"].usage)
    project = _project(request)
    closes = roadmap.listed(request.options.get("closes", ""))
    new = _new(" ".join(words), request.options)
    return _brief(project, phase_edit.insert(project, parent, new, closes))


def _phase_remove(request: Request) -> object:
    from gsd_capabilities.companion import phase_edit

    number, *words = _words(request, 2, None, VERBS["phase remove"].usage)
    project = _project(request)
    gone = phase_edit.remove(project, number, " ".join(words), _today())
    return {"removed": gone.number, "title": gone.title, "requirements": list(gone.requirements)}


def _phase_rename(request: Request) -> object:
    from gsd_capabilities.companion import phase_edit

    number, *words = _words(request, 2, None, VERBS["phase rename"].usage)
    project = _project(request)
    return _brief(project, phase_edit.rename(project, number, " ".join(words)))


def _phase_move(request: Request) -> object:
    from gsd_capabilities.companion import phase_move

    number, where, other = _words(request, 3, 3, VERBS["phase move"].usage)
    project = _project(request)
    return [_brief(project, phase) for phase in phase_move.move(project, number, where, other)]


def _phase_edit(request: Request) -> object:
    from gsd_capabilities.companion import phase_edit, phases

    usage = VERBS["phase edit"].usage
    (number,) = _words(request, 1, 1, usage)
    if not request.options:
        raise UsageError("nothing to change is named", reason="usage", hint=f"gsd-tools {usage}")
    project = _project(request)
    old = phases.phase(project, number)
    new = phase_edit.edit(project, number, request.options)
    outdated = [project.shown(plan.path) for plan in old.plans] if new.status != old.status else []
    return {**_brief(project, new), "outdated": outdated}


def _phase_status(request: Request) -> object:
    from gsd_capabilities.companion import phase_edit

    number, status = _words(request, 2, 2, VERBS["phase status"].usage)
    project = _project(request)
    return _brief(project, phase_edit.set_status(project, number, status))


def _validate(request: Request) -> object:
    from gsd_capabilities.companion import features
    from gsd_capabilities.companion.validate import validate

    _words(request, 0, 0, VERBS["validate"].usage)
    schema = features.schema(features.of(request))
    found = [finding._asdict() for finding in validate(_project(request), request.environ, schema)]
    answer = {"valid": not found, "findings": found}
    return Faulty(answer) if found else answer


def _commit(request: Request) -> object:
    from gsd_capabilities.companion import commits

    message, *paths = _words(request, 2, None, VERBS["commit"].usage)
    made = commits.commit(_project(request), message, paths, request.environ)
    return {"committed": made.hash is not None, **made._asdict()}


def _new(title: str, options: Mapping[str, str]) -> New:
    from gsd_capabilities.companion.phase_text import New

    given = {name: options[name] for name in ("goal", "depends", "requirements", "mode") if name in options}
    criteria = tuple(filter(None, (line.strip() for line in options.get("criteria", "").splitlines())))
    return New(title, **given, criteria=criteria)


def _brief(project: Project, phase: Phase) -> dict[str, object]:
    from gsd_capabilities.companion import phases

    return {
        "number": phase.number,
        "key": phase.key,
        "title": phase.title,
        "slug": phase.slug,
        "status": phase.status,
        "directory": project.shown(phase.directory) if phase.directory else None,
        "plans": len(phase.plans),
        "done": phases.done(project, phase.plans),
        "requirements": list(phase.requirements),
    }


def _whole(project: Project, phase: Phase) -> dict[str, object]:
    return {
        **_brief(project, phase),
        "goal": phase.goal,
        "mode": phase.mode,
        "depends": list(phase.depends),
        "closes": list(phase.closes),
        "criteria": dict(phase.criteria),
        "plans": [_plan(project, plan) for plan in phase.plans],
    }


def _plan(project: Project, plan: Plan) -> dict[str, object]:
    from gsd_capabilities.companion import phases

    fields = phases.fields(project, plan)._asdict()
    del fields["lines"]
    status = phases.status_in(project, plan.summary) if plan.summary else None
    return {"id": plan.id, "path": project.shown(plan.path), "status": status, **fields}


def _today() -> str:
    import time

    return time.strftime("%Y-%m-%d")


_NEW = "[--goal TEXT] [--depends TEXT] [--requirements IDS] [--mode MODE] [--criteria LINES]"
_FIELDS = "[--goal TEXT] [--depends TEXT] [--requirements IDS] [--mode MODE] [--notes TEXT]"

VERBS: Mapping[str, Verb] = {
    "state get": Verb(_state_get, "state get [FIELD]"),
    "state set": Verb(_state_set, "state set FIELD=VALUE ..."),
    "phase list": Verb(_phase_list, "phase list"),
    "phase show": Verb(_phase_show, "phase show NUMBER"),
    "phase add": Verb(_phase_add, f"phase add NAME {_NEW}", NEW_OPTIONS),
    "phase insert": Verb(
        _phase_insert, f"phase insert PARENT NAME [--closes IDS] {_NEW}", NEW_OPTIONS | {"closes"}
    ),
    "phase remove": Verb(_phase_remove, "phase remove NUMBER REASON"),
    "phase move": Verb(_phase_move, "phase move NUMBER before|after NUMBER"),
    "phase rename": Verb(_phase_rename, "phase rename NUMBER NAME"),
    "phase edit": Verb(_phase_edit, f"phase edit NUMBER {_FIELDS}", NEW_OPTIONS - {"criteria"} | {"notes"}),
    "phase status": Verb(_phase_status, "phase status NUMBER STATUS"),
    "validate": Verb(_validate, "validate"),
    "commit": Verb(_commit, "commit MESSAGE PATH ..."),
}
