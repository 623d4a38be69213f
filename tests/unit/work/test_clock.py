"""When a verb runs, and for whom."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_capabilities.companion.request import Request
from gsd_capabilities.work.clock import now_of, seconds, stamp, who_of
from gsd_install.kernel.errors import UsageError


def request(environ: dict[str, str] | None = None, **options: Any) -> Request:
    return Request((), options, "/", None, environ or {}, bytes)


def test_the_moment_is_what_the_option_says_else_now() -> None:
    assert now_of(request(at="2026-12-01T00:00:00Z")) == 1_796_083_200
    assert now_of(request(at="2026-12-01T02:00:00+02:00")) == 1_796_083_200
    assert abs(now_of(request()) - time.time()) < 60


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tomorrow",
        "2026-12-01",
        "2026-12-01T00:00:00",
        "2026-13-01T00:00:00Z",
        "1969-12-31T23:59:59Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
    ],
)
def test_what_is_no_moment_or_has_no_zone_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        now_of(request(at=text))
    assert caught.value.reason == "bad_time"


@given(st.integers(0, 4_000_000_000))
def test_a_stamp_is_read_back_as_it_was(at: int) -> None:
    assert seconds(stamp(at)) == at


def test_who_is_the_option_then_the_environment_then_nobody() -> None:
    assert who_of(request({"GSD_AGENT": "ann"}, **{"as": "bob"})) == "bob"
    assert who_of(request({"GSD_AGENT": "ann"})) == "ann"
    assert who_of(request()) == ""
