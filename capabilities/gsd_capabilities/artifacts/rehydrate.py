"""Bring a body back, on request, for one reference, within a budget.

    rehydrator = Rehydrator(access, reporters)
    answer = rehydrator.rehydrate(Ask(reference, budget=50_000), Control())
    if answer.segment: ...    # its bytes; only there when the outcome is `resolved`

Checked in this order: the reference is the asker's own (else `unauthorized`, and no bytes are looked at), the
bytes are there (`missing`), they match the digest (`stale`), what was asked for fits (`over_budget`). The
whole is verified while it streams by; memory holds one chunk and at most the budget. A reader that fails
after the bytes were found raises: that is no decision. Source: ADR-0006.
"""

from __future__ import annotations

from gsd_capabilities.artifacts import reference as references
from gsd_capabilities.artifacts import vocabulary as words
from gsd_capabilities.artifacts.diagnostics import Diagnostics
from gsd_capabilities.artifacts.events import tell
from gsd_capabilities.artifacts.offload import Segment, check, same_binding
from gsd_capabilities.artifacts.workspace import chunks
from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gsd_capabilities.artifacts.binding import Access, Bound
    from gsd_capabilities.artifacts.events import Reporters
    from gsd_capabilities.artifacts.offload import Control
    from gsd_capabilities.artifacts.records import Record
    from gsd_capabilities.artifacts.slices import Slice
    from gsd_capabilities.artifacts.workspace import Workspace


class Ask(NamedTuple):
    """One request: which artifact, at most how many bytes, all of it or a slice, and who asks."""

    reference: str
    budget: int
    slice: Slice | None = None
    source: str = words.TOOL_REQUEST


class Answer(NamedTuple):
    """A decision, and the body where it is `resolved`."""

    diagnostics: Diagnostics
    segment: Segment | None


class _Seen(NamedTuple):
    """What streamed by: bytes in all, their digest, the size of the part and, if it fits, its bytes."""

    size: int
    digest: str
    part_size: int
    part: bytes


class Rehydrator:
    """Answers requests. `reporters` may be None: then the answers are the same and nobody is told."""

    __slots__ = ("_access", "_reporters")

    def __init__(self, access: Access | None, reporters: Reporters | None) -> None:
        self._access, self._reporters = access, reporters

    def rehydrate(self, ask: Ask, control: Control) -> Answer:
        """Decide about one request.

        Raises UsageError `bad_budget`, `bad_source` or `bad_slice`; GsdError `bad_reference`, `bad_record` or
        `binding_changed`; CancelledError; OSError when the bytes cannot be read. Then nobody is told.
        """
        _check_ask(ask)
        check(control)
        answer = self._decide(ask)
        tell(self._reporters, answer.diagnostics)
        return answer

    def _decide(self, ask: Ask) -> Answer:
        bound = self._access() if self._access else None
        if bound is None or bound.workspace is None or own_record(bound, ask.reference) is None:
            return _without(ask, words.UNAUTHORIZED, words.OWNER_MISMATCH)
        digest = references.digest_of(ask.reference)
        if bound.workspace.size(digest) is None:
            return _without(ask, words.MISSING, words.NOT_FOUND)
        seen = _look(bound.workspace, digest, ask)
        if seen.digest != digest:
            return _without(ask, words.STALE, words.DIGEST_MISMATCH, seen.size)
        if seen.part_size > ask.budget:
            return _without(ask, words.OVER_BUDGET, words.BUDGET_EXCEEDED, seen.size)
        same_binding(self._access, bound)
        return _resolved(ask, seen)


def own_record(bound: Bound, reference: str) -> Record | None:
    """The record that lets the bound owner use this reference, or None; looks at no bytes.

    Raises GsdError `bad_reference`, and `bad_record` for one that was tampered with.
    """
    if bound.workspace is None or bound.owner is None:
        return None
    from gsd_capabilities.artifacts.records import usable

    digest = references.digest_of(reference)
    return usable(bound.workspace.recall(bound.owner.key, digest), bound.owner, digest)


def _check_ask(ask: Ask) -> None:
    references.digest_of(ask.reference)
    if type(ask.budget) is not int or ask.budget <= 0:
        message = f"a budget of {ask.budget!r} allows nothing"
        raise UsageError(message, reason="bad_budget", hint="give a number of bytes above 0")
    if ask.source not in words.SOURCES:
        hint = f"one of {', '.join(words.SOURCES)}"
        raise UsageError(f"{ask.source!r} cannot ask for an artifact", reason="bad_source", hint=hint)
    if ask.slice is not None:
        from gsd_capabilities.artifacts.slices import checked

        checked(ask.slice)


def _look(workspace: Workspace, digest: str, ask: Ask) -> _Seen:
    """Read everything once. Raises OSError."""
    import hashlib

    from gsd_capabilities.artifacts.slices import Picker

    found, picker, size = hashlib.sha256(), Picker(ask.slice, ask.budget), 0
    with workspace.open(digest) as stream:
        for piece in chunks(stream):
            found.update(piece)
            picker.take(piece)
            size += len(piece)
    return _Seen(size, found.hexdigest(), picker.size, picker.body())


def _resolved(ask: Ask, seen: _Seen) -> Answer:
    import time

    diagnostics = _diagnostics(ask, words.RESOLVED, words.DIGEST_VERIFIED, seen.size, len(seen.part))
    return Answer(diagnostics, Segment(ask.reference, seen.part, time.time()))


def _without(ask: Ask, outcome: str, reason: str, observed: int | None = None) -> Answer:
    return Answer(_diagnostics(ask, outcome, reason, observed, None), None)


def _diagnostics(
    ask: Ask, outcome: str, reason: str, observed: int | None, output: int | None
) -> Diagnostics:
    return Diagnostics(
        outcome,
        reason,
        operation=words.REHYDRATION,
        content=words.SEGMENT,
        limit_bytes=ask.budget,
        observed_bytes=observed,
        output_bytes=output,
        reference=ask.reference,
    )
