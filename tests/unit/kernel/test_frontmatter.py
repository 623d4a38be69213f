from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.frontmatter import quote, render, split

# Everything a host could trip over, many times more often than chance would bring it up.
TRAPS = st.sampled_from(
    [
        *(": ", " #", "#", "[", "{", "]", "}", "*", "&", "!", "@", "-", "- ", "?", "? ", "|", ">", "%", "`"),
        *("'", '"', "\\", "\n", "\r\n", "\r", "\t", "\0", "\x1b", "\x7f", "\x85", "\xa0", "\u2028", "\u2029"),
        *("\ufeff", "\ufffe", "\uffff", "---", "...", "~", "null", "yes", "true", "012", "1e3", "2026-11-30"),
        *("=", "<<", ",", " ", "é", "計画", "👩\u200d👩\u200d👧"),
    ]
)
TEXTS = st.lists(
    st.one_of(TRAPS, st.text(st.characters(exclude_categories=["Cs"]), max_size=4)), max_size=8
).map("".join)
# Three letters at least: `y`, `no` and their like are quoted, and quoted keys are for hosts, not for us.
KEYS = st.from_regex(r"[a-z][a-z0-9_-]{2,8}", fullmatch=True).filter(
    lambda key: key not in ("yes", "off", "true")
)
SCALARS = st.one_of(TEXTS, st.booleans(), st.integers(-(10**17), 10**17), st.lists(TEXTS, max_size=3))
FIELDS = st.dictionaries(KEYS, st.one_of(SCALARS, st.dictionaries(KEYS, SCALARS, max_size=3)), max_size=4)


def read(*rows: str, end: str = "\n") -> dict[str, Any]:
    return split(end.join(("---", *rows, "---", "body", ""))).fields


def value(text: str) -> object:
    return read(f"key: {text}")["key"]


def error(*rows: str) -> GsdError:
    with pytest.raises(GsdError) as caught:
        split("\n".join(("---", *rows, "---", "")), file="agents/a.md")
    assert caught.value.file == "agents/a.md"
    assert caught.value.hint
    return caught.value


@given(TEXTS)
@settings(max_examples=400)
def test_a_quoted_string_reads_back_everywhere(text: str) -> None:
    document = f"key: {quote(text)}\n"
    assert yaml.load(document, yaml.BaseLoader) == {"key": text}
    assert yaml.safe_load(document) == {"key": text}
    assert json.loads(quote(text)) == text
    assert split(f"---\n{document}---\n").fields == {"key": text}
    assert len(quote(text).splitlines()) == 1


@given(FIELDS, st.booleans())
@settings(max_examples=200)
def test_a_rendered_block_reads_back(fields: dict[str, Any], block_lists: bool) -> None:
    document = render(fields, block_lists=block_lists)
    found = split(document + "body")
    assert found.fields == fields
    assert found.body == "body"
    assert yaml.safe_load(document.removeprefix("---\n").removesuffix("---\n")) == (fields or None)


@given(st.dictionaries(TEXTS, st.dictionaries(TEXTS, TEXTS, max_size=2), max_size=3))
@settings(max_examples=100)
def test_any_key_at_any_depth_reads_back_in_yaml(fields: dict[str, dict[str, str]]) -> None:
    document = render({"permission": fields})
    assert yaml.safe_load(document.removeprefix("---\n").removesuffix("---\n")) == {"permission": fields}


def test_the_writer_escapes_nothing_but_what_it_must() -> None:
    assert render({"description": "Règles — 計画 ✓ 🚀", "tools": ["a", "b"], "count": 3, "on": True}) == (
        '---\ndescription: "Règles — 計画 ✓ 🚀"\ntools: ["a", "b"]\ncount: 3\n"on": true\n---\n'
    )
    assert render({"tools": ["a: b"], "none": [], "m": {"k": "v"}, "e": {}}, block_lists=True) == (
        '---\ntools:\n  - "a: b"\nnone: []\nm:\n  k: "v"\ne: {}\n---\n'
    )


@pytest.mark.parametrize("code", [*range(32), *range(127, 160), 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF])
def test_what_a_file_or_a_line_cannot_hold_is_escaped(code: int) -> None:
    assert quote(f"é{chr(code)}").replace("é", "").isascii()
    assert json.loads(quote(chr(code))) == chr(code)


