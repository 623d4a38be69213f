"""Where two processes fill new directories, one of them fails or is killed; nothing half is left."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gsd_install.testing.trees import Tree, assert_same, snapshot

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only there a second process helps")

# Installs 40 files in eight new directories below a home, and notes which process writes each. `WHO HOW` says
# which process fails at its third file (`late`: its last), and how.
DRIVER = """\
import os, signal, sys
from gsd_install.apply import disk, filling
from gsd_install.apply.location import global_location
from gsd_install.apply.model import Desired, File
from gsd_install.apply.plan import plan
from gsd_install.apply.transaction import execute
from gsd_install.kernel.errors import GsdError
from gsd_install.runtime.platform import Platform

home, log, who, how = sys.argv[1:]
filling.ENOUGH = 8
first, create, made = os.getpid(), disk.create, []

def watched(path, data, **rest):
    if "/new-" in path or "/.new-" in path:
        with open(log, "a") as file:
            print(os.getpid(), file=file)
        made.append(path)
        here = "parent" if os.getpid() == first else "child"
        if here == who and len(made) == (3 if how != "late" else 20):
            if how == "full":
                raise OSError(28, "No space left on device", path)
            os.kill(os.getpid(), signal.SIGKILL)
    return create(path, data, **rest)

def crowded():
    raise OSError(11, "Resource temporarily unavailable")

if how == "crowded":
    os.fork = crowded
disk.create = watched
os.register_at_fork(after_in_child=made.clear)
location = global_location(Platform("linux", home, {}, home))
files = tuple(
    File(f"{home}/new-{number % 8}/file-{number}", b"%d\\n" % number, number == 7, home, ("a:b",))
    for number in range(40)
)
desired = Desired({"a:b": {}}, frozenset(), files, ())
try:
    execute(location, lambda: plan(location, desired))
except BaseException as error:
    if os.getpid() != first:
        with open(log, "a") as file:
            print("the child went on", file=file)
    if not isinstance(error, GsdError):
        raise
    print(error.reason, error, file=sys.stderr)
    sys.exit(1)
"""


def _install(home: Path, who: str = "nobody", how: str = "") -> subprocess.CompletedProcess[str]:
    home.mkdir(exist_ok=True)
    log = home.with_suffix(".log")
    log.touch()
    command = [sys.executable, "-c", DRIVER, home, log, who, how]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _tree(home: Path) -> Tree:
    """Everything but the cache, which holds times."""
    return {name: node for name, node in snapshot(home).items() if not name.endswith("/cache")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with everything in it. Its name is the same as that of the others: the ledger holds it."""
    home = tmp_path_factory.mktemp("whole") / "home"
    done = _install(home)
    assert done.returncode == 0, done.stderr
    return home


def _new(home: Path) -> set[str]:
    return {name for name in _tree(home) if name.startswith(("new-", ".new-"))}


def test_both_write_and_the_tree_is_whole(whole: Path) -> None:
    processes = whole.with_suffix(".log").read_text().split()
    assert len(processes) == 40
    assert sorted(processes.count(process) for process in set(processes)) == [20, 20]
    tree = _tree(whole)
    assert [tree[f"new-{number % 8}/file-{number}"].content for number in range(40)] == [
        b"%d\n" % number for number in range(40)
    ]
    assert tree["new-7/file-7"].mode & 0o111


def test_where_no_process_can_be_made_one_writes_all(tmp_path: Path) -> None:
    done = _install(tmp_path / "home", "nobody", "crowded")
    assert done.returncode == 0, done.stderr
    processes = (tmp_path / "home.log").read_text().split()
    assert (len(processes), len(set(processes))) == (40, 1)


@pytest.mark.parametrize("who", ["parent", "child"])
def test_a_disk_that_is_full_undoes_all(tmp_path: Path, who: str) -> None:
    done = _install(tmp_path / "home", who, "full")
    assert done.returncode == 1
    assert "full" in done.stderr
    assert "everything is as it was before" in done.stderr
    assert _new(tmp_path / "home") == set()


def test_a_child_that_is_killed_undoes_all(tmp_path: Path) -> None:
    done = _install(tmp_path / "home", "child", "killed")
    assert done.returncode == 1
    assert "the process that wrote half of the files was killed" in done.stderr
    assert _new(tmp_path / "home") == set()


@pytest.mark.parametrize("when", ["early", "late"])
def test_a_parent_that_is_killed_leaves_what_the_next_run_repairs(tmp_path: Path, when: str) -> None:
    home = tmp_path / "home"
    done = _install(home, "parent", when)
    assert done.returncode == -signal.SIGKILL
    assert not {name for name in _new(home) if name.startswith("new-")}, "a half directory appeared"
    again = _install(home)  # which waits for the child: it holds the lock
    assert "went on" not in home.with_suffix(".log").read_text()
    assert again.returncode == 0, again.stderr
    found = _tree(home)
    assert {name for name in found if ".gsd-tmp" in name} == set()
    assert len([name for name in found if name.startswith("new-") and "/" in name]) == 40


def test_the_repaired_tree_is_the_whole_one(tmp_path: Path, whole: Path) -> None:
    home = tmp_path / "home"
    assert _install(home, "parent", "early").returncode == -signal.SIGKILL
    assert _install(home).returncode == 0
    ours = {name: node for name, node in _tree(home).items() if name.startswith("new-")}
    theirs = {name: node for name, node in _tree(whole).items() if name.startswith("new-")}
    assert_same(theirs, ours)
