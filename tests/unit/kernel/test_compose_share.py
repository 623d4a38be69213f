"""How a proportional group divides its room."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.kernel.compose_share import water_fill


@pytest.mark.parametrize(
    ("wants", "floors", "room", "shares"),
    [
        ([100, 300], [0, 0], 200, [50, 150]),
        ([100, 300], [0, 0], 400, [100, 300]),
        ([100, 300], [0, 0], 999, [100, 300]),
        ([100, 300], [80, 0], 200, [80, 120]),
        ([100, 300], [80, 120], 200, [80, 120]),
        ([100, 300], [80, 120], 10, [80, 120]),
        ([100, 100, 100], [90, 10, 0], 150, [90, 30, 30]),
        ([0, 10], [0, 0], 5, [0, 5]),
        ([3, 3, 3], [0, 0, 0], 8, [2, 2, 2]),
        ([1, 11, 36], [1, 1, 1], 44, [1, 10, 33]),
        ([], [], 5, []),
    ],
)
def test_shares(wants: list[int], floors: list[int], room: int, shares: list[int]) -> None:
    assert water_fill(wants, floors, room) == shares


PAIR = st.integers(0, 50).flatmap(lambda want: st.tuples(st.just(want), st.integers(0, want)))


@given(pairs=st.lists(PAIR, max_size=8), extra=st.integers(0, 200))
@settings(deadline=None)
def test_floors_hold_and_the_room_is_not_exceeded(pairs: list[tuple[int, int]], extra: int) -> None:
    wants, floors = [want for want, _ in pairs], [floor for _, floor in pairs]
    room = sum(floors) + extra
    shares = water_fill(wants, floors, room)
    assert sum(shares) <= room
    assert all(floor <= share <= want for want, floor, share in zip(wants, floors, shares, strict=True))
    free = [
        (want, share)
        for want, floor, share in zip(wants, floors, shares, strict=True)
        if floor < share < want
    ]
    # Whoever is neither at its floor nor whole has the same proportion, up to rounding down.
    ratios = [share / want for want, share in free]
    slack = [1 / want for want, _ in free]
    assert not ratios or max(ratios) - min(ratios) <= max(slack)
    assert sum(wants) <= room or room - sum(shares) < max(len(pairs), 1)
