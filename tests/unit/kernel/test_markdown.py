from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gsd_install.kernel.markdown import blocks, headings, lines, scan

if TYPE_CHECKING:
    from markdown_it.token import Token

# Lines that start, continue, end or merely resemble a construct; together they make odd documents.
LEAVES = [
    *("text", "  two", "   three", "    four", "      six", "\ttab", "", "", "#no", "*** x", "--"),
    *("# one", "## two ##", "   ### three", "    # code", "#", "###### six\t#", "####### seven", "# a #b"),
    *("```", "````", "```py", "``` a`b", "~~~", "~~~~ x", "   ```", "    ```"),
    *("<!-- c -->", "<!-- open", "close -->", "  <!-- in -->", "a <!-- b", "    <!-- code"),
    *("| a | b |", "|---|---|", "a|b", "-|-", ":-:|--", "a \\| b | c", "---", "***", "_ _ _", "==="),
]
ITEMS = [
    "- item",
    "* item",
    "+ a",
    "1. one",
    "2. two",
    "10. ten",
    "1) p",
    "- - x",
    "-\ttab",
    "1.  wide",
    "- ```",
]
NESTED = ["  - nested", "-     code", "    - deep"]


def documents(leaves: list[str], *, ends: tuple[str, ...] = ("\n",)) -> st.SearchStrategy[str]:
    row = st.tuples(st.sampled_from(leaves), st.sampled_from(ends)).map("".join)
    return st.lists(row, max_size=9).map("".join)


ANY = st.one_of(
    documents([*LEAVES, *ITEMS, *NESTED, "\ufeff", "\x0c", "\u2028"], ends=("\n", "\r\n", "\r", "")),
    st.text("-#`~<!>|*+ \t\r\n1.ab\ufeff\u2028", max_size=60),
)


def kinds(text: str) -> list[str]:
    return [line.kind for line in scan(text)]


def shapes(text: str) -> list[tuple[str, str]]:
    return [(block.kind, text[block.start : block.end]) for block in blocks(text)]


@given(ANY, st.booleans())
@settings(max_examples=300)
def test_lines_and_blocks_are_the_text(text: str, frontmatter: bool) -> None:
    for spans in (scan(text, frontmatter=frontmatter), blocks(text, frontmatter=frontmatter)):
        assert "".join(text[span.start : span.end] for span in spans) == text
        assert all(span.start < span.end for span in spans)


@given(ANY)
@settings(max_examples=200)
def test_blocks_start_at_lines_that_nothing_holds_together(text: str) -> None:
    starts = {block.start for block in blocks(text)}
    found = scan(text)
    assert starts <= {line.start for line in found if not line.inner and not line.joined}
    assert all(line.joined for line in found if line.inner)


@given(ANY)
@settings(max_examples=200)
def test_a_heading_ends_where_the_next_of_its_rank_begins(text: str) -> None:
    found = headings(text)
    for number, heading in enumerate(found):
        rest = [later.start for later in found[number + 1 :] if later.level <= heading.level]
        assert heading.end == (rest[0] if rest else len(text))


def top_blocks(text: str) -> list[Token]:
    parsed = MarkdownIt("commonmark").enable("table").parse(text)
    return [token for token in parsed if token.level == 0 and token.map and token.nesting >= 0]


def cuts_inside(text: str, starts: set[int]) -> list[str]:
    """The blocks of a CommonMark parser that one of the offsets would cut."""
    rows = text.split("\n")
    offsets = [start for start, _, _ in lines(text)]
    cut: list[str] = []
    for token in top_blocks(text):
        first, last = token.map or (0, 0)
        while not rows[last - 1].strip():
            last -= 1
        cut.extend(
            token.type for row in range(first + 1, last) if offsets[row] in starts and rows[row].strip()
        )
    return cut


# A fence inside a list ends at its closing line here, and not before where the list ends.
FENCE_OUTLIVES_LIST = {"   ```", "    ```"}


@given(documents([row for row in [*LEAVES, *ITEMS, *NESTED] if row not in FENCE_OUTLIVES_LIST]))
@settings(max_examples=600)
def test_no_block_of_commonmark_is_cut(text: str) -> None:
    assert not cuts_inside(text, {block.start for block in blocks(text, frontmatter=False)})


