from __future__ import annotations

import tomllib
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.kernel import frontmatter
from gsd_install.runtime.dialects import DIALECTS, markdown, plain, toml
from gsd_install.runtime.model import Draft
from gsd_install.runtime.words import FieldValue

# Every code point a file can hold, without asking for a table of them all.
CHARACTERS = st.one_of(
    st.sampled_from(
        "abz :#-\"'\\\n\r\t[]{}&*!|>%@`,?~=$\x00\x01\x0b\x0c\x1b\x7f\x85"
        "\xa0\u2028\u2029\ufeff\u00e9\U0001f600"
    ),
    st.integers(0, 0x10FFFF).filter(lambda code: not 0xD800 <= code <= 0xDFFF).map(chr),
)
TEXTS = st.text(CHARACTERS, max_size=24) | st.sampled_from(
    [
        "'''",
        "a'''b\nc",
        "line'\nend'",
        "'",
        '"""\n',
        "\n",
        "\n\nx",
        "x\n",
        "\r\n",
        "a\r\nb",
        "---\n",
        "yes",
        "012",
        "null",
        "1e3",
    ]
)
VALUES: st.SearchStrategy[FieldValue] = st.one_of(
    TEXTS, st.integers(-(10**12), 10**12), st.booleans(), st.lists(TEXTS, max_size=3)
)
FIELDS = st.dictionaries(
    st.sampled_from(
        ["name", "description", "allowed-tools", "sandbox_mode", "a.b", "with blank", "\u00e9", "1", "yes"]
    ),
    VALUES | st.dictionaries(TEXTS, TEXTS | st.booleans(), max_size=2),
    max_size=5,
)


def draft(fields: dict[str, FieldValue] | None = None, body: str = "", **changes: Any) -> Draft:
    return Draft("command", "gsd-x", "Title", "What it does", fields or {}, body)._replace(**changes)


@given(FIELDS)
@settings(max_examples=300)
@pytest.mark.case("CM-12")
def test_toml_reads_back_as_the_same_values_whatever_they_hold(fields: dict[str, FieldValue]) -> None:
    text = toml(draft(fields))
    assert tomllib.loads(text) == fields
    assert list(tomllib.loads(text)) == list(fields)


@pytest.mark.parametrize("text", ["two\nlines'", "two\nlines''", "'\n'"])
def test_a_text_that_ends_in_quotes_is_escaped_since_some_readers_stop_at_the_first_three(text: str) -> None:
    written = toml(draft({"k": text}))
    assert tomllib.loads(written) == {"k": text}
    assert "'''" not in written


@given(TEXTS, TEXTS)
@settings(max_examples=200)
def test_a_long_text_in_toml_stays_readable_where_toml_can_hold_it(first: str, second: str) -> None:
    body = f"# Agent\n\n{first}\n{second}x\n"
    text = toml(draft({"developer_instructions": body}))
    assert tomllib.loads(text) == {"developer_instructions": body}
    if "'''" not in body and all(char in "\n\t" or (char >= " " and char != "\x7f") for char in body):
        assert body in text


@given(
    st.dictionaries(
        st.sampled_from(["name", "description", "tools", "mode", "yes", "with blank"]), VALUES, max_size=5
    ),
    TEXTS,
)
@settings(max_examples=300)
def test_frontmatter_reads_back_as_the_same_values(fields: dict[str, FieldValue], body: str) -> None:
    text = markdown(draft(fields, body))
    front, end, rest = (
        text.removeprefix("---\n").partition("---\n\n") if fields else ("", "---\n\n", text[9:])
    )
    assert end
    assert (yaml.safe_load(front) or {}) == fields
    assert rest == body.lstrip("\r\n")


@given(TEXTS, TEXTS)
@settings(max_examples=200)
def test_our_own_reader_agrees_and_finds_one_block(description: str, body: str) -> None:
    text = markdown(draft({"name": "gsd-x", "description": description}, body))
    front = frontmatter.split(text)
    assert front.fields == {"name": "gsd-x", "description": description}
    assert front.body == "\n" + body.lstrip("\r\n")
    assert text.startswith("---\n")


@pytest.mark.case("EN-01")
def test_frontmatter_begins_with_the_first_byte() -> None:
    assert markdown(draft({"name": "x"}, "\n\nbody\n")).encode() == b'---\nname: "x"\n---\n\nbody\n'


def test_the_order_of_fields_is_that_of_the_form() -> None:
    fields: dict[str, FieldValue] = {"zeta": "1", "alpha": "2", "mid": ["a", "b"]}
    assert markdown(draft(fields)) == '---\nzeta: "1"\nalpha: "2"\nmid: ["a", "b"]\n---\n\n'
    assert toml(draft(fields)) == 'zeta = "1"\nalpha = "2"\nmid = ["a", "b"]\n'


def test_a_plain_text_has_a_heading_and_says_what_it_is() -> None:
    assert plain(draft({"name": "ignored"}, "\nText\n")) == "# Title\n\nWhat it does\n\nText\n"


@pytest.mark.parametrize("dialect", ["markdown", "plain"])
@pytest.mark.parametrize("body", ["    code first\n", "\tcode\n", "\u00a0x\n", "- a\n  b\n", "a\n\n\n", "x"])
def test_only_blank_lines_at_the_top_of_a_text_are_dropped(dialect: str, body: str) -> None:
    assert DIALECTS[dialect](draft({"name": "x"}, f"\r\n\n{body}")).endswith(f"\n\n{body}")


def test_keys_that_toml_cannot_spell_bare_are_quoted() -> None:
    assert (
        toml(draft({"a.b": True, "allowed-tools": 1, "": "x"}))
        == '"a.b" = true\nallowed-tools = 1\n"" = "x"\n'
    )


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_a_converter_changes_nothing_and_gives_the_same_again(dialect: str) -> None:
    fields: dict[str, FieldValue] = {"name": "x", "tools": ["a"], "nested": {"k": "v"}}
    made = draft(fields, "body\n")
    assert DIALECTS[dialect](made) == DIALECTS[dialect](made)
    assert fields == {"name": "x", "tools": ["a"], "nested": {"k": "v"}}
