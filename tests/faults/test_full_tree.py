"""Kill a real install of all shipped content in four runtimes, at a fixed stride of its changing calls."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from faults.injector import CHANGING, KILLED, Strace
from support.installs import FOUR, Machine, machine
from support.trees import Tree, assert_same

STRIDE = 61
CACHE = ".local/state/gsd-install/global/cache"  # holds times, so it is never the same twice
SETTINGS = ".claude/settings.json"
WORDS = [*(word for name in FOUR for word in ("--runtime", name)), "--with", "all"]

pytestmark = pytest.mark.skipif(not Strace.works(), reason="strace is not here or may not trace")


def _prepared(folder: Path) -> Machine:
    """A home with a settings file of the user's."""
    box = machine(folder)
    settings = box.home / SETTINGS
    settings.parent.mkdir()
    settings.write_text('{\n  // mine\n  "model": "x"\n}\n', encoding="utf-8")
    return box


def _tree(box: Machine) -> Tree:
    found = box.tree()
    if CACHE in found:
        found[CACHE] = found[CACHE]._replace(content=b"")
    return found


def _traced(box: Machine, log: Path, inject: str = "") -> subprocess.CompletedProcess[str]:
    command = ["strace", "-f", "-o", str(log), "-e", f"trace={','.join(CHANGING)}"]
    command += ["-e", inject] if inject else []
    return subprocess.run(
        [*command, box.script, *WORDS],
        env=box.env,
        cwd=box.project,
        capture_output=True,
        text=True,
        check=False,
    )


def _points(log: Path, home: Path) -> list[tuple[str, int]]:
    """Each call that changes something below the home: its name, and the how-manieth of that name it is."""
    numbers: Counter[str] = Counter()
    found = []
    for line in log.read_text(errors="replace").splitlines():
        call = line.split(maxsplit=1)[1].split("(")[0] if "(" in line else ""
        if call not in CHANGING:
            continue
        numbers[call] += 1
        if f'"{home}' in line and not (call == "openat" and "O_RDONLY" in line):
            found.append((call, numbers[call]))
    return found


def test_a_killed_install_of_everything_is_repaired_by_the_next_run(tmp_path: Path) -> None:
    whole = _prepared(tmp_path / "whole")
    old = _tree(whole)
    log = tmp_path / "strace.log"
    assert _traced(whole, log).returncode == 0
    points = _points(log, whole.home)
    assert len(points) > 500
    killed = Counter[str]()
    for index in range(0, len(points), STRIDE):
        # The same path every time: the ledger and the hooks name it.
        shutil.rmtree(whole.home)
        box = _prepared(tmp_path / "whole")
        call, number = points[index]
        done = _traced(box, log, f"inject={call}:signal=KILL:when={number}")
        assert done.returncode in KILLED, (call, number, done.stderr)
        killed[call] += 1
        settings = box.home / SETTINGS
        before = settings.read_bytes()
        if index // STRIDE % 2:
            box.run("uninstall", "--yes")
            assert_same(old, _tree(box))
            continue
        box.run(*WORDS).ok()
        assert b"// mine" in before
        box.run("--check").ok()
        box.run("uninstall", "--yes").ok()
        assert_same(old, _tree(box))
    assert sum(killed.values()) == -(-len(points) // STRIDE) >= 7
    assert len(killed) >= 2
