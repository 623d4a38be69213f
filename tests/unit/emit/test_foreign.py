"""Paths of the host that a bundle was written for become those of another one, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.emit.foreign import rewritten, rooted, rules_for
from gsd_install.emit.target import Target, target
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.runtime.model import Home, Rewrite, Runtime
from gsd_install.runtime.platform import Platform
from support import foreign

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_install.runtime.words import Scope

RULES = (Rewrite("~/.claude", "~/.acme"), Rewrite("CLAUDE.md", "ACME.md"), Rewrite(".claude", ".acme"))


def of(
    scope: Scope = "global",
    env: Mapping[str, str] = {},
    *,
    project: str = ".acme",
    config_dir: str | None = None,
) -> Target:
    """A runtime whose directory a variable moves."""
    runtime = Runtime("acme", "Acme", Home("~/.acme", env=("ACME_HOME",)), project, ())
    base = foreign.BASES[scope]
    platform = Platform("linux", foreign.BASES["global"], env, foreign.BASES["project"])
    return target(runtime, scope, platform, base=base, payload=f"{base}/.gsd", config_dir=config_dir)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("configDir = ~/.claude", "configDir = ~/.acme"),
        ("~/.claude/x, $HOME/.claude/y and ${HOME}/.claude", "~/.acme/x, $HOME/.acme/y and ${HOME}/.acme"),
        ("In ~/.claude. And `.claude/`, ./.claude", "In ~/.acme. And `.acme/`, ./.acme"),
        ("CLAUDE.md, ~/.claude/CLAUDE.md, .claude/CLAUDE.md.", "ACME.md, ~/.acme/ACME.md, .acme/ACME.md."),
        ("@~/.claude/x", "@~/.acme/x"),
    ],
)
def test_whole_paths_are_rewritten_and_keep_their_spelling(text: str, expected: str) -> None:
    assert rewritten(text, RULES) == expected


@pytest.mark.parametrize(
    "text",
    [
        "~/.claude.json ~/.claude-backup/x ~/.claudette .claude.local ~/.claude_x",
        "/srv/.claude a/.claude x.claude https://x.test/.claude/y https://x.test/CLAUDE.md",
        "MY_CLAUDE.md CLAUDE.md.bak docs/CLAUDE.md CLAUDE.mdx $DIR/.claude ${DIR}.claude",
    ],
)
def test_look_alikes_are_left_alone(text: str) -> None:
    assert rewritten(text, RULES) == text


WORDS = st.sampled_from(
    [
        "~/.claude",
        ".claude",
        "CLAUDE.md",
        "$HOME/",
        "${HOME}/",
        "https://x.test/",
        "~/.acme",
        *"~/.-x \n\"'`)",
    ]
)
TEXTS = st.lists(WORDS, max_size=12).map("".join) | st.text(max_size=30)


@settings(max_examples=400)
@given(TEXTS)
def test_a_second_pass_changes_nothing(text: str) -> None:
    once = rewritten(text, RULES)
    assert rewritten(once, RULES) == once


@settings(max_examples=400)
@given(TEXTS)
def test_taken_back_it_is_the_source(text: str) -> None:
    """Only what a rule names has changed: the other way round gives the same text again."""
    if "acme" in text.lower():
        return
    back = tuple(Rewrite(rule.replace, rule.find) for rule in RULES)
    assert rewritten(rewritten(text, RULES), back) == text


def test_a_runtime_without_rules_gets_those_that_follow_from_its_directories() -> None:
    found = dict(rules_for(of(), ()))
    assert found == {"~/.claude": "~/.acme", ".claude": ".acme"}
    assert dict(rules_for(of(project="."), ())) == {"~/.claude": "~/.acme"}
    given = (Rewrite("~/.claude", "~/.other"), Rewrite("CLAUDE.md", "ACME.md"))
    assert dict(rules_for(of(), given)) == {
        "~/.claude": "~/.other",
        "CLAUDE.md": "ACME.md",
        ".claude": ".acme",
    }


def test_a_directory_that_was_moved_is_followed_in_the_home_and_not_in_a_project() -> None:
    env = {"ACME_HOME": "/home/ann/elsewhere"}
    given = (Rewrite("~/.claude", "~/.acme"),)
    assert dict(rules_for(of(env=env), given))["~/.claude"] == "~/elsewhere"
    assert dict(rules_for(of(config_dir="/srv/acme"), given))["~/.claude"] == "/srv/acme"
    assert dict(rules_for(of("project", env), given))["~/.claude"] == "~/.acme"
    assert rewritten('"$HOME/.claude/x"', rules_for(of(config_dir="/srv/acme"), given)) == '"/srv/acme/x"'


def test_values_of_manifests_get_the_place_of_the_files() -> None:
    value = {"args": ["${CLAUDE_PLUGIN_ROOT}/a.js", 1], "env": {"X": "${CLAUDE_PLUGIN_ROOT}:${X}"}}
    assert rooted(value, "/home/ann/.gsd/content/b", of()) == {
        "args": ["/home/ann/.gsd/content/b/a.js", 1],
        "env": {"X": "/home/ann/.gsd/content/b:${X}"},
    }
    in_project = rooted("${CLAUDE_PLUGIN_ROOT}/a", "/home/ann/work/.gsd/content/b", of("project"))
    assert in_project == ".gsd/content/b/a"


FILES = {
    ".claude-plugin/plugin.json": '{"name": "acme"}',
    "commands/plan.md": "---\ndescription: Plans\n---\n"
    "/plan, $ARGUMENTS, ~/.claude/agents/rev.md, ~/.claude/x\n",
    "agents/rev.md": "---\nname: rev\ndescription: R\n---\nUse /plan for $ARGUMENTS in ~/.claude/x.\n",
    "skills/tidy/SKILL.md": "---\nname: tidy\ndescription: T\n---\n"
    "/plan, $ARGUMENTS, ~/.claude/agents/rev.md, ~/.claude/x, ${CLAUDE_PLUGIN_ROOT}/refs/a.md\n",
    "refs/a.md": "See ~/.claude/y and ${CLAUDE_PLUGIN_ROOT}/refs/b.md.\n",
    "refs/b.md": "B.\n",
    "other/c.md": "Nobody points here.\n",
}


def test_a_host_that_puts_arguments_in_gets_its_own_words(tmp_path: Path) -> None:
    made = foreign.emitted(foreign.bundle(tmp_path, FILES), "gemini")
    said = "/acme-plan, {{args}}, ~/.gemini/agents/rev.md, ~/.gemini/x"
    assert said in made.text(".gemini/commands/acme-plan.toml")
    assert made.body(".gemini/skills/tidy/SKILL.md") == f"{said}, ~/.gemini/acme/refs/a.md\n"
    assert made.text(".gemini/acme/refs/a.md") == "See ~/.gemini/y and ~/.gemini/acme/refs/b.md.\n"
    assert made.text(".gemini/acme/refs/b.md") == "B.\n"
    assert not [path for path in made.files if "other" in path]


def test_hosts_that_share_a_directory_share_its_text(tmp_path: Path) -> None:
    made = foreign.emitted(foreign.bundle(tmp_path, FILES), "codex", "zed", "replit")
    assert made.body(".agents/skills/tidy/SKILL.md") == (
        "acme-plan, the words that follow the skill's name in the request, the agent rev, ~/.agents/x, "
        "~/.agents/acme/refs/a.md\n"
    )
    assert made.text(".agents/acme/refs/a.md") == "See ~/.agents/y and ~/.agents/acme/refs/b.md.\n"
    assert "~/.codex/x" in made.text(".codex/agents/rev.toml")


def test_files_that_name_no_host_are_written_once(tmp_path: Path) -> None:
    files = {**FILES, "refs/a.md": "See ${CLAUDE_PLUGIN_ROOT}/refs/b.md.\n"}
    made = foreign.emitted(foreign.bundle(tmp_path, files), "claude", "gemini", "codex")
    assert made.text(".gsd/content/acme/refs/a.md") == "See ~/.gsd/content/acme/refs/b.md.\n"
    assert [path for path in made.files if path.endswith("refs/b.md")] == [".gsd/content/acme/refs/b.md"]
