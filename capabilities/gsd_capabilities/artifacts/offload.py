"""Move a bulky tool result out of the conversation and leave its reference.

    offloader = Offloader(Policy(), access, reporters)
    outcome = offloader.offload(ToolResult(body, tool="grep", call="7"), Control())
    shown = outcome.text      # the body, or the 82 bytes of the reference; None when it failed

At or below the threshold the body stays. Above it the bytes are written once, under their digest, and every
later result with the same bytes gets the same reference. Nothing is ever cut: where storing fails the caller
still has the whole body, and a retry picks up what is there already. Source: ADR-0006.
"""

from __future__ import annotations

from gsd_capabilities.artifacts import reference as references
from gsd_capabilities.artifacts import vocabulary as words
from gsd_capabilities.artifacts.diagnostics import Diagnostics
from gsd_capabilities.artifacts.events import tell
from gsd_capabilities.artifacts.workspace import File, holds
from gsd_install.kernel.errors import INTERRUPTED, GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from gsd_capabilities.artifacts.binding import Access, Bound, Owner
    from gsd_capabilities.artifacts.events import Reporters
    from gsd_capabilities.artifacts.workspace import Workspace

THRESHOLD = 16 * 1024
INSTRUCTIONS_THRESHOLD = 50_000


class CancelledError(GsdError):
    """Whoever asked no longer wants it; nothing was decided."""

    exit_code = INTERRUPTED

    def __init__(self) -> None:
        super().__init__("cancelled", reason="cancelled")


class ToolResult(NamedTuple):
    """What a tool returned: bytes, text, a `File`, or a value for JSON; and its origin, for the record."""

    body: object
    tool: str = ""
    call: str = ""
    description: str = ""


class Instructions(NamedTuple):
    """Text that an agent is to follow, such as a rendered workflow: it has a threshold of its own."""

    body: object
    tool: str = ""
    call: str = ""
    description: str = ""


class Segment(NamedTuple):
    """A body that was asked back, with its reference and when (seconds since 1970); it is never offloaded."""

    reference: str
    body: bytes
    recovered: float


class Control(NamedTuple):
    """`cancelled` is asked between steps; `checkpoint` runs after a write, before a reference is given."""

    cancelled: Callable[[], bool] = lambda: False
    checkpoint: Callable[[], None] | None = None


class Policy:
    """From how many bytes on content is offloaded. Raises GsdError `bad_threshold`.

    A tool result smaller than a reference is never worth one; instructions stay up to 50,000 bytes at least.
    """

    __slots__ = ("instructions", "threshold")

    def __init__(self, threshold: int = THRESHOLD, instructions: int = INSTRUCTIONS_THRESHOLD) -> None:
        for value, least in ((threshold, references.LENGTH), (instructions, INSTRUCTIONS_THRESHOLD)):
            if type(value) is not int or value < least:
                message = f"a threshold of {value!r} is too low"
                raise GsdError(message, reason="bad_threshold", hint=f"use {least} bytes or more")
        self.threshold, self.instructions = threshold, max(threshold, instructions)


class Outcome(NamedTuple):
    """A decision and what it leaves for the conversation: the body, the reference, or None.

    `error` is why a step failed, for whoever may see it; the diagnostics never hold it.
    """

    diagnostics: Diagnostics
    text: bytes | str | None
    error: Exception | None = None


class Offloader:
    """Takes decisions for one policy. `reporters` may be None: then they are the same and nobody is told."""

    __slots__ = ("_access", "_policy", "_reporters")

    def __init__(self, policy: Policy, access: Access | None, reporters: Reporters | None) -> None:
        self._policy, self._access, self._reporters = policy, access, reporters

    def offload(self, content: ToolResult | Instructions | Segment, control: Control) -> Outcome:
        """Decide about one piece of content, with at most one write.

        Raises CancelledError before anything was stored, GsdError `binding_changed`, `not_text` or
        `bad_record`; then nothing was decided and nobody is told.
        """
        check(control)
        outcome = self._decide(content, control)
        tell(self._reporters, outcome.diagnostics)
        return outcome

    def _decide(self, content: ToolResult | Instructions | Segment, control: Control) -> Outcome:
        if isinstance(content, Segment):
            return self._inline(content.body, words.RECOVERABLE_SEGMENT_BYPASS, words.SEGMENT, content.body)
        body = content.body if isinstance(content.body, File) else serialised(content.body)
        limit = self._policy.instructions if isinstance(content, Instructions) else self._policy.threshold
        if isinstance(body, File) and body.size() <= limit:
            body = b"".join(body.pieces())
        if isinstance(body, bytes) and len(body) <= limit:
            shown = body if isinstance(content.body, File) else content.body
            if not isinstance(shown, (bytes, str)):
                shown = body.decode()
            return self._inline(body, words.BELOW_THRESHOLD, words.TOOL_RESULT, shown, limit)
        bound = self._access() if self._access else None
        job = _Job(body, limit, content, control)
        if bound is None or bound.workspace is None or bound.owner is None:
            return job.without(words.FAILED, words.NO_AUTHORIZED_WORKSPACE)
        same_binding(self._access, bound)
        check(control)
        return job.stored(bound.workspace, bound.owner)

    def _inline(
        self, body: bytes, reason: str, content: str, shown: bytes | str, limit: int | None = None
    ) -> Outcome:
        diagnostics = Diagnostics(
            words.INLINE,
            reason,
            operation=words.OFFLOAD,
            content=content,
            limit_bytes=limit or self._policy.threshold,
            observed_bytes=len(body),
            output_bytes=len(body),
        )
        return Outcome(diagnostics, shown)


