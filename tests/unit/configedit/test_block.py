"""Marked blocks in texts: nothing else in the file moves, broken markers are named."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.configedit.edit import check, put, state, take, update
from gsd_install.kernel.errors import GsdError

BEGIN, END = "<!-- gsd:begin gsd -->", "<!-- gsd:end gsd -->"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, f"{BEGIN}\none\ntwo\n{END}\n"),
        ("", f"\n{BEGIN}\none\ntwo\n{END}\n"),
        ("a\n", f"a\n\n{BEGIN}\none\ntwo\n{END}\n"),
        ("a", f"a\n\n{BEGIN}\none\ntwo\n{END}"),
        ("\ufeffa\r\nb", f"\ufeffa\r\nb\r\n\r\n{BEGIN}\r\none\r\ntwo\r\n{END}"),
    ],
)
def test_a_block_goes_to_the_end_in_the_files_own_style(before: str | None, after: str) -> None:
    text = None if before is None else before.encode()
    data, receipt = put(text, "block", ("gsd",), "one\r\ntwo\n", file="f")
    assert data.decode() == after
    assert state(data, "block", receipt, file="f") == "present"
    assert take(data, "block", receipt, file="f") == text


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_any_bytes_stay_what_they_are(before: bytes, value: str, later: str) -> None:
    if before.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    data, receipt = put(before, "block", ("gsd",), value, file="f")
    assert data.startswith(before)
    data, receipt = update(data, "block", receipt, later, file="f")
    assert state(data, "block", receipt, file="f") == "present"
    assert take(data, "block", receipt, file="f") == before


def test_update_touches_the_text_between_the_markers_only() -> None:
    data, receipt = put(b"a\n", "block", ("gsd",), "one", file="f")
    data, receipt = update(b"x\n" + data + b"y\n", "block", receipt, "", file="f")
    assert data.decode() == f"x\na\n\n{BEGIN}\n{END}\ny\n"
    data, receipt = update(data, "block", receipt, "two\n\nthree\n", file="f")
    assert data.decode() == f"x\na\n\n{BEGIN}\ntwo\n\nthree\n{END}\ny\n"
    assert take(data, "block", receipt, file="f") == b"x\na\ny\n"


def test_an_edited_block_is_left_alone() -> None:
    data, receipt = put(b"a\n", "block", ("gsd",), "one", file="f")
    edited = data.replace(b"one", b"two")
    assert state(edited, "block", receipt, file="f") == "changed"
    assert take(edited, "block", receipt, file="f") == edited
    assert state(b"a\n", "block", receipt, file="f") == "missing"


def test_a_file_created_for_two_blocks_goes_with_the_last() -> None:
    data, one = put(None, "block", ("one",), "1", file="f")
    data, two = put(data, "block", ("two",), "2", file="f")
    left = take(data, "block", one, file="f")
    assert left == b"<!-- gsd:begin two -->\n2\n<!-- gsd:end two -->\n"
    assert take(left, "block", two, file="f") is None


def test_what_the_user_wrote_into_a_file_of_ours_stays() -> None:
    data, receipt = put(None, "block", ("gsd",), "1", file="f")
    assert take(b"# Mine\n\n" + data + b"\nmore\n", "block", receipt, file="f") == b"# Mine\n\n\nmore\n"
    assert take(data + b"\nmore\n", "block", receipt, file="f") == b"\nmore\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (f"a\n{BEGIN}\nb\n", 2, "the block 'gsd' never ends"),
        (f"a\nb\r\n{END}\n", 3, "the block 'gsd' ends but never began"),
        (f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n", 3, "the block 'gsd' begins a second time"),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", 1, "the block 'gsd' never ends"),
        (f"{BEGIN}\n<!-- gsd:end other -->\n{END}\n", 2, "the block 'other' ends but never began"),
    ],
)
def test_markers_that_do_not_pair_up_are_named(text: str, line: int, message: str) -> None:
    for attempt in (
        lambda: check(text.encode(), "block", file="AGENTS.md"),
        lambda: put(text.encode(), "block", ("new",), "x", file="AGENTS.md"),
    ):
        with pytest.raises(GsdError) as caught:
            attempt()
        error = caught.value
        assert (error.reason, error.file, error.line) == ("markers", "AGENTS.md", line)
        assert error.message == f"column 1: {message}"
        assert error.hint


@pytest.mark.parametrize(
    "text", [f"`{BEGIN}`\n", f"{BEGIN} x\n", "<!-- gsd:begin -->\n", "<!-- gsd:section id=a -->\n"]
)
def test_what_is_no_marker_line_is_text(text: str) -> None:
    check(text.encode(), "block", file="f")


@pytest.mark.parametrize(("name", "value"), [("gsd", END), ("a b", "x"), ("a-->", "x"), ("", "x")])
def test_what_could_not_be_found_again_is_not_written(name: str, value: str) -> None:
    with pytest.raises(GsdError) as caught:
        put(b"", "block", (name,), value, file="f")
    assert caught.value.reason == "value"
