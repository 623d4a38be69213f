from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.content import placeholders
from gsd_install.content.model import VERBS, Part, Placeholder
from gsd_install.kernel.errors import GsdError


def parse(text: str, line: int = 1) -> tuple[Part, ...]:
    return placeholders.parse(text, file="x.md", line=line)


def refused(text: str) -> GsdError:
    with pytest.raises(GsdError) as caught:
        parse(text)
    assert caught.value.file == "x.md"
    return caught.value


def source(parts: tuple[Part, ...]) -> str:
    """The text that parses to `parts`."""
    return "".join(
        part.replace("{gsd:", "{{gsd:")
        if isinstance(part, str)
        else f"{{gsd:{f'{part.verb} {part.argument}'.strip()}}}"
        for part in parts
    )


@pytest.mark.parametrize(
    ("written", "verb", "argument"),
    [
        ("{gsd:path workflows/plan-phase.md}", "path", "workflows/plan-phase.md"),
        ("{gsd:path references/with blank.md}", "path", "references/with blank.md"),
        ("{gsd:launcher gsd-tools}", "launcher", "gsd-tools"),
        ("{gsd:agent planner}", "agent", "planner"),
        ("{gsd:command plan-phase}", "command", "plan-phase"),
        ("{gsd:tool read}", "tool", "read"),
        ("{gsd:tool  read }", "tool", "read"),
        ("{gsd:args}", "args", ""),
        ("{gsd:runtime}", "runtime", ""),
    ],
)
def test_each_placeholder_stands_between_the_text_around_it(written: str, verb: str, argument: str) -> None:
    assert parse(f"a\n{written} b\n", line=10) == ("a\n", Placeholder(verb, argument, 11), " b\n")


def test_every_verb_is_tried_above() -> None:
    assert VERBS == ("path", "launcher", "agent", "command", "tool", "args", "runtime")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "{gsd}",
        "gsd:path x",
        "{ gsd:path x}",
        "${HOME}/{name}",
        "gsd:literal in a sentence",
        "{{x}}",
    ],
)
def test_other_braces_are_text(text: str) -> None:
    assert parse(text) == ((text,) if text else ())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{{gsd:path x}", "{gsd:path x}"),
        ("{{gsd:", "{gsd:"),
        ("{{{gsd:args}", "{{gsd:args}"),
        ("`{{gsd:args}`", "`{gsd:args}`"),
        ("{{gsd:nonsense", "{gsd:nonsense"),
    ],
)
def test_two_braces_write_one(text: str, says: str) -> None:
    assert parse(text) == (says,)


def test_fences_are_rendered_too() -> None:
    assert parse("```sh\ncat {gsd:path a.md}\n```\n") == (
        "```sh\ncat ",
        Placeholder("path", "a.md", 2),
        "\n```\n",
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_in_a_literal_region_nothing_is_replaced_and_its_markers_disappear(end: str) -> None:
    lines = [
        "{gsd:args}",
        "<!-- gsd:literal -->",
        "{gsd:args} {{gsd: {gsd:what",
        "<!-- /gsd:literal -->",
        "{gsd:runtime}",
    ]
    assert parse(end.join(lines)) == (
        Placeholder("args", "", 1),
        f"{end}{{gsd:args}} {{{{gsd: {{gsd:what{end}",
        Placeholder("runtime", "", 5),
    )


def test_lines_are_counted_past_literal_regions() -> None:
    region = "<!-- gsd:literal -->\nx\n<!-- /gsd:literal -->\n"
    parts = parse(f"{region}{{gsd:args}}\n{region}\n{{gsd:args}}\n{region}{{gsd:args}}", line=10)
    assert [part.line for part in parts if isinstance(part, Placeholder)] == [13, 18, 22]


@pytest.mark.case("PR-05")
def test_a_table_that_compares_hosts_is_left_alone() -> None:
    table = "| Host | Types |\n|---|---|\n| this one | {gsd:command x} |\n"
    assert parse(f"In {{gsd:runtime}}.\n<!-- gsd:literal -->\n{table}<!-- /gsd:literal -->\n") == (
        "In ",
        Placeholder("runtime", "", 1),
        f".\n{table}",
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n<!-- gsd:literal -->\nb\n", 2),
        ("a\nb\n<!-- /gsd:literal -->\n", 3),
        ("<!-- gsd:literal -->\n<!-- gsd:literal -->\n<!-- /gsd:literal -->\n", 2),
        ("<!-- gsd:literal --> {gsd:args}\n<!-- /gsd:literal -->\n", 1),
        ("<!--gsd:literal-->\n<!-- /gsd:literal -->\n", 1),
        ("x\n  <!-- gsd:literal verbatim -->\n", 2),
    ],
)
def test_a_literal_region_that_is_not_whole_is_refused(text: str, line: int) -> None:
    error = refused(text)
    assert (error.reason, error.line) == ("literal_region", line)
    assert "gsd:literal" in str(error.hint) or "pairs" in str(error.hint)


