"""Moving and removing folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsd_install.kernel.files import move, remove_folder


def test_a_folder_moves_with_all_that_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.txt").write_text("c")
    move(str(tmp_path / "a"), str(tmp_path / "z"))
    assert (tmp_path / "z" / "b" / "c.txt").read_text() == "c"
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("kind", ["file", "empty folder", "dangling link"])
def test_what_has_the_name_already_is_never_replaced(tmp_path: Path, kind: str) -> None:
    (tmp_path / "a").mkdir()
    target = tmp_path / "z"
    if kind == "file":
        target.write_text("theirs")
    elif kind == "empty folder":
        target.mkdir()
    else:
        target.symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError):
        move(str(tmp_path / "a"), str(target))
    assert (tmp_path / "a").is_dir()


def test_a_folder_that_is_gone_is_removed_already(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    remove_folder(str(tmp_path / "a"))
    remove_folder(str(tmp_path / "a"))
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_not_followed_when_a_folder_goes(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "kept.txt").write_text("kept")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "link").symlink_to(tmp_path / "mine")
    remove_folder(str(tmp_path / "a"))
    assert (tmp_path / "mine" / "kept.txt").read_text() == "kept"
