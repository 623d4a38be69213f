"""Entries in JSON files with and without comments: exact layouts, exact removal, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tree_sitter
import tree_sitter_hujson
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.configedit.edit import load, put, state, take, update
from gsd_install.kernel.errors import GsdError

HUJSON = tree_sitter.Parser(tree_sitter.Language(tree_sitter_hujson.language()))
HOOK = ("hooks", "Start", "-")
SERVER = ("mcpServers", "gsd")

TRICKY = (
    b"",
    b" \r\n\t",
    b"// only a comment",
    b"/* only */\n// comments\n",
    b"{}",
    b"{ }\n",
    b"{\n}\n",
    b"{\n  // nothing yet\n}\n",
    b"{ /* nothing */ }",
    b'{"a":1}',
    b'{ "a": 1 }',
    b'{"a": 1,}',
    b'{\n  "a": "http://x//y", // c\n  /* d */ "b": [1, 2,],\n}\n',
    b'{\r\n\t"a": {\r\n\t\t"x": 1\r\n\t}\r\n}\r\n',
    b'\xef\xbb\xbf{\n    "hooks": {}\n}',
    b'{"hooks": {"Start": []}}',
    b'{"hooks": {"Start": [{"x": 1}]}, "hooks2": {}}',
    b'{\n  "hooks": {\n    "Start": [\n      {"x": 1} // c\n      // d\n    ]\n  }\n}\n',
    b'{\n  "hooks":\n  {\n    "Start": [ {"x": 1},\n               {"y": 2} ]\n  }\n}\n',
    b'{"a": 1\n, "b": 2\n}',
    b'{"mcpServers": {"a": 1}, "x": 1, "mcpServers": {"b": 2}}',
    b'// head\n{\n  "a": 1 /* tail\n  of two lines */\n}\n// foot\n',
    '{"ключ": "Grüße — 東京 🚀"}'.encode(),
    b'{\r"a": 1\r}',
)


def put_one(data: bytes | None, pointer: tuple[str, ...], value: Any) -> str:
    return put(data, "jsonc", pointer, value, file="f")[0].decode()


def parse_with_tree_sitter(data: bytes) -> Any:
    tree = HUJSON.parse(data)
    assert not tree.root_node.has_error, data
    roots = [node for node in tree.root_node.children if node.type != "comment"]
    return of_node(roots[0]) if roots else None


def of_node(node: tree_sitter.Node) -> Any:
    children = [child for child in node.named_children if child.type != "comment"]
    if node.type == "object":
        return {of_node(pair.named_children[0]): of_node(value_of(pair)) for pair in children}
    if node.type == "array":
        return [of_node(child) for child in children]
    return json.loads(node.text or b"")


def value_of(pair: tree_sitter.Node) -> tree_sitter.Node:
    found = pair.child_by_field_name("value")
    assert found is not None
    return found


@pytest.mark.parametrize("data", TRICKY)
@pytest.mark.parametrize("pointer", [HOOK, SERVER, ("flag",), ("a-list", "-")])
def test_put_adds_our_data_and_take_restores_the_bytes(data: bytes, pointer: tuple[str, ...]) -> None:
    value = {"command": "uvx", "args": ["a", "b"]}
    before = parse_with_tree_sitter(data) or {}
    result, receipt = put(data, "jsonc", pointer, value, file="f")
    after = parse_with_tree_sitter(result)
    assert set(after) == {*before, pointer[0]}
    held = after
    for step in pointer:
        held = held[-1] if step == "-" else held[step]
    assert held == value
    assert state(result, "jsonc", receipt, file="f") == "present"
    assert take(result, "jsonc", receipt, file="f") == data


def test_a_file_that_did_not_exist_is_gone_again() -> None:
    data, receipt = put(None, "jsonc", HOOK, {"a": 1}, file="f")
    assert json.loads(data) == {"hooks": {"Start": [{"a": 1}]}}
    assert data.endswith(b"}\n")
    assert take(data, "jsonc", receipt, file="f") is None


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_a_file_created_for_several_entries_goes_with_the_last(order: tuple[int, ...]) -> None:
    data: bytes | None = None
    receipts = []
    for pointer in (HOOK, ("hooks", "Stop", "-"), SERVER):
        data, receipt = put(data, "jsonc", pointer, {"a": 1}, file="f")
        receipts.append(receipt)
    for count, index in enumerate(order):
        assert data is not None, count
        data = take(data, "jsonc", receipts[index], file="f")
    assert data is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"k": {\n\t\t"v": [\n\t\t\t1\n\t\t]\n\t}\n}'),
        (
            b'{\r\n    "a": 1\r\n}',
            '{\r\n    "a": 1,\r\n    "k": {\r\n        "v": [\r\n            1\r\n        ]\r\n    }\r\n}',
        ),
        (b'{"a": 1}\n', '{"a": 1, "k": {"v": [1]}}\n'),
        (b'{\n  "a": 1, // c\n}\n', '{\n  "a": 1, // c\n  "k": {\n    "v": [\n      1\n    ]\n  },\n}\n'),
        (
            b'{\n  "a": 1 // c\n  // d\n}',
            '{\n  "a": 1, // c\n  "k": {\n    "v": [\n      1\n    ]\n  }\n  // d\n}',
        ),
        (b"{}", '{\n\n  "k": {\n    "v": [\n      1\n    ]\n  }\n}'),
        (b'{"k": {}}', '{"k": { "v": [1] }}'),
    ],
)
def test_an_entry_is_written_in_the_files_own_style(before: bytes, after: str) -> None:
    pointer = ("k", "v", "-") if b"k" in before else ("k",)
    value = 1 if b"k" in before else {"v": [1]}
    assert put_one(before, pointer, value) == after


def test_a_user_entry_in_our_array_keeps_the_array() -> None:
    data, receipt = put(b'{\n  "a": 1\n}\n', "jsonc", HOOK, {"ours": 1}, file="f")
    edited = data.replace(
        b'"ours": 1\n      }', b'"ours": 1\n      },\n      {\n        "theirs": 2\n      }'
    )
    assert take(edited, "jsonc", receipt, file="f") == (
        b'{\n  "a": 1,\n  "hooks": {\n    "Start": [\n      {\n        "theirs": 2\n      }\n    ]\n  }\n}\n'
    )


def test_a_user_entry_in_our_object_keeps_the_file() -> None:
    data, receipt = put(None, "jsonc", SERVER, "ours", file="f")
    edited = data.replace(b'"gsd": "ours"', b'"docs": "theirs", // mine\n    "gsd": "ours"')
    assert (
        take(edited, "jsonc", receipt, file="f")
        == b'{\n  "mcpServers": {\n    "docs": "theirs" // mine\n  }\n}\n'
    )


def test_an_entry_is_found_wherever_the_user_moved_it() -> None:
    data, receipt = put(b'{"hooks": {"Start": [1, 2]}}', "jsonc", HOOK, {"ours": [1]}, file="f")
    moved = b'{"hooks": {"Start": [{ "ours":[ 1 ] }, 1, 2]}}'
    assert state(moved, "jsonc", receipt, file="f") == "present"
    assert take(moved, "jsonc", receipt, file="f") == b'{"hooks": {"Start": [1, 2]}}'
    assert data != moved


@pytest.mark.parametrize("indent", [None, 0, 4, "\t"])
def test_a_formatter_may_run_over_the_file(indent: int | str | None) -> None:
    data, receipt = put(None, "jsonc", HOOK, {"ours": {"b": 1, "a": [True]}}, file="f")
    formatted = json.dumps(json.loads(data), indent=indent, sort_keys=True).encode()
    assert state(formatted, "jsonc", receipt, file="f") == "present"
    assert take(formatted, "jsonc", receipt, file="f") is None


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        (b'{"mcpServers": {"gsd": {"command": "uvx", "args": []}}}', "changed"),
        (b'{"mcpServers": {"gsd": true}}', "changed"),
        (b'{"mcpServers": {"gsd": {"command": "uvx"}, "gsd": {"command": "uvx"}}}', "changed"),
        (b'{"mcpServers": {}}', "missing"),
        (b'{"mcpServers": "none"}', "missing"),
        (b"[]", "missing"),
        (b"", "missing"),
    ],
)
def test_an_edited_entry_is_left_alone(edited: bytes, expected: str) -> None:
    _, receipt = put(None, "jsonc", SERVER, {"command": "uvx"}, file="f")
    assert state(edited, "jsonc", receipt, file="f") == expected
    assert take(edited, "jsonc", receipt, file="f") == edited


def test_an_edited_array_item_is_told_from_a_removed_one() -> None:
    hook = {"matcher": "a", "hooks": [{"type": "command", "command": "run the hook"}]}
    data, receipt = put(b"{}", "jsonc", HOOK, hook, file="f")
    edited = data.replace(b'"a"', b'"b"')
    assert state(edited, "jsonc", receipt, file="f") == "changed"
    assert take(edited, "jsonc", receipt, file="f") == edited
    assert state(data.replace(b"run the hook", b"another hook"), "jsonc", receipt, file="f") == "missing"


def test_an_equal_value_of_the_users_stays_theirs() -> None:
    data = b'{"hooks": {"Start": [{ "a":1 }]}, "flag": true}'
    for pointer, value in ((HOOK, {"a": 1}), (("flag",), True)):
        result, receipt = put(data, "jsonc", pointer, value, file="f")
        assert result == data
        assert receipt["ours"] is False
        assert state(data, "jsonc", receipt, file="f") == "present"
        assert take(data, "jsonc", receipt, file="f") == data


@pytest.mark.parametrize("theirs", [b"1", b"1.0", b'"true"', b"null", b"[true]"])
def test_values_of_another_type_are_not_equal(theirs: bytes) -> None:
    with pytest.raises(GsdError) as caught:
        put(b'{\n  "flag": ' + theirs + b"}", "jsonc", ("flag",), True, file="settings.json")
    error = caught.value
    assert (error.reason, error.line, error.file) == ("occupied", 2, "settings.json")
    assert error.message == "column 3: 'flag' is already set to something else"
    assert theirs.decode() not in f"{error} {error.hint}"


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b'{\n "hooks": "none"}', 2, "column 11: expected an object at 'hooks', found a string"),
        (b'{"hooks": null}', 1, "column 11: expected an object at 'hooks', found null"),
        (b'{"hooks": {"Start": {}}}', 1, "column 21: expected an array at 'hooks.Start', found an object"),
        (b'{"hooks": []}', 1, "column 11: expected an object at 'hooks', found an array"),
        (b'{"hooks": -1}', 1, "column 11: expected an object at 'hooks', found a number"),
        (b"[1,2]", 1, "column 1: expected an object at the top, found an array"),
        (b"\nnull", 2, "column 1: expected an object at the top, found null"),
    ],
)
def test_something_else_in_the_way_is_named(data: bytes, line: int, message: str) -> None:
    with pytest.raises(GsdError) as caught:
        put(data, "jsonc", HOOK, {}, file=".claude/settings.json")
    error = caught.value
    assert (error.reason, error.file, error.line, error.message) == (
        "type",
        ".claude/settings.json",
        line,
        message,
    )
    assert error.hint


def test_comments_inside_our_entry_stay() -> None:
    data, receipt = put(b'{\n  "a": 1\n}\n', "jsonc", SERVER, {"x": 1}, file="f")
    edited = data.replace(b'"x": 1', b'"x": 1 // why\n      /* and how */')
    left = take(edited, "jsonc", receipt, file="f")
    assert left == b'{\n  "a": 1\n  // why\n  /* and how */\n}\n'
    changed, receipt = update(edited, "jsonc", receipt, {"x": 2}, file="f")
    assert b"// why" in changed
    assert b"/* and how */" in changed
    assert parse_with_tree_sitter(changed) == {"a": 1, "mcpServers": {"gsd": {"x": 2}}}


def test_a_container_of_ours_with_a_users_comment_stays() -> None:
    data, receipt = put(b'{\n  "a": 1\n}\n', "jsonc", SERVER, {"x": 1}, file="f")
    edited = data.replace(b'"mcpServers": {', b'"mcpServers": { // servers')
    assert take(edited, "jsonc", receipt, file="f") == b'{\n  "a": 1,\n  "mcpServers": { // servers\n  }\n}\n'


def test_a_root_the_user_emptied_is_not_taken_from_them() -> None:
    data, receipt = put(b'{\n  "theirs": [1, 2]\n}\n', "jsonc", SERVER, 1, file="f")
    emptied = data.replace(b'\n  "theirs": [1, 2],', b"")
    assert take(emptied, "jsonc", receipt, file="f") == b"{}\n"


def test_what_was_created_goes_even_when_it_was_laid_out_anew() -> None:
    _, receipt = put(None, "jsonc", SERVER, "ours", file="f")
    assert take(b'{ "mcpServers": { "gsd": "ours" } }', "jsonc", receipt, file="f") is None
    _, receipt = put(b'{"a": 1}', "jsonc", SERVER, "ours", file="f")
    formatted = b'{ "a": 1, "mcpServers": { "gsd": "ours" } }'
    assert take(formatted, "jsonc", receipt, file="f") == b'{ "a": 1 }'


def test_a_file_of_ours_with_a_users_comment_stays() -> None:
    data, receipt = put(None, "jsonc", ("k",), {"a": 1}, file="f")
    assert take(b"// mine\n" + data + b"// more\n", "jsonc", receipt, file="f") == b"// mine\n// more\n"
    assert take(b"// mine\n" + data, "jsonc", receipt, file="f") == b"// mine\n"
    edited = data.replace(b'"a": 1', b'"a": 1 // why')
    assert take(edited, "jsonc", receipt, file="f") == b"{\n  // why\n}\n"


def test_comments_before_and_after_a_new_root_do_not_run_into_each_other() -> None:
    data, receipt = put(b"// head", "jsonc", ("k",), 1, file="f")
    left = take(data + b"// foot", "jsonc", receipt, file="f")
    assert left == b"// head\n// foot"


def test_a_line_comment_never_swallows_what_follows() -> None:
    data, receipt = put(b'{"l": ["a"]}', "jsonc", ("l", "-"), "b", file="f")
    assert data == b'{"l": ["a", "b"]}'
    for edited in (b'{"l": ["a", // c\n"b"]}', b'{"l": ["a" // c\n, "b", "z"]}', b'{"l": [ // c\n"b", "a"]}'):
        left = take(edited, "jsonc", receipt, file="f")
        assert left is not None
        assert b"// c\n" in left
        assert parse_with_tree_sitter(left)["l"][0] == "a"


def test_update_replaces_the_value_where_it_stands() -> None:
    data, receipt = put(b'{\n  "a": 1, // c\n}\n', "jsonc", SERVER, {"command": "uvx", "args": []}, file="f")
    data = data[:-2] + b'  "z": 1\n}\n'
    data, receipt = update(data, "jsonc", receipt, {"url": "https://ex.test"}, file="f")
    assert data == (
        b'{\n  "a": 1, // c\n  "mcpServers": {\n    "gsd": {\n      "url": "https://ex.test"\n    }\n  },\n'
        b'  "z": 1\n}\n'
    )
    assert take(data, "jsonc", receipt, file="f") == b'{\n  "a": 1, // c\n  "z": 1\n}\n'


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.booleans() | st.integers(-999, 999) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([None, *TRICKY]), st.text(min_size=1), VALUES, VALUES)
def test_any_key_and_value_goes_in_and_out(data: bytes | None, key: str, value: Any, later: Any) -> None:
    if key in ("-", "mcpServers") or (data and load(data, "jsonc", "f").slots((key,))):
        return
    result, receipt = put(data, "jsonc", (key, "x y"), value, file="f")
    assert parse_with_tree_sitter(result)[key]["x y"] == value
    result, receipt = update(result, "jsonc", receipt, later, file="f")
    assert parse_with_tree_sitter(result)[key]["x y"] == later
    assert take(result, "jsonc", receipt, file="f") == data