class _Job:
    """One body on its way into a workspace."""

    __slots__ = (
        "_body",
        "_content",
        "_control",
        "_digest",
        "_key",
        "_limit",
        "_record",
        "_reference",
        "_size",
    )

    def __init__(
        self, body: bytes | File, limit: int, content: ToolResult | Instructions, control: Control
    ) -> None:
        self._body, self._limit, self._content, self._control = body, limit, content, control
        self._size = len(body) if isinstance(body, bytes) else body.size()
        self._digest = _digest(body)

    def stored(self, workspace: Workspace, owner: Owner) -> Outcome:
        """Use what is at the address, or write it. Raises GsdError `bad_record` before it does."""
        from gsd_capabilities.artifacts.records import create, dump

        _, *origin = self._content
        record = create(self._digest, self._size, owner, *origin)
        self._reference, self._record, self._key = record.reference, dump(record), owner.key
        try:
            if workspace.size(self._digest) is not None:
                return self._existing(workspace, owner)
        except OSError as error:
            return self.without(words.FAILED, words.WORKSPACE_READ_FAILED, error)
        return self._written(workspace, owner)

    def _existing(self, workspace: Workspace, owner: Owner) -> Outcome:
        """Raises OSError when the bytes cannot be read."""
        if not holds(workspace, self._digest):
            return self.without(words.FAILED, words.CONTENT_ADDRESS_MISMATCH)
        return self._recorded(workspace, owner, words.EXISTING_REFERENCE, words.EXISTING_CONTENT_MATCH)

    def _written(self, workspace: Workspace, owner: Owner) -> Outcome:
        try:
            workspace.write(self._digest, self._body)
        except CancelledError as error:
            return self.without(words.RECOVERY_REQUIRED, words.CANCELED_AFTER_WRITE, error)
        except FileExistsError as error:
            return self._lost_race(workspace, owner, error)
        except OSError as error:
            return self.without(words.FAILED, words.WORKSPACE_WRITE_FAILED, error)
        if self._control.cancelled():
            return self.without(words.RECOVERY_REQUIRED, words.CANCELED_AFTER_WRITE)
        if self._control.checkpoint is not None:
            try:
                self._control.checkpoint()
            except Exception as error:  # noqa: BLE001 - somebody else's code; its error goes to the caller
                return self.without(words.RECOVERY_REQUIRED, words.CHECKPOINT_FAILED, error)
        return self._recorded(workspace, owner, words.OFFLOADED, words.THRESHOLD_EXCEEDED)

    def _lost_race(self, workspace: Workspace, owner: Owner, lost: FileExistsError) -> Outcome:
        """Somebody wrote the address in between: their bytes are as good as ours, if they are the same."""
        try:
            if workspace.size(self._digest) is None:
                return self.without(words.FAILED, words.WORKSPACE_WRITE_FAILED, lost)
            return self._existing(workspace, owner)
        except OSError as error:
            return self.without(words.FAILED, words.WORKSPACE_READ_FAILED, error)

    def _recorded(self, workspace: Workspace, owner: Owner, outcome: str, reason: str) -> Outcome:
        """The reference, once there is a record that lets its owner ask for it."""
        try:
            if not self._is_recorded(workspace, owner):
                workspace.remember(self._key, self._digest, self._record)
        except OSError as error:
            return self.without(words.FAILED, words.WORKSPACE_WRITE_FAILED, error)
        diagnostics = self._diagnostics(outcome, reason, references.LENGTH, self._reference)
        return Outcome(diagnostics, self._reference)

    def _is_recorded(self, workspace: Workspace, owner: Owner) -> bool:
        """Whether the owner can have it already; a damaged record counts for nothing and is written again."""
        from gsd_capabilities.artifacts.records import usable

        try:
            return usable(workspace.recall(self._key, self._digest), owner, self._digest) is not None
        except GsdError:
            return False

    def without(self, outcome: str, reason: str, error: Exception | None = None) -> Outcome:
        """A decision that gives no reference."""
        return Outcome(self._diagnostics(outcome, reason, None, None), None, error)

    def _diagnostics(
        self, outcome: str, reason: str, output: int | None, reference: str | None
    ) -> Diagnostics:
        return Diagnostics(
            outcome,
            reason,
            operation=words.OFFLOAD,
            content=words.TOOL_RESULT,
            limit_bytes=self._limit,
            observed_bytes=self._size,
            output_bytes=output,
            reference=reference,
        )


def _digest(body: bytes | File) -> str:
    import hashlib

    return hashlib.sha256(body).hexdigest() if isinstance(body, bytes) else body.digest()


def serialised(body: object) -> bytes:
    """The bytes of a body: as they are, text as UTF-8, anything else as JSON. Raises GsdError `not_text`."""
    if isinstance(body, bytes):
        return body
    try:
        if isinstance(body, str):
            return body.encode()
        import json

        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as error:
        message = "this result has no form in UTF-8 or JSON"
        raise GsdError(message, reason="not_text", hint="hand it over as bytes") from error


def check(control: Control) -> None:
    """Raises CancelledError when nobody waits any more."""
    if control.cancelled():
        raise CancelledError


def same_binding(access: Access | None, bound: Bound) -> None:
    """Raises GsdError `binding_changed` when somebody else is bound by now."""
    if (access() if access else None) != bound:
        hint = "start again: the session or its project has changed"
        raise GsdError("the binding changed during the work", reason="binding_changed", hint=hint)
