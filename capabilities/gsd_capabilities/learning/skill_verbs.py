"""The verbs `gsd-tools skill`: propose what was learned, look at what waits, let what is harmless go live."""

from __future__ import annotations

import os

from gsd_capabilities.companion.planning_text import system_errors
from gsd_capabilities.companion.project import find, require
from gsd_capabilities.companion.request import Verb
from gsd_capabilities.work.clock import now_of, who_of
from gsd_install.kernel import learned
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request
    from gsd_install.kernel.learned import File

_TIMED = frozenset({"at", "as"})


def _propose(request: Request) -> object:
    from gsd_capabilities.learning.staging import propose

    project, name = _project(request), _name(request)
    options = request.options
    return propose(
        project,
        name,
        _files(request, project),
        now=now_of(request),
        who=who_of(request),
        task=options.get("task", ""),
        claimed=options.get("impact", ""),
        kind=_kind(request),
        known=_known(request),
        environ=request.environ,
    )


def _install(request: Request) -> object:
    from gsd_capabilities.learning.approval import install

    return install(
        _project(request),
        _name(request),
        now=now_of(request),
        who=who_of(request),
        environ=request.environ,
        known=_known(request),
    )


def _pending(request: Request) -> object:
    from gsd_capabilities.learning.staging import answer, judged_now, next_step

    if request.words:
        raise UsageError("it takes no name", reason="unexpected_argument", hint=VERBS["skill pending"].usage)
    project, known = _project(request), _known(request)
    rows = []
    with system_errors(project, learned.pending_folder(project.root)):
        for found in learned.proposals(project.root):
            judged = judged_now(project, found, known)
            rows.append({**answer(found, judged), "next": next_step(found, judged)})
    return {"pending": rows}


def _show(request: Request) -> object:
    from gsd_capabilities.learning.staging import answer, judged_now, next_step, waiting

    project = _project(request)
    found = waiting(project, _name(request))
    judged = judged_now(project, found, _known(request))
    texts = {path: file.data.decode("utf-8", "replace") for path, file in found.files.items()}
    return {**answer(found, judged), "next": next_step(found, judged), "texts": texts}


def _withdraw(request: Request) -> object:
    from gsd_capabilities.learning.staging import withdraw

    return withdraw(_project(request), _name(request), now=now_of(request), who=who_of(request))


def _project(request: Request) -> Project:
    return require(find(request.cwd))


def _name(request: Request) -> str:
    if len(request.words) != 1:
        hint = "gsd-tools skill VERB NAME"
        raise UsageError("name one skill", reason="missing_argument", hint=hint)
    return request.words[0]


def _kind(request: Request) -> str:
    kind = request.options.get("kind", "")
    if kind and kind not in learned.KINDS:
        hint = f"one of: {', '.join(learned.KINDS)}"
        raise UsageError(f"there is no kind {kind!r}", reason="bad_value", hint=hint)
    return kind


def _files(request: Request, project: Project) -> Mapping[str, File]:
    """The files of the folder that `--from` names, else the one document on standard input."""
    given = request.options.get("from")
    if given is None:
        name = "AGENT.md" if _kind(request) == learned.AGENT else "SKILL.md"
        return {name: learned.File(request.stdin())}
    folder = os.path.join(request.cwd, given)
    if not os.path.isdir(folder):
        raise UsageError("there is no such folder", reason="no_folder", file=folder, hint="--from DIR")
    with system_errors(project, folder):
        return learned.files_in(folder)


def _known(request: Request) -> dict[str, str]:
    """The names of what is installed, with descriptions where they are known.

    Raises GsdError `bad_manifest` where nobody can say: a proposal cannot be compared then.
    """
    from gsd_capabilities.companion import payload

    try:
        contents = payload.contents(payload.root(request.payload, request.cwd, request.environ))
    except GsdError as error:
        if error.reason != "no_payload":
            raise
        return {}  # nothing is installed, so nothing can be like it
    broken = next((content for content in contents if content.table is None), None)
    if broken is not None:
        file, hint = (
            os.path.join(broken.root, broken.id, payload.MANIFEST),
            "install again: gsd-install upgrade",
        )
        raise GsdError("what is installed cannot be read", reason="bad_manifest", file=file, hint=hint)
    tables = [content.table for content in contents if content.table]
    return {
        name: str(about.get("description", ""))
        for table in tables
        for kind in ("commands", "agents", "skills")
        for name, about in table.get(kind, {}).items()
    }


VERBS: Mapping[str, Verb] = {
    "skill propose": Verb(
        _propose,
        "skill propose NAME [--from DIR] [--impact low|high] [--task ID] [--kind skill|agent|team]"
        " [--as NAME]",
        values=_TIMED | {"from", "impact", "task", "kind"},
    ),
    "skill install": Verb(_install, "skill install NAME [--as NAME]", values=_TIMED),
    "skill pending": Verb(_pending, "skill pending"),
    "skill show": Verb(_show, "skill show NAME"),
    "skill withdraw": Verb(_withdraw, "skill withdraw NAME [--as NAME]", values=_TIMED),
}
