"""From one version to the next: what the user made or changed stays, what is ours moves on."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.bundle import (
    EVERY_KIND,
    HOOKS,
    PLAN,
    SMALL,
    Bundle,
    bundle,
    drift,
    install,
    put,
    uninstall,
    without,
)
from support.installs import FOUR, Machine, machine
from support.trees import Tree, assert_same, snapshot


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


@pytest.fixture
def acme(box: Machine) -> Bundle:
    """Inside the project, where a project's ledger can name it."""
    return bundle(box.project)


@pytest.mark.case("UP-01")
@pytest.mark.parametrize(
    ("runtime", "folder"),
    [("claude", ".claude/commands"), ("codex", ".agents/skills"), ("opencode", ".config/opencode/commands")],
)
def test_files_the_user_made_in_our_folders_survive(
    box: Machine, acme: Bundle, runtime: str, folder: str
) -> None:
    install(box, acme, runtime).ok()
    mine = [box.home / ".gsd/content/acme/USER-PROFILE.md", box.home / folder / "my-own/my-own.md"]
    for path in mine:
        put(path, "mine\n")
    acme.write({**EVERY_KIND, "commands/plan.md": PLAN + "more\n"}, version="2")
    box.run("upgrade").ok()
    assert [path.read_bytes() for path in mine] == [b"mine\n"] * 2
    assert drift(box) == {}
    [place] = box.run("status", "--scope", "global", "--json").ok().json["data"]["places"]
    listed = [f"~/{path.relative_to(box.home).as_posix()}" for path in mine]
    assert any(listed[0].startswith(name) for name in place["yours"])
    assert any(listed[1].startswith(name) for name in place["yours"])
    said = uninstall(box)
    assert "USER-PROFILE.md" in said.err
    assert "my-own" in said.err
    left = {path for path in box.home.rglob("*") if path.is_file() and box.project not in path.parents}
    assert left == set(mine)


TWO_HOOKS = HOOKS.replace("hello", "old-a") + HOOKS.replace("hello", "old-b")
OLD = {
    **without(EVERY_KIND, "hooks/hello.py", "hooks/hooks.toml"),
    "hooks/hooks.toml": TWO_HOOKS,
    "hooks/old-a.py": "print('a')\n",
    "hooks/old-b.py": "print('b')\n",
}
NO_HOOKS = without(EVERY_KIND, "hooks/hello.py", "hooks/hooks.toml")


@pytest.mark.case("UP-03")
def test_a_hook_no_longer_shipped_goes_unless_it_was_edited(box: Machine, acme: Bundle) -> None:
    acme.write(OLD)
    install(box, acme, "claude", "codex", surfaces="hooks").ok()
    scripts = box.home / ".gsd/content/acme/hooks"
    put(scripts / "old-b.py", "print('b')\n# mine\n")
    acme.write(NO_HOOKS, version="2")
    done = box.run("upgrade").ok()
    assert not (scripts / "old-a.py").exists()
    assert (scripts / "old-b.py").read_text(encoding="utf-8") == "print('b')\n# mine\n"
    assert "old-b.py" in done.out + done.err
    for name in (".claude/settings.json", ".codex/hooks.json"):
        path = box.home / name
        assert not path.exists() or "old-" not in path.read_text(encoding="utf-8")
    assert drift(box) == {}
    assert "stale" not in box.run("status").ok().out


@pytest.mark.case("UP-04")
def test_pruning_claims_names_not_directories(box: Machine, acme: Bundle) -> None:
    mine = {
        ".claude/rules/team.md": "ours\n",
        ".claude/skills/mine/SKILL.md": "---\nname: mine\ndescription: x\n---\n",
        ".claude/settings.local.json": "{}\n",
        ".agents/skills/acme-notes/SKILL.md": "---\nname: acme-notes\ndescription: x\n---\n",
    }
    for name, text in mine.items():
        put(box.project / name, text)
    said = install(box, acme, "claude", "codex", scope="project").ok()
    acme.write(without(EVERY_KIND, "commands/ship.md", "references/deep/scope.md"), version="2")
    again = box.run("upgrade", "--scope", "project").ok()
    for name, text in mine.items():
        assert (box.project / name).read_text(encoding="utf-8") == text
        assert name not in said.out + said.err + again.out + again.err
    assert not (box.project / ".claude/commands/acme-ship.md").exists()
    assert drift(box, "project") == {}


def _second() -> dict[str, str]:
    return {path: _longer(content) for path, content in EVERY_KIND.items()}


def _longer(content: str) -> str:
    if content.startswith("# "):
        return content + "The second edition says more.\n" * 400
    return f"{content}The second edition.\n" if content.startswith("---") else content


