"""Whether the map of the code base matches the tree: what is gone, what is new, what is no path at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsd_capabilities.companion.project import Project
from gsd_capabilities.drift.compare import drift
from gsd_capabilities.drift.named import mapped_at, paths
from gsd_capabilities.drift.verbs import VERBS
from gsd_install.kernel.errors import GsdError
from support.planning import git, repository, request, sample, write

MAP = """\
# Architecture

Mapped at {commit}, 2026-05-04.

| part | path | does | may use | must not use |
|---|---|---|---|---|
| web | `src/web` | answers | `src/store/db.py:Store` | nothing |

- started by `src/web/app.py`, answers `application/json` on `/photos`, see `src/web/<area>.py`
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A repository with code in `src/` and a map of its first commit."""
    for name in ("web/app.py", "store/db.py"):
        path = tmp_path / "src" / name
        path.parent.mkdir(parents=True)
        path.write_text("x = 1\n")
    made = sample(tmp_path)
    repository(tmp_path)
    write(tmp_path, {"codebase/ARCHITECTURE.md": MAP.format(commit=head(tmp_path))})
    return made


def head(root: Path) -> str:
    return git(root, "rev-parse", "--short", "HEAD").strip()


def add(project: Project, name: str) -> None:
    path = Path(project.root) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("y = 2\n")
    git(Path(project.root), "add", "--", name)


def test_a_map_that_matches_holds_and_counts_what_it_names(project: Project) -> None:
    found = drift(project)
    assert found.holds
    assert (found.files, found.named) == (1, 3)
    assert VERBS["drift check"].run(request(project)) == {"holds": True, "files": 1, "named": 3}


def test_a_path_that_went_away_is_named_with_file_and_line(project: Project) -> None:
    git(Path(project.root), "mv", "src/store/db.py", "src/store/base.py")
    found = drift(project)
    assert found.gone == ((".planning/codebase/ARCHITECTURE.md", 7, "src/store/db.py"),)
    with pytest.raises(GsdError) as caught:
        VERBS["drift check"].run(request(project))
    assert caught.value.reason == "drift"
    assert "ARCHITECTURE.md:7 names src/store/db.py" in caught.value.message
    answer = VERBS["drift map"].run(request(project))
    assert isinstance(answer, dict)
    assert answer["gone"] == [
        {"file": ".planning/codebase/ARCHITECTURE.md", "line": 7, "path": "src/store/db.py"}
    ]


def test_a_new_folder_is_named_once_unless_the_map_has_it_or_it_is_hidden(project: Project) -> None:
    for name in ("billing/rates/money.py", "src/jobs/run.py", ".ci/run.sh", "src/web/deep/er/x.py"):
        add(project, name)
    assert drift(project).unnamed == ("billing/", "src/jobs/")
    text = MAP.format(commit=head(Path(project.root))) + "\n- `billing/` and `src/jobs`\n"
    write(Path(project.root), {"codebase/ARCHITECTURE.md": text})
    assert drift(project).holds


def test_a_file_that_git_does_not_have_but_that_is_there_is_not_gone(project: Project) -> None:
    git(Path(project.root), "rm", "-q", "--cached", "src/store/db.py")
    assert drift(project).holds


def test_without_a_map_or_without_its_commit_nothing_is_claimed(project: Project) -> None:
    git(Path(project.root), "mv", "src/store/db.py", "src/store/base.py")
    write(Path(project.root), {"codebase/ARCHITECTURE.md": MAP.format(commit="f" * 10)})
    assert drift(project).gone == ()
    write(Path(project.root), {"codebase/ARCHITECTURE.md": MAP.replace("Mapped at", "Of")})
    assert drift(project).undated == (".planning/codebase/ARCHITECTURE.md",)
    (Path(project.root) / ".planning" / "codebase" / "ARCHITECTURE.md").unlink()
    assert drift(project) == (0, 0, (), (), ())


def test_maps_of_single_packages_are_read_too(project: Project) -> None:
    text = f"Mapped at {head(Path(project.root))}, today.\n\n`src/web/app.py`\n"
    write(Path(project.root), {"codebase/packages/web.md": text})
    git(Path(project.root), "rm", "-q", "src/web/app.py")
    assert [each.file.rpartition("/")[2] for each in drift(project).gone] == [
        "ARCHITECTURE.md",
        "ARCHITECTURE.md",
        "web.md",
    ]


def test_only_the_first_differences_are_in_a_message_and_the_rest_is_counted(project: Project) -> None:
    for name in "abcdefg":
        add(project, f"new-{name}/x.py")
    with pytest.raises(GsdError, match="; and 2 more"):
        VERBS["drift check"].run(request(project))


@pytest.mark.parametrize(
    ("span", "path"),
    [
        ("src/a.py", "src/a.py"),
        ("src/", "src"),
        ("./src/a.py:run", "src/a.py"),
        ("src/a.py:12", "src/a.py"),
        ("Makefile", "Makefile"),
        ("src/<area>.py", None),
        ("src/*.py", None),
        ("/photos", None),
        ("https://example.com/a", None),
        ("pytest -k x", None),
        ("..", None),
    ],
)
def test_what_may_be_a_path(span: str, path: str | None) -> None:
    assert [each.path for each in paths(f"- `{span}`: x")] == ([path] if path else [])


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert all(0 < each.line <= len(text.splitlines()) and each.path in text for each in paths(text))
    commit = mapped_at(text)
    assert commit is None or commit in text
