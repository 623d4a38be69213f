"""Commits of planning files take what is named and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsd_capabilities.companion import commits
from gsd_capabilities.companion.planning_verbs import VERBS
from gsd_capabilities.companion.project import Project
from gsd_install.kernel.errors import GsdError
from support.planning import git, repository, request, sample, text_of


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The sample project in a repository, everything committed."""
    (tmp_path / "code.py").write_text("x = 1\n")
    made = sample(tmp_path)
    repository(tmp_path)
    return made


def touch(project: Project, name: str, text: str = "changed\n") -> str:
    path = Path(project.path(name))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return project.shown(str(path))


def files_of(project: Project, commit: str | None) -> list[str]:
    assert commit
    return git(Path(project.root), "show", "--format=", "--name-only", commit).split()


def staged(project: Project) -> list[str]:
    return git(Path(project.root), "diff", "--cached", "--name-only").split()


def log(project: Project) -> list[str]:
    return git(Path(project.root), "log", "--format=%s").splitlines()


def commit(project: Project, *paths: str, message: str = "docs: x") -> commits.Commit:
    return commits.commit(project, message, paths, {})


def refused(project: Project, *paths: str, message: str = "docs: x") -> str:
    before = log(project)
    with pytest.raises(GsdError) as caught:
        commit(project, *paths, message=message)
    assert log(project) == before
    assert caught.value.hint or caught.value.reason == "missing"
    return caught.value.reason


def test_named_files_are_committed_and_no_others(project: Project) -> None:
    new, old = touch(project, "phases/03-albums/03-CONTEXT.md"), touch(project, "ROADMAP.md")
    other = touch(project, "PROJECT.md")
    made = commit(project, new, str(Path(project.root, old)), new, message="docs(03): context")
    assert files_of(project, made.hash) == [old, new]
    assert made.paths == (new, old)
    assert log(project) == ["docs(03): context", "start"]
    assert git(Path(project.root), "status", "--porcelain").split() == ["M", other]


def test_what_the_user_has_staged_stays_staged(project: Project) -> None:
    root = Path(project.root)
    (root / "code.py").write_text("x = 2\n")
    (root / "new.py").write_text("y = 1\n")
    other = touch(project, "PROJECT.md")
    git(root, "add", "code.py", "new.py", other)
    (root / "code.py").write_text("x = 3\n")
    made = commit(project, touch(project, "STATE.md"))
    assert files_of(project, made.hash) == [".planning/STATE.md"]
    assert staged(project) == [other, "code.py", "new.py"]
    assert git(root, "show", ":code.py") == "x = 2\n"


def test_a_folder_and_a_deleted_file_can_be_named(project: Project) -> None:
    touch(project, "phases/03-albums/03-CONTEXT.md")
    Path(project.path("config.json")).unlink()
    made = commit(project, ".planning/phases/03-albums", ".planning/config.json")
    assert files_of(project, made.hash) == [
        ".planning/config.json",
        ".planning/phases/03-albums/03-CONTEXT.md",
    ]


def test_a_name_is_no_pattern(project: Project) -> None:
    touch(project, "STATE.md")
    star = touch(project, "*.md")
    assert files_of(project, commit(project, star).hash) == [star]


def test_nothing_changed_is_no_commit(project: Project) -> None:
    assert commit(project, ".planning/STATE.md") == (None, "nothing has changed", (".planning/STATE.md",))


@pytest.mark.parametrize("case", ["setting", "ignored", "excluded", "no repository"])
def test_where_planning_files_are_not_committed(tmp_path: Path, case: str) -> None:
    project = sample(tmp_path)
    if case == "ignored":
        (tmp_path / ".gitignore").write_text(".planning/\n")
    if case != "no repository":
        repository(tmp_path)
    if case == "excluded":
        git(tmp_path, "rm", "-rq", "--cached", ".planning")
        git(tmp_path, "commit", "-qm", "private")
        (tmp_path / ".git" / "info" / "exclude").write_text("/.planning\n")
    if case == "setting":
        touch(project, "config.json", '{"planning": {"commit": false}}')
    before = log(project) if case != "no repository" else []
    made = commit(project, touch(project, "STATE.md"))
    assert made.hash is None
    assert made.reason in {
        "planning.commit is false",
        "git ignores the planning files",
        "there is no git repository",
    }
    assert case == "no repository" or (log(project) == before and staged(project) == [])


@pytest.mark.parametrize("path", ["code.py", "..", "/etc/passwd", ".planning/../code.py", ".planningx", ""])
def test_only_planning_files_are_committed(project: Project, path: str) -> None:
    assert refused(project, path) == "outside_planning"


def test_what_cannot_be_committed_is_refused(project: Project) -> None:
    assert refused(project, ".planning/typo.md") == "missing"
    assert refused(project) == "no_paths"
    assert refused(project, touch(project, "STATE.md"), message=" ") == "no_message"


def test_a_hook_that_refuses_leaves_the_index_as_it_was(project: Project) -> None:
    hook = Path(project.root, ".git", "hooks", "pre-commit")
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    new, old = touch(project, "NEW.md"), touch(project, "STATE.md")
    with pytest.raises(GsdError, match="not today") as caught:
        commit(project, new, old)
    assert caught.value.reason == "git_failed"
    assert staged(project) == []
    assert text_of(project, "NEW.md") == "changed\n"


def test_the_first_commit_of_a_repository(tmp_path: Path) -> None:
    project = sample(tmp_path)
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "user.email", "a@example.com")
    git(tmp_path, "config", "user.name", "A")
    assert files_of(project, commit(project, ".planning/STATE.md").hash) == [".planning/STATE.md"]


def test_the_verb_answers_with_the_hash(project: Project) -> None:
    path = touch(project, "STATE.md")
    answer = VERBS["commit"].run(request(project, "docs: x", path))
    assert isinstance(answer, dict)
    assert answer["committed"]
    assert answer["hash"] == git(Path(project.root), "rev-parse", "HEAD").strip()
    with pytest.raises(GsdError) as caught:
        VERBS["commit"].run(request(project, "docs: x"))
    assert caught.value.reason == "usage"