def test_the_comparison_with_commonmark_sees_a_cut() -> None:
    text = "a\n\n```\nb\n```\n"
    assert cuts_inside(text, {text.index("b")}) == ["fence"]


@given(documents(LEAVES))
@settings(max_examples=300)
def test_headings_and_fences_are_those_of_commonmark(text: str) -> None:
    parsed = MarkdownIt("commonmark").enable("table").parse(text)
    expected = [
        (int(token.tag[1]), inline.content)
        for token, inline in itertools.pairwise(parsed)
        if token.type == "heading_open" and token.markup.startswith("#")
    ]
    assert [heading[:2] for heading in headings(text, frontmatter=False)] == expected
    fences = [line for line in scan(text, frontmatter=False) if line.kind == "fence" and not line.inner]
    assert len(fences) == len([token for token in parsed if token.type == "fence"])


def test_every_kind_of_line() -> None:
    text = "---\na: b\n---\n# T\ntext\n\n- a\n- b\n\n|a|\n|-|\n\n```\nx\n```\n<!-- c\n-->\n"
    expected = "frontmatter frontmatter frontmatter heading text blank list list blank table table blank"
    assert kinds(text) == [*expected.split(), "fence", "fence", "fence", "comment", "comment"]


@pytest.mark.parametrize(
    "closer", ["```", "````", "   `````  ", "  ```\t"], ids=["same", "longer", "indented", "blanks behind"]
)
def test_a_fence_is_closed_by_its_own_kind(closer: str) -> None:
    assert kinds(f"```\n# x\n{closer}\n# y\n") == ["fence"] * 3 + ["heading"]


@pytest.mark.parametrize("row", ["``", "~~~", "``` x", "    ```", "\t```", "``~"])
def test_a_fence_is_not_closed_by_anything_else(row: str) -> None:
    assert kinds(f"```\n{row}\n# x\n") == ["fence"] * 3


def test_a_long_fence_holds_shorter_ones() -> None:
    assert kinds("~~~~\n~~~\n```\n~~~~\ntext\n") == ["fence"] * 4 + ["text"]


@pytest.mark.parametrize("row", ["``` a`b", "    ```", "``", "x ```", "~~"])
def test_what_opens_no_fence(row: str) -> None:
    assert kinds(f"{row}\n\n# x\n")[-1] == "heading"


def test_an_unclosed_fence_runs_to_the_end() -> None:
    assert kinds("```\n\n# x\n<!-- c -->") == ["fence"] * 4


def test_a_fence_that_begins_on_a_list_item_ends_with_the_item() -> None:
    assert kinds("- ```sh\n  # x\n  ```\n- b\n") == ["list", "fence", "fence", "list"]
    assert kinds("- ``` is how fences look\n# x\n") == ["list", "heading"]


def test_a_comment_hides_a_fence_and_a_fence_hides_a_comment() -> None:
    assert kinds("<!--\n```\n-->\n# x\n") == ["comment"] * 3 + ["heading"]
    assert kinds("```\n<!--\n```\n# x\n") == ["fence"] * 3 + ["heading"]


def test_a_comment_ends_on_the_line_that_closes_it() -> None:
    assert kinds("<!-- a --> b\n# x\n") == ["comment", "heading"]
    assert kinds("<!-->\n# x\n") == ["comment", "heading"]
    assert kinds("a <!-- b\n# x\n") == ["text", "heading"]


@pytest.mark.parametrize(
    ("row", "level", "title"),
    [
        ("# One", 1, "One"),
        ("###### Six ######", 6, "Six"),
        ("   ##\ttabbed\t", 2, "tabbed"),
        ("## C#", 2, "C#"),
        ("#", 1, ""),
        ("## ##", 2, ""),
        ("# a `b` #c", 1, "a `b` #c"),
    ],
)
def test_a_heading_has_level_and_title(row: str, level: int, title: str) -> None:
    assert headings(f"{row}\r\ntext")[0][:2] == (level, title)


