"""The parts of the kit that decide: the tree comparer, and what the pytest plugin costs everybody."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gsd_install.testing.trees import assert_same, differences, file_stamps, rewritten, snapshot


def _tree(folder: Path) -> Path:
    (folder / "kept").mkdir(parents=True)
    (folder / "empty").mkdir()
    (folder / "kept" / "file").write_bytes(b"bytes")
    (folder / "link").symlink_to("kept")
    return folder


def _relink(root: Path) -> None:
    (root / "link").unlink()
    (root / "link").symlink_to("empty")


def _unlink(root: Path) -> None:
    (root / "link").unlink()
    (root / "link").mkdir()


def _pipe(root: Path) -> None:
    (root / "empty").rmdir()
    os.mkfifo(root / "empty")


CHANGES: tuple[tuple[str, Callable[[Path], object]], ...] = (
    ("missing  empty", lambda root: (root / "empty").rmdir()),
    ("missing  kept/file", lambda root: (root / "kept" / "file").unlink()),
    ("extra    new", lambda root: (root / "new").mkdir()),
    ("content  kept/file", lambda root: (root / "kept" / "file").write_bytes(b"bytez")),
    ("mode     kept/file: 644 became 600", lambda root: (root / "kept" / "file").chmod(0o600)),
    ("mode     empty: 755 became 700", lambda root: (root / "empty").chmod(0o700)),
    ("content  link", _relink),
    ("kind     link: link became directory", _unlink),
    ("kind     empty: directory became device", _pipe),
)


@pytest.mark.parametrize(("line", "change"), CHANGES, ids=[line for line, _ in CHANGES])
def test_every_change_of_a_tree_is_a_line(
    line: str, change: Callable[[Path], object], tmp_path: Path
) -> None:
    root = _tree(tmp_path / "root")
    for path in (root / "kept" / "file", root / "empty"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    before = snapshot(root)
    change(root)
    assert differences(before, snapshot(root)) == [line]
    with pytest.raises(AssertionError, match=line.split()[0]):
        assert_same(before, snapshot(root))


def test_equal_trees_have_no_differences(tmp_path: Path) -> None:
    assert differences(snapshot(_tree(tmp_path / "one")), snapshot(_tree(tmp_path / "two"))) == []


def test_a_file_written_with_the_same_bytes_counts_as_rewritten(tmp_path: Path) -> None:
    root = _tree(tmp_path / "root")
    stamps = file_stamps(root)
    assert rewritten(root, stamps) == []
    (root / "kept" / "other").write_bytes(b"bytes")
    os.replace(root / "kept" / "other", root / "kept" / "file")
    (root / "empty" / "new").touch()
    assert rewritten(root, stamps) == ["written  empty/new", "written  kept/file"]


def test_loading_the_plugin_imports_nothing_that_pytest_has_not() -> None:
    """It loads in every pytest session of everyone who has gsd-install installed."""
    program = (
        "import sys, pytest; before = set(sys.modules); import gsd_install.testing.plugin; "
        "print(*sorted(set(sys.modules) - before))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["gsd_install", "gsd_install.testing", "gsd_install.testing.plugin"]
