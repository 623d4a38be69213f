from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.kernel.applicability import ATOMS, REFUSED
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.sections import Section, parse

OPEN = '<!-- gsd:section id="a" when="flag:--wave" -->'
CLOSE = "<!-- /gsd:section -->"

REASONS = {
    "unclosed_section": f"x\n{OPEN}\ny\n",
    "unmatched_close": f"x\n{CLOSE}\ny\n",
    "nested_section": f'{OPEN}\n<!-- gsd:section id="b" when="always" -->\n{CLOSE}\n{CLOSE}\n',
    "duplicate_id": f"{OPEN}\nx\n{CLOSE}\n{OPEN}\ny\n{CLOSE}\n",
    "missing_id": f'\n<!-- gsd:section when="always" -->\n{CLOSE}\n',
    "missing_when": f'\n<!-- gsd:section id="a" -->\n{CLOSE}\n',
    "malformed_id": f'\n<!-- gsd:section id="A b" when="always" -->\n{CLOSE}\n',
    "unknown_when": f'\n<!-- gsd:section id="a" when="flag:--nope" -->\n{CLOSE}\n',
    "malformed_attributes": f'\n<!-- gsd:section id=a when="always" -->\n{CLOSE}\n',
    "unrecognized_attribute": f'\n<!-- gsd:section id="a" when="always" unless="x" -->\n{CLOSE}\n',
    "close_with_attributes": f'{OPEN}\n<!-- /gsd:section id="a" -->\n',
}
LINES = {"unclosed_section": 2, "unmatched_close": 2, "nested_section": 2, "duplicate_id": 4}


def joined(text: str, *, first_line: int = 1) -> str:
    return "".join(section.text for section in parse(text, first_line=first_line))


def refusal(text: str, *, first_line: int = 1) -> GsdError:
    with pytest.raises(GsdError) as caught:
        parse(text, file="workflows/x.md", first_line=first_line)
    assert caught.value.file == "workflows/x.md"
    assert caught.value.hint
    return caught.value


def marker(attributes: str) -> str:
    return f"<!-- gsd:section {attributes} -->\nx\n{CLOSE}\n"


# Whole rows, so that a marker is a marker unless a fence or a comment holds it.
PLAIN = st.lists(
    st.sampled_from(["text", "", "# h", "- item", "  two", "| a |", "\ttab", "\x0c", "é\u2028"]), max_size=4
)
HIDING = st.sampled_from(
    [
        ["```", OPEN, "```"],
        ["~~~~", "~~~", CLOSE, "~~~~"],
        ["<!--", "```", "-->"],
        ["<!-- how to open one:", OPEN],
        ["    " + OPEN],
        [f"text {OPEN}"],
        [f"{CLOSE} text"],
        ["<!-- gsd:sections -->"],
    ]
)
BODY = st.lists(st.one_of(PLAIN, HIDING), max_size=3).map(
    lambda parts: [row for part in parts for row in part]
)
PARTS = st.lists(st.tuples(st.booleans(), BODY), max_size=5)
# A lone CR before an empty row that ends in LF would be one line end, so it is not mixed with others.
ENDS = st.one_of(st.lists(st.sampled_from(["\n", "\r\n"]), min_size=1), st.just(["\r"]))


@given(PARTS, ENDS, st.booleans())
@settings(max_examples=300)
@pytest.mark.req("ADR1671-partition", "ADR1671-marker-form", "ADR1671-applicability-on-sections")
def test_the_sections_partition_the_text(
    parts: list[tuple[bool, list[str]]], ends: list[str], final: bool
) -> None:
    rows: list[tuple[str, bool]] = []
    expected: list[tuple[str, list[int]]] = []
    for number, (explicit, body) in enumerate(parts):
        around = (f'<!-- gsd:section when="always" id="s{number}" -->', CLOSE) if explicit else ()
        rows.extend((row, True) for row in around[:1])
        expected.append((f"s{number}" if explicit else "", list(range(len(rows), len(rows) + len(body)))))
        rows.extend((row, False) for row in body)
        rows.extend((row, True) for row in around[1:])
    texts = [row + ends[number % len(ends)] for number, (row, _) in enumerate(rows)]
    if texts and not final:
        texts[-1] = rows[-1][0]
    text = "".join(texts)
    found = parse(text)
    kept = "".join(row for row, (_, is_marker) in zip(texts, rows, strict=True) if not is_marker)
    assert "".join(section.text for section in found) == kept
    explicit_ones = {section.id: section.text for section in found if section.explicit}
    assert explicit_ones == {name: "".join(texts[row] for row in at) for name, at in expected if name}
    gaps = [section for section in found if not section.explicit]
    assert [gap.id for gap in gaps] == [f"gap-{number}" for number in range(1, len(gaps) + 1)]
    assert all(gap.when == "always" and gap.text for gap in gaps)
    assert 2 * len(explicit_ones) == sum(is_marker for _, is_marker in rows)