def test_a_lone_surrogate_is_refused_by_the_writer() -> None:
    with pytest.raises(ValueError, match="surrogate"):
        quote("\ud800")


# Rows of plausible and broken frontmatter. Where our reader takes them, YAML reads the same strings.
PIECES = st.sampled_from(
    [
        *("a: b", "a: b c", "c: 'it''s'", 'd: "x\\ty"', "e: [a, 'b', \"c\"]", "e: [a, ]", "e: []", "y: {}"),
        *("f:", "  - one", "- two", "  -x", "- [a]", "- 'b' # c", "  g: h", "    i: j", "  a: b", "j: 7"),
        *("k: |", "k: >", "l: >-", "l: |-", "  text", "    more", "   odd", "  text # no", "  'q'", '  "q"'),
        *("", "  ", "# c", "  # c", "m: x # c", "n: 012", "o: yes", "b: true", "z: a#b", "v: [a, b]"),
        *("p: a: b", "q: [", "r: *x", "s: &x y", "t:u", "w: ]", "x: - a", "a: 'b"),
    ]
)


def attempt(text: str) -> dict[str, Any] | GsdError:
    """The fields, or the error that says why there are none."""
    try:
        return dict(split(text, file="x.md").fields)
    except GsdError as found:
        return found


def as_strings(fields: Any) -> Any:
    """What a loader that knows no types makes of our values."""
    if isinstance(fields, dict):
        return {key: as_strings(inner) for key, inner in fields.items()}
    return fields if isinstance(fields, list | str) else str(fields).lower()


@given(st.lists(PIECES, max_size=7))
@settings(max_examples=1500)
def test_whatever_is_read_is_what_yaml_reads(rows: list[str]) -> None:
    text = "\n".join(("---", *rows, "---", ""))
    found = attempt(text)
    if isinstance(found, GsdError):
        assert found.line in range(2, len(rows) + 2)
        assert found.hint
        return
    loaded = yaml.load("\n".join((*rows, "")), yaml.BaseLoader)
    assert as_strings(found) == (loaded or {})


def test_that_comparison_meets_many_good_blocks() -> None:
    good = (
        ["a: b"],
        ["f:", "  - one"],
        ["f:", "- two"],
        ["f:", "  g: h"],
        ["k: |", "  text", "", "    more"],
    )
    for rows in good:
        fields = split("\n".join(("---", *rows, "---", ""))).fields
        assert as_strings(fields) == yaml.load("\n".join((*rows, "")), yaml.BaseLoader)


@given(st.text("ab: -'\"[]{}#|>\\\n\t&*", max_size=40))
@settings(max_examples=500)
def test_noise_is_read_or_refused_with_a_line(text: str) -> None:
    assume("\n---" not in f"\n{text}\n")
    found = attempt(f"---\n{text}\n---\n")
    if isinstance(found, GsdError):
        assert found.file == "x.md"
        assert found.line in range(2, text.count("\n") + 3)
        assert found.hint


@given(st.text(max_size=40), st.sampled_from(["\n", "\r\n", "\r"]))
@settings(max_examples=100)
def test_the_body_stays_byte_for_byte(body: str, end: str) -> None:
    assume(not (end == "\r" and body.startswith("\n")))  # together they would be one line end
    found = split(f"\ufeff---{end}a: b{end}---{end}{body}")
    assert (found.fields, found.body, found.body_line) == ({"a": "b"}, body, 4)


def test_without_a_block_the_body_is_the_text() -> None:
    found = split("# T\r\n---\r\na: b\r\n---\r\n")
    assert not found.present
    assert found == ({}, {}, "# T\r\n---\r\na: b\r\n---\r\n", 1)
    assert split("").body == ""
    assert split("\ufefftext").body == "text"
    assert split("----\ntext").body == "----\ntext"


def test_an_empty_block_is_a_block() -> None:
    found = split("---\n---\nbody")
    assert found.present
    assert found == ({}, {}, "body", 3)
    assert split("---\n\n# c\n---").body_line == 5


