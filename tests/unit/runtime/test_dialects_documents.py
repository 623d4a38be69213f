"""The dialects that are one document of keys, read back by readers that are not ours."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gsd_install.runtime import Field, Form, forms
from gsd_install.runtime.dialects import DIALECTS
from gsd_install.runtime.dialects import json as written_json
from gsd_install.runtime.dialects import yaml as written_yaml
from gsd_install.runtime.model import Draft
from gsd_install.runtime.words import FieldValue

CHARACTERS = st.sampled_from("az :#-\"'\\\n\n\n\t\r[]{}&*!|>%@`,?~=$\x00\x1b\x7f\x85\xa0\u2028\ufeffé😀")
TEXTS = st.text(CHARACTERS, max_size=30) | st.sampled_from(
    ["\n", "\n\n", " \n", "---\na: b\n...\n", "yes", "012", "a\n\n", "\n  a\n b", "# x\n", "a\n  ", "\n\ta\n"]
)
VALUES: st.SearchStrategy[FieldValue] = st.one_of(
    TEXTS,
    st.integers(-(10**12), 10**12),
    st.booleans(),
    st.lists(TEXTS, max_size=3),
    st.dictionaries(TEXTS, TEXTS | st.booleans() | st.lists(TEXTS, max_size=2), max_size=2),
)
FIELDS = st.dictionaries(
    st.sampled_from(["name", "prompt", "allowed-tools", "a.b", "with blank", "é", "1", "yes", "on"]),
    VALUES,
    max_size=5,
)


def draft(fields: dict[str, FieldValue]) -> Draft:
    return Draft("command", "gsd-x", "Title", "What it does", fields, "")


@given(FIELDS)
@example({"a": "  deep\nflat\n", "b": "x"})
@example({"prompt": "\n\n"})
@settings(max_examples=400, deadline=None)
def test_yaml_reads_back_as_the_same_values_whatever_they_hold(fields: dict[str, FieldValue]) -> None:
    text = written_yaml(draft(fields))
    assert yaml.safe_load(text) == fields
    assert list(yaml.safe_load(text)) == list(fields)


@given(FIELDS)
@settings(max_examples=100, deadline=None)
def test_json_reads_back_as_the_same_values_whatever_they_hold(fields: dict[str, FieldValue]) -> None:
    text = written_json(draft(fields))
    assert json.loads(text) == fields
    assert list(json.loads(text)) == list(fields)
    assert text.endswith("}\n")


def test_a_long_text_in_yaml_stays_readable() -> None:
    fields: dict[str, FieldValue] = {"description": "a: b", "prompt": "# Do\n\n- this\n    code\n", "last": 1}
    assert written_yaml(draft(fields)) == (
        'description: "a: b"\nprompt: |2\n  # Do\n\n  - this\n      code\nlast: 1\n'
    )


@pytest.mark.parametrize("text", ["a\rb\nc", "a\x85b\nc", "a\u2028b\nc", "\ufeffa\nb", "a\x00b\nc", "\n \n"])
def test_what_a_yaml_block_cannot_hold_is_quoted(text: str) -> None:
    written = written_yaml(draft({"k": text}))
    assert "|" not in written
    assert yaml.safe_load(written) == {"k": text}


@pytest.mark.parametrize(("text", "head"), [("a\nb", "|2-"), ("a\nb\n", "|2"), ("a\nb\n\n", "|2+")])
def test_a_yaml_block_keeps_exactly_the_line_ends_at_its_end(text: str, head: str) -> None:
    written = written_yaml(draft({"k": text, "next": "x"}))
    assert written.startswith(f"k: {head}\n")
    assert yaml.safe_load(written) == {"k": text, "next": "x"}


@pytest.mark.case("EN-06")
def test_letters_stay_themselves_in_json() -> None:
    assert written_json(draft({"k": "Grüße — 東京 🚀"})) == '{\n  "k": "Grüße — 東京 🚀"\n}\n'


@pytest.mark.parametrize("dialect", ["json", "yaml"])
def test_no_fields_are_an_empty_object(dialect: str) -> None:
    assert DIALECTS[dialect](draft({})) == "{}\n"


@pytest.mark.parametrize(("make", "dialect"), [(forms.json, "json"), (forms.yaml, "yaml")])
def test_the_forms_name_their_dialects(make: Callable[..., Form], dialect: str) -> None:
    assert make("name", Field("prompt", "body")) == Form(dialect, (Field("name"), Field("prompt", "body")))
    assert dialect in DIALECTS
