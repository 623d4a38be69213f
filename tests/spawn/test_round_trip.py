"""Install, run again, check, uninstall: the promises of the README, kept by the real console script."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from support.installs import FOUR, Machine, machine
from support.trees import assert_same, differences, snapshot

SCOPES = ("global", "project")


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


def _runtimes(*names: str) -> list[str]:
    return [word for name in names for word in ("--runtime", name)]


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("runtime", FOUR)
def test_one_runtime_comes_and_goes_without_a_trace(box: Machine, runtime: str, scope: str) -> None:
    before = box.tree()
    box.run("--runtime", runtime, "--scope", scope).ok()
    assert differences(before, box.tree()), "the install wrote nothing"
    box.run("--scope", scope, "--check").ok()
    box.run("uninstall", "--scope", scope, "--yes").ok()
    assert_same(before, box.tree())


def test_four_runtimes_come_and_go_without_a_trace(box: Machine) -> None:
    (box.home / ".claude").mkdir(mode=0o700)
    (box.home / ".claude" / "settings.json").write_bytes(b'{\r\n\t// mine\r\n\t"model": "x",\r\n}')
    (box.home / ".codex").mkdir()
    (box.home / ".codex" / "config.toml").write_bytes(b"# mine\nmodel = 'y'")
    (box.home / ".empty").mkdir()
    (box.home / "link").symlink_to(".empty")
    before = box.tree()
    box.run(*_runtimes(*FOUR), "--with", "all").ok()
    box.run("--check").ok()
    box.run("uninstall", "--yes").ok()
    assert_same(before, box.tree())


def test_a_second_run_writes_nothing_and_says_so(box: Machine) -> None:
    box.run(*_runtimes(*FOUR)).ok()
    stamps = {path: path.stat() for path in box.home.rglob("*") if path.is_file()}
    again = box.run(*_runtimes(*FOUR)).ok()
    assert "no file was written" in again.out
    for path, status in stamps.items():
        now = path.stat()
        assert (now.st_ino, now.st_mtime_ns) == (status.st_ino, status.st_mtime_ns), path
    assert {path for path in box.home.rglob("*") if path.is_file()} == set(stamps)


@pytest.mark.parametrize("scope", SCOPES)
def test_check_sees_every_changed_byte_and_mode(box: Machine, scope: str) -> None:
    box.run(*_runtimes(*FOUR), "--scope", scope).ok()
    root = box.home if scope == "global" else box.project
    ledger = box.project / ".gsd" / "ledger.json"
    state = box.home / ".local" / "state"
    installed = [p for p in root.rglob("*") if p.is_file() and p != ledger and state not in p.parents]
    assert len(installed) > 20
    for path in installed[:: max(1, len(installed) // 12)]:
        data, mode = path.read_bytes(), path.stat().st_mode
        path.write_bytes(data + b" ")
        changed = box.run("--check", "--scope", scope, "--json")
        assert changed.code == 4, path
        assert changed.json["data"]["drift"], path
        path.write_bytes(data)
        path.chmod(0o600)
        assert box.run("--check", "--scope", scope).code == 4, path
        path.chmod(mode)
    box.run("--check", "--scope", scope).ok()


def test_a_committed_project_passes_check_in_a_clone(box: Machine, tmp_path: Path) -> None:
    git = [shutil.which("git") or "git", "-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    subprocess.run([*git, "init", "-q", str(box.project)], check=True)
    box.run(*_runtimes(*FOUR), "--scope", "project", "--with", "all").ok()
    subprocess.run([*git, "-C", str(box.project), "add", "-A"], check=True)
    subprocess.run([*git, "-C", str(box.project), "commit", "-qm", "install"], check=True)
    elsewhere = machine(tmp_path / "elsewhere")
    clone = elsewhere.home / "clone"
    subprocess.run([*git, "clone", "-q", str(box.project), str(clone)], check=True)
    elsewhere.run("--scope", "project", "--check", cwd=clone).ok()
    status = subprocess.run(
        [*git, "-C", str(clone), "status", "--porcelain"], check=True, capture_output=True, text=True
    )
    assert status.stdout == ""


def test_a_project_ledger_holds_no_fact_of_this_machine(box: Machine) -> None:
    box.run(*_runtimes(*FOUR), "--scope", "project", "--with", "all").ok()
    for path in box.project.rglob("*"):
        if path.is_file():
            assert str(box.home).encode() not in path.read_bytes(), path
    text = (box.project / ".gsd" / "ledger.json").read_text(encoding="utf-8")
    assert json.loads(text)
    assert "\\" not in text


def test_dry_run_and_check_create_nothing(box: Machine) -> None:
    before = box.tree()
    shown = box.run(*_runtimes(*FOUR), "--with", "all", "--dry-run").ok()
    assert "create" in shown.out
    assert box.run(*_runtimes(*FOUR), "--check").code == 4
    assert_same(before, box.tree())


def test_removing_one_runtime_leaves_what_the_others_need(box: Machine, tmp_path: Path) -> None:
    box.run(*_runtimes(*FOUR)).ok()
    box.run("uninstall", "--runtime", "claude", "--runtime", "opencode", "--yes").ok()
    alone = machine(tmp_path / "alone")
    alone.run(*_runtimes("codex", "windsurf")).ok()
    assert_same(_content(alone), _content(box))


def _content(box: Machine) -> dict[str, object]:
    """The installed tree without the machine's own state."""
    return {path: node for path, node in snapshot(box.home).items() if not path.startswith(".local")}


