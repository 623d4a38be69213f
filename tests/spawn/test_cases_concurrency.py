"""Several at once, one that was killed, one that was interrupted, one that asks nobody."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.bundle import EVERY_KIND, PLAN, Bundle, bundle, drift, install, put, uninstall
from support.installs import FOUR, Machine, machine
from support.trees import assert_same, differences, snapshot

LOCKED = 5

pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes are killed and interrupted by signal")


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


@pytest.fixture
def acme(tmp_path: Path) -> Bundle:
    return bundle(tmp_path)


def _start(box: Machine, *words: str, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [box.script, *words], cwd=box.project, env=box.env | (env or {}),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def _remains(box: Machine) -> list[str]:
    """Temporary files of ours that nobody removed."""
    return [path for path in box.tree() if path.endswith(".gsd-tmp")]


@pytest.mark.case("CA-01")
def test_eight_installs_at_once_lose_no_entry(box: Machine, tmp_path: Path) -> None:
    settings = put(box.home / ".claude/settings.json", '{"theme":"dark"}')
    before = box.tree()
    bundles = [bundle(tmp_path, name=name) for name in ("acme", "bird")]
    words = [("--runtime", "claude", *item.words, "--with", "hooks") for item in bundles]
    running = [_start(box, *words[number % 2]) for number in range(8)]
    reads = 0
    while any(process.poll() is None for process in running):
        assert json.loads(settings.read_bytes())["theme"] == "dark"
        reads += 1
        time.sleep(0.001)
    assert reads
    for process in running:
        _, errors = process.communicate()
        assert process.returncode in {0, LOCKED}, errors
    assert sum(process.returncode == 0 for process in running) >= 2
    for item in words:
        box.run(*item).ok()
    text = settings.read_text(encoding="utf-8")
    assert [text.count(f"/{name}/hooks/hello.py") for name in ("acme", "bird")] == [1, 1]
    assert drift(box) == {}
    assert not _remains(box)
    uninstall(box)
    assert_same(before, box.tree())


HOLDER = """
import os, sys, time
from gsd_install.apply import lock
from gsd_install.apply.location import project_location
from gsd_install.runtime.platform import current
place = project_location(current(), ".")
lock.claim(lock.acquire(place))
print(os.path.join(place.state, "lock"), flush=True)
time.sleep(60)
"""


def _holder(box: Machine) -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER], cwd=box.project, env=box.env, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


@pytest.mark.case("CA-03")
def test_a_lock_left_by_a_killed_run_is_free(box: Machine, acme: Bundle) -> None:
    before = box.tree()
    process, lock = _holder(box)
    process.kill()
    process.communicate()
    assert lock.read_text(encoding="utf-8")
    install(box, acme, "claude", scope="project").ok()
    uninstall(box, scope="project")
    assert_same(before, box.tree())


@pytest.mark.case("CA-03")
@pytest.mark.parametrize("garbage", [False, True])
def test_a_lock_that_is_held_is_waited_for_and_its_owner_named(
    box: Machine, acme: Bundle, garbage: bool
) -> None:
    process, lock = _holder(box)
    try:
        if garbage:
            lock.write_bytes(b"\xff\x00garbage")
        done = install(box, acme, "claude", scope="project")
    finally:
        process.kill()
        process.communicate()
    assert done.code == LOCKED
    assert garbage or str(process.pid) in done.err
    assert not (box.project / ".claude").exists()
    install(box, acme, "claude", scope="project").ok()


@pytest.mark.case("CA-05")
def test_no_temporary_files_stay_whatever_happens(box: Machine, acme: Bundle, tmp_path: Path) -> None:
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    env = {"TMPDIR": str(scratch)}
    words = [*(word for name in FOUR for word in ("--runtime", name)), *acme.words, "--scope", "project"]
    before = box.tree()
    acme.write({**EVERY_KIND, "commands/zz.md": PLAN + "{gsd:path no/such.md}\n"})
    assert box.run(*words, env=env).code == 1
    acme.write()
    box.run(*words, "--with", "all", env=env).ok()
    installed = snapshot(box.project)
    uninstall(box, scope="project")
    interrupted = 0
    for number in range(5):
        process = _start(box, *words, "--with", "all", env=env)
        time.sleep(0.03 + 0.012 * number)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        interrupted += process.returncode in {130, -signal.SIGINT}
        assert "this is a bug" not in errors
        box.run(*words, "--with", "all", env=env).ok()
        assert_same(installed, snapshot(box.project))
        assert not _remains(box)
        uninstall(box, scope="project")
    assert interrupted, "every install was faster than its interruption"
    assert not list(scratch.iterdir())
    assert_same(before, box.tree())


@pytest.mark.case("CA-05")
def test_an_interrupted_install_is_all_or_nothing_after_the_next_command(box: Machine, acme: Bundle) -> None:
    box.run("--runtime", "claude", *acme.words).ok()
    acme.write({**EVERY_KIND, "commands/plan.md": PLAN + "more\n"}, version="2")
    process = _start(box, "upgrade")
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.communicate()
    box.run("upgrade").ok()
    assert drift(box) == {}
    assert not _remains(box)


@pytest.mark.case("CA-07")
def test_nothing_is_deleted_before_the_last_question(box: Machine, acme: Bundle) -> None:
    # The only question an installed tree is asked about is its removal; an upgrade needs no answer.
    install(box, acme, "claude", scope="project").ok()
    before = box.tree()
    asked = box.run("uninstall", "--scope", "project")
    assert asked.code == 2
    assert "--yes" in asked.err
    assert_same(before, box.tree())
    bare = box.run("--scope", "project")
    assert bare.code == 2
    assert "--runtime" in bare.err
    assert_same(before, box.tree())
    uninstall(box, scope="project")
    assert differences(before, box.tree())