def test_each_field_knows_its_line() -> None:
    found = split("---\n# c\na: b\n\nlist:\n  - x\n  - y\nm:\n  k: v\nlast: 1\n---\nbody\n")
    assert found.lines == {"a": 3, "list": 5, "m": 8, "last": 10}
    assert found.body_line == 12


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text", "plain text"),
        ("a:b http://x/#y it's", "a:b http://x/#y it's"),
        ("<phase> [--research]", "<phase> [--research]"),
        ("--flag", "--flag"),
        ("text # comment", "text"),
        ("'it''s: # [a]' # comment", "it's: # [a]"),
        ('"\\u00e9\\x41\\U0001F680\\n\\"\\\\\\/\\N"', 'éA🚀\n"\\/\x85'),
        ('""', ""),
        ("true", True),
        ("false # c", False),
        ("yes", "yes"),
        ("True", "True"),
        ("7", 7),
        ("-12", -12),
        ("0", 0),
        ("012", "012"),
        ("-", GsdError),
        ("1.0", "1.0"),
        ("1_000", "1_000"),
        ("9" * 30, "9" * 30),
        ("2026-11-30", "2026-11-30"),
        ("[]", []),
        ("[a, \"b, c\", 'd' , 7,] # c", ["a", "b, c", "d", "7"]),
        ("{}", {}),
    ],
)
def test_values(text: str, expected: object) -> None:
    if expected is GsdError:
        assert error(f"key: {text}").line == 2
    else:
        assert value(text) == expected
        assert type(value(text)) is type(expected)


def test_lists_stand_below_their_key_indented_or_not() -> None:
    assert read("a:", "  - x", "  # c", "", "  - 'y: z'", "b:", "- 12", "- true", "c: d") == {
        "a": ["x", "y: z"],
        "b": ["12", "true"],
        "c": "d",
    }


def test_a_mapping_nests_once() -> None:
    expected = {"m": {"author": "x", "version": "1.0", "tags": ["a", "b"], "more": ["c"]}, "n": 1}
    rows = ("m:", "  author: x", '  version: "1.0"', "  tags: [a, b]", "  more:", "    - c", "n: 1")
    assert read(*rows) == expected
    assert error("m:", "  a:", "    b: c").line == 4


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["k: |", "  a", "    b", "", "  c", "", ""], "a\n  b\n\nc\n"),
        (["k: |-", "  a", "  # b", ""], "a\n# b"),
        (["k: >", "  a", "  b", "", "  c", "    d", "  e"], "a b\nc\n  d\ne\n"),
        (["k: >- # c", "", "  a", "  b"], "\na b"),
        (["k: |"], ""),
    ],
)
def test_blocks_of_text(rows: list[str], expected: str) -> None:
    assert read(*rows, "z: 1") == {"k": expected, "z": 1}
    assert yaml.safe_load("\n".join([*rows, "z: 1"])) == {"k": expected, "z": 1}


