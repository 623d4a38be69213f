"""Where the planning files are."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsd_capabilities.companion.project import find, require
from gsd_install.kernel.errors import GsdError
from support.planning import sample, write


def test_the_nearest_folder_with_planning_files_is_the_project(tmp_path: Path) -> None:
    sample(tmp_path)
    deep = tmp_path / "src" / "deep"
    deep.mkdir(parents=True)
    (tmp_path / "src" / ".git").mkdir()
    project = find(str(deep))
    assert project.root == str(tmp_path)
    assert project.exists
    assert project.planning == project.shared == str(tmp_path / ".planning")
    assert project.workstream is None


def test_without_planning_files_the_repository_is_the_project(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "a" / ".git").write_text("gitdir: elsewhere\n")
    project = find(str(deep))
    assert (project.root, project.exists) == (str(tmp_path / "a"), False)
    with pytest.raises(GsdError) as caught:
        require(project)
    assert caught.value.reason == "no_project"


def test_without_either_it_is_the_folder_itself(tmp_path: Path) -> None:
    assert find(str(tmp_path)).root == str(tmp_path)


def test_a_file_called_planning_is_no_project(tmp_path: Path) -> None:
    (tmp_path / ".planning").write_text("")
    assert not find(str(tmp_path)).exists


def test_an_active_workstream_has_its_own_folder(tmp_path: Path) -> None:
    project = write(tmp_path, {"workstreams/ACTIVE": "billing\n", "workstreams/billing/STATE.md": ""})
    assert project.workstream == "billing"
    assert project.planning == str(tmp_path / ".planning" / "workstreams" / "billing")
    assert project.shared == str(tmp_path / ".planning")


@pytest.mark.parametrize("name", ["gone", "", ".", "..", "../..", "a/b", "billing\nmobile", "a\\b", "\0"])
def test_a_name_that_is_no_folder_beside_it_is_no_workstream(tmp_path: Path, name: str) -> None:
    project = write(tmp_path, {"workstreams/ACTIVE": name, "workstreams/billing/STATE.md": ""})
    assert project.workstream is None
    assert project.planning == project.shared


def test_paths_are_shown_from_the_project(tmp_path: Path) -> None:
    project = sample(tmp_path)
    assert project.shown(project.path("phases", "x")) == ".planning/phases/x"
    assert project.shown("/elsewhere/x") == "/elsewhere/x"
