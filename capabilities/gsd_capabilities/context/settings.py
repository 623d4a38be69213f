"""The numbers a context is built under, and the check that they make sense.

The defaults are those of a window of 128,000 tokens: a fifth is kept for the response, and from 85 percent
of the rest on a context is compacted early.
"""

from __future__ import annotations

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

SHARES: Mapping[str, int] = {
    "system": 20, "references": 15, "state": 20, "request": 8, "response": 20, "buffer": 17,
}  # fmt: skip

SOFT_PERCENT = 85
COMPACT_PERCENT = 60


class Settings(NamedTuple):
    """Tokens unless said otherwise.

    `soft_limit` is None for 85 percent of what is available. `history_rounds` are injected whole and
    `kept_rounds` stay whole under pressure. A diff of more than `diff_lines` lines is listed by file.
    `pools` are percent of the window. `compact_percent` of what is available is the aim of a requested
    compaction. `url_bytes` is the most that is taken from a remote address.
    """

    max_tokens: int = 128_000
    reserve_tokens: int = 25_600
    soft_limit: int | None = None
    history_rounds: int = 5
    kept_rounds: int = 2
    diff_lines: int = 200
    compact_percent: int = COMPACT_PERCENT
    pools: Mapping[str, int] = SHARES
    url_bytes: int = 262_144

    @property
    def available(self) -> int:
        """What the context may take: the window less the reserve."""
        return self.max_tokens - self.reserve_tokens

    @property
    def soft(self) -> int:
        """Above this many tokens a context is compacted early."""
        return self.available * SOFT_PERCENT // 100 if self.soft_limit is None else self.soft_limit

    @property
    def compact(self) -> int:
        """What a requested compaction aims at."""
        return self.available * self.compact_percent // 100


def checked(settings: Settings) -> Settings:
    """The same settings. Raises GsdError (reason `bad_settings`) naming the one that makes no sense."""
    problem = _problem(settings)
    if problem:
        raise GsdError(problem[0], reason="bad_settings", hint=problem[1])
    return settings


def windowed(settings: Settings, max_tokens: int | None, reserve_tokens: int | None) -> Settings:
    """The settings for another window: what is not given keeps its proportion."""
    largest = settings.max_tokens if max_tokens is None else max_tokens
    if reserve_tokens is None:
        reserve_tokens = settings.reserve_tokens * largest // max(settings.max_tokens, 1)
    changed = settings._replace(max_tokens=largest, reserve_tokens=reserve_tokens)
    if settings.soft_limit is None or changed.available == settings.available:
        return changed
    return changed._replace(soft_limit=settings.soft_limit * changed.available // max(settings.available, 1))


def _problem(settings: Settings) -> tuple[str, str] | None:
    for name in ("history_rounds", "kept_rounds", "diff_lines", "url_bytes"):
        if getattr(settings, name) < 0:
            return f"{name} is {getattr(settings, name)}", "a whole number from 0"
    if not 0 < settings.reserve_tokens < settings.max_tokens:
        numbers = f"reserve_tokens is {settings.reserve_tokens:,} and max_tokens {settings.max_tokens:,}"
        return numbers, "the reserve lies above 0 and below the maximum"
    if not 0 < settings.soft <= settings.available:
        return (
            f"the soft limit is {settings.soft:,} tokens",
            f"it lies above 0 and at most at the {settings.available:,} tokens that are available",
        )
    if not 0 < settings.compact_percent <= 100:
        return f"compact_percent is {settings.compact_percent}", "from 1 to 100"
    return _problem_of_pools(settings.pools)


def _problem_of_pools(pools: Mapping[str, int]) -> tuple[str, str] | None:
    hint = f"percent for each of {', '.join(SHARES)}; together 100"
    if set(pools) != set(SHARES):
        odd = ", ".join(sorted(set(pools) ^ set(SHARES)))
        return f"the pools are not the known ones: {odd}", hint
    if any(share < 0 for share in pools.values()) or sum(pools.values()) != 100:
        return f"the pools add up to {sum(pools.values())} percent", hint
    return None
