"""What in a bundle's text names something of it, and that nothing else of the text is touched."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.content.bundles.naming import Named
from gsd_install.content.bundles.owned import owned
from gsd_install.content.bundles.wording import names_root, parts, spans, unmarked
from gsd_install.content.model import Part, Placeholder

ITEMS = (
    Named("command", "commands/plan.md", "plan", "commands/plan.md", "acme-plan", ("plan", "plan", "plan")),
    Named(
        "command",
        "commands/git/commit.md",
        "git-commit",
        "commands/git-commit.md",
        "acme-git-commit",
        ("git:commit", "git-commit", "commit"),
    ),
    Named("agent", "agents/reviewer.md", "reviewer", "agents/reviewer.md", "reviewer", ("reviewer",)),
    Named("skill", "skills/Tidy_Up/SKILL.md", "tidy-up", "skills/tidy-up/SKILL.md", "tidy-up", ("Tidy_Up",)),
)
OWN = owned(
    ("Acme", "acme"),
    ITEMS,
    {"skills/Tidy_Up/scripts/run.py": "skills/tidy-up/scripts/run.py"},
    ("scripts/lint.py", "refs/deep/style.md"),
)


def spelled(text: str) -> str:
    """The text with each placeholder as `<verb argument home>`."""
    return "".join(
        part if isinstance(part, str) else f"<{part.verb} {part.argument} {part.home}>"
        for part in parts(text, OWN)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("~/.claude/commands/plan.md", "<path commands/plan.md ~>"),
        ("$HOME/.claude/commands/git/commit.md", "<path commands/git-commit.md $HOME>"),
        ("${HOME}/.claude/agents/reviewer.md.", "<path agents/reviewer.md ${HOME}>."),
        (".claude/skills/Tidy_Up/SKILL.md", "<path skills/tidy-up/SKILL.md ~>"),
        ("./.claude/skills/Tidy_Up/", "<path skills/tidy-up ~>/"),
        ("@~/.claude/refs/deep/style.md", "@<path refs/deep/style.md ~>"),
        ("~/.claude/skills/Tidy_Up/scripts/run.py", "<path skills/tidy-up/scripts/run.py ~>"),
        ("~/.claude/skills/Tidy_Up/scripts/x.py", "<path skills/tidy-up/scripts ~>/x.py"),
        ("~/.claude/skills/Tidy_Up/{name}.md", "<path skills/tidy-up ~>/{name}.md"),
        ("${CLAUDE_PLUGIN_ROOT}/scripts/lint.py", "<path scripts/lint.py ~>"),
        ('"${CLAUDE_PLUGIN_ROOT}/scripts/lint.py"', '"<path scripts/lint.py $HOME>"'),
        ("$CLAUDE_PLUGIN_ROOT/new/file.json", "<path . ~>/new/file.json"),
        ('"${CLAUDE_PLUGIN_ROOT}"/scripts/lint.py', '"<path . $HOME>"/scripts/lint.py'),
        ("cd ${CLAUDE_PLUGIN_ROOT}", "cd <path . ~>"),
        ("Do $ARGUMENTS.", "Do <args  ~>."),
        ("/plan", "<invoke acme-plan ~>"),
        ("`/plan`, (/plan) **/plan**. /plan: do", "`<i>`, (<i>) **<i>**. <i>: do"),
        ("/acme:plan and /Acme:git:commit", "<i> and <invoke acme-git-commit ~>"),
        ("/git:commit /git-commit /commit", "<g> <g> <g>"),
        ("acme:reviewer, acme:Tidy_Up, acme:plan", "reviewer, tidy-up, acme-plan"),
        ("/acme:Tidy_Up", "<invoke tidy-up ~>"),
    ],
)
def test_what_names_something_of_the_bundle_is_taken(text: str, expected: str) -> None:
    expected = expected.replace("<i>", "<invoke acme-plan ~>").replace("<g>", "<invoke acme-git-commit ~>")
    assert spelled(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "~/.claude",
        "~/.claude/settings.json",
        "~/.claude.json ~/.claude-backup/commands/plan.md ~/.claudette/commands/plan.md",
        "/srv/.claude/commands/plan.md a/.claude/commands/plan.md x~/.claude/commands/plan.md",
        "https://example.test/.claude/commands/plan.md",
        "https://example.test/plan http://x/acme:plan",
        "/planning /plan/x a/plan ./plan ../plan ~/plan //plan /plan-x /plan.md /plan?x=1 /plan=1 /plan(",
        '[x](/plan) href="/plan" src=/plan </plan>',
        "C:/plan $x/plan",
        "$ARGUMENTS_ALL $ARGUMENTS[0] $1",
        "my-acme:reviewer acme:reviewers acme:nobody",
        "{gsd:path commands/plan.md} {{gsd: {gsd:args}",
        "${CLAUDE_PLUGIN_ROOTS}/x $CLAUDE_PLUGIN_ROOTS/x",
        "/nobody /acme:nobody",
    ],
)
def test_what_only_looks_like_it_is_text(text: str) -> None:
    assert parts(text, OWN) == (text,)


def test_a_placeholder_knows_its_line() -> None:
    found = parts("one\n/plan\r\n\n$ARGUMENTS", OWN, 7)
    assert [part.line for part in found if isinstance(part, Placeholder)] == [8, 10]


WORDS = st.sampled_from(
    [
        "~/.claude/commands/plan.md",
        ".claude/",
        "${CLAUDE_PLUGIN_ROOT}",
        "/scripts/lint.py",
        "$ARGUMENTS",
        "/plan",
        "/acme:git:commit",
        "acme:reviewer",
        "$HOME",
        "https://x.test",
        "{gsd:args}",
        "é",
        *'/.-:"`()[]{}<>=@ \n\r\t~$a1',
    ]
)
TEXTS = st.lists(WORDS, max_size=14).map("".join) | st.text(max_size=40)


@settings(max_examples=400)
@given(TEXTS)
def test_spans_and_text_are_the_source(text: str) -> None:
    position, found = 0, []
    for span in spans(text, OWN):
        assert position <= span.start < span.end
        found += [text[position : span.start], *span.parts]
        position = span.end
    found.append(text[position:])
    assert joined(found) == joined(parts(text, OWN))


@settings(max_examples=200)
@given(st.text(st.characters(exclude_characters="/$.~:"), max_size=40))
def test_a_text_without_a_path_or_a_command_stays(text: str) -> None:
    assert parts(text, OWN) == ((text,) if text else ())


def joined(found: object) -> str:
    assert isinstance(found, (list, tuple))
    made: list[Part] = [part for part in found if part != ""]
    return "".join(
        part if isinstance(part, str) else f"\0{part.verb} {part.argument} {part.home}\0" for part in made
    )


def test_markers_go_and_nothing_else_does() -> None:
    text = '<!-- gsd:section id="a" when="always" -->\r\nA\r\n<!-- /gsd:section -->\r\n<!-- gsd:keep -->\n'
    assert unmarked(text) == "A\r\n"
    kept = "```\n<!-- gsd:literal -->\n```\nSee <!-- gsd:keep --> there.\n<!-- a note -->\n"
    assert unmarked(kept) == kept
    inside = "<!-- how to mark a part:\n<!-- gsd:keep -->\n"
    assert unmarked(inside) == inside


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${CLAUDE_PLUGIN_ROOT}/scripts/a.sh", ["scripts/a.sh"]),
        ('"\\"${CLAUDE_PLUGIN_ROOT}\\"/scripts/a.sh"', ["scripts/a.sh"]),
        ("~/.claude/acme/x.md .claude/y", ["acme/x.md", "y"]),
        ("cd $CLAUDE_PLUGIN_ROOT", [""]),
        ("/srv/.claude/x", []),
    ],
)
def test_what_a_text_points_at(text: str, expected: list[str]) -> None:
    assert list(names_root(text)) == expected
