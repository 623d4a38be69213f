"""Foreign content through the console script: installed unchanged, checked, renewed, and taken out again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from support import traps
from support.foreign import write
from support.installs import Machine, machine
from support.trees import differences

REVIEWER = (
    "---\nname: reviewer\ndescription: Reviews a diff\n---\nconfigDir = ~/.claude\n"
    'Read ~/.claude/acme/ref.md, then $HOME/.claude/acme/run.py and "${HOME}/.claude/acme/x".\n'
    "Leave ~/.claude.json, ~/.claude-backup/old.md and ~/.claudette/notes alone.\n"
)
SKILL = "---\nname: {}\ndescription: {}\n---\nDo it.\n"


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path / "machine")


def test_a_bundle_goes_in_and_out_without_a_trace(box: Machine, tmp_path: Path) -> None:
    """All the verbs, the last of them after the bundle's folder is gone."""
    root = traps.write(tmp_path / "bundle")
    before = box.tree()
    words = ("--runtime", "claude", "--runtime", "codex", "--runtime", "gemini", "--with", "hooks,mcp")
    done = box.run(*words, "--content", str(root)).ok()
    assert (
        "commands/colon.md, commands/plan.md, skills/colon/SKILL.md: its frontmatter is no YAML" in done.err
    )
    assert "Codex does not get the key model of acme-tools-plan, reviewer" in done.err
    settings = json.loads((box.home / ".claude/settings.json").read_text("utf-8"))
    [group] = settings["hooks"]["PreToolUse"]
    assert group["matcher"] == "Write|Edit"
    assert group["hooks"][0]["command"].endswith("/.gsd/content/acme-tools/hooks/guard.py")
    assert (box.home / ".gsd/content/acme-tools/hooks/guard.py").is_file()
    servers = json.loads((box.home / ".claude.json").read_text("utf-8"))["mcpServers"]
    assert list(servers) == ["acme"]
    box.run("--check").ok()
    assert "already in place" in box.run(*words, "--content", str(root)).ok().out
    (root / "skills/tidy/SKILL.md").write_text(SKILL.format("tidy", "Tidies more"), "utf-8")
    assert box.run("--check").code == 4
    box.run("upgrade").ok()
    assert "Tidies more" in (box.home / ".claude/skills/tidy/SKILL.md").read_text("utf-8")
    shutil.rmtree(root)
    assert "claude:acme-tools" in box.run("status").out
    box.run("uninstall", "--yes").ok()
    assert differences(before, box.tree()) == []


@pytest.mark.case("PR-01")
def test_paths_of_another_host_are_rewritten_whole_or_not_at_all(box: Machine, tmp_path: Path) -> None:
    root = write(tmp_path / "bundle", {"agents/reviewer.md": REVIEWER})
    for runtime, own, file in (
        ("copilot", ".copilot", ".copilot/agents/reviewer.agent.md"),
        ("codex", ".codex", ".codex/agents/reviewer.toml"),
        ("gemini", ".gemini", ".gemini/agents/reviewer.md"),
    ):
        box.run("--runtime", runtime, "--content", str(root)).ok()
        lines = (box.home / file).read_text("utf-8").splitlines()
        at = lines.index(f"configDir = ~/{own}")
        assert lines[at + 1] == (
            f'Read ~/{own}/acme/ref.md, then $HOME/{own}/acme/run.py and "${{HOME}}/{own}/acme/x".'
        )
        assert f"{lines[at + 2]}\n" == REVIEWER.splitlines(keepends=True)[-1]
    assert not [
        path
        for path in box.home.rglob("*")
        if path.is_file() and "~/.claude/" in path.read_text("utf-8", errors="replace")
    ]


