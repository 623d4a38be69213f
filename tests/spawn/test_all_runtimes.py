"""Every runtime at once: installed, upgraded and removed as one, byte for byte."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.content import EVERY_KIND, content_root
from support.installs import Machine, machine
from support.trees import assert_same

SCOPES = ("global", "project")
THEIRS = {
    ".claude/settings.json": '{\n  // mine\n  "model": "opus",\n}\n',
    ".claude/skills/mine/SKILL.md": "---\nname: mine\ndescription: Mine.\n---\nText.\n",
    ".codex/config.toml": 'model = "gpt"  # mine\n',
    ".gemini/settings.json": "{}",
    ".agents/skills/mine/SKILL.md": "---\nname: mine\ndescription: Mine.\n---\nText.\n",
    ".config/opencode/opencode.json": '{"theme": "dark"}\n',
    "AGENTS.md": "# Ours\n",
    "CLAUDE.md": "# Ours\r\n",
}


@pytest.fixture(params=SCOPES)
def scope(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def box(tmp_path: Path, scope: str) -> Machine:
    """A machine on which a person keeps files of theirs where runtimes keep theirs."""
    made = machine(tmp_path)
    root = made.home if scope == "global" else made.project
    for name, text in THEIRS.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    (root / ".cursor" / "empty").mkdir(parents=True)
    return made


def units(box: Machine, scope: str) -> int:
    [place] = box.run("status", "--scope", scope, "--json").ok().json["data"]["places"]
    return len(place["units"])


def test_they_come_and_go_together(box: Machine, scope: str) -> None:
    before = box.tree()
    box.run("--all", "--scope", scope, "--profile", "core", "--with", "all").ok()
    assert units(box, scope) >= 45
    box.run("--check", "--scope", scope).ok()
    core = box.tree()
    box.run("surface", "full", "--scope", scope).ok()
    assert len(box.tree()) > len(core)
    box.run("--check", "--scope", scope).ok()
    box.run("surface", "core", "--scope", scope).ok()
    box.run("--check", "--scope", scope).ok()
    assert_same({**core, **_states(box)}, box.tree())
    box.run("uninstall", "--scope", scope, "--yes").ok()
    assert_same(before, box.tree())


def _states(box: Machine) -> dict[str, object]:
    """The ledger and the facts of this machine, which follow what happened."""
    return {path: entry for path, entry in box.tree().items() if ".local/state" in path}


def test_an_upgrade_reaches_all_of_them(box: Machine, scope: str) -> None:
    before = box.tree()
    root = content_root(box.project / "acme", EVERY_KIND)  # a project finds content only inside itself again
    box.run("--all", "--scope", scope, "--content", str(root)).ok()
    installed = box.tree()
    box.run("upgrade", "--scope", scope).ok()
    assert_same(installed, box.tree())

    for kind in ("commands", "agents", "skills"):
        for path in (root / kind).rglob("*.md"):
            path.write_text(path.read_text(encoding="utf-8") + "\nA new sentence.\n", encoding="utf-8")
    shutil.copytree(root / "skills" / "tidy", root / "skills" / "sweep")
    (root / "references" / "deep" / "scope.md").rename(root / "references" / "scope.md")
    flow = root / "workflows" / "plan.md"
    flow.write_text(flow.read_text(encoding="utf-8").replace("deep/", ""), encoding="utf-8")
    assert box.run("--check", "--scope", scope).code == 4
    box.run("upgrade", "--scope", scope).ok()
    box.run("--check", "--scope", scope).ok()
    after = box.tree()
    assert any("sweep" in path for path in after)
    assert not any("content/acme/references/deep" in path for path in after)
    assert any("content/acme/references/deep" in path for path in installed)
    changed = [path for path in installed.keys() & after.keys() if installed[path] != after[path]]
    assert len(changed) > 45

    box.run("uninstall", "--scope", scope, "--yes").ok()
    shutil.rmtree(root)
    assert_same(before, box.tree())
