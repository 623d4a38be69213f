"""`gsd-tools artifact put | get | list | path | gc | summary`.

The artifacts of a project are below `.planning/artifacts/`, which git ignores.
"""

from __future__ import annotations

import os

from gsd_capabilities.artifacts import vocabulary as words
from gsd_capabilities.artifacts.options import duration, number
from gsd_capabilities.artifacts.store import FOLDER as FOLDER
from gsd_capabilities.artifacts.store import failed
from gsd_capabilities.companion.request import Printed, Verb
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gsd_capabilities.artifacts.diagnostics import Diagnostics
    from gsd_capabilities.artifacts.offload import Outcome
    from gsd_capabilities.artifacts.store import Store
    from gsd_capabilities.artifacts.workspace import File
    from gsd_capabilities.companion.request import Request

GET_BUDGET = 50_000

# The log of decisions keeps so much when artifacts are collected.
DECISION_BYTES = 1 << 20
_END_BYTES = 1 << 15

_HINTS = {
    words.STALE: "its bytes were changed after they were stored; produce the result again",
    words.MISSING: "it was removed; produce the result again",
    words.UNAUTHORIZED: "only the user, project and session that stored it can have it; see artifact list",
    words.OVER_BUDGET: "ask for a part with --lines or --bytes, or raise --budget",
}


def put(request: Request) -> object:
    """Offload standard input or a file: what was decided, or with `--text` what stands in for it."""
    from gsd_capabilities.artifacts.offload import Instructions, ToolResult
    from gsd_capabilities.artifacts.store import kept
    from gsd_capabilities.companion.project import find

    make = Instructions if "instructions" in request.options else ToolResult
    body = _input(request)
    origin = (request.options.get(name, "") for name in ("tool", "call", "description"))
    outcome = kept(find(request.cwd), request.environ, make(body, *origin))
    if outcome.text is None:
        problem = _not_stored(outcome)
        if "text" in request.options:
            whole = body if isinstance(body, bytes) else b"".join(body.pieces())
            return Printed(whole, (problem.message,))
        raise problem
    if "text" in request.options:
        return outcome.text
    shown = outcome.diagnostics.as_json()
    if "preview" in request.options and outcome.diagnostics.reference:
        from gsd_capabilities.artifacts.preview import preview

        shown["preview"] = preview(body if isinstance(body, bytes) else body.ends(_END_BYTES))
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
    store = _store(request)
    scope = store.reporter()
    rehydrator = Rehydrator(store.bound, lambda: scope)
    answer = rehydrator.rehydrate(Ask(_reference(request), budget or 0, wanted), Control())
    if answer.segment is None:
        raise _not_given(answer.diagnostics)
    return answer.segment.body


def listing(request: Request) -> object:
    """The asker's own artifacts, oldest first, without a byte of theirs."""
    from gsd_capabilities.artifacts.records import reconstruct

    store = _store(request)
    rows = []
    for record in map(reconstruct, store.workspace.recorded(store.owner().key)):
        shown = record._asdict()
        present = store.workspace.size(record.digest) is not None
        rows.append({**{name: shown[name] for name in _SHOWN}, "present": present})
    return rows


_SHOWN = ("reference", "size", "tool", "call", "description", "created")


def path(request: Request) -> object:
    """Where the bytes of one of the asker's own artifacts are, for a shell tool."""
    from gsd_capabilities.artifacts.rehydrate import own_record

    store = _store(request)
    record = own_record(store.bound(), _reference(request))
    outcome = words.UNAUTHORIZED if record is None else words.MISSING
    if record is None or store.workspace.size(record.digest) is None:
        raise GsdError(f"there is no path to give: {outcome}", reason=outcome, hint=_HINTS[outcome])
    return f"{store.workspace.location(record.digest)}\n"


def gc(request: Request) -> object:
    """Remove old artifacts of the project, or with `--dry-run` say which; those of deliverables stay."""
    import time

    from gsd_capabilities.artifacts.collect import collect, held
    from gsd_capabilities.artifacts.reference import of_digest

    dry_run = "dry-run" in request.options
    older, most = duration(request.options), number(request.options, "max-bytes", None)
    store, now = _store(request), time.time()
    keep = () if "deliverables" in request.options else held(os.path.dirname(store.folder.root))
    done = collect(store.workspace, older_than=older, max_bytes=most, now=now, dry_run=dry_run, keep=keep)
    before = None if older is None else now - older
    return {
        "dry_run": dry_run,
        "removed": [of_digest(item.digest) for item in done.removed],
        "removed_bytes": sum(item.size for item in done.removed),
        "remains": done.remains,
        "kept_bytes": done.kept_bytes,
        "held_bytes": done.held_bytes,
        "forgotten_decisions": store.folder.forget(before, DECISION_BYTES, dry_run=dry_run),
    }


def summary(request: Request) -> object:
    """Decisions by operation, outcome and reason, and the bytes that stayed out of conversations."""
    from gsd_capabilities.artifacts.summary import summarise

    return summarise(_store(request).folder.decided())


def _store(request: Request) -> Store:
    """The store of the project here. Raises GsdError `no_project` and what `store.of` raises."""
    from gsd_capabilities.artifacts.store import of
    from gsd_capabilities.companion.config import resolve
    from gsd_capabilities.companion.project import find, require

    project = require(find(request.cwd))
    return of(project, resolve(project, request.environ))


def _input(request: Request) -> bytes | File:
    """Standard input, or a file, which is read in pieces."""
    from gsd_capabilities.artifacts.workspace import File

    if len(request.words) > 1:
        raise UsageError("put takes one file", reason="usage", hint=VERBS["artifact put"].usage)
    name = request.words[0] if request.words else "-"
    if name == "-":
        return request.stdin()
    file = os.path.join(request.cwd, name)
    try:
        with open(file, "rb"):
            return File(file)
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
            raise failed(error) from error

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
        "artifact gc [--older-than AGE] [--max-bytes BYTES] [--deliverables] [--dry-run]",
        values=frozenset({"older-than", "max-bytes"}),
        flags=frozenset({"deliverables", "dry-run"}),
    ),
    "artifact summary": Verb(_told(summary), "artifact summary"),
}
