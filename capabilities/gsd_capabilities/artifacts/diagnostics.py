"""What is known about one decision, safe to show to anybody.

A diagnostic holds categories, byte counts and the reference, and no field for anything else: a body, path,
owner or exception text cannot be in it. It is checked when it is made, and never changes.
"""

from __future__ import annotations

from gsd_capabilities.artifacts import reference as references
from gsd_capabilities.artifacts.vocabulary import LEGAL, OFFLOAD
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from gsd_capabilities.artifacts.vocabulary import Rule

FIELDS = (
    "operation",
    "outcome",
    "content",
    "reason",
    "observed_bytes",
    "output_bytes",
    "limit_bytes",
    "reference",
)


class Diagnostics:
    """One decision. `limit_bytes` is the threshold of an offload, the budget of a rehydration.

    `observed_bytes` is the size of the whole artifact where it was seen, `output_bytes` what goes on from
    here: the body, the reference, or None for nothing. Raises GsdError `bad_diagnostics` for a combination
    that `vocabulary.LEGAL` does not have.
    """

    __slots__ = FIELDS

    operation: str
    outcome: str
    content: str
    reason: str
    observed_bytes: int | None
    output_bytes: int | None
    limit_bytes: int
    reference: str | None

    def __init__(
        self,
        outcome: str,
        reason: str,
        *,
        limit_bytes: int,
        operation: str,
        content: str,
        observed_bytes: int | None = None,
        output_bytes: int | None = None,
        reference: str | None = None,
    ) -> None:
        values = (operation, outcome, content, reason, observed_bytes, output_bytes, limit_bytes, reference)
        for name, value in zip(FIELDS, values, strict=True):
            object.__setattr__(self, name, value)
        _check(self)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"diagnostics do not change: {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"diagnostics do not change: {name}")

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in FIELDS)
        return f"Diagnostics({inside})"

    @property
    def input_bytes(self) -> int | None:
        """What came in: the content of an offload, the reference of a rehydration."""
        return self.observed_bytes if self.operation == OFFLOAD else references.LENGTH

    @property
    def saved_bytes(self) -> int:
        """Bytes that an offload keeps out of the conversation; a rehydration saves none."""
        if self.operation != OFFLOAD or self.observed_bytes is None or self.output_bytes is None:
            return 0
        return self.observed_bytes - self.output_bytes

    def as_json(self) -> dict[str, object]:
        """The fields, for JSON."""
        return {name: getattr(self, name) for name in FIELDS}


def _check(made: Diagnostics) -> None:
    rule = LEGAL.get((made.outcome, made.reason))
    if rule is None:
        raise _refused("this outcome does not come with this reason")
    if (made.operation, made.content) != (rule.operation, rule.content):
        raise _refused("this outcome belongs to another operation or kind of content")
    least = references.LENGTH if rule.operation == OFFLOAD else 1
    if not _is_size(made.limit_bytes) or made.limit_bytes < least:
        raise _refused(f"the threshold or budget is below {least}")
    _check_reference(made, rule)
    _check_observed(made, rule)
    _check_output(made, rule)


def _check_reference(made: Diagnostics, rule: Rule) -> None:
    if rule.reference and not references.is_reference(made.reference):
        raise _refused("this outcome needs a reference")
    if not rule.reference and made.reference is not None:
        raise _refused("this outcome carries no reference")


def _check_observed(made: Diagnostics, rule: Rule) -> None:
    size = made.observed_bytes
    if not rule.observed:
        if size is not None:
            raise _refused("this outcome has seen no bytes")
        return
    if size is None or not _is_size(size):
        raise _refused("this outcome needs the observed bytes")
    if (rule.size == "within" and size > made.limit_bytes) or (
        rule.size == "over" and size <= made.limit_bytes
    ):
        raise _refused("the observed bytes contradict the outcome")


def _check_output(made: Diagnostics, rule: Rule) -> None:
    size = made.output_bytes
    if rule.output == "body":
        fits = size is not None and _is_size(size) and size <= min(made.limit_bytes, made.observed_bytes or 0)
    else:
        wanted = {"none": None, "observed": made.observed_bytes, "reference": references.LENGTH}
        fits = size == wanted[rule.output] and type(size) is not bool
    if not fits:
        raise _refused("the output bytes contradict the outcome")


def _is_size(value: object) -> bool:
    return type(value) is int and value >= 0


def _refused(why: str) -> GsdError:
    return GsdError(f"no such decision: {why}", reason="bad_diagnostics")
