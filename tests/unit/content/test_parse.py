from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.content import parse
from gsd_install.content.model import Document, Placeholder
from gsd_install.kernel import frontmatter
from gsd_install.kernel.errors import GsdError

KINDS = ("command", "workflow", "agent", "skill", "reference", "template", "rule")
DESCRIBED = ("command", "agent", "skill")
COMMAND = "---\ndescription: Plans\n---\n"
OPENING = '<!-- gsd:section id="s" when="flag:--auto" -->\n'


def read(kind: str, text: str | bytes, *, name: str = "x") -> Document:
    data = text if isinstance(text, bytes) else text.encode()
    return parse.document(kind, name, "some/x.md", data, file="/root/some/x.md", executable=False)


def refused(kind: str, text: str | bytes, *, name: str = "x") -> GsdError:
    with pytest.raises(GsdError) as caught:
        read(kind, text, name=name)
    assert caught.value.file == "/root/some/x.md"
    return caught.value


def text_of(document: Document) -> str:
    return "".join(part for section in document.sections for part in section.parts if isinstance(part, str))


def with_field(kind: str, line: str) -> str:
    described = "description: d\n" if kind in DESCRIBED and not line.startswith("description") else ""
    return f"---\n{described}{line}\n---\ntext\n"


def test_a_document_is_its_fields_and_its_text() -> None:
    document = read(
        "command", "---\ndescription: Plans\ntier: core\nrequires: [a, b]\n---\nBody\n", name="plan"
    )
    assert (document.kind, document.id, document.path, document.executable) == (
        "command",
        "plan",
        "some/x.md",
        False,
    )
    assert document.meta == {"description": "Plans", "tier": "core", "requires": ["a", "b"]}
    assert text_of(document) == "Body\n"
    assert document.tier == "core"


@pytest.mark.parametrize("kind", ["workflow", "reference", "template", "rule"])
def test_texts_need_no_frontmatter(kind: str) -> None:
    document = read(kind, "# Only text\n")
    assert document.meta == {}
    assert document.tier == "standard"
    assert text_of(document) == "# Only text\n"


@pytest.mark.parametrize("kind", DESCRIBED)
@pytest.mark.parametrize("text", ["no frontmatter\n", "---\ntitle: T\n---\n", "---\ndescription: ''\n---\n"])
@pytest.mark.case("FM-13")
def test_what_a_host_lists_needs_a_description(kind: str, text: str) -> None:
    error = refused(kind, text)
    assert (error.reason, error.line) == ("no_description", 1)
    assert f"{'an' if kind == 'agent' else 'a'} {kind}" in error.message
    assert "description:" in str(error.hint)


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("workflow", "tier"),
        ("skill", "tools"),
        ("command", "access"),
        ("agent", "argument-hint"),
        ("rule", "name"),
    ],
)
def test_a_key_of_another_kind_is_refused_at_its_line(kind: str, key: str) -> None:
    error = refused(kind, with_field(kind, f"{key}: x"))
    assert error.reason == "unknown_key"
    assert error.line == (3 if kind in DESCRIBED else 2)
    assert repr(key) in error.message
    assert "description" in str(error.hint)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("tier: huge", "core, standard, full"),
        ("effort: maximal", "heavy, standard, light"),
        ("access: admin", "read, write"),
        ("tools: [read, teleport]", "dispatch"),
        ("tools: read", "[one, two]"),
        ("requires: plan", "[one, two]"),
        ("title: [a]", "double quotes"),
        ("title: 12", "double quotes"),
        ("description: true", "double quotes"),
    ],
)
def test_a_value_outside_its_choices_is_refused_with_what_would_do(line: str, told: str) -> None:
    kind = "agent" if not line.startswith("requires") else "command"
    error = refused(kind, with_field(kind, line))
    assert error.reason == "bad_value"
    assert error.line == (2 if line.startswith("description") else 3)
    assert told in str(error.hint)


def test_every_action_is_known() -> None:
    actions = ["read", "write", "edit", "search", "find", "run", "fetch", "web", "ask", "dispatch", "todo"]
    assert read("agent", with_field("agent", f"tools: [{', '.join(actions)}]")).meta["tools"] == actions


def test_a_skill_may_carry_the_optional_fields_of_the_open_format() -> None:
    front = 'name: x\nlicense: MIT\ncompatibility: "needs git"\nmetadata:\n  author: Ann\n  version: "1"\n'
    document = read("skill", f"---\ndescription: d\n{front}---\ntext\n")
    assert document.meta["metadata"] == {"author": "Ann", "version": "1"}
    assert document.meta["license"] == "MIT"


