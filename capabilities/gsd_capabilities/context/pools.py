"""The window divided into pools, and what pools lend each other.

Shares are of the whole window. What a percentage leaves over is given out by the largest remainder
(Hamilton's method), so the pools of any window add up to exactly that window.
"""

from __future__ import annotations

from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

# Who borrows first when several pools need more than they have.
ORDER = ("system", "request", "state", "references")

STATE_SHARES: Mapping[str, int] = {"plan": 2, "session": 3, "git": 1}


class Lending(NamedTuple):
    """Who lent and who borrowed, in tokens.

    `unused` flowed into the buffer, `borrowed` out of it, `left` is what the buffer still has. `lacking`
    is what a pool needs and nobody could lend.
    """

    unused: Mapping[str, int]
    borrowed: Mapping[str, int]
    lacking: Mapping[str, int]
    left: int


def divided(whole: int, shares: Mapping[str, int]) -> dict[str, int]:
    """`whole` in proportion to `shares`, without a remainder; of equal remainders the first named wins."""
    total = sum(shares.values())
    parts = {name: whole * share // total for name, share in shares.items()}
    rest = whole - sum(parts.values())
    names = sorted(shares, key=lambda name: -(whole * shares[name] % total))
    for name in names[:rest]:
        parts[name] += 1
    return parts


def pools(window: int, reserve: int, shares: Mapping[str, int]) -> dict[str, int]:
    """The pools of a window whose response keeps `reserve` tokens; the others share what is left."""
    others = {name: share for name, share in shares.items() if name != "response"}
    divided_up = divided(window - reserve, others) if sum(others.values()) else dict.fromkeys(others, 0)
    return {name: reserve if name == "response" else divided_up[name] for name in shares}


def lend(have: Mapping[str, int], need: Mapping[str, int]) -> Lending:
    """Let pools that need more borrow from the buffer, into which the others' unused tokens flow.

    The reserve for the response is never lent.
    """
    unused = {name: max(have[name] - need.get(name, 0), 0) for name in ORDER}
    left = have["buffer"] + sum(unused.values())
    borrowed: dict[str, int] = {}
    lacking: dict[str, int] = {}
    for name in ORDER:
        wanted = max(need.get(name, 0) - have[name], 0)
        borrowed[name] = min(wanted, left)
        lacking[name] = wanted - borrowed[name]
        left -= borrowed[name]
    return Lending(unused, borrowed, lacking, left)
