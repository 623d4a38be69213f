from __future__ import annotations

from pathlib import Path

import pytest

from gsd_install.content.check import references
from support.content import EVERY_KIND, HEAD, loaded, refusal, refusals

COMMAND = "---\ndescription: d\n---\n"


def test_a_tree_whose_references_all_lead_somewhere_passes(tmp_path: Path) -> None:
    references(loaded(tmp_path, EVERY_KIND))


@pytest.mark.parametrize(
    ("written", "near"),
    [
        ("{gsd:path workflows/plam.md}", "workflows/plan.md"),
        ("{gsd:path skills/tidy/tidi.py}", "skills/tidy/tidy.py"),
        ("{gsd:agent plannner}", "planner"),
        ("{gsd:command plam}", "plan"),
        ("{gsd:tool serch}", "search"),
    ],
)
def test_a_placeholder_that_leads_nowhere_is_named_with_the_nearest_that_does(
    tmp_path: Path, written: str, near: str
) -> None:
    error = refusal(tmp_path, {**EVERY_KIND, "references/x.md": f"one\n\n{written}\n"})
    assert (error.reason, error.file, error.line) == ("unresolved", f"{tmp_path}/references/x.md", 3)
    assert written in error.message
    assert error.hint == f"did you mean {near!r}?"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("{gsd:path hooks/hello.py}", "hooks/"),
        ("{gsd:path rules/loop.md}", "rules/"),
        ("{gsd:path /etc/passwd}", "no such path"),
        ("{gsd:path ../outside.md}", "no such path"),
        ("{gsd:path content.toml}", "no such path"),
        ("{gsd:agent zzzz}", "no such agent"),
    ],
)
def test_a_path_that_no_agent_could_open_is_refused(tmp_path: Path, written: str, told: str) -> None:
    error = refusal(tmp_path, {**EVERY_KIND, "references/x.md": f"{written}\n"})
    assert error.reason == "unresolved"
    assert told in str(error.hint)


def test_a_required_command_that_is_not_there_is_named_with_its_line(tmp_path: Path) -> None:
    text = "---\ndescription: d\ntier: core\nrequires:\n  - plan\n  - shipp\n---\n"
    error = refusal(
        tmp_path, {"commands/plan.md": COMMAND, "commands/ship.md": COMMAND, "commands/x.md": text}
    )
    assert (error.reason, error.file, error.line) == ("unresolved", f"{tmp_path}/commands/x.md", 4)
    assert "shipp" in error.message
    assert error.hint == "did you mean 'ship'?"


def test_a_command_and_a_skill_of_one_name_clash_on_hosts_that_have_no_commands(tmp_path: Path) -> None:
    error = refusal(tmp_path, {**EVERY_KIND, "commands/tidy.md": COMMAND})
    assert (error.reason, error.file) == ("name_clash", f"{tmp_path}/skills/tidy/SKILL.md")
    assert "becomes a skill" in str(error.hint)


def test_the_command_to_begin_with_is_one(tmp_path: Path) -> None:
    error = refusal(tmp_path, EVERY_KIND, head=HEAD + 'start = "plam"\n')
    assert (error.reason, error.file, error.hint) == (
        "unresolved",
        f"{tmp_path}/content.toml",
        "did you mean 'plan'?",
    )
    assert loaded(tmp_path, EVERY_KIND, head=HEAD + 'start = "plan"\n').start == "plan"


def test_every_fault_is_reported_at_once(tmp_path: Path) -> None:
    found = refusals(
        tmp_path,
        {"commands/a.md": f"{COMMAND}{{gsd:agent x}}\n{{gsd:agent y}}\n", "rules/b.md": "{gsd:tool z}\n"},
    )
    assert [(Path(str(error.file)).name, error.line) for error in found] == [
        ("a.md", 4),
        ("a.md", 5),
        ("b.md", 1),
    ]