@pytest.mark.parametrize(
    ("text", "reason", "told"),
    [
        ("x\n{gsd:pth a}", "unknown_placeholder", "path, launcher, agent, command, tool, args"),
        ("x\n{gsd:}", "unknown_placeholder", "{{gsd:"),
        ("x\n{gsd:path}", "bad_placeholder", "{gsd:path ...}"),
        ("x\n{gsd:tool }", "bad_placeholder", "{gsd:tool ...}"),
        ("x\n{gsd:args now}", "bad_placeholder", "{gsd:args}"),
        ("x\n{gsd:path a.md\n}", "bad_placeholder", "{{gsd:"),
        ("x\r\n{gsd:path a.md\r\n}", "bad_placeholder", "{{gsd:"),
        ("x\n{gsd:path a{b}.md}", "bad_placeholder", "{{gsd:"),
        ("x\n{gsd:", "bad_placeholder", "{{gsd:"),
    ],
)
def test_what_is_no_placeholder_is_refused_with_its_line(text: str, reason: str, told: str) -> None:
    error = refused(text)
    assert (error.reason, error.line) == (reason, 2)
    assert told in str(error.hint)
    assert "\r" not in error.message


ARGUMENTS = st.text("ab-/. \u00e9", min_size=1, max_size=8).map(str.strip).filter(bool)
PLACEHOLDERS = st.one_of(
    st.builds(
        Placeholder,
        st.sampled_from(["path", "launcher", "agent", "command", "tool"]),
        ARGUMENTS,
        st.just(0),
        st.just("~"),
    ),
    st.builds(Placeholder, st.sampled_from(["args", "runtime"]), st.just(""), st.just(0), st.just("~")),
)
TEXTS = st.text("ab{}:\n\r \u00e9`", max_size=12) | st.sampled_from(
    ["{gsd:", "{gsd:args}", "gsd:", "{{gsd:path"]
)


@given(st.lists(st.one_of(TEXTS, PLACEHOLDERS), max_size=8))
@settings(max_examples=300)
def test_what_is_written_comes_back(parts: list[Part]) -> None:
    wanted: list[Part] = []
    for part in parts:
        if isinstance(part, str) and wanted and isinstance(wanted[-1], str):
            wanted[-1] += part
        elif part:
            wanted.append(part)
    # A brace in front of what was meant as a placeholder would escape it; that is another text.
    if any(isinstance(part, str) and part.endswith("{") for part in wanted):
        return
    found = [
        part if isinstance(part, str) else part._replace(line=0) for part in parse(source(tuple(wanted)))
    ]
    assert found == wanted


@given(st.text("{}gsd:path argsl \n\r<!->/", max_size=60))
@settings(max_examples=300)
def test_any_text_is_taken_apart_without_loss_or_refused_with_its_line(text: str) -> None:
    error: GsdError | None = None
    parts: tuple[Part, ...] = ()
    try:
        parts = parse(text, line=5)
    except GsdError as refusal:
        error = refusal
    if error is not None:
        assert error.line is not None
        assert 5 <= error.line <= 5 + text.count("\n")
        assert error.hint
        return
    kept = "".join(part if isinstance(part, str) else part.verb + part.argument for part in parts)
    assert len(kept) <= len(text)
    if "gsd:" not in text:
        assert kept == text
