from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.content.catalog import load, pack
from gsd_install.content.holds import Held, split
from gsd_install.kernel.errors import GsdError
from support.content import content_root, document, loaded, refusal

AGENT = "---\ndescription: d\n---\n"
SHRINK = 'shrink lines="2"'
RULES = ["keep", "isolate", "drop", SHRINK]


def held(text: str, line: int = 1) -> tuple[Held, ...]:
    return split(text, file="x.md", line=line)


def attempt(text: str, line: int) -> tuple[Held, ...] | GsdError:
    try:
        return held(text, line)
    except GsdError as error:
        return error


def refused(text: str, line: int = 1) -> GsdError:
    with pytest.raises(GsdError) as caught:
        held(text, line)
    assert (caught.value.reason, caught.value.file) == ("bad_hold", "x.md")
    return caught.value


def region(rule: str, text: str) -> str:
    return f"<!-- gsd:{rule} -->\n{text}\n<!-- /gsd:{rule.partition(' ')[0]} -->\n"


@pytest.mark.parametrize("text", ["", "a\n", "no line end", "a gsd:keep in words\n"])
def test_a_text_without_regions_is_one_stretch_or_none(text: str) -> None:
    assert held(text, 7) == ((Held(text, "", 7),) if text else ())


@pytest.mark.req("ADR1671-load-bearing-declared")
@pytest.mark.parametrize("rule", RULES)
def test_each_rule_holds_for_its_region_and_the_markers_are_gone(rule: str) -> None:
    before = "" if rule == "isolate" else "before\n"
    found = held(f"{before}{region(rule, 'in')}after\n")
    name = rule.replace(' lines="', ":").rstrip('"')
    start = 2 if before else 1
    expected = [Held("in\n", name, start + 1), Held("after\n", "", start + 3)]
    assert list(found) == ([Held(before, "", 1)] if before else []) + expected


def test_blank_lines_above_the_fixed_prefix_belong_to_it() -> None:
    assert held(f"\n \n{region('isolate', 'who')}rest\n") == (
        Held("\n \n", "isolate", 1),
        Held("who\n", "isolate", 4),
        Held("rest\n", "", 6),
    )


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("a\n<!-- gsd:keep -->\nb\n", 2, "this keep region is not closed"),
        ('<!-- gsd:shrink lines="2" -->\nb\n', 1, "this shrink:2 region is not closed"),
        ("a\n<!-- /gsd:keep -->\n", 2, "this closes no keep region"),
        ("<!-- gsd:keep -->\n<!-- /gsd:drop -->\n", 2, "this closes no drop region"),
        (
            "<!-- gsd:keep -->\nx\n<!-- gsd:drop -->\n<!-- /gsd:drop -->\n",
            3,
            "this opens inside a keep region",
        ),
        (f"who\n{region('isolate', 'x')}", 2, "an isolate region must lead its document"),
        (f"{region('keep', 'x')}{region('isolate', 'x')}", 4, "an isolate region must lead its document"),
    ],
)
def test_a_region_that_is_not_right_is_refused_at_its_line(text: str, line: int, says: str) -> None:
    assert (refused(text).message, refused(text).line) == (says, line)
    assert refused(text, 11).line == line + 10


@pytest.mark.parametrize(
    "line",
    [
        "<!-- gsd:keep --> trailing words",
        "words <!-- gsd:keep -->",
        "<!-- gsd:shrink -->",
        '<!-- gsd:shrink lines="0" -->',
        '<!-- gsd:keep lines="2" -->',
        "<!-- gsd:keeps -->",
    ],
)
def test_what_is_not_exactly_a_marker_is_text(line: str) -> None:
    assert held(f"a\n{line}\nb\n") == (Held(f"a\n{line}\nb\n", "", 1),)


@pytest.mark.req("ADR1671-markers-as-text")
@pytest.mark.parametrize(
    "text",
    [
        "```\n<!-- gsd:keep -->\n```\n",
        "~~~\n<!-- gsd:keep -->\n~~~\n",
        "````\n```\n<!-- gsd:keep -->\n````\n",
        "<!--\n<!-- gsd:keep -->\n",
        "- ```\n  <!-- gsd:keep -->\n  ```\n",
    ],
)
def test_a_marker_in_a_fence_or_comment_is_text(text: str) -> None:
    assert held(text) == (Held(text, "", 1),)