POSIX = pytest.mark.skipif(os.name == "nt", reason="uses limits and signals of POSIX")


def _installed(box: Machine) -> Tree:
    return {path: node for path, node in snapshot(box.project).items() if not path.startswith("bundles")}


@POSIX
@pytest.mark.case("UP-05")
@pytest.mark.parametrize("blocks", [2, 5])
def test_a_disk_that_fails_in_the_middle_costs_nothing(box: Machine, acme: Bundle, blocks: int) -> None:
    """A file-size limit makes the writes of larger files fail, after smaller ones went through."""
    install(box, acme, *FOUR, scope="project").ok()
    mine = put(box.project / ".gsd/custom/mine.yaml", "mine: 1\n")
    old = _installed(box)
    acme.write(_second(), version="2")
    limited = ["bash", "-c", 'ulimit -f "$0"; exec "$@"', str(blocks), str(box.script)]
    failed = subprocess.run(
        [*limited, "upgrade", "--scope", "project"],
        cwd=box.project, env=box.env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert failed.returncode == 1, failed
    assert os.strerror(errno.EFBIG).lower() in failed.stderr.lower()
    assert "Traceback" not in failed.stderr
    assert mine.read_bytes() == b"mine: 1\n"
    assert_same(old, _installed(box))
    box.run("upgrade", "--scope", "project").ok()
    clean = machine(box.home.parent / "clean")
    install(clean, bundle(clean.project, _second(), version="2"), *FOUR, scope="project").ok()
    put(clean.project / ".gsd/custom/mine.yaml", "mine: 1\n")
    assert_same(_installed(clean), _installed(box))


@POSIX
@pytest.mark.case("UP-05")
def test_a_kill_in_the_middle_of_an_upgrade_costs_nothing(box: Machine, acme: Bundle) -> None:
    install(box, acme, *FOUR, scope="project").ok()
    mine = put(box.project / ".gsd/custom/mine.yaml", "mine: 1\n")
    killed = 0
    for number in range(5):
        acme.write({**EVERY_KIND, "commands/plan.md": f"{PLAN}edition {number}\n"}, version=str(number))
        process = subprocess.Popen(
            [box.script, "upgrade", "--scope", "project"],
            cwd=box.project,
            env=box.env,
            stdout=subprocess.DEVNULL,
        )
        time.sleep(0.02 + 0.01 * number)
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        assert mine.read_bytes() == b"mine: 1\n"
        box.run("upgrade", "--scope", "project").ok()
        assert drift(box, "project") == {}
        plan = (box.project / ".claude/commands/acme-plan.md").read_text(encoding="utf-8")
        assert f"edition {number}\n" in plan
    assert killed, "every upgrade was faster than its killer"


@pytest.mark.case("UP-07")
def test_an_upgrade_keeps_how_the_install_was_done(box: Machine, acme: Bundle) -> None:
    # Files are always copies; what an install chooses is scope, profile, surfaces and directory.
    core = {**EVERY_KIND, "commands/plan.md": PLAN.replace("---\n", "---\ntier: core\n", 1)}
    acme.write(core)
    words = ("--runtime", "claude", *acme.words, "--scope", "project", "--profile", "core")
    box.run(*words, "--with", "hooks", "--config-dir", "tools/claude").ok()
    record = _record(box)
    assert not (box.project / "tools/claude/commands/acme-ship.md").exists()
    acme.write({**core, "commands/plan.md": core["commands/plan.md"] + "more\n"}, version="2")
    box.run("upgrade", "--scope", "project").ok()
    assert _record(box) == {**record, "content": "2"}
    assert (box.project / "tools/claude/commands/acme-plan.md").read_text(encoding="utf-8").endswith("more\n")
    assert not (box.project / "tools/claude/commands/acme-ship.md").exists()
    assert not (box.project / ".claude").exists()
    assert "hello.py" in (box.project / "tools/claude/settings.json").read_text(encoding="utf-8")
    assert not list(box.project.rglob("*.mcp.json"))


def _record(box: Machine) -> dict[str, object]:
    [place] = box.run("status", "--scope", "project", "--json").ok().json["data"]["places"]
    record: dict[str, object] = place["units"]["claude:acme"]
    return record


@pytest.mark.case("UP-09")
@pytest.mark.parametrize(
    ("runtime", "folder"), [("opencode", ".config/opencode/commands"), ("claude", ".claude/commands")]
)
def test_files_that_were_there_and_use_our_prefix(
    box: Machine, acme: Bundle, runtime: str, folder: str
) -> None:
    notes = put(box.home / folder / "acme-notes.md", "my notes\n")
    plan = put(box.home / folder / "acme-plan.md", "my own plan command\n", 0o640)
    before = box.tree()
    refused = install(box, acme, runtime)
    assert refused.code == 1
    assert str(plan) in refused.err
    assert "--backup" in refused.err
    assert_same(before, box.tree())
    said = install(box, acme, runtime, extra=("--backup",)).ok()
    assert "acme-plan.md" in json.dumps(box.run("explain", str(plan), "--json").json) + said.out
    assert "Read" in plan.read_text(encoding="utf-8")
    assert notes.read_bytes() == b"my notes\n"
    uninstall(box)
    assert_same(before, box.tree())


@pytest.mark.case("UP-11")
@pytest.mark.parametrize("runtime", ["claude", "windsurf"])
def test_a_new_layout_retires_our_old_files_only(box: Machine, acme: Bundle, runtime: str) -> None:
    acme.write({"commands/plan.md": SMALL["commands/plan.md"], "commands/ship.md": SMALL["commands/plan.md"]})
    install(box, acme, runtime, scope="project").ok()
    folder = box.project / {"claude": ".claude/commands", "windsurf": ".windsurf/workflows"}[runtime]
    put(folder / "acme-mine.md", "user made this\n")
    ship = folder / "acme-ship.md"
    edited = ship.read_bytes() + b"my line\n"
    put(ship, edited)
    skills = {f"skills/{name}/SKILL.md": SMALL["commands/plan.md"] for name in ("plan", "ship")}
    acme.write(skills, version="2")
    done = box.run("upgrade", "--scope", "project").ok()
    assert not (folder / "acme-plan.md").exists()
    # The edited one stays where its owner put work into it, instead of moving to a backup folder.
    assert ship.read_bytes() == edited
    assert "acme-ship.md" in done.out + done.err
    assert (folder / "acme-mine.md").read_bytes() == b"user made this\n"
    assert (folder.parent / "skills/acme-plan/SKILL.md").is_file()
    assert drift(box, "project") == {}


@pytest.mark.case("UP-12")
@pytest.mark.parametrize(("runtime", "folder"), [("claude", ".claude"), ("codex", ".agents")])
def test_a_file_removed_from_a_skill_that_stays(
    box: Machine, acme: Bundle, runtime: str, folder: str
) -> None:
    skill = {"skills/plan/SKILL.md": SMALL["commands/plan.md"]}
    acme.write({**skill, "skills/plan/references/old.md": "old\n"})
    install(box, acme, runtime, scope="project").ok()
    place = box.project / folder / "skills/acme-plan"
    assert (place / "references/old.md").is_file()
    acme.write(skill)
    done = box.run("upgrade", "--scope", "project").ok()
    assert "no file was written" not in done.out
    assert [path.name for path in place.iterdir()] == ["SKILL.md"]
    assert "old.md" not in (box.project / ".gsd/ledger.json").read_text(encoding="utf-8")


FORMATS = {
    **EVERY_KIND,
    "skills/tidy/run.sh": "#!/bin/sh\necho ok\n",
    "skills/tidy/data.json": "{}\n",
    "skills/tidy/data.toml": "a = 1\n",
    "skills/tidy/start": "#!/bin/sh\necho ok\n",
    "skills/tidy/lib/nested/helper.py": "X = 1\n",
}


@pytest.mark.case("UP-13")
def test_every_file_we_write_is_recorded_and_watched(box: Machine, acme: Bundle) -> None:
    acme.write(FORMATS)
    put(box.home / ".claude/settings.json", "{}\n")
    before = box.tree()
    install(box, acme, *FOUR, surfaces="all").ok()
    after = box.tree()
    state = ".local/state/gsd-install/"
    written = {path for path in after if after[path] != before.get(path) and after[path].kind == "file"}
    ledger = json.loads((box.home / state / "global/ledger.json").read_bytes())
    recorded = set(_hashes(ledger)) | {entry["path"] for entry in ledger["entries"]}
    assert {path for path in written if not path.startswith(state)} == recorded
    for path, sha256 in _hashes(ledger).items():
        assert hashlib.sha256((box.home / path).read_bytes()).hexdigest() == sha256, path
    for path in sorted(_hashes(ledger))[::7]:
        place = box.home / path
        data = place.read_bytes()
        place.write_bytes(data + b"x")
        assert drift(box) == {f"~/{path}": "modified"}
        place.write_bytes(data)
    assert drift(box) == {}


def _hashes(ledger: dict[str, object]) -> dict[str, str]:
    files = ledger["files"]
    assert isinstance(files, dict)
    return {path: record["sha256"] for path, record in files.items()}
