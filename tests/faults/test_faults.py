"""Kill the process at every call that changes the disk; fail every such call: nothing is ever torn.

Three runtimes that use every kind of file a user owns are installed, upgraded and uninstalled. For each
action each changing system call is hit in turn. After the repair the tree is all old or all new, and a
file that the user changed in between holds what the user wrote.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults import driver
from faults.injector import FAULTS, Interposer, Point, ShiftedError, Strace
from gsd_install.apply.drift import check
from gsd_install.apply.transaction import recover
from gsd_install.testing.trees import Tree, assert_same, differences, snapshot

ACTIONS = ("install", "upgrade", "uninstall")
MACHINE = ".local/state/gsd-install/global/cache"  # holds times, so it is never the same twice
SETTINGS = ".claude/settings.json"


class Stage:
    """A home right before an action, which can be set up again, and how it looks after."""

    def __init__(self, folder: Path, action: str) -> None:
        self.action = action
        self.home = folder / "home"
        self.home.mkdir()
        driver.user_files(str(self.home))
        for earlier in ACTIONS[: ACTIONS.index(action)]:
            driver.perform(str(self.home), earlier)
            if earlier == "install":
                driver.user_edits(str(self.home))
        self.old = self.tree()
        self._kept = folder / "kept"
        self._copy(self.home, self._kept)
        driver.perform(str(self.home), action)
        self.new = self.tree()
        assert differences(self.old, self.new)
        self.reset()

    def tree(self) -> Tree:
        found = snapshot(self.home)
        if MACHINE in found:
            found[MACHINE] = found[MACHINE]._replace(content=b"")
        return found

    def reset(self) -> None:
        self._copy(self._kept, self.home)

    @staticmethod
    def _copy(source: Path, target: Path) -> None:
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target, symlinks=True)

    def settled(self) -> str:
        """Repair, and say which of the two trees it is; anything else fails."""
        recover(driver.location(str(self.home)))
        tree = self.tree()
        if tree == self.old:
            return "old"
        assert_same(self.new, tree)
        return "new"


@pytest.fixture
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    """In memory where that is possible: the home is set up anew some hundred times."""
    shared = "/dev/shm"
    folder = tempfile.mkdtemp(prefix="gsd-faults-", dir=shared if os.access(shared, os.W_OK) else None)
    old = os.umask(0o022)
    yield Stage(Path(folder), request.param)
    os.umask(old)
    shutil.rmtree(folder)


def _injector(folder: Path) -> Strace | Interposer:
    return Strace(folder) if Strace.works() else Interposer(folder)


def _all_points(stage: Stage, injector: Strace | Interposer) -> list[Point]:
    points = injector.points(str(stage.home), stage.action)
    assert_same(stage.new, stage.tree())
    stage.reset()
    assert len(points) >= 40
    return points


def _inject(
    stage: Stage, injector: Strace | Interposer, points: list[Point], index: int, fault: str
) -> subprocess.CompletedProcess[str]:
    """Hit one point, listing the points anew when the calls before it have changed."""
    for _ in range(3):
        try:
            return injector.inject(points[index], fault, str(stage.home), stage.action)
        except ShiftedError:
            stage.reset()
            again = injector.points(str(stage.home), stage.action)
            stage.reset()
            assert [point[::2] for point in again] == [point[::2] for point in points]
            points[:] = again
    pytest.fail("the calls of the process are never the same")


@pytest.mark.case("UP-05", "CA-05")
@pytest.mark.parametrize("stage", ACTIONS, indirect=True)
def test_a_kill_at_every_call(stage: Stage, tmp_path: Path) -> None:
    injector = _injector(tmp_path)
    points = _all_points(stage, injector)
    seen: Counter[str] = Counter()
    for index, _ in enumerate(points):
        _inject(stage, injector, points, index, "KILL")
        _leave_the_user_s_change_alone(stage, tmp_path / "torn")
        seen[stage.settled()] += 1
        driver.perform(str(stage.home), stage.action)
        assert_same(stage.new, stage.tree())
        assert check(driver.location(str(stage.home))) == _expected(stage)
        stage.reset()
    assert sum(seen.values()) == len(points)
    assert seen["old"] > 10, seen
    assert seen["new"] >= 3, seen


def _expected(stage: Stage) -> tuple[object, ...]:
    """The merged file is an edited one; everything else is as recorded."""
    found = check(driver.location(str(stage.home)))
    assert [finding.path for finding in found] == (
        [str(stage.home / ".claude/commands/plan.md")] if stage.action == "upgrade" else []
    )
    return found


def _leave_the_user_s_change_alone(stage: Stage, torn: Path) -> None:
    """Change a file before the repair, see it survive, and go back to the torn tree."""
    shutil.rmtree(torn, ignore_errors=True)
    shutil.copytree(stage.home, torn, symlinks=True)
    changed = stage.home / SETTINGS
    text = changed.read_bytes() + b"// written after the crash\n"
    changed.write_bytes(text)
    recover(driver.location(str(stage.home)))
    assert changed.read_bytes() == text
    shutil.rmtree(stage.home)
    shutil.copytree(torn, stage.home, symlinks=True)


@pytest.mark.case("UP-05")
@pytest.mark.parametrize("fault", FAULTS[1:])
@pytest.mark.parametrize("stage", ACTIONS, indirect=True)
def test_every_call_fails_once(stage: Stage, fault: str, tmp_path: Path) -> None:
    injector = _injector(tmp_path)
    points = _all_points(stage, injector)
    seen: Counter[str] = Counter()
    for index, point in enumerate(points):
        done = _inject(stage, injector, points, index, fault)
        assert done.returncode in {0, 1}, (point, done.stderr)
        assert done.returncode == 0 or done.stderr.strip(), point
        outcome = stage.settled()
        assert done.returncode == 1 or outcome == "new", point
        seen[outcome] += 1
        driver.perform(str(stage.home), stage.action)
        assert_same(stage.new, stage.tree())
        stage.reset()
    assert sum(seen.values()) == len(points)
    assert seen["old"] > 10, seen


@pytest.mark.parametrize("stage", ["upgrade"], indirect=True)
def test_the_interposer_that_stands_in_for_strace(stage: Stage, tmp_path: Path) -> None:
    injector = Interposer(tmp_path)
    points = _all_points(stage, injector)
    assert {"open", "write", "replace", "rename", "unlink", "mkdir", "rmdir", "fsync"} <= {
        p.call for p in points
    }
    seen = set()
    for fault in FAULTS:
        for point in [*points[::11], *points[-6:]]:
            done = injector.inject(point, fault, str(stage.home), stage.action)
            assert done.returncode != driver.CRASHED, done.stderr
            seen.add(stage.settled())
            stage.reset()
    assert seen == {"old", "new"}


@pytest.mark.skipif(not Strace.works(), reason="strace is missing or may not trace")
@pytest.mark.parametrize("stage", ["upgrade"], indirect=True)
def test_the_harness_notices_a_torn_tree(stage: Stage, tmp_path: Path) -> None:
    """Without the journal a kill in the middle must be seen as damage: the test above can fail."""
    injector = Strace(tmp_path)
    points = _all_points(stage, injector)
    [point] = [p for p in points if p.call == "rename" and p.subject.endswith("ledger.json")]
    injector.inject(point, "KILL", str(stage.home), stage.action)
    os.unlink(Path(driver.location(str(stage.home)).state) / "journal")
    with pytest.raises(AssertionError):
        stage.settled()
