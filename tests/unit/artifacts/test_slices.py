"""A slice of a stream is what the same slice of the whole would be."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.artifacts.slices import Picker, Slice, parse
from gsd_install.kernel.errors import UsageError

pieces = st.lists(st.text("ab\n", max_size=12).map(str.encode), max_size=8)


def picked(parts: list[bytes], wanted: Slice | None, most: int = 10_000) -> Picker:
    picker = Picker(wanted, most)
    for part in parts:
        picker.take(part)
    return picker


@pytest.mark.req("ADR0006-slices")
@settings(max_examples=150, deadline=None)
@given(pieces, st.integers(0, 60), st.none() | st.integers(0, 60))
def test_bytes(parts: list[bytes], first: int, more: int | None) -> None:
    last = None if more is None else first + more
    expected = b"".join(parts)[first : None if last is None else last + 1]
    assert picked(parts, Slice("bytes", first, last)).body() == expected


@pytest.mark.req("ADR0006-slices")
@settings(max_examples=200, deadline=None)
@given(pieces, st.integers(1, 12), st.none() | st.integers(0, 12))
def test_lines(parts: list[bytes], first: int, more: int | None) -> None:
    last = None if more is None else first + more
    whole = b"".join(parts)
    lines = [line + b"\n" for line in whole.split(b"\n")]
    lines[-1] = lines[-1].removesuffix(b"\n")
    assert picked(parts, Slice("lines", first, last)).body() == b"".join(lines[first - 1 : last])


@pytest.mark.req("ADR0006-slices")
@settings(max_examples=60, deadline=None)
@given(pieces, st.integers(1, 40))
def test_more_than_allowed_is_counted_and_not_kept(parts: list[bytes], most: int) -> None:
    whole = b"".join(parts)
    picker = picked(parts, None, most)
    assert picker.size == len(whole)
    assert picker.body() == (whole if len(whole) <= most else b"")


@pytest.mark.parametrize(
    ("unit", "text", "expected"),
    [
        ("bytes", "0-9", Slice("bytes", 0, 9)),
        ("bytes", "5-", Slice("bytes", 5, None)),
        ("lines", "3", Slice("lines", 3, 3)),
        ("lines", "1-1", Slice("lines", 1, 1)),
    ],
)
def test_how_ranges_are_written(unit: str, text: str, expected: Slice) -> None:
    assert parse(unit, text) == expected


@pytest.mark.parametrize(
    ("unit", "text"),
    [("lines", "0-3"), ("bytes", ""), ("bytes", "-5"), ("lines", "5-2"), ("lines", "a-b"), ("words", "1-2")],
)
def test_ranges_that_cannot_be_taken(unit: str, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(unit, text)
    assert caught.value.reason == "bad_slice"