@pytest.mark.case("SE-01")
@pytest.mark.parametrize(
    "name",
    ["../../evil", "/tmp/evil", "a/../../evil", "..", ".", "", "a\\\\..\\\\b", "x/y", "-rf", "a" * 300, "X"],
)
def test_a_skill_is_named_by_its_folder_and_by_nothing_else(name: str) -> None:
    error = refused("skill", f'---\ndescription: d\nname: "{name}"\n---\n')
    assert (error.reason, error.line) == ("skill_name", 3)
    assert "folder" in str(error.hint)


@pytest.mark.parametrize("value", ["Use {gsd:command plan}", "See {{gsd:path x}"])
def test_a_placeholder_in_the_frontmatter_is_refused_since_nothing_would_render_it(value: str) -> None:
    error = refused("command", f'---\ntitle: T\ndescription: "{value}"\n---\n')
    assert (error.reason, error.line) == ("bad_placeholder", 3)


def test_bytes_that_are_not_utf8_are_named_with_their_line() -> None:
    error = refused("reference", b"one\ntwo\nthr\xe9e\n")
    assert (error.reason, error.line) == ("encoding", 3)
    assert "UTF-8" in str(error.hint)


@pytest.mark.case("EN-01")
def test_a_byte_order_mark_hides_nothing_and_does_not_travel() -> None:
    document = read(
        "skill", b"\xef\xbb\xbf---\nname: plan\ndescription: Makes a plan\n---\nbody\n", name="plan"
    )
    assert document.meta == {"name": "plan", "description": "Makes a plan"}
    assert text_of(document) == "body\n"


@pytest.mark.case("FM-03")
def test_only_a_line_of_three_dashes_ends_the_frontmatter() -> None:
    document = read(
        "command", '---\ndescription: Cuts at --- marks\ntitle: "a --- b"\n---\n# T\n\n---\n\nafter\n'
    )
    assert document.meta == {"description": "Cuts at --- marks", "title": "a --- b"}
    assert text_of(document) == "# T\n\n---\n\nafter\n"


@pytest.mark.case("FM-09")
def test_frontmatter_that_never_closes_is_damage() -> None:
    assert refused("skill", "---\nname: plan\ndescription: Makes a pl").reason == "unclosed_frontmatter"


def test_crlf_stays_in_the_text_and_lines_are_counted() -> None:
    document = read("workflow", "one\r\n{gsd:path workflows/a.md}\r\n")
    [section] = document.sections
    assert section.parts == ("one\r\n", Placeholder("path", "workflows/a.md", 2), "\r\n")


def test_lines_of_placeholders_count_from_the_top_of_the_file() -> None:
    text = "---\ndescription: d\n---\n\n{gsd:args}\n"
    assert [placeholder.line for placeholder in read("command", text).placeholders] == [5]
    gated = f"# W\n{OPENING}\n{{gsd:runtime}}\n<!-- /gsd:section -->\n{{gsd:args}}\n"
    assert [(p.verb, p.line) for p in read("workflow", gated).placeholders] == [("runtime", 4), ("args", 6)]


def test_a_workflow_has_sections_in_the_order_of_its_text() -> None:
    text = (
        "one\n"
        '<!-- gsd:section id="auto" when="flag:--auto" -->\ntwo\n<!-- /gsd:section -->\n'
        "three\n"
        '<!-- gsd:section id="mono" when="state:is-monorepo" -->\nfour\n<!-- /gsd:section -->\n'
    )
    found = [(section.id, section.when, section.parts) for section in read("workflow", text).sections]
    assert found == [
        ("", "always", ("one\n",)),
        ("auto", "flag:--auto", ("two\n",)),
        ("", "always", ("three\n",)),
        ("mono", "state:is-monorepo", ("four\n",)),
    ]


@pytest.mark.req("ADR1671-agents-not-gated")
def test_an_agent_cannot_be_gated() -> None:
    error = refused("agent", f"{COMMAND}x\n{OPENING}y\n<!-- /gsd:section -->\n")
    assert error.reason == "gated_agent"
    assert error.line in {5, 6}
    assert "an agent" in error.message
    assert "reference" in str(error.hint)