@given(st.text("ab`~<!->gsd:section/ \n\r\t#\ufeff", max_size=80))
@settings(max_examples=300)
@pytest.mark.req("ADR1671-unmarked-identical", "ADR1671-compose-lossless-unbudgeted")
def test_text_without_markers_composes_to_itself(text: str) -> None:
    if "gsd:section" not in text:
        assert joined(text) == text
        assert len(parse(text)) == (1 if text else 0)


def test_sections_and_gaps_in_order() -> None:
    second = '<!-- gsd:section id="b-2" when="always" -->'
    text = f"# T\n{OPEN}\none\ntwo\n{CLOSE}\nmiddle\r\n{second}\r\n{CLOSE}"
    assert parse(text) == (
        Section("gap-1", "always", "# T\n", explicit=False, line=1),
        Section("a", "flag:--wave", "one\ntwo\n", explicit=True, line=3),
        Section("gap-2", "always", "middle\r\n", explicit=False, line=6),
        Section("b-2", "always", "", explicit=True, line=8),
    )


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.req("ADR1671-marker-errors")
def test_each_mistake_has_its_reason_file_and_line(reason: str) -> None:
    found = refusal(REASONS[reason])
    assert (found.reason, found.line) == (reason, LINES.get(reason, 2))
    assert refusal(REASONS[reason], first_line=11).line == LINES.get(reason, 2) + 10


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ('id="A" when="no" x="y" z', "malformed_attributes"),
        ('id="A" id="A" when="no" x="y"', "malformed_attributes"),
        ('id="A" when="no" x="y"', "unrecognized_attribute"),
        ('when="no" x="y"', "unrecognized_attribute"),
        ('when="no"', "missing_id"),
        ("", "missing_id"),
        ('id="A"', "missing_when"),
        ('id="A" when="no"', "malformed_id"),
        ('id="a" when="no"', "unknown_when"),
    ],
)
def test_the_first_mistake_in_the_order_of_the_grammar_is_named(attributes: str, reason: str) -> None:
    assert refusal(marker(attributes)).reason == reason


@pytest.mark.parametrize(
    "attributes",
    [
        'id="a" when=always',
        "id='a' when='always'",
        'id="a"when="always"',
        'id="a when="always"',
        "a",
        '="a"',
        'id=""x',
    ],
)
def test_attributes_that_cannot_be_read(attributes: str) -> None:
    assert refusal(marker(attributes)).reason == "malformed_attributes"


def test_a_marker_that_is_not_closed_on_its_line_is_a_mistake_and_no_comment() -> None:
    assert refusal(f'<!-- gsd:section id="a" when="always"\nx\n{CLOSE}\n').reason == "malformed_attributes"
    assert refusal(f"{OPEN}\nx\n<!-- /gsd:section\n-->\n").reason == "close_with_attributes"


@pytest.mark.parametrize("name", ["", "-a", "a-", "A", "a b", "a_b", "ä", "a.b", "gap-1", "gap-22", "a\t"])
def test_ids_that_are_refused(name: str) -> None:
    assert refusal(marker(f'id="{name}" when="always"')).reason == "malformed_id"


@pytest.mark.parametrize("name", ["a", "0", "a-b", "a--b", "1-x", "gap", "gap-x", "gap-1-b"])
def test_ids_that_are_taken(name: str) -> None:
    assert parse(marker(f'id="{name}" when="always"'))[0].id == name


