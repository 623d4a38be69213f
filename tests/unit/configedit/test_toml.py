"""Entries in TOML files: tables, arrays of tables, keys, inline values; exact removal; what is refused."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.configedit.edit import check, put, state, take, update
from gsd_install.kernel.errors import GsdError

Pointer = tuple[str, ...]
HOOK = ("hooks", "SessionStart", "-")
SERVER = ("mcp_servers", "gsd")
COMMAND = {"command": "uvx", "args": ["gsd"], "env": {"A": "1"}}


def put_one(data: bytes | None, pointer: Pointer, value: Any) -> str:
    return put(data, "toml", pointer, value, file="f")[0].decode()


@pytest.mark.parametrize(
    ("before", "pointer", "value", "after"),
    [
        # A table goes to the end, behind an empty line.
        (b"x = 1\n", SERVER, {"a": 1}, "x = 1\n\n[mcp_servers.gsd]\na = 1\n"),
        (b"x = 1", SERVER, {"a": 1}, "x = 1\n\n[mcp_servers.gsd]\na = 1"),
        (b"[mcp_servers]\n[z]\n", SERVER, {}, "[mcp_servers]\n[z]\n\n[mcp_servers.gsd]\n"),
        (b'mcp_servers.docs.c = "d"\n', SERVER, {}, 'mcp_servers.docs.c = "d"\n\n[mcp_servers.gsd]\n'),
        (None, ("a b", "c.d"), {"e f": [1]}, '["a b"."c.d"]\n"e f" = [1]\n'),
        # An array of tables grows by a table.
        (None, HOOK, {"a": 1}, "[[hooks.SessionStart]]\na = 1\n"),
        (
            b"[[hooks.SessionStart]]\r\nb=1\r\n",
            HOOK,
            {"a": 1},
            "[[hooks.SessionStart]]\r\nb=1\r\n\r\n[[hooks.SessionStart]]\r\na = 1\r\n",
        ),
        # A key goes to its table, wherever that is and however it is written.
        (b"[f]\na=1 # c\n\n[z]\n", ("f", "k"), True, "[f]\na=1 # c\nk = true\n\n[z]\n"),
        (b"[f]\n  a=1", ("f", "k"), True, "[f]\n  a=1\n  k = true"),
        (b"f.a=1\nx=2\n[z]\n", ("f", "k"), True, "f.a=1\nf.k = true\nx=2\n[z]\n"),
        (b"[f]\nd.a=1\ny=2\n", ("f", "d", "k"), True, "[f]\nd.a=1\nd.k = true\ny=2\n"),
        (b"[f.sub]\n", ("f", "k"), True, "[f.sub]\n\n[f]\nk = true\n"),
        (b"f = { a = 1 }\n", ("f", "k"), True, "f = { a = 1, k = true }\n"),
        (b"f = {}\n", ("f", "k"), True, "f = { k = true }\n"),
        (b"[f]\n[z]\n", ("f", "k"), True, "[f]\n\nk = true\n[z]\n"),
        # A root key stands above all tables.
        (b"a=1\n# c\n[z]\n", ("k",), "v", 'a=1\nk = "v"\n# c\n[z]\n'),
        (b"# one\n\n# two\n[z]\n", ("k",), "v", '# one\n\nk = "v"\n\n# two\n[z]\n'),
        (b"# one\n", ("k",), "v", '# one\n\nk = "v"\n'),
        # An array grows in place.
        (b'l = ["a"]\n', ("l", "-"), "b", 'l = ["a", "b"]\n'),
        (b'l = [\n\t"a", # c\n]\n', ("l", "-"), "b", 'l = [\n\t"a", # c\n\t"b",\n]\n'),
        (b"[h]\nl = [{a=1}]\n", ("h", "l", "-"), {"b": 1}, "[h]\nl = [{a=1}, { b = 1 }]\n"),
        (b"", ("h", "l", "-"), "b", '\n[h]\nl = ["b"]\n'),
    ],
)
def test_an_entry_goes_where_its_neighbours_are(
    before: bytes | None, pointer: Pointer, value: Any, after: str
) -> None:
    data, receipt = put(before, "toml", pointer, value, file="f")
    assert data.decode() == after
    assert state(data, "toml", receipt, file="f") == "present"
    assert take(data, "toml", receipt, file="f") == before


def test_the_users_shape_survives_an_entry_of_theirs_beside_ours() -> None:
    data, receipt = put(b"", "toml", HOOK, {"hooks": [{"type": "command"}]}, file="f")
    theirs = b'\n[[hooks.SessionStart]]\n[[hooks.SessionStart.hooks]]\ncommand = "mine"\n'
    left = take(data + theirs, "toml", receipt, file="f")
    assert left == theirs
    assert tomllib.loads(theirs.decode())["hooks"]["SessionStart"] == [{"hooks": [{"command": "mine"}]}]


def test_something_of_theirs_inside_our_table_makes_it_theirs_too() -> None:
    data, receipt = put(b"x = 1\n", "toml", HOOK, {"matcher": "startup"}, file="f")
    edited = data + b'[[hooks.SessionStart.hooks]]\ncommand = "mine, and longer"\n'
    assert state(edited, "toml", receipt, file="f") == "changed"
    assert take(edited, "toml", receipt, file="f") == edited
    data, receipt = put(b"x = 1\n", "toml", SERVER, COMMAND, file="f")
    assert state(data + b"timeout = 5\n", "toml", receipt, file="f") == "changed"
    assert take(data + b"timeout = 5\n", "toml", receipt, file="f") == data + b"timeout = 5\n"


def test_a_table_the_user_had_stays_when_it_was_laid_out_anew() -> None:
    data, receipt = put(b"[f]\n", "toml", ("f", "k"), 1, file="f")
    assert take(data.replace(b"\n\n", b"\n"), "toml", receipt, file="f") == b"[f]\n"


def test_a_file_created_for_a_table_goes_after_a_key_came_above_it() -> None:
    hooks = [{"a": 1}, {"b": 2}]
    data, first = put(None, "toml", HOOK, hooks[0], file="f")
    data, key = put(data, "toml", ("k",), "v", file="f")
    data, second = put(take(data, "toml", first, file="f"), "toml", HOOK, hooks[1], file="f")
    for receipt in (key, second):
        left = take(data, "toml", receipt, file="f")
        assert left is not None
        rest = second if receipt is key else key
        assert take(left, "toml", rest, file="f") is None


def test_what_the_user_wrote_above_our_table_stays() -> None:
    data, receipt = put(None, "toml", SERVER, COMMAND, file="f")
    assert take(b"# mine\n\n" + data, "toml", receipt, file="f") == b"# mine\n\n"


def test_comments_in_our_lines_stay() -> None:
    data, receipt = put(b"x = 1\n", "toml", SERVER, {"a": 1, "b": 2}, file="f")
    edited = data.replace(b"a = 1\n", b"# why\na = 1 # how\n")
    assert take(edited, "toml", receipt, file="f") == b"x = 1\n# why\n# how\n"
    changed, receipt = update(edited, "toml", receipt, {"c": 3}, file="f")
    assert changed == b"x = 1\n\n[mcp_servers.gsd]\nc = 3\n# why\n# how\n"


def test_our_table_may_be_written_in_any_other_way() -> None:
    _, receipt = put(b"", "toml", SERVER, COMMAND, file="f")
    spread = b'[mcp_servers.gsd.env]\nA = "1"\n[z]\n[mcp_servers.gsd]\nargs = ["gsd"]\ncommand = "uvx"\n'
    inline = b'mcp_servers.gsd = { command = "uvx", args = ["gsd"], env.A = "1" }\n'
    for data, left in ((spread, b"[z]\n"), (inline, None)):
        assert state(data, "toml", receipt, file="f") == "present"
        assert take(data, "toml", receipt, file="f") == left
        changed, _ = update(data, "toml", receipt, {"url": "x"}, file="f")
        assert tomllib.loads(changed.decode())["mcp_servers"] == {"gsd": {"url": "x"}}


@pytest.mark.parametrize("later", [True, "x", ["x"], {"deep": {"er": 1}}, {}])
@pytest.mark.parametrize("before", [b"x = 1\n[z]\n", b"mcp_servers = {}\n", None, b"[mcp_servers]"])
def test_update_may_change_the_type(before: bytes | None, later: Any) -> None:
    data, receipt = put(before, "toml", SERVER, COMMAND, file="f")
    data, receipt = update(data, "toml", receipt, later, file="f")
    assert tomllib.loads(data.decode())["mcp_servers"]["gsd"] == later
    data, receipt = update(data, "toml", receipt, COMMAND, file="f")
    assert tomllib.loads(data.decode())["mcp_servers"]["gsd"] == COMMAND
    assert take(data, "toml", receipt, file="f") == before


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b'x = 1\nhooks = "none"\n', 2, "column 1: expected a table at 'hooks', found a plain value"),
        (b"[hooks.SessionStart]\n", 1, "column 1: expected an array at 'hooks.SessionStart', found a table"),
        (b"[[hooks]]\n", 1, "column 1: expected a table at 'hooks', found an array"),
    ],
)
def test_something_else_in_the_way_is_named(data: bytes, line: int, message: str) -> None:
    with pytest.raises(GsdError) as caught:
        put(data, "toml", HOOK, {}, file="config.toml")
    error = caught.value
    assert (error.reason, error.file, error.line, error.message) == ("type", "config.toml", line, message)


def test_a_key_that_is_set_is_occupied() -> None:
    with pytest.raises(GsdError, match=r"'features\.hooks' is already set") as caught:
        put(b"[features]\nhooks = false\n", "toml", ("features", "hooks"), True, file="f")
    assert (caught.value.reason, caught.value.line) == ("occupied", 2)
    with pytest.raises(GsdError, match=r"'mcp_servers\.gsd' is already set"):
        put(b"[mcp_servers.gsd.env]\n", "toml", SERVER, COMMAND, file="f")


def test_a_dotted_key_in_an_inline_table_is_declined() -> None:
    with pytest.raises(GsdError, match="'docs' is written as a dotted key") as caught:
        put(b'm = { docs.c = "d" }\n', "toml", ("m", "docs", "k"), 1, file="f")
    assert caught.value.reason == "unsupported"
    assert put_one(b'm = { docs.c = "d" }\n', ("m", "gsd"), 1) == 'm = { docs.c = "d", gsd = 1 }\n'


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b"x = \n", 1, 5),
        (b"x = 1\r\ny = 2\r\n[x]\r\n", 3, 3),
        (b"a = 1\na = 2\n", 2, 6),
        (b'x = "open', 1, 10),
        (b"x = 1\ry = 2", 1, 6),
    ],
)
def test_malformed_text_is_named_with_line_and_column(data: bytes, line: int, column: int) -> None:
    with pytest.raises(GsdError, match=f"column {column}: ") as caught:
        check(data, "toml", file="f")
    assert (caught.value.line, caught.value.reason) == (line, "syntax")
    assert "(at " not in caught.value.message


@pytest.mark.parametrize(
    "data", [b"a = " + b"[" * 5000, b".".join([b"a"] * 300) + b" = 1", b"a=" + b"[" * 300 + b"]" * 300]
)
def test_nesting_has_a_limit_and_a_clear_error(data: bytes) -> None:
    with pytest.raises(GsdError, match="nested deeper than 200 levels"):
        check(data, "toml", file="f")


def test_nothing_cannot_be_written() -> None:
    with pytest.raises(GsdError, match="toml has no way to write None"):
        put(None, "toml", SERVER, {"a": None}, file="f")


@pytest.mark.parametrize(
    "value",
    [
        "'''x'''",
        '"""\n"quoted" \\" and more ""\n""""',
        "'''\n# no comment, [no] = header\n''''",
        "1979-05-27 07:32:00Z",
        "[1, [2, # c ]\n 3], {a = '}', b.c = [']']}]",
        '"a \\" # no"',
        "+inf",
    ],
)
def test_any_value_of_the_users_is_stepped_over(value: str) -> None:
    before = f"\"k \\u00e9\" = {value} # c\n[t.'u v']\nw = {value}\n".encode()
    check(before, "toml", file="f")
    data, receipt = put(before, "toml", ("t", "u v", "k"), "v", file="f")
    assert data == before + b'k = "v"\n'
    other, second = put(data, "toml", ("k é2",), 1, file="f")
    assert take(other, "toml", second, file="f") == data
    assert take(data, "toml", receipt, file="f") == before


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.booleans() | st.integers(-999, 999) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
TEXTS = (None, b"", b"x = 1", b"[t]\n", b"t = {}\n", b"t.u = 1\r\n[z]\r\n", b"# c\n\n[[z]]\n")


@pytest.mark.case("CM-12")
@settings(max_examples=150, deadline=None)
@given(st.sampled_from(TEXTS), st.text().filter(lambda key: key not in ("-", "u")), VALUES, VALUES)
def test_any_key_and_value_goes_in_and_out(data: bytes | None, key: str, value: Any, later: Any) -> None:
    result, receipt = put(data, "toml", ("t", key), value, file="f")
    assert tomllib.loads(result.decode())["t"][key] == value
    result, receipt = update(result, "toml", receipt, later, file="f")
    assert tomllib.loads(result.decode())["t"][key] == later
    assert take(result, "toml", receipt, file="f") == data
