"""The JSON parser: what it accepts, what it says, where it says it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tree_sitter
import tree_sitter_hujson
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gsd_install.configedit.edit import check, load
from gsd_install.kernel.errors import GsdError

HUJSON = tree_sitter.Parser(tree_sitter.Language(tree_sitter_hujson.language()))
PIECES = (
    *"{}[],:",
    *(
        '"a"',
        '"b\\n"',
        '"\\u00e9"',
        '"\\x"',
        '"',
        "\\",
        "1",
        "01",
        "-",
        "-1.5e3",
        "1.",
        ".5",
        "1e",
        "true",
        "tru",
    ),
    *("null", "// c\n", "//", "/* x */", "/**/", "/***/", "/* *", "/", "*", " ", "\n", "\t", "é", "'a'"),
)
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False, width=16)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def accepts(text: str) -> bool:
    try:
        check(text.encode(), "jsonc", file="f")
    except GsdError:
        return False
    return True


@settings(max_examples=1500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join), st.booleans())
def test_accepts_exactly_what_another_parser_accepts(middle: str, wrapped: bool) -> None:
    text = f'{{"k":{middle}}}' if wrapped else middle
    # That grammar lets line ends and tabs stand in strings; JSON does not.
    assume(not any(mark in part for part in text.split('"')[1::2] for mark in "\n\t"))
    assert accepts(text) == (not HUJSON.parse(text.encode()).root_node.has_error)


@settings(max_examples=150, deadline=None)
@given(JSON_VALUES, st.sampled_from([None, 0, 2, "\t"]), st.booleans())
def test_reads_the_same_data_as_the_standard_library(
    value: Any, indent: int | str | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert load(text.encode(), "jsonc", "f").data() == value


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"a" 1}', 1, "column 6: expected ':'"),
        ('{\n  "a": 1\n  "b": 2\n}', 3, "column 3: expected ',' or '}'"),
        ('{"a": 1,, }', 1, "column 9: expected a key in double quotes or '}'"),
        ("[1,, 2]", 1, "column 4: expected a value or ']'"),
        ("{,}", 1, "column 2: expected a key in double quotes or '}'"),
        ("{'a': 1}", 1, "column 2: expected a key in double quotes or '}'"),
        ('{"a": tru}', 1, "column 7: expected a value"),
        ('{"a": 01}', 1, "column 8: expected ',' or '}'"),
        ('{"a": }', 1, "column 7: expected a value"),
        ('{"a":\r\n [1, 2}', 2, "column 7: expected ',' or ']'"),
        ('{\n\t"a": {', 2, "column 7: this object is never closed"),
        ("// c\n[", 2, "column 1: this array is never closed"),
        ("{} x", 1, "column 4: expected the end of the file"),
        ("{}{}", 1, "column 3: expected the end of the file"),
        ("}", 1, "column 1: expected a value"),
        ("/* open", 1, "column 1: expected a value"),
        ('{"a": "x\ty"}', 1, "column 7: expected a value"),
        ("{\v}", 1, "column 2: expected a key in double quotes or '}'"),
        ("{} // a\rb", 1, "column 8: a lone carriage return in a comment"),
    ],
)
def test_malformed_text_is_named_with_line_and_column(text: str, line: int, message: str) -> None:
    with pytest.raises(GsdError) as caught:
        check(text.encode(), "jsonc", file=".claude/settings.json")
    error = caught.value
    assert (error.file, error.line, error.message) == (".claude/settings.json", line, message)
    assert error.reason == "syntax"
    assert error.hint


@pytest.mark.parametrize(
    "text", ["", " \r\n", "// c", "/* c */\n", "{}", "[]", '"x"', "\ufeff{}", '{"a":[1,],}']
)
def test_these_are_fine(text: str) -> None:
    check(text.encode(), "jsonc", file="f")


def test_nesting_has_a_limit_and_a_clear_error() -> None:
    check(b"[" * 200 + b"]" * 200, "jsonc", file="f")
    for count in (201, 100_000):
        with pytest.raises(GsdError, match="nested deeper than 200 levels") as caught:
            check(b"[" * count + b"]" * count, "jsonc", file="f")
        assert caught.value.reason == "depth"


def test_of_a_doubled_key_the_last_counts() -> None:
    data = load(b'{"a": 1, "b": 0, "a": 2}', "jsonc", "f").data()
    assert (data["a"], data["b"], len(data)) == (2, 0, 3)


def test_numbers_of_any_size_are_read() -> None:
    digits = "9" * 5000
    assert load(f"[{digits}, 1e400]".encode(), "jsonc", "f").data() == [["number", digits], float("inf")]