@pytest.mark.parametrize(
    "row",
    [
        '<!--gsd:section id="a" when="always"-->',
        '<!--\t gsd:section\twhen = "always"   id="a" --> \t',
        '   <!-- gsd:section id="a" when="always" -->',
    ],
)
def test_order_and_spacing_are_free(row: str) -> None:
    assert parse(f"{row}\nx\n  <!--/gsd:section--> ") == (
        Section("a", "always", "x\n", explicit=True, line=2),
    )


@pytest.mark.parametrize("when", ATOMS)
@pytest.mark.req("ADR1671-when-single-atom")
def test_every_atom_is_a_condition(when: str) -> None:
    assert parse(marker(f'id="a" when="{when}"'))[0].when == when


@pytest.mark.parametrize(
    "when",
    [
        *REFUSED,
        *("", " always", "Always", "flag:wave", "flag:--wave flag:--auto", "flag:--wave || flag:--auto"),
        *("!flag:--wave", "not flag:--wave", "(flag:--wave)", "flag:--wave,flag:--auto", "state:"),
    ],
)
@pytest.mark.req("ADR1671-when-single-atom", "ADR1671-when-unknown-refused")
def test_nothing_but_one_atom_is_a_condition(when: str) -> None:
    assert refusal(marker(f'id="a" when="{when}"')).reason == "unknown_when"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("```\n", "```\n"),
        ("~~~~ md\n```\n~~~\n", "~~~~~\n"),
        ("   ```\n", "  ```\n"),
        ("<!-- a\n", "b -->\n"),
        ("<!--\n```\n", "```\n-->\n"),
        ("```\n<!--\n", "-->\n```\n"),
        ("---\na: |\n", "---\n"),
        ("```\n", ""),
    ],
)
@pytest.mark.req("ADR1671-markers-as-text")
def test_a_marker_in_a_fence_or_a_comment_is_text(before: str, after: str) -> None:
    # In a comment only the closing marker can stand alone: it holds the arrow that ends a comment.
    inside = "<!-- /gsd:section\n" if before.startswith("<!--") else f"{OPEN}\nx\n{CLOSE}\n"
    text = f"{before}{inside}{after}"
    assert joined(text) == text
    assert not any(section.explicit for section in parse(text))


def test_a_marker_line_inside_a_comment_is_text_and_ends_it() -> None:
    text = f"<!-- how to mark a part:\n{OPEN}\ntext\n"
    assert joined(text) == text


def test_a_fence_that_a_comment_hides_does_not_hide_the_marker_below() -> None:
    assert [section.id for section in parse(f"<!--\n```\n-->\n{OPEN}\nx\n{CLOSE}\n")] == ["gap-1", "a"]
    assert [section.id for section in parse(f"```\n<!--\n```\n{OPEN}\nx\n{CLOSE}\n")] == ["gap-1", "a"]


def test_a_body_has_no_frontmatter() -> None:
    body = f"---\n{OPEN}\nx\n{CLOSE}\n---\n"
    assert joined(body, first_line=7) == "---\nx\n---\n"
    assert parse(body, first_line=7)[1].line == 9
    assert joined(body) == body


def test_a_byte_order_mark_stays() -> None:
    assert joined(f"\ufeff{OPEN}\nx\n{CLOSE}\n") == "\ufeffx\n"


@pytest.mark.parametrize(
    "row",
    [
        "<!-- gsd:sections -->",
        "<!-- gsd:section-x -->",
        "<!-- GSD:section -->",
        *(
            pytest.param(row, marks=pytest.mark.req("ADR1671-interleaved-unmarked"))
            for row in (f"{OPEN} x", f"x {OPEN}", f"{OPEN} {CLOSE}", f"a {OPEN} b {CLOSE} c")
        ),
    ],
)
def test_what_only_resembles_a_marker_is_text(row: str) -> None:
    assert joined(f"{row}\n") == f"{row}\n"


@pytest.mark.case("MS-09")
def test_no_marker_is_left_on_the_way_out() -> None:
    text = f"---\nname: a\ndescription: A\n---\nx\n{OPEN}\ny\n{CLOSE}\nz\n"
    assert joined(text) == "---\nname: a\ndescription: A\n---\nx\ny\nz\n"
