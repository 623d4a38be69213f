"""What a person reads after a change: every sentence of it is true."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.installs import Machine, machine
from support.venvs import third_party_venv


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The console script of an installation without extras, of which something is said."""
    return third_party_venv(tmp_path_factory.mktemp("bare"), wheel) / "gsd-install"


def last(box: Machine, *words: str) -> str:
    return box.run(*words).ok().out.splitlines()[-1]


def test_a_warning_that_is_about_no_limit_shortens_nothing(tmp_path: Path, bare: Path) -> None:
    done = machine(tmp_path, bare).run("--runtime", "claude", "--with", "all").ok()
    line = next(line for line in done.out.splitlines() if line.startswith("  claude "))
    assert line.endswith("see warnings")
    assert "shortened" not in line


def test_files_that_were_ours_alone_are_not_called_yours_when_they_go(tmp_path: Path) -> None:
    box = machine(tmp_path)
    box.run("--runtime", "claude", "--with", "hooks").ok()
    assert last(box, "uninstall", "--yes").endswith("no file of yours was changed")
    settings = box.home / ".claude/settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('{"theme": "dark"}\n')
    box.run("--runtime", "claude", "--with", "hooks").ok()
    assert last(box, "uninstall", "--yes").endswith("1 file of yours edited: ~/.claude/settings.json")


def test_a_file_that_stays_because_it_was_edited_is_said_to_stay(tmp_path: Path) -> None:
    box = machine(tmp_path)
    box.run("--runtime", "claude").ok()
    edited = box.home / ".claude/agents/gsd-planner.md"
    edited.write_text("mine\n")
    assert "paths that differ: 1" in box.run("status").ok().out
    assert f"{edited}: you edited it; it stays" in box.run("uninstall", "--yes").ok().err
    assert edited.read_text() == "mine\n"


def test_a_command_of_several_words_is_quoted_where_it_is_to_be_typed(tmp_path: Path) -> None:
    box = machine(tmp_path)
    assert 'and type "use the skill gsd-' in last(box, "--runtime", "adal")
    assert "and type /gsd-" in last(box, "--runtime", "claude")
    listed = box.run("runtimes").ok().out.splitlines()
    homes = {line.index(" ~/") for line in listed if " ~/" in line}
    assert len(homes) == 1


def test_content_that_is_gone_is_named_once_for_each_host(tmp_path: Path) -> None:
    box = machine(tmp_path)
    skill = tmp_path / "ours" / "tidy" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: tidy\ndescription: Tidies.\n---\nTidy up.\n")
    box.run("--runtime", "gemini", "--runtime", "opencode", "--content", str(skill.parent.parent)).ok()
    box.run("--runtime", "claude").ok()
    skill.unlink()
    skill.parent.rmdir()
    skill.parent.parent.rmdir()
    said = box.run("upgrade").ok().err.splitlines()
    assert sorted(line.split()[1] for line in said if "stays as it is" in line) == [
        "gemini:ours",
        "opencode:ours",
    ]


def test_content_that_is_broken_leaves_the_other_units_alone(tmp_path: Path) -> None:
    box = machine(tmp_path)
    skill = tmp_path / "ours" / "tidy" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: tidy\ndescription: Tidies.\n---\nTidy up.\n")
    box.run("--runtime", "gemini", "--content", str(skill.parent.parent)).ok()
    skill.unlink()
    for words in (
        ("--runtime", "claude"),
        ("status",),
        ("--check",),
        ("upgrade",),
        ("uninstall", "--runtime", "claude", "--yes"),
    ):
        assert "gemini:ours stays as it is: " in box.run(*words).ok().err
    alone = box.run("upgrade")
    assert (alone.code, alone.out) == (1, "")
    box.run("uninstall", "--yes").ok()
