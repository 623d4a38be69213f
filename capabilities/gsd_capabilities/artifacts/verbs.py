"""`gsd-tools artifact put | get | list | path | gc | summary`.

The artifacts of a project are below `.planning/artifacts/`, which git ignores.
"""

from __future__ import annotations

import os

from gsd_capabilities.artifacts import vocabulary as words
from gsd_capabilities.artifacts.options import duration, number
from gsd_capabilities.companion.request import Printed, Verb
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gsd_capabilities.artifacts.binding import Access, Bound
    from gsd_capabilities.artifacts.diagnostics import Diagnostics
    from gsd_capabilities.artifacts.events import Event, Reporters
    from gsd_capabilities.artifacts.folder import Folder
    from gsd_capabilities.artifacts.offload import Outcome, Policy
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.companion.request import Request

FOLDER = "artifacts"
GET_BUDGET = 50_000

_HINTS = {
    words.STALE: "its bytes were changed after they were stored; produce the result again",
    words.MISSING: "it was removed; produce the result again",
    words.UNAUTHORIZED: "only the user, project and session that stored it can have it; see artifact list",
    words.OVER_BUDGET: "ask for a part with --lines or --bytes, or raise --budget",
}


def put(request: Request) -> object:
    """Offload standard input or a file: what was decided, or with `--text` what stands in for it."""
    from gsd_capabilities.artifacts.offload import Control, Instructions, Offloader, ToolResult

    project = _project(request)
    make = Instructions if "instructions" in request.options else ToolResult
    body = _input(request)
    origin = (request.options.get(name, "") for name in ("tool", "call", "description"))
    folder = _folder(project) if project.exists else None
    offloader = Offloader(_policy(project, request), _access(project, folder), _reporters(folder))
    outcome = offloader.offload(make(body, *origin), Control())
    if outcome.text is None:
        failed = _not_stored(outcome)
        if "text" in request.options:
            return Printed(body, (failed.message,))
        raise failed
    if "text" in request.options:
        return outcome.text
    shown = outcome.diagnostics.as_json()
    if "preview" in request.options and outcome.diagnostics.reference:
        from gsd_capabilities.artifacts.preview import preview

        shown["preview"] = preview(body)
    return shown


def get(request: Request) -> object:
    """The bytes of one artifact, or of a part of it. Raises GsdError with the outcome as its reason."""
    from gsd_capabilities.artifacts.offload import Control
    from gsd_capabilities.artifacts.rehydrate import Ask, Rehydrator
    from gsd_capabilities.artifacts.slices import parse

    units = [unit for unit in ("bytes", "lines") if unit in request.options]
    if len(units) > 1:
        raise UsageError(
            "--bytes and --lines exclude each other", reason="bad_slice", hint="give one of them"
        )
    wanted = parse(units[0], request.options[units[0]]) if units else None
    budget = number(request.options, "budget", GET_BUDGET)
    project = _existing(request)
    folder = _folder(project)
    rehydrator = Rehydrator(_access(project, folder), _reporters(folder))
    answer = rehydrator.rehydrate(Ask(_reference(request), budget or 0, wanted), Control())
    if answer.segment is None:
        raise _not_given(answer.diagnostics)
    return answer.segment.body


def listing(request: Request) -> object:
    """The asker's own artifacts, oldest first, without a byte of theirs."""
    from gsd_capabilities.artifacts.records import reconstruct

    folder, owner = _mine(_existing(request))
    rows = []
    for record in map(reconstruct, folder.recorded(owner)):
        shown = record._asdict()
        present = folder.size(record.digest) is not None
        rows.append({**{name: shown[name] for name in _SHOWN}, "present": present})
    return rows


_SHOWN = ("reference", "size", "tool", "call", "description", "created")


def path(request: Request) -> object:
    """Where the bytes of one of the asker's own artifacts are, for a shell tool."""
    from gsd_capabilities.artifacts.rehydrate import own_record

    project = _existing(request)
    folder = _folder(project)
    record = own_record(_bound(project, folder), _reference(request))
    outcome = words.UNAUTHORIZED if record is None else words.MISSING
    if record is None or folder.size(record.digest) is None:
        raise GsdError(f"there is no path to give: {outcome}", reason=outcome, hint=_HINTS[outcome])
    return f"{folder.location(record.digest)}\n"


def gc(request: Request) -> object:
    """Remove old artifacts of the project, or with `--dry-run` say which."""
    import time

    from gsd_capabilities.artifacts.collect import collect
    from gsd_capabilities.artifacts.reference import of_digest

    dry_run = "dry-run" in request.options
    older, most = duration(request.options), number(request.options, "max-bytes", None)
    folder = _folder(_existing(request))
    done = collect(folder, older_than=older, max_bytes=most, now=time.time(), dry_run=dry_run)
    return {
        "dry_run": dry_run,
        "removed": [of_digest(item.digest) for item in done.removed],
        "removed_bytes": sum(item.size for item in done.removed),
        "remains": done.remains,
        "kept_bytes": done.kept_bytes,
    }


