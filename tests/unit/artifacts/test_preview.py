"""A preview is lines from both ends, within its bytes."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gsd_capabilities.artifacts.preview import preview


@pytest.mark.req("ADR0006-preview-off")
def test_a_preview_has_the_first_and_the_last_lines() -> None:
    body = b"".join(b"line %d\n" % number for number in range(1, 1001))
    assert preview(body, lines=2) == "line 1\nline 2\n\n[...]\nline 999\nline 1000\n"
    assert preview(b"one\ntwo\n", lines=5) == "one\ntwo\n"


@settings(max_examples=120, deadline=None)
@given(st.text("aé\n", max_size=400), st.integers(1, 5), st.integers(20, 200))
@example("x" * 5000, 5, 100)
@example("x\n" + "y" * 5000, 5, 100)
def test_a_preview_stays_within_its_bytes_and_invents_nothing(text: str, lines: int, most: int) -> None:
    made = preview(text.encode(), lines, most)
    assert len(made.encode()) <= most
    top, gap, bottom = made.partition("\n[...]\n")
    assert text.startswith(top)
    assert text.endswith(bottom)
    assert top.count("\n") <= lines
    assert bottom.count("\n") <= lines
    assert bool(gap) == bool(bottom)


def test_what_is_no_text_has_no_preview() -> None:
    assert preview(b"\xff\xfe" * 500) == ""
