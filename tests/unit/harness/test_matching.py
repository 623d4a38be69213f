"""Patterns find what the standard library's find, without following links."""

from __future__ import annotations

import glob
import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.harness.matching import matching

NAMES = st.sampled_from(["a", "b.py", ".c", "d.md", "src"])
PARTS = st.sampled_from(["*", "**", "a", "*.py", ".*", "[ab]*", "src", "?", "d.md"])


def made(root: Path, paths: list[tuple[str, ...]]) -> None:
    for path in paths:
        file = root.joinpath(*path[:-1], f"{path[-1]}.file")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(NAMES, min_size=1, max_size=4).map(tuple), max_size=8),
    st.lists(PARTS, min_size=1, max_size=4).map("/".join),
)
def test_it_finds_what_glob_finds(paths: list[tuple[str, ...]], pattern: str) -> None:
    pattern = f"{pattern}.file" if not pattern.endswith("**") else pattern
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        made(root, paths)
        found = glob.glob(pattern, root_dir=folder, recursive=True)
        files = sorted({name.replace(os.sep, "/") for name in found if (root / name).is_file()})
        assert matching(folder, pattern) == files


def test_nothing_of_git_is_found_anywhere(tmp_path: Path) -> None:
    made(tmp_path, [(".git", "config"), ("sub", ".git", "config"), (".github", "x")])
    assert matching(str(tmp_path), "**/.*/*") == [".github/x.file"]
    assert matching(str(tmp_path), ".git/*") == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_to_folders_are_not_followed_so_that_none_leads_round_for_ever(tmp_path: Path) -> None:
    made(tmp_path, [("a",), ("src", "b")])
    for name in ("one", "two", "src/three"):
        (tmp_path / name).symlink_to(tmp_path)
    (tmp_path / "link.file").symlink_to(tmp_path / "a.file")
    assert matching(str(tmp_path), "**/*") == ["a.file", "link.file", "src/b.file"]
