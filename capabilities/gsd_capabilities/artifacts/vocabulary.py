"""The closed words of every decision about an artifact, and which of them go together.

A decision is an offload (bytes leave the conversation) or a rehydration (they come back). It ends in one
outcome for one reason, about one kind of content. Source: ADR-0006, hybrid context and workspace authority;
the record checks that a reason fits the family of its outcome, here the pair itself is checked.
"""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

OFFLOAD, REHYDRATION = "offload", "rehydration"
OPERATIONS = (OFFLOAD, REHYDRATION)

TOOL_RESULT, SEGMENT = "tool_result", "recoverable_context_segment"
CONTENTS = (TOOL_RESULT, SEGMENT)

# Who may ask for a body. That something looks relevant is no reason to.
TOOL_REQUEST, DETERMINISTIC_POLICY = "tool_request", "deterministic_policy"
SOURCES = (TOOL_REQUEST, DETERMINISTIC_POLICY)

INLINE, OFFLOADED, EXISTING_REFERENCE = "inline", "offloaded", "existing_reference"
FAILED, RECOVERY_REQUIRED = "failed", "recovery_required"
RESOLVED, STALE, MISSING = "resolved", "stale", "missing"
UNAUTHORIZED, OVER_BUDGET = "unauthorized", "over_budget"

OFFLOAD_OUTCOMES = (INLINE, OFFLOADED, EXISTING_REFERENCE, FAILED, RECOVERY_REQUIRED)
REHYDRATION_OUTCOMES = (RESOLVED, STALE, MISSING, UNAUTHORIZED, OVER_BUDGET)

BELOW_THRESHOLD, RECOVERABLE_SEGMENT_BYPASS = "below_threshold", "recoverable_segment_bypass"
THRESHOLD_EXCEEDED, EXISTING_CONTENT_MATCH = "threshold_exceeded", "existing_content_match"
NO_AUTHORIZED_WORKSPACE, WORKSPACE_READ_FAILED = "no_authorized_workspace", "workspace_read_failed"
CONTENT_ADDRESS_MISMATCH, WORKSPACE_WRITE_FAILED = "content_address_mismatch", "workspace_write_failed"
CANCELED_AFTER_WRITE, CHECKPOINT_FAILED = "canceled_after_write", "checkpoint_failed"
DIGEST_VERIFIED, DIGEST_MISMATCH, NOT_FOUND = "digest_verified", "digest_mismatch", "missing"
OWNER_MISMATCH, BUDGET_EXCEEDED = "owner_mismatch", "budget_exceeded"

OFFLOAD_REASONS = (
    BELOW_THRESHOLD,
    RECOVERABLE_SEGMENT_BYPASS,
    THRESHOLD_EXCEEDED,
    EXISTING_CONTENT_MATCH,
    NO_AUTHORIZED_WORKSPACE,
    WORKSPACE_READ_FAILED,
    CONTENT_ADDRESS_MISMATCH,
    WORKSPACE_WRITE_FAILED,
    CANCELED_AFTER_WRITE,
    CHECKPOINT_FAILED,
)
REHYDRATION_REASONS = (DIGEST_VERIFIED, DIGEST_MISMATCH, NOT_FOUND, OWNER_MISMATCH, BUDGET_EXCEEDED)


class Rule(NamedTuple):
    """What a legal pair of outcome and reason demands.

    `reference` and `observed` say whether the decision carries them. `output` says what comes out:
    `observed` (all of it), `reference` (its length), `body` (what was asked for) or `none`. `size` says how
    the observed bytes relate to the threshold or budget: `within`, `over` or `any`.
    """

    operation: str
    content: str
    reference: bool
    observed: bool
    output: str
    size: str


_FAILURE = Rule(OFFLOAD, TOOL_RESULT, reference=False, observed=True, output="none", size="over")
_MINTED = Rule(OFFLOAD, TOOL_RESULT, reference=True, observed=True, output="reference", size="over")
_NOT_SEEN = Rule(REHYDRATION, SEGMENT, reference=True, observed=False, output="none", size="any")
_SEEN = _NOT_SEEN._replace(observed=True)

LEGAL: Mapping[tuple[str, str], Rule] = {
    (INLINE, BELOW_THRESHOLD): _FAILURE._replace(output="observed", size="within"),
    (INLINE, RECOVERABLE_SEGMENT_BYPASS): Rule(
        OFFLOAD, SEGMENT, reference=False, observed=True, output="observed", size="any"
    ),
    (OFFLOADED, THRESHOLD_EXCEEDED): _MINTED,
    (EXISTING_REFERENCE, EXISTING_CONTENT_MATCH): _MINTED,
    (FAILED, NO_AUTHORIZED_WORKSPACE): _FAILURE,
    (FAILED, WORKSPACE_READ_FAILED): _FAILURE,
    (FAILED, CONTENT_ADDRESS_MISMATCH): _FAILURE,
    (FAILED, WORKSPACE_WRITE_FAILED): _FAILURE,
    (RECOVERY_REQUIRED, CANCELED_AFTER_WRITE): _FAILURE,
    (RECOVERY_REQUIRED, CHECKPOINT_FAILED): _FAILURE,
    (RESOLVED, DIGEST_VERIFIED): _SEEN._replace(output="body"),
    (STALE, DIGEST_MISMATCH): _SEEN,
    (MISSING, NOT_FOUND): _NOT_SEEN,
    (UNAUTHORIZED, OWNER_MISMATCH): _NOT_SEEN,
    (OVER_BUDGET, BUDGET_EXCEEDED): _SEEN._replace(size="over"),
}
