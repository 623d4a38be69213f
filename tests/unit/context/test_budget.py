"""Pools, what they lend, and the monitor."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_capabilities.context.monitor import Monitor, watched
from gsd_capabilities.context.pools import ORDER, STATE_SHARES, divided, lend, pools
from gsd_capabilities.context.settings import SHARES, Settings

NEEDS = st.fixed_dictionaries({name: st.integers(0, 60_000) for name in ORDER})


@pytest.mark.req("CTX-pools", "CTX-pools-shares", "CTX-pools-state-split")
def test_the_pools_of_the_usual_window() -> None:
    assert pools(128_000, 25_600, SHARES) == {
        "system": 25_600, "references": 19_200, "state": 25_600, "request": 10_240, "response": 25_600,
        "buffer": 21_760,
    }  # fmt: skip
    assert divided(25_600, STATE_SHARES) == {"plan": 8_533, "session": 12_800, "git": 4_267}
    assert dict(Settings().pools) == {
        "system": 20, "references": 15, "state": 20, "request": 8, "response": 20, "buffer": 17,
    }  # fmt: skip


@pytest.mark.req("CTX-pools-exact")
@given(st.integers(0, 3_000_000), st.lists(st.integers(0, 100), min_size=6, max_size=6), st.data())
def test_the_pools_of_any_window_add_up_to_it(window: int, shares: list[int], data: st.DataObject) -> None:
    named = dict(zip(SHARES, shares, strict=True))
    named["buffer"] += 1
    reserve = data.draw(st.integers(0, window))
    made = pools(window, reserve, named)
    assert sum(made.values()) == window
    assert made["response"] == reserve
    assert min(made.values()) >= 0
    exact = {name: window * share / sum(named.values()) for name, share in named.items()}
    assert all(abs(part - exact[name]) < 1 for name, part in divided(window, named).items())


@pytest.mark.req("CTX-pools-lending", "CTX-pools-reserve-kept")
@given(NEEDS)
def test_what_is_lent_is_borrowed_and_nothing_more(need: dict[str, int]) -> None:
    have = pools(128_000, 25_600, SHARES)
    done = lend(have, need)
    assert done.left == have["buffer"] + sum(done.unused.values()) - sum(done.borrowed.values()) >= 0
    for name in ORDER:
        assert have[name] + done.borrowed[name] + done.lacking[name] >= need[name]
        assert not (done.unused[name] and done.borrowed[name])
    lacking = sum(done.lacking.values())
    assert (lacking > 0) == (sum(need.values()) > 128_000 - 25_600)
    assert lacking == 0 or done.left == 0
    assert "response" not in done.borrowed
    assert sum(need.values()) - lacking <= 128_000 - have["response"]


def test_pools_borrow_in_a_fixed_order() -> None:
    have = {"system": 10, "request": 10, "state": 10, "references": 10, "buffer": 5, "response": 99}
    need = {"references": 13, "state": 13, "system": 13, "request": 10}
    done = lend(have, need)
    assert done.borrowed == {"system": 3, "request": 0, "state": 2, "references": 0}
    assert done.lacking == {"system": 0, "request": 0, "state": 1, "references": 3}
    assert lend(have, dict(reversed(need.items()))) == done


@pytest.mark.req("CTX-monitor", "CTX-monitor-trend")
@pytest.mark.parametrize(
    ("used", "growth", "projected", "due"),
    [
        ((), 0.0, None, False),
        ((100,), 0.0, None, False),
        ((100, 90, 80), 0.0, None, False),
        ((100, 200, 300), 100.0, 7, False),
        ((100, 800, 810, 820, 830), 10.0, 17, False),
        ((100, 300, 200, 400), 200.0, 3, False),
        ((100, 400, 700), 300.0, 1, True),
        ((100, 1_200), 1_100.0, 0, True),
    ],
)
def test_the_projection_is_the_growth_of_the_last_three_rounds(
    used: tuple[int, ...], growth: float, projected: int | None, due: Any
) -> None:
    seen = watched(1_000, used)
    assert (seen.growth, seen.projected_rounds, seen.compaction_due) == (growth, projected, due)
    assert seen.initial == (used[0] if used else 0)
    assert seen.used == (used[-1] if used else 0)
    assert seen.remaining == 1_000 - seen.used
    assert seen.current_round == (used[-1] - used[-2] if len(used) > 1 else 0)


def test_exactly_two_rounds_left_is_too_few_and_more_is_not() -> None:
    assert watched(1_000, (0, 334)).projected_rounds == 1
    assert watched(900, (0, 300)).projected_rounds == 2
    assert watched(900, (0, 300)).compaction_due
    assert not watched(1_200, (0, 300)).compaction_due


def test_a_compaction_resets_the_growth() -> None:
    tired = watched(1_000, (100, 400, 700))
    fresh = tired.observe(200)
    assert tired.compaction_due
    assert (fresh.growth, fresh.used, fresh.compaction_due) == (0.0, 200, False)
    assert fresh.observe(250).growth == 50.0


@pytest.mark.parametrize(
    ("used", "level"), [(649, "healthy"), (650, "warning"), (749, "warning"), (750, "critical")]
)
def test_the_warning_of_a_hook_is_a_view_of_the_monitor(used: int, level: str) -> None:
    assert Monitor(800, used).level(1_000) == level
