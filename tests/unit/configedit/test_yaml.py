"""Entries in YAML files: block and flow collections, empty values; exact removal; what is refused."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.configedit.edit import check, load, put, state, take, update
from gsd_install.kernel.errors import GsdError

Pointer = tuple[str, ...]
HOOK = ("hooks", "pre", "-")
SERVER = ("mcp_servers", "gsd")


def read(data: bytes | None) -> Any:
    return yaml.safe_load((data or b"").decode("utf-8-sig"))


@pytest.mark.parametrize(
    ("before", "pointer", "value", "after"),
    [
        (
            None,
            SERVER,
            {"a": [1, {"b": "c", "d": {}}]},
            "mcp_servers:\n  gsd:\n    a:\n      - 1\n      - b: c\n        d: {}\n",
        ),
        (b"x: 1\n", SERVER, {"a": True}, "x: 1\nmcp_servers:\n  gsd:\n    a: true\n"),
        (b"x: 1", ("k",), "v", "x: 1\nk: v"),
        (b"\xef\xbb\xbfx: 1\r\n", ("k",), ["v"], "\ufeffx: 1\r\nk:\r\n  - v\r\n"),
        (
            b"m:\n    a: 1 # c\n    # d\n  # e\nz: 1\n",
            ("m", "k"),
            "v",
            "m:\n    a: 1 # c\n    k: v\n    # d\n  # e\nz: 1\n",
        ),
        (
            b"m:\n  n:\n    a: 1\n    # of n\n\nz: 1\n",
            ("m", "k"),
            1,
            "m:\n  n:\n    a: 1\n    # of n\n  k: 1\n\nz: 1\n",
        ),
        (b"m:\nz: 1\n", ("m", "k"), "v", "m:\n\n  k: v\nz: 1\n"),
        (b"m: # none\n", ("m", "k"), "v", "m: # none\n\n  k: v\n"),
        (b"m: {}\n", ("m", "k"), "v", 'm: { "k": "v" }\n'),
        (b"m: {a: 1} # c\n", ("m", "k"), "v", 'm: {a: 1, "k": "v"} # c\n'),
        (b"m: [\n  a, # c\n]\n", ("m", "-"), "v", 'm: [\n  a, # c\n  "v",\n]\n'),
        (
            b"l:\n- a\n- b: 1\n  c: 2\nz: 1\n",
            ("l", "-"),
            {"k": "v", "w": "x"},
            "l:\n- a\n- b: 1\n  c: 2\n- k: v\n  w: x\nz: 1\n",
        ),
        (b"l:\n  -\n", ("l", "-"), "v", "l:\n  -\n  - v\n"),
        (b"---\nx: 1\n...\n", ("k",), "v", "---\nx: 1\nk: v\n...\n"),
        (b"---\n# c\n", ("k",), "v", "---\n# c\n\nk: v\n"),
        (b"x: |\n  a\n\ny: >-\n  b", ("k",), "v", "x: |\n  a\n\nk: v\ny: >-\n  b"),
        (b"x: |+\n  a\n\n", ("k",), "v", "x: |+\n  a\n\nk: v\n"),
        (b"x: 'a\n\n  b'\n", ("k",), "v", "x: 'a\n\n  b'\nk: v\n"),
        (b'{"a": {"b": 1}}\n', ("a", "k"), {"x": [1]}, '{"a": {"b": 1, "k": {"x": [1]}}}\n'),
        (b"b: &x {c: 1}\nd: *x\n", ("k",), "v", "b: &x {c: 1}\nd: *x\nk: v\n"),
        (b"m: {? a, [b: 1], c: [d: e]}\n", ("k",), "v", "m: {? a, [b: 1], c: [d: e]}\nk: v\n"),
    ],
)
def test_an_entry_is_written_in_the_files_own_style(
    before: bytes | None, pointer: Pointer, value: Any, after: str
) -> None:
    data, receipt = put(before, "yaml", pointer, value, file="f")
    assert data.decode() == after
    assert state(data, "yaml", receipt, file="f") == "present"
    assert take(data, "yaml", receipt, file="f") == before


def test_a_user_entry_beside_ours_keeps_the_container() -> None:
    data, receipt = put(b"x: 1\n", "yaml", HOOK, {"command": "gsd"}, file="f")
    assert take(data + b"    - command: mine\n", "yaml", receipt, file="f") == (
        b"x: 1\nhooks:\n  pre:\n    - command: mine\n"
    )


def test_a_key_the_user_had_stays_when_it_was_laid_out_anew() -> None:
    data, receipt = put(b"m:\n", "yaml", ("m", "k"), 1, file="f")
    assert take(data.replace(b"\n\n", b"\n"), "yaml", receipt, file="f") == b"m:\n"


@pytest.mark.parametrize(
    "text", [b"m:\n  a: |\n    x\n\nz: [b, 'c']\n", b"m: # c\nz: |\n  a", b"l:\n- - a\n- b\n"]
)
def test_the_slower_parser_gives_the_same(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = [put(text, "yaml", pointer, {"v": [1]}, file="f") for pointer in (("m", "k"), ("n",))]
    monkeypatch.delattr(yaml, "CSafeLoader")
    slow = [put(text, "yaml", pointer, {"v": [1]}, file="f") for pointer in (("m", "k"), ("n",))]
    assert fast == slow
    assert all(take(data, "yaml", receipt, file="f") == text for data, receipt in slow)


def test_comments_in_our_lines_stay() -> None:
    data, receipt = put(b"x: 1\n", "yaml", SERVER, {"a": "b", "c": "d"}, file="f")
    edited = data.replace(b"gsd:\n", b"gsd: # ours\n").replace(b"    c:", b"    # why\n    c:")
    assert take(edited, "yaml", receipt, file="f") == b"x: 1\n# ours\n    # why\n"
    changed, receipt = update(edited, "yaml", receipt, {"e": "f"}, file="f")
    assert changed == b"x: 1\nmcp_servers:\n  gsd:\n    e: f\n  # ours\n  # why\n"


def test_our_entry_may_be_written_in_any_other_way() -> None:
    _, receipt = put(None, "yaml", HOOK, {"command": "gsd x", "timeout": 5, "on": ["a"]}, file="f")
    for text in (
        '{hooks: {pre: [{"on": [a], timeout: 5, command: gsd x}]}}\n',
        "hooks:\n  pre:\n  - timeout: 5\n    'on':\n    - 'a'\n    command: |-\n      gsd x\n",
        "hooks:\n  pre:\n    -\n      command: gsd x\n      timeout: 5\n      on: [a]\n",
    ):
        assert state(text.encode(), "yaml", receipt, file="f") == "present"
        assert not (read(take(text.encode(), "yaml", receipt, file="f")) or {}).get("hooks")
        changed, _ = update(text.encode(), "yaml", receipt, {"command": "y"}, file="f")
        assert read(changed) == {"hooks": {"pre": [{"command": "y"}]}}


def test_scalars_are_what_the_user_wrote() -> None:
    data = load(b"a: yes\nb: 012\nc: 1.0\nd: ~\ne: '1'\nf: !!str 1\ng: TRUE\nh: 1e3\n", "yaml", "f").data()
    assert data == {"a": "yes", "b": "012", "c": 1.0, "d": None, "e": "1", "f": "1", "g": True, "h": "1e3"}
    result, receipt = put(b"a: yes\n", "yaml", ("a",), "yes", file="f")
    assert (result, receipt["ours"]) == (b"a: yes\n", False)
    with pytest.raises(GsdError, match="'a' is already set"):
        put(b"a: yes\n", "yaml", ("a",), True, file="f")


@pytest.mark.parametrize(
    ("data", "reason", "line", "message"),
    [
        (b"a: 1\n\tb: 2\n", "syntax", 2, "column 1: "),
        (b"a: [1\n", "syntax", 2, "column 1: "),
        (b"a: \x07\n", "syntax", 1, "column 4: a character that yaml does not allow"),
        (b"a: 1\n---\nb: 2\n", "unsupported", 2, "column 1: a second document begins here"),
        (b"---\n---\nb: 2\n", "unsupported", 2, "column 1: a second document begins here"),
        (b"[" * 300, "depth", 1, "column 201: nested deeper than 200 levels"),
    ],
)
def test_what_cannot_be_read_is_named(data: bytes, reason: str, line: int, message: str) -> None:
    with pytest.raises(GsdError) as caught:
        check(data, "yaml", file="config.yaml")
    error = caught.value
    assert (error.reason, error.file, error.line) == (reason, "config.yaml", line)
    assert error.message.startswith(message)


@pytest.mark.parametrize(
    ("data", "reason", "line", "message"),
    [
        (b"x: 1\nhooks: none\n", "type", 2, "column 8: expected a mapping at 'hooks', found a plain value"),
        (b"hooks: null\n", "type", 1, "column 8: expected a mapping at 'hooks', found a plain value"),
        (b"hooks:\n  pre: {}\n", "type", 2, "column 8: expected a sequence at 'hooks.pre', found a mapping"),
        (b"- a\n", "type", 1, "column 1: expected a mapping at the top, found a sequence"),
        (b"{hooks: }\n", "type", 1, "column 7: expected a mapping at 'hooks', found a plain value"),
        (b"a: &x {}\nhooks: *x\n", "unsupported", 2, "column 8: 'hooks' is shared with other places as 'x'"),
        (b"hooks: &x {}\na: *x\n", "unsupported", 1, "column 11: 'hooks' is shared with other places as 'x'"),
        (b"hooks: {a: }\n", "unsupported", 1, "column 9: nothing can be added behind a key without a value"),
        (b"---\n...\n", "unsupported", 3, "column 1: the document is closed by '...' before it begins"),
    ],
)
def test_what_cannot_be_edited_is_named(data: bytes, reason: str, line: int, message: str) -> None:
    with pytest.raises(GsdError) as caught:
        put(data, "yaml", HOOK, {}, file="f")
    error = caught.value
    assert (error.reason, error.line, error.message) == (reason, line, message)
    assert error.hint


def test_an_entry_that_others_refer_to_is_not_pulled_away() -> None:
    data, receipt = put(b"x: 1\n", "yaml", SERVER, {"a": ["b"]}, file="f")
    edited = data.replace(b"a:", b"a: &mine") + b"y: *mine\n"
    for remove in (
        lambda: take(edited, "yaml", receipt, file="f"),
        lambda: update(edited, "yaml", receipt, 1, file="f"),
    ):
        with pytest.raises(GsdError, match="other places refer to this entry as 'mine'"):
            remove()


def test_an_entry_that_shares_its_line_is_not_torn_out() -> None:
    _, receipt = put(None, "yaml", SERVER, "v", file="f")
    with pytest.raises(GsdError, match="shares its line") as caught:
        take(b"mcp_servers:\n  ? gsd\n  : v\n  a: 1\n", "yaml", receipt, file="f")
    assert caught.value.reason == "unsupported"


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.booleans()
    | st.integers(-999, 999)
    | st.text()
    | st.sampled_from(["yes", "1", "a: b", "- a", "#", "", "~"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
TEXTS = (
    None,
    b"",
    b"x: 1",
    b"t:\n",
    b"t: {}\n",
    b"t:\r\n    u: |\r\n      x\r\n",
    b"# c\n",
    b"{t: {u: [1]}}",
)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(TEXTS), st.text().filter(lambda key: key not in ("-", "u")), VALUES, VALUES)
def test_any_key_and_value_goes_in_and_out(data: bytes | None, key: str, value: Any, later: Any) -> None:
    result, receipt = put(data, "yaml", ("t", key), value, file="f")
    assert read(result)["t"][key] == value
    result, receipt = update(result, "yaml", receipt, later, file="f")
    assert read(result)["t"][key] == later
    assert take(result, "yaml", receipt, file="f") == data
