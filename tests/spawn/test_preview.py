"""`gsd-install preview`: the very bytes an install would write, and nothing written."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.content import EVERY_KIND, content_root
from support.installs import FOUR, Machine, machine


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


def raw(box: Machine, *words: str) -> bytes:
    """What a pipe gets, byte for byte."""
    done = subprocess.run(
        [box.script, "preview", *words], cwd=box.project, env=box.env, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.parametrize("scope", ["global", "project"])
@pytest.mark.parametrize("runtime", FOUR)
def test_every_previewed_file_is_the_installed_one(box: Machine, runtime: str, scope: str) -> None:
    base = box.home if scope == "global" else box.project
    given = ["--runtime", runtime, "--scope", scope]
    names = (
        "commands/help.md",
        "workflows/plan-phase.md",
        "agents/planner.md",
        "references/context/planning-files.md",
    )
    previews = {name: box.run("preview", name, *given, "--json", "--all").ok().json["data"] for name in names}
    shown = {name: raw(box, name, *given) for name in names}
    box.run(*given).ok()
    for name, data in previews.items():
        files = data["files"]
        assert files
        for file in files:
            path = (
                Path(file["path"].replace("~", str(box.home), 1))
                if "~" in file["path"]
                else base / file["path"]
            )
            assert path.read_bytes() == file["text"].encode()
            assert file["bytes"] == len(path.read_bytes())
        assert shown[name] == files[0]["text"].encode()
    assert len(previews["workflows/plan-phase.md"]["files"]) > 1


def test_nothing_is_written(box: Machine) -> None:
    before = box.tree()
    box.run("preview", "plan-phase", "--runtime", "claude").ok()
    assert box.tree() == before


def test_all_files_stand_under_a_header(box: Machine) -> None:
    content = content_root(box.project / "c", {**EVERY_KIND, "skills/tidy/tidy.py": "print('no end')"})
    given = ("skills/tidy", "--runtime", "claude", "--content", str(content))
    first = raw(box, *given)
    everything = raw(box, *given, "--all").decode()
    head, rest = everything.split("\n", 1)
    assert head == "==> ~/.claude/skills/ac-tidy/SKILL.md (full)"
    body, second = rest.split("==> ", 1)
    assert body.encode() == first
    assert second == "~/.claude/skills/ac-tidy/tidy.py (full)\nprint('no end')\n"


def test_bytes_come_as_they_are(box: Machine) -> None:
    text = "# Ümlaut ✓\r\n\r\nNo line end"
    content = content_root(box.project / "c", {**EVERY_KIND, "references/deep/scope.md": text})
    given = ("references/deep/scope.md", "--runtime", "claude", "--content", str(content))
    assert raw(box, *given) == text.encode()


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("plan", "commands/plan.md"),
        ("workflows/plan", "workflows/plan.md"),
        ("agents/planner", "agents/planner.md"),
        ("planner", "agents/planner.md"),
        ("skills/tidy/SKILL.md", "skills/tidy/SKILL.md"),
        ("tidy", "skills/tidy/SKILL.md"),
        ("deep/scope", "references/deep/scope.md"),
        ("rules/loop", "rules/loop.md"),
    ],
)
def test_a_document_goes_by_its_path_or_its_id(box: Machine, name: str, source: str) -> None:
    content = content_root(box.project / "c", EVERY_KIND)
    done = box.run("preview", name, "--runtime", "claude", "--content", str(content), "--json").ok()
    assert done.json["data"]["document"] == source


def test_a_rule_is_what_it_adds_to_the_instructions(box: Machine) -> None:
    content = content_root(box.project / "c", EVERY_KIND)
    given = ("--runtime", "claude", "--content", str(content))
    [file] = box.run("preview", "rules/loop", *given, "--json").ok().json["data"]["files"]
    box.run(*given, "--with", "instructions").ok()
    installed = (box.home / ".claude" / "CLAUDE.md").read_text(encoding="utf-8")
    assert file["path"] == "~/.claude/CLAUDE.md"
    assert file["text"] in installed
    assert raw(box, "rules/loop", *given) == file["text"].encode()


def test_a_document_that_nothing_names_can_be_previewed_too(box: Machine) -> None:
    content = content_root(box.project / "c", {**EVERY_KIND, "references/nobody.md": "Nobody reads me.\n"})
    given = ("--runtime", "claude", "--content", str(content))
    assert raw(box, "references/nobody", *given) == b"Nobody reads me.\n"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["pln", "--runtime", "claude"], 2, "there is no document 'pln'"),
        (["plan", "--runtime", "clod"], 2, "clod"),
        (["plan"], 2, "--runtime"),
        ([], 2, "DOC"),
    ],
)
def test_what_does_not_exist_is_named(box: Machine, words: list[str], code: int, said: str) -> None:
    content = content_root(box.project / "c", EVERY_KIND)
    done = box.run("preview", *words, "--content", str(content))
    assert done.code == code
    assert said in done.err
    assert "hint" in done.err
    assert done.out == ""
