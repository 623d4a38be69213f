"""The fixed prefix of a call, and the one gate that every entry passes before anything else is considered.

A prefix that what is affordable does not cover is built once more as reflex, prompt and tools alike; where
that does not fit either, nothing is sent. History plays no part in it: it gets what is left.
"""

from __future__ import annotations

from gsd_capabilities.harness.afford import RejectedError, Verdict, gate, rejected
from gsd_capabilities.packs.scenarios import REFLEX, pack_of
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from gsd_capabilities.packs.tools import Tool

# What a scenario of another pack falls back to.
FALLBACK = "heartbeat"


class Packed(NamedTuple):
    """A fixed prefix: the system text, the tools, and `tail`, which changes from call to call.

    `warnings` are about sizes that are watched and cut nothing.
    """

    scenario: str
    system: str
    tail: str
    tools: tuple[Tool, ...]
    system_tokens: int
    tool_tokens: int
    warnings: tuple[str, ...] = ()

    @property
    def fixed(self) -> int:
        """Tokens of the system text and the tools."""
        return self.system_tokens + self.tool_tokens


class Built(NamedTuple):
    """A prefix, and the names of activated tools that found no room in it."""

    packed: Packed
    evicted: tuple[str, ...] = ()


def affordable(build: Callable[[str], Packed], scenario: str, afford: int | None) -> Packed:
    """The prefix of a scenario, or that of reflex where only that one can be afforded.

    Raises RejectedError where neither can, or where a prefix is larger than its pack allows.
    """
    packed = build(scenario)
    verdict = gate(packed.system_tokens, packed.tool_tokens, afford)
    if not verdict.fits and pack_of(scenario) is not REFLEX:
        packed = build(FALLBACK)
        verdict = gate(packed.system_tokens, packed.tool_tokens, afford)
    if not verdict.fits:
        raise rejected(verdict)
    _within_pack(packed)
    return packed


def _within_pack(packed: Packed) -> None:
    pack = pack_of(packed.scenario)
    if packed.fixed > pack.fixed_tokens:
        raise RejectedError(
            f"instructions and tools of {packed.scenario} need {packed.fixed:,} tokens,"
            f" and the pack {pack.name} holds {pack.fixed_tokens:,}",
            Verdict(fits=False, fixed=packed.fixed, afford=pack.fixed_tokens, needed=packed.fixed),
            f"shorten .planning/agent/ROLE.md; see gsd-tools prefix show {packed.scenario}",
        )