def test_line_ends_stay_as_they_are() -> None:
    text = "a\r\n<!-- gsd:keep -->\r\nb\r\n<!-- /gsd:keep -->\r\nc"
    assert held(text) == (Held("a\r\n", "", 1), Held("b\r\n", "keep", 3), Held("c", "", 5))


LINES = st.lists(
    st.sampled_from(["", "text", "# heading", "```", "- item", *(f"<!-- gsd:{rule} -->" for rule in RULES)])
    | st.sampled_from([f"<!-- /gsd:{word} -->" for word in ("keep", "drop", "shrink", "isolate")]),
    max_size=14,
)


@pytest.mark.req("ADR1671-partition")
@given(lines=LINES, newline=st.sampled_from(["\n", "\r\n"]), first=st.integers(1, 30))
@settings(max_examples=400)
def test_stretches_are_the_text_without_its_marker_lines(lines: list[str], newline: str, first: int) -> None:
    text = "".join(line + newline for line in lines)
    found = attempt(text, first)
    if isinstance(found, GsdError):
        assert found.reason == "bad_hold"
        assert first <= (found.line or 0) < first + len(lines)
        return
    left = [(at, line) for stretch in found for at, line in enumerate(_lines(stretch.text), stretch.line)]
    source = list(enumerate(_lines(text), first))
    assert [item for item in source if item in left] == left
    gone = [line for at, line in source if (at, line) not in left]
    assert all(line.startswith(("<!-- gsd:", "<!-- /gsd:")) for line in gone)
    assert len(gone) % 2 == 0
    assert gone or not any(stretch.hold for stretch in found)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


# In a document.


def test_a_documents_sections_say_where_they_stand_and_what_a_budget_may_do(tmp_path: Path) -> None:
    text = f"{AGENT}\n{region('isolate', 'Who.')}\nBody.\n{region('keep', 'Form.')}"
    catalog = loaded(tmp_path, {"agents/a.md": text, "rules/r.md": "{gsd:agent a}\n"})
    sections = document(catalog, "agents/a.md").sections
    assert [(section.hold, section.line) for section in sections] == [
        ("isolate", 4),
        ("isolate", 6),
        ("", 8),
        ("keep", 11),
    ]
    source = text.splitlines()
    for section in sections:
        assert isinstance(section.parts[0], str)
        assert section.parts[0].splitlines()[0] == source[section.line - 1]


def test_a_packed_catalog_keeps_rules_and_lines(tmp_path: Path) -> None:
    text = f"{AGENT}{region('isolate', 'Who.')}Body.\n{region(SHRINK, 'Log.')}"
    root = content_root(tmp_path, {"agents/a.md": text, "rules/r.md": "{gsd:agent a}\n"})
    parsed = load(str(root))
    (root / "catalog.json").write_bytes(pack(str(root)))
    assert load(str(root)) == parsed
    assert [section.hold for section in document(parsed, "agents/a.md").sections] == [
        "isolate",
        "",
        "shrink:2",
    ]


def test_an_error_in_a_document_names_its_file_and_line(tmp_path: Path) -> None:
    files = {"agents/a.md": f"{AGENT}x\n\n<!-- gsd:keep -->\ny\n", "rules/r.md": "x\n"}
    error = refusal(tmp_path, files)
    assert (error.reason, error.where) == ("bad_hold", f"{tmp_path}/agents/a.md:6")
    assert error.hint == "end it with a line <!-- /gsd:keep -->"


def test_a_fixed_prefix_behind_a_section_is_refused(tmp_path: Path) -> None:
    section = '<!-- gsd:section id="s" when="flag:--auto" -->\nx\n<!-- /gsd:section -->\n'
    error = refusal(tmp_path, {"workflows/w.md": f"{section}{region('isolate', 'x')}"})
    assert (error.reason, error.line) == ("bad_hold", 5)


@pytest.mark.parametrize("path", ["commands/a.md", "skills/a/SKILL.md"])
def test_kinds_that_are_not_composed_keep_such_lines_as_text(tmp_path: Path, path: str) -> None:
    text = region("keep", "x")
    found = document(loaded(tmp_path, {path: f"{AGENT}{text}"}), path)
    assert [(section.parts, section.hold) for section in found.sections] == [((text,), "")]