@pytest.mark.parametrize("row", ["####### x", "#x", "    # x", "\t# x", "x # y"])
def test_what_is_no_heading(row: str) -> None:
    assert headings(row) == ()


def test_headings_govern_what_is_below_them() -> None:
    text = "# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\n"
    governed = {heading.title: text[heading.start : heading.end] for heading in headings(text)}
    assert governed["B"] == "## B\nb\n### C\nc\n"
    assert governed["A"] == text[: text.index("# E")]
    assert governed["C"] == "### C\nc\n"
    assert governed["E"] == "# E\n"


def test_setext_headings_stay_with_their_paragraph() -> None:
    assert shapes("Title\n=====\nmore\n\nTwo\n---\n") == [
        ("text", "Title\n=====\n"),
        ("text", "more\n"),
        ("blank", "\n"),
        ("text", "Two\n---\n"),
    ]


def test_a_loose_list_with_its_paragraphs_fences_and_nested_lists_is_one_block() -> None:
    whole = "1. a\n\n   more\n   ```\n   x\n   ```\n\n   - deep\n     - deeper\n\nlazy\n"
    text = f"intro\n{whole}"
    assert shapes(text) == [
        ("text", "intro\n"),
        ("list", whole.removesuffix("\nlazy\n")),
        ("blank", "\n"),
        ("text", "lazy\n"),
    ]
    assert len(shapes("- a\nlazy\n\n- b\n")) == 1


def test_a_table_takes_its_header_from_the_paragraph_above() -> None:
    assert shapes("text\n| a | b |\n|---|:-:|\n| 1 | 2 |\nbare row\n\nafter\n") == [
        ("text", "text\n"),
        ("table", "| a | b |\n|---|:-:|\n| 1 | 2 |\nbare row\n"),
        ("blank", "\n"),
        ("text", "after\n"),
    ]


@pytest.mark.parametrize("row", ["---", "* * *", "# h", "- item", "```", "<!-- c -->", "    code"])
def test_a_table_ends_where_another_block_begins(row: str) -> None:
    assert kinds(f"a|b\n-|-\n1|2\n{row}\n")[2:] != ["table", "table"]
    assert len(shapes(f"a|b\n-|-\n1|2\n{row}\n")) == 2


def test_a_row_of_dashes_that_does_not_fit_makes_no_table() -> None:
    assert "table" not in kinds("a | b\n|---|\n")
    assert "table" not in kinds("\n|---|---|\n")
    assert "table" in kinds("a \\| b | c\n---|---\n")


def test_a_tilde_fence_with_a_heading_inside_is_never_taken_apart() -> None:
    text = "## A\n\n~~~md\n## inside\n\n## also\n~~~\n\n## B\n"
    assert [heading.title for heading in headings(text)] == ["A", "B"]
    assert ("fence", "~~~md\n## inside\n\n## also\n~~~\n") in shapes(text)


def test_frontmatter_only_at_the_very_top_and_only_when_closed() -> None:
    assert kinds("---\n# a: b\n---\n# x\n") == ["frontmatter"] * 3 + ["heading"]
    assert kinds("\ufeff---\r\na: b\r\n--- \r\n# x\r\n") == ["frontmatter"] * 3 + ["heading"]
    assert "frontmatter" not in kinds("\n---\na: b\n---\n")
    assert "frontmatter" not in kinds("---\na: b\n----\n")
    assert "frontmatter" not in [line.kind for line in scan("---\na\n---\n", frontmatter=False)]


def test_a_fence_in_a_frontmatter_value_opens_nothing() -> None:
    assert kinds("---\na: |\n  ```\n---\n# x\n")[-1] == "heading"


def test_a_byte_order_mark_hides_nothing() -> None:
    assert kinds("\ufeff# x\n") == ["heading"]
    assert kinds("\ufeff```\n# x\n") == ["fence", "fence"]


def test_lines_end_at_lf_crlf_and_cr_and_nowhere_else() -> None:
    text = "a\r\nb\rc\n\x0cd\u2028e\x85f"
    assert [content for _, _, content in lines(text)] == ["a", "b", "c", "\x0cd\u2028e\x85f"]
    assert kinds("```\r# x\r```\r# y") == ["fence"] * 3 + ["heading"]
