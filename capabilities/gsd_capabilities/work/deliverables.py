"""Deliverables: what tasks bring forth, in versions. Their bodies are in the store of artifacts."""

from __future__ import annotations

from gsd_capabilities.companion.guard import locked
from gsd_capabilities.work.ids import next_id
from gsd_capabilities.work.ledger import add_locked, known_deliverable, known_task, ledger, titled, written
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.artifacts.workspace import File
    from gsd_capabilities.companion.project import Project
    from gsd_capabilities.work.model import Change, Deliverable


class Updated(NamedTuple):
    """A deliverable after an update, and whether that changed anything."""

    deliverable: Deliverable
    changed: bool


class Store(NamedTuple):
    """Where bodies go: the store of artifacts of a project, by the settings that `environ` leads to."""

    project: Project
    environ: Mapping[str, str]


def deliverable(project: Project, deliverable_id: str) -> Deliverable:
    """One deliverable. Raises GsdError `no_deliverable`."""
    return known_deliverable(ledger(project), deliverable_id)


def all_deliverables(project: Project, task: str = "") -> tuple[Deliverable, ...]:
    """Every deliverable, or those of one task, in the order in which they were created."""
    return tuple(one for one in ledger(project).deliverables.values() if task in ("", one.task))


def create(
    store: Store, title: str, body: bytes | File, *, task: str = "", who: str = "", now: float
) -> Deliverable:
    """Store the first version. Raises GsdError `bad_value`, `no_task`, and what storing raises."""
    data = {"title": titled(title), "task": task, "summary": "created"}
    if task:
        known_task(ledger(store.project), task)  # before anything is stored
    stored = _stored(store, body, data["title"])
    with locked(store.project):
        work = ledger(store.project)
        made = next_id("D", work.deliverables)
        add_locked(
            store.project, work, "deliverable-created", made, who=who, now=now, data={**data, **stored}
        )
        return work.deliverables[made]


def update(
    store: Store,
    deliverable_id: str,
    body: bytes | File,
    *,
    base: int | None,
    title: str = "",
    summary: str = "",
    who: str = "",
    now: float,
) -> Updated:
    """Store the next version, made from version `base`; the same body under the same title changes nothing.

    Raises GsdError `stale_version` when there is a newer version than `base`, UsageError `base_required`.
    """
    before = deliverable(store.project, deliverable_id)
    _check_base(before, base)
    data: dict[str, object] = {"base": base, "summary": written(summary, "the summary") if summary else ""}
    data |= {"title": titled(title)} if title else {}
    stored = _stored(store, body, title or before.title)
    with locked(store.project):
        work = ledger(store.project)
        found = known_deliverable(work, deliverable_id)
        if _same(found, title, stored):
            return Updated(found, changed=False)
        if found.version != base:
            raise _stale(found, base)
        data |= stored
        add_locked(store.project, work, "deliverable-updated", deliverable_id, who=who, now=now, data=data)
        return Updated(work.deliverables[deliverable_id], changed=True)


def version(found: Deliverable, number: int | None) -> Change:
    """One version, the newest by default. Raises GsdError `no_version`."""
    if number is None:
        return found.newest
    for change in found.changes:
        if change.version == number:
            return change
    hint = f"versions {found.changes[0].version} to {found.version} are kept"
    raise GsdError(f"{found.id} has no version {number}", reason="no_version", hint=hint)


def body(store: Store, change: Change) -> bytes:
    """The bytes of a version, which belong to everybody who works in the project.

    The asker gets a record of its own, so that it can ask for the artifact too. Raises GsdError `missing` and
    `stale` where the store has the bytes no more, and what the store raises.
    """
    if not change.reference:
        return change.body.encode()
    from gsd_capabilities.artifacts import store as stores
    from gsd_capabilities.artifacts.reference import digest_of
    from gsd_capabilities.artifacts.workspace import holds
    from gsd_capabilities.companion.config import resolve

    digest = digest_of(change.reference)
    try:
        workspace = stores.of(store.project, resolve(store.project, store.environ)).workspace
        if workspace.size(digest) is None:
            raise _gone(change, "missing")
        if not holds(workspace, digest):
            raise _gone(change, "stale")
        with workspace.open(digest) as stream:
            found = stream.read()
    except OSError as error:
        raise stores.failed(error) from error
    _stored(store, found, "")
    return found


def _stored(store: Store, given: bytes | File, title: str) -> dict[str, object]:
    """The reference and the size of a body, or the body itself where that is smaller than a reference."""
    from gsd_capabilities.artifacts.offload import ToolResult
    from gsd_capabilities.artifacts.store import kept

    content = ToolResult(given, tool="deliverable", description=title)
    outcome = kept(store.project, store.environ, content, always=True)
    size = outcome.diagnostics.observed_bytes or 0
    if outcome.diagnostics.reference:
        return {"reference": outcome.diagnostics.reference, "body": "", "size": size}
    if not isinstance(outcome.text, bytes):
        hint = "nothing was recorded; see gsd-tools artifact summary, then try again"
        message = f"the body was not stored: {outcome.diagnostics.reason}"
        raise GsdError(message, reason=outcome.diagnostics.reason, hint=hint)
    return {"reference": "", "body": _decoded(outcome.text), "size": size}


def _decoded(given: bytes) -> str:
    try:
        return given.decode()
    except UnicodeDecodeError:
        message = "a body as small as this must be UTF-8"
        raise GsdError(message, reason="not_text", hint="pass text, or a larger file") from None


def _same(found: Deliverable, title: str, stored: Mapping[str, object]) -> bool:
    newest = found.newest
    same = stored["reference"] == newest.reference and stored["body"] == newest.body
    return same and title in ("", found.title)


def _check_base(found: Deliverable, base: int | None) -> None:
    if base is None:
        message = f"nothing says which version of {found.id} was changed"
        hint = f"it is at version {found.version}: when you have read that one, pass --base {found.version}"
        raise UsageError(message, reason="base_required", hint=hint)


def _stale(found: Deliverable, base: int | None) -> GsdError:
    by = f", by {found.newest.who}" if found.newest.who else ""
    message = f"{found.id} is at version {found.version}{by}; this change was made from version {base}"
    hint = f"read it with deliverable get {found.id}, make the change there, and pass --base {found.version}"
    return GsdError(message, reason="stale_version", hint=hint)


def _gone(change: Change, reason: str) -> GsdError:
    message = f"the body of version {change.version} is not there any more: {reason}"
    if reason == "missing":
        hint = "it was removed from .planning/artifacts, or stored on another machine; store it again"
    else:
        hint = "its bytes were changed after they were stored; store them again"
    return GsdError(message, reason=reason, hint=hint)
