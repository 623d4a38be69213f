"""What a provider can take: the gate before a call, room for the answer, and how long a limit is believed.

Pure: every quantity is in tokens, every time in seconds, and both are given. What a prompt may hold and what
may be reserved for output are two limits of a provider; the document takes one from the other, and so does
this module. Source: context economics and learning loop, sections 1.1 and 5.1.
"""

from __future__ import annotations

from gsd_capabilities.learning import limits
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import NamedTuple

REJECTED = "prompt_pack_rejected"


class Verdict(NamedTuple):
    """Whether a fixed prefix may be sent: `needed` is `fixed` and what must stay free beside it."""

    fits: bool
    fixed: int
    afford: int | None
    needed: int


class RejectedError(GsdError):
    """A prompt that was not sent; `verdict` holds the numbers, and reason is `prompt_pack_rejected`."""

    def __init__(self, message: str, verdict: Verdict, hint: str) -> None:
        super().__init__(message, reason=REJECTED, hint=hint)
        self.verdict = verdict


def gate(system: int, tools: int, afford: int | None) -> Verdict:
    """Whether system text and tool definitions leave room for an answer. An unknown limit passes."""
    fixed = system + tools
    needed = fixed + limits.PROMPT_AFFORD_OUTPUT_RESERVE + limits.PROMPT_AFFORD_SAFETY
    known = afford if afford is not None and afford > 0 else None
    return Verdict(known is None or needed <= known, fixed, known, needed)


def clamp(requested: int | None, afford: int | None, prompt: int) -> int | None:
    """The `max_tokens` of a first request: no more than what remains; None where nothing limits it.

    Raises RejectedError where nothing remains: such a request is not sent.
    """
    if afford is None or afford <= 0:
        return requested
    remainder = afford - prompt - limits.PROMPT_AFFORD_SAFETY
    if remainder < 1:
        needed = prompt + limits.PROMPT_AFFORD_SAFETY + 1
        raise RejectedError(
            f"the prompt of {prompt:,} tokens leaves no room for an answer: {afford:,} can be afforded",
            Verdict(fits=False, fixed=prompt, afford=afford, needed=needed),
            "say it in fewer words, start a new session, or raise what the provider grants",
        )
    return remainder if requested is None else min(requested, remainder)


def retry(affordable: int) -> int | None:
    """The `max_tokens` to try once more with after a refused reservation; None where there is no use."""
    if affordable < 1:
        return None
    return min(affordable, max(limits.MAX_TOKENS_FLOOR, affordable - limits.MAX_TOKENS_SAFETY))


def believed(limit: int) -> int:
    """What to count with after a provider said how long a prompt may be: a little less."""
    return limit * round(limits.PROMPT_CEILING_SHARE * 100) // 100


def least(*known: int | None) -> int | None:
    """The smallest of the limits that are known."""
    return min((limit for limit in known if limit is not None and limit > 0), default=None)


def rejected(verdict: Verdict) -> RejectedError:
    """The error for a prefix that does not fit, reflex included."""
    return RejectedError(
        f"the prompt needs {verdict.needed:,} tokens and {verdict.afford or 0:,} can be afforded:"
        f" {verdict.fixed:,} for instructions and tools, the rest for an answer",
        verdict,
        "shorten .planning/agent/ROLE.md, or raise what the provider grants;"
        f" what it said is believed for {limits.AFFORD_HINT_SECONDS} seconds",
    )


class Hint:
    """The limit that a provider told, believed for a while and forgotten after a success."""

    __slots__ = ("_at", "_tokens")

    def __init__(self, tokens: int | None = None, at: float = 0.0) -> None:
        self._tokens, self._at = tokens, at

    def learn(self, tokens: int, now: float) -> None:
        """Believe a limit from now on."""
        self._tokens, self._at = tokens, now

    def known(self, now: float) -> int | None:
        """The limit, as long as it is believed."""
        return self._tokens if now - self._at <= limits.AFFORD_HINT_SECONDS else None

    def clear(self) -> None:
        """Forget it: a call went through."""
        self._tokens = None