def test_crlf_reads_like_lf() -> None:
    rows = ("a: b", "k: |", "  x", "  y", "l:", "  - 'q'", "m: wrapped", "  text")
    assert read(*rows, end="\r\n") == read(*rows)


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        (["a: b", "a: c"], 3, "twice"),
        (["a: b", "", "t:u"], 4, "no space"),
        (["just words"], 2, "not a `key: value` line"),
        (["a: b", "\tb: c"], 3, "tab"),
        (["a:", "\t- c"], 3, "tab"),
        (["a: b", "  c: d"], 3, "plain text"),
        (["a: 'b'", "  c"], 3, "indented too far"),
        (["a:", "", "# c", "b: d"], 2, "no value"),
        (["a:"], 2, "no value"),
        (["a: &x y"], 2, "plain text"),
        (["a: *x"], 2, "plain text"),
        (["a: !str y"], 2, "plain text"),
        (["a: @x"], 2, "plain text"),
        (["a: `x`"], 2, "plain text"),
        (["a: %x"], 2, "plain text"),
        (["a: {b: c}"], 2, "plain text"),
        (["a: ~"], 2, "plain text"),
        (["a: Null"], 2, "plain text"),
        (["a: - b"], 2, "a blank behind"),
        (["a: b: c"], 2, "a blank behind"),
        (["a: b:"], 2, "a blank behind"),
        (["a: 'b"], 2, "quotes are not closed"),
        (['a: "b\\"'], 2, "quotes are not closed"),
        (["a: 'b' c"], 2, "behind the value"),
        (["a: 'b'#c"], 2, "behind the value"),
        (["a: [b] c"], 2, "behind the value"),
        (["a: [b"], 2, "list"),
        (["a: [b, [c]]"], 2, "list item"),
        (["a: [b #c, d]"], 2, "list item"),
        (["a: [b,, c]"], 2, "list item"),
        (["a: [", "  b", "]"], 2, "list"),
        (['a: "\\q"'], 2, "escape"),
        (['a: "\\ud83d"'], 2, "escape"),
        (['a: "\\U00110000"'], 2, "escape"),
        (["a: |2", "  b"], 2, "block"),
        (["a: |", "    b", "  c"], 4, "indented too far"),
        (["a: b\0c"], 2, "control character"),
        (["a: b", "c: \ud800"], 3, "control character"),
        (["a:", "  -b"], 3, "dash"),
        (["a:", "  - b: c"], 3, "a blank behind"),
        (["a:", "  -", "  - b"], 3, "dash"),
        (["'a': b"], 2, "not a `key: value` line"),
        (["a : b"], 2, "not a `key: value` line"),
        (["..."], 2, "not a `key: value` line"),
    ],
)
def test_what_is_refused_and_where(rows: list[str], line: int, message: str) -> None:
    found = error(*rows)
    assert (found.line, found.reason) == (line, "duplicate_key" if message == "twice" else "bad_frontmatter")
    assert message in found.message


@pytest.mark.case("FM-01")
def test_a_colon_inside_a_description() -> None:
    text = "Use when: a plan is needed. Note: asks first"
    assert read("name: plan", f'description: "{text}"')["description"] == text
    assert yaml.safe_load(f"description: {quote(text)}") == {"description": text}
    found = error("name: bare", "description: Use when: nothing else fits")
    assert (found.line, found.file) == (3, "agents/a.md")
    assert "quotes" in (found.hint or "")


@pytest.mark.case("FM-02")
def test_a_wrapped_description_comes_out_on_one_line() -> None:
    plan = read(
        "description:", "  Makes a plan from a goal and", "  checks it twice.", "allowed-tools: Read, Grep"
    )
    assert plan == {
        "description": "Makes a plan from a goal and checks it twice.",
        "allowed-tools": "Read, Grep",
    }
    assert (
        read("description: Makes", "  a plan", "", "  twice", "n: x")["description"] == "Makes a plan\ntwice"
    )
    fold = read("name: fold", "description: >-", "  First part", "  second part")
    assert fold["description"] == "First part second part"
    assert render(fold) == '---\nname: "fold"\ndescription: "First part second part"\n---\n'


@pytest.mark.case("FM-03")
def test_only_a_line_of_three_dashes_closes_the_block() -> None:
    body = "# Title\n\n---\n\nafter the rule\n"
    found = split(f'---\ndescription: Cuts at --- marks\nexample: "a --- b"\n---\n{body}')
    assert found.fields == {"description": "Cuts at --- marks", "example": "a --- b"}
    assert found.body == body
    assert split("---\na: b\n--- \t\nbody").body == "body"
    assert error("a: b", "----").line == 3


@pytest.mark.case("FM-09")
@pytest.mark.parametrize(
    "text", ["---\nname: plan\ndescription: Makes a pl", "---", "\ufeff---\na: b\n ---\n"]
)
def test_a_block_that_never_closes_is_damage(text: str) -> None:
    with pytest.raises(GsdError) as caught:
        split(text, file="skills/plan/SKILL.md")
    assert caught.value.reason == "unclosed_frontmatter"
    assert caught.value.where == "skills/plan/SKILL.md:1"


@pytest.mark.case("EN-01")
def test_a_byte_order_mark_does_not_hide_the_metadata() -> None:
    found = split("\ufeff---\nname: plan\ndescription: Makes a plan\n---\nbody\n")
    assert found.fields == {"name": "plan", "description": "Makes a plan"}
    emitted = render(found.fields) + found.body
    assert emitted.startswith("---\n")
    assert emitted.count("---\n") == 2