@pytest.mark.case("DD-05")
def test_skills_in_groups_are_found_one_level_deep(box: Machine, tmp_path: Path) -> None:
    names = ("plan", "ship")
    files = {f"skills/team/{name}/SKILL.md": SKILL.format(name, name) for name in names}
    root = write(tmp_path / "bundle", files)
    box.run("--runtime", "claude", "--runtime", "codex", "--content", str(root)).ok()
    for folder in (".claude/skills", ".agents/skills"):
        found = sorted(
            path.relative_to(box.home / folder).as_posix()
            for path in box.home.rglob("SKILL.md")
            if folder in path.as_posix()
        )
        assert found == ["plan/SKILL.md", "ship/SKILL.md"]
    before = box.tree()
    write(root, {"skills/other/plan/SKILL.md": SKILL.format("plan", "another")})
    done = box.run("--runtime", "claude", "--content", str(root))
    assert done.code == 1
    assert "skills/other/plan/SKILL.md" in done.err
    assert "skills/team/plan/SKILL.md" in done.err
    assert differences(before, box.tree()) == []


def test_bundles_with_one_name_do_not_overwrite_each_other(box: Machine, tmp_path: Path) -> None:
    """Together, or one after the other, two skills of one name are an error that names both bundles."""
    one, two = (
        str(write(tmp_path / name, {"skills/review/SKILL.md": SKILL.format("review", name)}))
        for name in ("one", "two")
    )
    before = box.tree()
    both = box.run("--runtime", "claude", "--content", one, "--content", two)
    assert both.code == 1
    assert "claude:one and claude:two" in both.err
    assert differences(before, box.tree()) == []
    box.run("--runtime", "claude", "--content", one).ok()
    later = box.run("--runtime", "claude", "--content", two)
    assert later.code == 1
    assert "claude:one and claude:two" in later.err
    text = (box.home / ".claude/skills/review/SKILL.md").read_text("utf-8")
    assert "one" in text
    box.run("--check").ok()


def test_bundles_beside_each_other_are_units_of_their_own(box: Machine, tmp_path: Path) -> None:
    listing = {"plugins": [{"name": name, "source": f"./plugins/{name}"} for name in ("a", "b")]}
    root = write(
        tmp_path / "market",
        {
            ".claude-plugin/marketplace.json": json.dumps(listing),
            "plugins/a/skills/x/SKILL.md": SKILL.format("x", "X"),
            "plugins/b/commands/y.md": "---\ndescription: Y\n---\nUse /y.\n",
        },
    )
    box.run("--runtime", "gemini", "--scope", "project", "--content", str(root)).ok()
    assert "Use /b-y." in (box.project / ".gemini/commands/b-y.toml").read_text("utf-8")
    ledger = json.loads((box.project / ".gsd/ledger.json").read_text("utf-8"))
    assert str(tmp_path) not in json.dumps(ledger)
    box.run("uninstall", "--scope", "project", "--content", "a", "--yes").ok()
    assert not (box.project / ".gemini/skills").exists()
    assert (box.project / ".gemini/commands/b-y.toml").exists()
    box.run("--check", "--scope", "project").ok()


def test_lint_says_what_an_install_would(box: Machine, tmp_path: Path) -> None:
    root = traps.write(tmp_path / "bundle")
    found = json.loads(box.run("lint", str(root), "--json").ok().out)["data"]
    assert found["counts"]["error"] == found["counts"]["warning"] == 0
    assert {"commands/plan.md", "skills/twice/SKILL.md", ".mcp.json"} <= {
        item["file"] for item in found["findings"]
    }
    write(root, {"commands/bad.md": b"\xff", "commands/worse.md": b"x\n\xfe"})
    done = box.run("lint", str(root), "--json")
    assert done.code == 1
    faults = [(item["file"], item["line"], item["rule"]) for item in json.loads(done.out)["data"]["findings"]]
    assert faults == [("commands/bad.md", 1, "encoding"), ("commands/worse.md", 2, "encoding")]


def test_preview_shows_what_an_install_writes(box: Machine, tmp_path: Path) -> None:
    root = traps.write(tmp_path / "bundle")
    shown = box.run("preview", "commands/plan", "--runtime", "gemini", "--content", str(root)).ok().out
    box.run("--runtime", "gemini", "--content", str(root)).ok()
    assert shown == (box.home / ".gemini/commands/acme-tools-plan.toml").read_text("utf-8")
    assert "~/.gemini/settings.json" in shown