@pytest.mark.req("ADR1671-verbatim-kinds")
@pytest.mark.parametrize("kind", ["command", "skill", "reference", "template", "rule"])
def test_markers_in_what_is_not_composed_are_text(kind: str) -> None:
    front = COMMAND if kind in DESCRIBED else ""
    body = 'x\n<!-- gsd:section id="s" when="nonsense" -->\ny\n<!-- /gsd:section -->\n<!-- gsd:keep -->\n'
    document = read(kind, front + body)
    assert text_of(document) == body
    assert [section.id for section in document.sections] == [""]


@pytest.mark.parametrize("broken", ["unclosed_section", "unmatched_close", "nested_section", "unknown_when"])
def test_a_malformed_section_is_named_with_file_and_line(broken: str) -> None:
    bodies = {
        "unclosed_section": (f"one\n{OPENING}two\n", 2),
        "unmatched_close": ("one\n<!-- /gsd:section -->\n", 2),
        "nested_section": (OPENING + OPENING.replace('"s"', '"t"'), 2),
        "unknown_when": (OPENING.replace("--auto", "--never"), 1),
    }
    text, line = bodies[broken]
    error = refused("workflow", text)
    assert (error.reason, error.line) == (broken, line)
    assert error.hint


@pytest.mark.parametrize(("kind", "above"), [("workflow", ""), ("agent", COMMAND), ("agent", COMMAND + "\n")])
def test_what_no_budget_touches_is_marked_in_workflows_and_agents(kind: str, above: str) -> None:
    leading = "<!-- gsd:isolate -->\nfirst\n<!-- /gsd:isolate -->\n"
    document = read(kind, f"{above}{leading}free\n<!-- gsd:keep -->\nkept\n<!-- /gsd:keep -->\n")
    by_hold = {hold: "".join(_texts(document, hold)) for hold in ("isolate", "", "keep")}
    assert by_hold == {"isolate": above.removeprefix(COMMAND) + "first\n", "": "free\n", "keep": "kept\n"}
    assert next(iter(document.sections)).hold == "isolate"


def _texts(document: Document, hold: str) -> list[str]:
    return [str(part) for section in document.sections if section.hold == hold for part in section.parts]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("text\n<!-- gsd:isolate -->\nx\n<!-- /gsd:isolate -->\n", 2),
        ("<!-- gsd:keep -->\nx\n", 1),
        ("x\n<!-- /gsd:keep -->\n", 2),
        ("<!-- gsd:keep -->\n<!-- gsd:drop -->\n", 2),
        ("<!-- gsd:keep -->\nx\n<!-- /gsd:drop -->\n", 3),
    ],
)
def test_a_malformed_hold_is_named_with_file_and_line(body: str, line: int) -> None:
    error = refused("workflow", body)
    assert (error.reason, error.line) == ("bad_hold", line)


LINES = st.lists(
    st.sampled_from(
        [
            "text",
            "",
            "```",
            "- item",
            "{{gsd:path",
            "| a | b |",
            "\u00e9\U0001f600",
            "<!-- c -->",
            "    code",
            "\ttab",
        ]
    ),
    max_size=12,
)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.sampled_from(KINDS))
@settings(max_examples=150)
@pytest.mark.req("ADR1671-unmarked-identical")
def test_a_text_without_markers_loses_no_byte(lines: list[str], end: str, kind: str) -> None:
    body = "".join(f"{line}{end}" for line in lines)
    front = "---\ndescription: d\n---\n" if kind in DESCRIBED else ""
    if not front and body.startswith("---"):
        front = "---\n---\n"
    assert text_of(read(kind, front + body)) == body.replace("{{gsd:", "{gsd:")


@given(
    st.dictionaries(
        st.sampled_from(
            ["description", "title", "tier", "tools", "requires", "access", "effort", "name", "zzz"]
        ),
        st.one_of(
            st.text("ab:#{}[]'\"\\ \n\u00e9", max_size=8),
            st.integers(-(10**17), 10**17),
            st.booleans(),
            st.lists(st.text("ab", max_size=3), max_size=2),
        ),
        max_size=4,
    ),
    st.sampled_from(KINDS),
)
@settings(max_examples=200)
def test_any_frontmatter_is_read_or_refused_with_a_place(fields: dict[str, Any], kind: str) -> None:
    error = None
    try:
        document = read(kind, frontmatter.render(fields) + "text\n")
    except GsdError as refusal:
        error = refusal
    if error is None:
        assert document.meta == fields
    else:
        assert error.file == "/root/some/x.md"
        assert error.line is not None
        assert error.reason != "error"
