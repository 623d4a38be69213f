"""What goes when we go: everything that is ours, nothing that is not."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from support.bundle import EVERY_KIND, Bundle, bundle, drift, install, may_mount, put, uninstall, without
from support.installs import FOUR, SCRIPT, Machine, machine
from support.trees import assert_same

PRETTIER = {"type": "command", "command": "prettier --write"}


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


@pytest.fixture
def acme(tmp_path: Path) -> Bundle:
    return bundle(tmp_path)


def _add_hook(settings: Path, *, inside: bool) -> None:
    data = json.loads(settings.read_bytes())
    groups = data["hooks"]["SessionStart"]
    if inside:
        groups[0]["hooks"].append(PRETTIER)
    else:
        groups.append({"hooks": [PRETTIER]})
    settings.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


@pytest.mark.case("UN-01")
@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(
    ("runtime", "name"), [("claude", ".claude/settings.json"), ("codex", ".codex/hooks.json")]
)
def test_a_user_hook_beside_ours_stays(
    box: Machine, acme: Bundle, runtime: str, name: str, inside: bool
) -> None:
    install(box, acme, runtime, surfaces="hooks").ok()
    _add_hook(box.home / name, inside=inside)
    uninstall(box)
    assert json.loads((box.home / name).read_bytes()) == {"hooks": {"SessionStart": [{"hooks": [PRETTIER]}]}}


@pytest.mark.case("UN-03")
@pytest.mark.parametrize(
    ("runtime", "scope"), [*((name, "global") for name in FOUR), ("opencode", "project")]
)
def test_nothing_of_ours_is_left_behind(box: Machine, runtime: str, scope: str) -> None:
    acme = bundle(box.project)
    before = box.tree()
    install(box, acme, runtime, scope=scope, surfaces="all").ok()
    box.run("doctor").ok()
    uninstall(box, scope=scope)
    assert_same(before, box.tree())


@pytest.mark.case("UN-05")
def test_a_second_uninstall_says_that_nothing_is_installed(box: Machine, acme: Bundle) -> None:
    put(box.project / "AGENTS.md", "old text\n")
    install(box, acme, "codex", scope="project", surfaces="instructions").ok()
    uninstall(box, scope="project")
    put(box.project / "AGENTS.md", "new text\n")
    put(box.project / ".codex/skills/acme-plan/SKILL.md", "by hand\n")
    put(box.project / ".agents/skills/acme-plan/SKILL.md", "by hand\n")
    before = box.tree()
    for words in ([], ["--runtime", "codex"]):
        done = box.run("uninstall", *words, "--scope", "project", "--yes").ok()
        assert "nothing is installed" in done.out
        assert_same(before, box.tree())


@pytest.mark.case("UN-08")
@pytest.mark.skipif(not may_mount(), reason="this user may not mount a file system of his own")
def test_one_file_that_cannot_go_leaves_a_tree_that_can_be_finished(box: Machine, acme: Bundle) -> None:
    # An uninstall is one transaction: what cannot be removed stops it before or takes it back whole, so the
    # state in between never exists; the file is named and the next run finishes.
    before = box.tree()
    install(box, acme, "claude", scope="project").ok()
    installed = box.tree()
    ledger = box.project / ".gsd/ledger.json"
    done = _with_immutable(box, ledger)
    assert done.returncode == 1, done
    assert str(ledger) in done.stderr
    assert_same(installed, box.tree())
    uninstall(box, scope="project")
    assert_same(before, box.tree())


def _with_immutable(box: Machine, path: Path) -> subprocess.CompletedProcess[str]:
    """Uninstall while `path` is the target of a mount, which is what the superuser cannot remove either."""
    script = f"mount --bind {path} {path} && exec {SCRIPT} uninstall --scope project --yes"
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", script],
        cwd=box.project, env=box.env | {"PATH": os.environ["PATH"]},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.case("UN-09")
@pytest.mark.parametrize("last", ["codex", "opencode"])
def test_a_folder_two_hosts_read_goes_with_the_last(box: Machine, acme: Bundle, last: str) -> None:
    acme.write(without(EVERY_KIND, "commands/plan.md", "commands/ship.md"))
    before = box.tree()
    install(box, acme, "codex").ok()
    shared = box.home / ".agents/skills/acme-tidy/SKILL.md"
    assert shared.is_file()
    install(box, acme, "opencode").ok()
    assert [path.parent.parent.parent.name for path in box.home.rglob("acme-tidy/SKILL.md")] == [".agents"]
    uninstall(box, "opencode" if last == "codex" else "codex")
    copies = list(box.home.rglob("acme-tidy/SKILL.md"))
    assert len(copies) == 1
    assert last == "opencode" or copies == [shared]
    assert drift(box) == {}
    uninstall(box, last)
    assert_same(before, box.tree())
