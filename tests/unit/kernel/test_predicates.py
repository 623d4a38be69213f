from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.kernel.markdown import scan
from gsd_install.kernel.predicates import Malformed, Predicate, read

A = Predicate("RULE.a", "RULE", "yes", 1, "")


@pytest.mark.req("ADR1671-predicate-forms")
@pytest.mark.parametrize(
    "line",
    [
        "`RULE.a=yes`",
        "  `RULE.a=yes`",
        "- `RULE.a=yes`",
        "* `RULE.a=yes`",
        "+ `RULE.a=yes`",
        "12. `RULE.a=yes`",
        "\t- `RULE.a=yes`  ",
    ],
)
def test_a_line_that_is_only_a_span_states_a_predicate(line: str) -> None:
    assert read(line).predicates == (A,)


@pytest.mark.req("ADR1671-predicate-skips")
@pytest.mark.parametrize(
    "text",
    [
        "so `RULE.a=yes` holds",
        "`RULE.a=yes`.",
        "> `RULE.a=yes`",
        "RULE.a=yes",
        "``RULE.a=yes``",
        "`RULE.a`",
        "a) `RULE.a=yes`",
        "-`RULE.a=yes`",
        "```\n`RULE.a=yes`\n```",
        "~~~~ text\n`RULE.a=yes`\n~~~\n`RULE.a=yes`",
        "   ```\n`RULE.a=yes`",
        "<!--\n`RULE.a=yes`\n-->",
        "<!-- `RULE.a=yes` -->",
        "<!--\n`RULE.a=yes`",
    ],
)
def test_prose_quotes_fences_and_comments_state_nothing(text: str) -> None:
    reading = read(text)
    assert reading.predicates == ()
    assert reading.malformed == ()


@pytest.mark.req("ADR1671-predicate-interleaving")
@pytest.mark.parametrize(
    "text",
    [
        "```\n<!--\n```\n`RULE.a=yes`",
        "<!--\n```\n-->\n`RULE.a=yes`",
        "<!-- one line --> rest\n`RULE.a=yes`",
        "text <!-- opens in the middle\n`RULE.a=yes`",
        "    ```\n`RULE.a=yes`",
        "``` a ` b\n`RULE.a=yes`",
        "~~~\n```\n~~~\n`RULE.a=yes`",
        "````\n```\n````\n`RULE.a=yes`",
    ],
)
def test_what_only_looks_like_an_open_fence_or_comment_hides_nothing(text: str) -> None:
    assert [found.id for found in read(text).predicates] == ["RULE.a"]


def test_the_first_equals_sign_splits() -> None:
    assert read("`A=b=c`").predicates[0].value == "b=c"


def test_lines_and_sections_are_told_whatever_ends_a_line() -> None:
    lines = ["\ufeff# One", "", "`A.x=1`", "## Two ##", "- `B=2`", "##", "`C=3`", "#hash", "`D=4`"]
    expected = [("A.x", 3, "One"), ("B", 5, "Two"), ("C", 7, ""), ("D", 9, "")]
    for end in ("\n", "\r\n", "\r"):
        found = read(end.join(lines)).predicates
        assert [(each.id, each.line, each.section) for each in found] == expected


@pytest.mark.req("ADR1671-predicate-malformed")
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("`A..b=`", "empty-segment"),
        ("`=x`", "empty-segment"),
        ("`A.=x`", "empty-segment"),
        ("`A b=x`", "invalid-id-chars"),
        ("`A.b =x`", "invalid-id-chars"),
        ("`a.b c=x`", "invalid-id-chars"),
        ("`a=x`", "lowercase-leading-class"),
        ("`Rule.x=`", "lowercase-leading-class"),
        ("`A.b=`", "empty-value"),
        ("`A.b=x\u2028y`", "value-contains-newline"),
        ("`A.b=x\u2029y`", "value-contains-newline"),
    ],
)
def test_a_malformed_predicate_is_told_with_its_reason(line: str, reason: str) -> None:
    reading = read(f"# x\n\n - {line}\n")
    assert reading.predicates == ()
    assert reading.malformed == (Malformed(3, f"- {line}", reason),)  # type: ignore[arg-type]


@pytest.mark.req("ADR1671-predicate-duplicates")
def test_ids_that_occur_twice_are_counted() -> None:
    reading = read("`B=1`\n`A=1`\n`B=2`\n`B=3`\n`A.x=1`\n")
    assert reading.duplicates == (("B", 3),)
    assert len(reading.predicates) == 5


PIECES = st.sampled_from(
    [
        "`A.b=c`",
        "- `X=1`",
        "```",
        "~~~",
        "````",
        "<!--",
        "-->",
        "<!-- x -->",
        "text",
        "",
        "# h",
        "> `Q=1`",
        "`a=b`",
    ]
)


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=14))
def test_no_predicate_is_read_where_the_scanner_sees_a_fence_or_a_comment(lines: list[str]) -> None:
    """Without list items above them, which own fences in the scanner's eyes, both readers agree."""
    flat = [line for line in lines if not line.startswith("-")]
    text = "\n".join(flat)
    outside = {
        number
        for number, line in enumerate(scan(text, frontmatter=False), 1)
        if line.kind not in ("fence", "comment") and text[line.start : line.end].strip() == "`A.b=c`"
    }
    assert {found.line for found in read(text).predicates} == outside