def test_no_body_is_written_twice(box: Machine) -> None:
    box.run(*_runtimes(*FOUR)).ok()
    payload = list((box.home / ".gsd" / "content").rglob("*.md"))
    assert len(payload) > 100
    bodies = {path.read_bytes(): path for path in payload}
    assert len(bodies) == len(payload)
    state = box.home / ".local"
    for path in box.home.rglob("*"):
        if path.is_file() and state not in path.parents and path not in payload:
            assert path.read_bytes() not in bodies, path


def test_nearly_every_byte_of_bodies_is_shared(box: Machine) -> None:
    done = box.run(*_runtimes(*FOUR), "--json").ok()
    shared = done.json["data"]["shared"]["bytes"]
    own = [
        path
        for folder in (".claude/gsd", ".codex/gsd", ".config/opencode/gsd", ".codeium/windsurf/gsd")
        for path in (box.home / folder).rglob("*.md")
    ]
    specific = sum(path.stat().st_size for path in own)
    assert shared > 200_000
    assert shared / (shared + specific) >= 0.95


def test_config_dir_is_recorded_and_uninstall_needs_no_flag(box: Machine) -> None:
    before = box.tree()
    box.run("--runtime", "claude", "--config-dir", "~/elsewhere/claude").ok()
    assert (box.home / "elsewhere" / "claude" / "commands").is_dir()
    assert not (box.home / ".claude").exists()
    box.run("upgrade").ok()
    assert not (box.home / ".claude").exists()
    box.run("uninstall", "--yes").ok()
    assert_same(before, box.tree())


def test_an_environment_variable_moves_the_home_and_uninstall_works_without_it(box: Machine) -> None:
    before = box.tree()
    moved = {
        "CLAUDE_CONFIG_DIR": str(box.home / "moved"),
        "CODEX_HOME": str(box.home / "cx"),
        "GSD_HOME": str(box.home / "pay load"),
    }
    box.run("--runtime", "claude", "--runtime", "codex", env=moved).ok()
    assert (box.home / "moved" / "commands").is_dir()
    assert (box.home / "cx" / "agents").is_dir()
    assert (box.home / "pay load" / "content").is_dir()
    assert not (box.home / ".gsd").exists()
    box.run("uninstall", "--yes").ok()
    assert_same(before, box.tree())
