"""Several processes at one place: each does all of its work or none of it, and nobody's work is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from faults import driver
from faults.injector import DRIVER
from gsd_install.apply.drift import check
from gsd_install.apply.ledger import load
from gsd_install.kernel.errors import LOCKED
from gsd_install.testing.trees import assert_same, snapshot

NAMES = tuple("abcdefgh")


def _start(home: Path, *action: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-B", str(DRIVER), str(home), *action]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def _watch(running: list[subprocess.Popen[str]], settings: Path) -> int:
    """Read the settings file until every process has ended: it must parse every single time."""
    reads = 0
    while any(process.poll() is None for process in running):
        json.loads(settings.read_bytes())
        reads += 1
    return reads


@pytest.mark.case("CA-01")
@pytest.mark.parametrize("count", [2, 8])
def test_installs_at_once_lose_nothing(tmp_path: Path, count: int) -> None:
    home = tmp_path / "home"
    home.mkdir()
    settings = home / "settings.json"
    settings.write_text('{"theme": "dark"}', encoding="utf-8")
    before = snapshot(home)
    waiting = list(NAMES[:count])
    for _ in range(count):
        running = {name: _start(home, "unit", name) for name in waiting}
        reads = _watch(list(running.values()), settings)
        assert reads > 0
        ended = {name: (process.communicate()[1], process.returncode) for name, process in running.items()}
        assert {code for _, code in ended.values()} <= {0, LOCKED}, ended
        assert any(code == 0 for _, code in ended.values())
        waiting = [name for name in waiting if ended[name][1] == LOCKED]
        if not waiting:
            break
    place = driver.location(str(home))
    ledger = load(place)
    assert set(ledger.units) == {f"{name}:gsd" for name in NAMES[:count]}
    assert len(ledger.files) == 20 * count + 1
    assert check(place) == ()
    data = json.loads(settings.read_bytes())
    assert data["theme"] == "dark"
    assert sorted(entry["command"] for entry in data["hooks"]) == list(NAMES[:count])
    assert not [name for _, _, names in os.walk(tmp_path) for name in names if name.endswith(".gsd-tmp")]
    for name in reversed(NAMES[:count]):
        driver_remove(home, name)
    assert_same(before, snapshot(home))


def driver_remove(home: Path, name: str) -> None:
    from gsd_install.apply.model import Desired
    from gsd_install.apply.plan import plan
    from gsd_install.apply.transaction import execute

    place = driver.location(str(home))
    execute(place, lambda: plan(place, Desired({}, frozenset({f"{name}:gsd"}), (), ())))


@pytest.mark.case("CA-01")
def test_installs_and_uninstalls_at_once_agree_with_their_ledger(tmp_path: Path) -> None:
    """The state directory comes and goes under the feet of the others."""
    home = tmp_path / "home"
    home.mkdir()
    driver.user_files(str(home))
    before = snapshot(home)
    for _ in range(4):
        running = [_start(home, action) for action in ("install", "uninstall", "uninstall", "install")]
        for process in running:
            _, errors = process.communicate()
            assert process.returncode in {0, LOCKED}, errors
        place = driver.location(str(home))
        assert check(place) == ()
        if not load(place).units:
            assert_same(before, snapshot(home))
    driver.perform(str(home), "uninstall")
    assert_same(before, snapshot(home))