def summary(request: Request) -> object:
    """Decisions by operation, outcome and reason, and the bytes that stayed out of conversations."""
    from gsd_capabilities.artifacts.summary import summarise

    return summarise(_folder(_existing(request)).decided())


def _project(request: Request) -> Project:
    from gsd_capabilities.companion.project import find

    return find(request.cwd)


def _existing(request: Request) -> Project:
    from gsd_capabilities.companion.project import require

    return require(_project(request))


def _folder(project: Project) -> Folder:
    from gsd_capabilities.artifacts.folder import Folder

    return Folder(os.path.join(project.shared, FOLDER))


def _bound(project: Project, folder: Folder) -> Bound:
    from gsd_capabilities.artifacts.binding import Bound, current

    return Bound(folder, current(project.shared, folder.root))


def _access(project: Project, folder: Folder | None) -> Access | None:
    return None if folder is None else lambda: _bound(project, folder)


def _mine(project: Project) -> tuple[Folder, str]:
    from gsd_capabilities.artifacts.binding import current

    folder = _folder(project)
    return folder, current(project.shared, folder.root).key


def _reporters(folder: Folder | None) -> Reporters | None:
    """What writes every decision of this invocation into the project's log."""
    if folder is None:
        return None
    from gsd_capabilities.artifacts.events import Scope

    def keep(event: Event) -> None:
        folder.decide(event)

    scope = Scope(f"gsd-tools-{os.getpid()}-{os.urandom(4).hex()}", "gsd-tools", keep)
    return lambda: scope


def _policy(project: Project, request: Request) -> Policy:
    from gsd_capabilities.artifacts.offload import THRESHOLD, Policy
    from gsd_capabilities.companion.config import resolve

    set_to = resolve(project, request.environ).get("artifacts.threshold_bytes")
    return Policy(set_to if isinstance(set_to, int) else THRESHOLD)


def _input(request: Request) -> bytes:
    if len(request.words) > 1:
        raise UsageError("put takes one file", reason="usage", hint=VERBS["artifact put"].usage)
    name = request.words[0] if request.words else "-"
    if name == "-":
        return request.stdin()
    file = os.path.join(request.cwd, name)
    try:
        with open(file, "rb") as stream:
            return stream.read()
    except OSError as error:
        raise GsdError(
            f"this cannot be read: {error.strerror}",
            reason="unreadable",
            file=name,
            hint="name a file that is there, or pass the result on standard input",
        ) from error


def _reference(request: Request) -> str:
    if len(request.words) != 1:
        raise UsageError("this takes one reference", reason="usage", hint=VERBS["artifact get"].usage)
    return request.words[0]


def _not_stored(outcome: Outcome) -> GsdError:
    made = outcome.diagnostics
    why = getattr(outcome.error, "strerror", None)
    hint = "nothing was cut: the result is whole where it was; artifact put --text prints it"
    if made.reason == words.NO_AUTHORIZED_WORKSPACE:
        hint = f"artifacts belong to a project, which has a folder .planning; {hint}"
    message = f"the result was not stored: {made.reason}" + (f" ({why})" if why else "")
    error = GsdError(message, reason=made.reason, hint=hint)
    error.__cause__ = outcome.error
    return error


def _not_given(made: Diagnostics) -> GsdError:
    sizes = ""
    if made.observed_bytes is not None:
        sizes = f" ({made.observed_bytes} bytes, budget {made.limit_bytes})"
    message = f"the artifact was not given: {made.outcome}{sizes}"
    return GsdError(message, reason=made.outcome, hint=_HINTS[made.outcome])


def _told(run: Callable[[Request], object]) -> Callable[[Request], object]:
    """`run`, with what the disk refuses told as a known error."""

    def told(request: Request) -> object:
        try:
            return run(request)
        except OSError as error:
            message = f"the store of artifacts cannot be used: {error.strerror or error}"
            hint = (
                "look at the folder artifacts below .planning: it must hold plain files and folders of yours"
            )
            raise GsdError(message, reason="store_failed", file=error.filename, hint=hint) from error

    return told


VERBS: Mapping[str, Verb] = {
    "artifact put": Verb(
        _told(put),
        "artifact put [FILE] [--text] [--preview] [--instructions] [--tool NAME] [--call ID]"
        " [--description TEXT]",
        values=frozenset({"tool", "call", "description"}),
        flags=frozenset({"text", "preview", "instructions"}),
    ),
    "artifact get": Verb(
        _told(get),
        "artifact get REFERENCE [--budget BYTES] [--bytes FIRST-LAST | --lines FIRST-LAST]",
        values=frozenset({"budget", "bytes", "lines"}),
    ),
    "artifact list": Verb(_told(listing), "artifact list"),
    "artifact path": Verb(_told(path), "artifact path REFERENCE"),
    "artifact gc": Verb(
        _told(gc),
        "artifact gc [--older-than AGE] [--max-bytes BYTES] [--dry-run]",
        values=frozenset({"older-than", "max-bytes"}),
        flags=frozenset({"dry-run"}),
    ),
    "artifact summary": Verb(_told(summary), "artifact summary"),
}
