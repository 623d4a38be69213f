"""From every command to every file it can be sent to, on the disk that a real install left behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.installs import FOUR, Machine, machine
from support.reach import Tree

pytestmark = pytest.mark.skipif(os.name == "nt", reason="looks for the launcher of POSIX shells")


def on_disk(root: Path, prefix: str) -> Tree:
    """Every file below `root` but what the machine remembers, as texts spell it."""
    files = {
        prefix + path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".local" not in path.relative_to(root).parts
    }
    return Tree(files, f"{prefix}.gsd")


def installed(box: Machine, scope: str) -> Tree:
    if scope == "global":
        return on_disk(box.home, "~/")
    return on_disk(box.project, "")


def discovered(tree: Tree) -> list[str]:
    """What stands in the folders of the host."""
    return [path for path in tree.files if not path.startswith(f"{tree.payload}/")]


@pytest.mark.parametrize("scope", ["global", "project"])
@pytest.mark.parametrize("runtime", FOUR)
def test_whatever_a_command_leads_to_is_on_disk(runtime: str, scope: str, tmp_path: Path) -> None:
    box = machine(tmp_path)
    box.run("--runtime", runtime, "--scope", scope, "--profile", "full").ok()
    tree = installed(box, scope)
    start = discovered(tree)
    assert len(start) >= 30
    reached = tree.reached(start)
    assert len(reached) > 150
    assert not tree.missing(start)
    launcher = f"{tree.payload}/bin/gsd-tools"
    assert launcher in reached
    root = box.home if scope == "global" else box.project
    assert os.access(root / launcher.removeprefix("~/"), os.X_OK)
    gone = root / ".gsd/content/gsd/references/execution/gates.md"
    gone.unlink()
    assert installed(box, scope).missing(start) == {
        f"{tree.payload}/content/gsd/references/execution/gates.md"
    }
