"""The ledger: what it holds, how it is written, and what happens when it cannot be trusted."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.apply import ledger as ledgers
from gsd_install.apply.ledger import Entry, Ledger, Owned, dump, key_of, load, path_of
from gsd_install.apply.location import project_location
from gsd_install.kernel.errors import GsdError
from gsd_install.runtime.platform import Platform
from gsd_install.testing.trees import assert_same
from unit.apply.box import UNIT, Box, actions, drift


def test_the_file_is_sorted_text_one_entry_a_line_without_machine_facts(project: Box) -> None:
    project.install(
        project.file("b.md", "b\n"), project.file("a.md", "a\n"), project.edit("s.json", "k", {"v": 1})
    )
    text = project.read(".gsd/ledger.json")
    lines = text.splitlines()
    data = json.loads(text)
    assert list(data["files"]) == ["a.md", "b.md"]
    assert sum('"sha256"' in line for line in lines) == 2
    assert sum('"receipt"' in line for line in lines) == 1
    assert text.endswith("}\n")
    assert str(project.base) not in text
    assert "home" not in data
    assert data["format"] == ledgers.FORMAT


def test_the_same_installation_gives_the_same_ledger_anywhere(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        project = Box(tmp_path / name, "project")
        files = [project.file("x/a.md"), project.file("b.sh", "#!\n", x=True)]
        project.install(*(files if name == "one" else reversed(files)))
        texts.append(project.read(".gsd/ledger.json"))
    assert texts[0] == texts[1]


def test_a_clone_elsewhere_passes_the_check(project: Box, tmp_path: Path) -> None:
    files = [project.file(".claude/commands/a.md"), project.file(".gsd/bin/run", "#!\n", x=True)]
    project.install(*files, project.edit(".claude/settings.json", "hooks/start", "run"))
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"]
    subprocess.run([*git, "init", "-q"], cwd=project.root, check=True)
    subprocess.run([*git, "add", "."], cwd=project.root, check=True)
    subprocess.run([*git, "commit", "-q", "-m", "x"], cwd=project.root, check=True)
    os.umask(0o002)
    (tmp_path / "elsewhere").mkdir()
    clone = Box(tmp_path / "elsewhere", "project", "clone")
    clone.root.rmdir()
    subprocess.run([*git, "clone", "-q", str(project.root), str(clone.root)], check=True)
    wanted = [clone.file(".claude/commands/a.md"), clone.file(".gsd/bin/run", "#!\n", x=True)]
    wanted_edit = clone.edit(".claude/settings.json", "hooks/start", "run")
    os.umask(0o027)
    assert clone.check(*wanted, wanted_edit) == ()
    assert not os.path.exists(clone.location.state)
    assert not clone.install(*wanted, wanted_edit)[0].changed
    status = subprocess.run([*git, "status", "--porcelain"], cwd=clone.root, check=True, capture_output=True)
    assert status.stdout == b""
    (clone.root / ".gsd/bin/run").chmod(0o644)
    assert drift(clone.check(), clone) == {".gsd/bin/run": "modified"}
    clone.uninstall()
    assert os.listdir(clone.root) == [".git"]
    assert not os.path.exists(clone.location.state)


def test_a_clone_has_no_base_texts_so_an_edit_there_is_a_conflict(project: Box, tmp_path: Path) -> None:
    lines = "".join(f"{number}\n" for number in range(9))
    project.install(project.file("a.md", lines))
    (tmp_path / "far").mkdir()
    clone = Box(tmp_path / "far", "project")
    shutil.copytree(project.root, clone.root, dirs_exist_ok=True)
    clone.write("a.md", lines.replace("8\n", "mine\n"))
    assert actions(clone.install(clone.file("a.md", lines.replace("1\n", "one\n")))) == {
        "a.md.gsd-new": "conflict"
    }


def test_a_clone_that_upgrades_once_can_merge_from_then_on(project: Box, tmp_path: Path) -> None:
    lines = "".join(f"{number}\n" for number in range(9))
    project.install(project.file("a.md", lines), project.file("b.md", "1\n"))
    (tmp_path / "far").mkdir()
    clone = Box(tmp_path / "far", "project")
    shutil.copytree(project.root, clone.root, dirs_exist_ok=True)
    clone.install(clone.file("a.md", lines), clone.file("b.md", "2\n"))
    clone.write("a.md", lines.replace("8\n", "mine\n"))
    result = clone.install(clone.file("a.md", lines.replace("1\n", "one\n")), clone.file("b.md", "2\n"))
    assert actions(result) == {"a.md": "merge"}


def test_no_ledger_is_an_empty_one(box: Box) -> None:
    assert load(box.location) == Ledger()
    assert box.check() == ()


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "{}", '{"format": "1"}', '{"format": 1}', '{"format": 1, "units": {}, "files": {}}',
        '{"format": 1, "units": {}, "files": {"a": {}}, "dirs": [], "entries": []}',
        '{"format": 1, "units": {}, "files": {"a": "x"}, "dirs": [], "entries": []}',
        '{"format": 1, "units": [], "files": {}, "dirs": [1], "entries": []}',
        '{"format": 1, "units": {}, "files": {}, "dirs": [], "entries": [{"path": "a"}]}',
    ],
)  # fmt: skip
def test_a_damaged_ledger_stops_everything_and_says_what_to_do(project: Box, text: str) -> None:
    project.install(project.file("a.md"))
    project.write(".gsd/ledger.json", text)
    before = project.tree()
    for act in (project.check, project.uninstall, lambda: project.install(project.file("a.md", "2\n"))):
        with pytest.raises(GsdError) as caught:
            act()
        assert (caught.value.reason, caught.value.file) == ("ledger", project.location.ledger)
        assert "git checkout" in (caught.value.hint or "")
    assert_same(before, project.tree())


def test_merge_markers_in_a_ledger_are_named_with_their_line(project: Box) -> None:
    project.install(project.file("a.md"))
    text = project.read(".gsd/ledger.json").splitlines()
    project.write(".gsd/ledger.json", "\n".join([*text[:3], "<<<<<<< HEAD", *text[3:]]))
    with pytest.raises(GsdError) as caught:
        project.check()
    assert caught.value.line == 4
    assert "merge conflict" in (caught.value.hint or "")


def test_a_newer_format_asks_for_an_upgrade(box: Box) -> None:
    box.install(box.file("a.md"))
    with open(box.location.ledger, encoding="utf-8") as file:
        text = file.read()
    with open(box.location.ledger, "w", encoding="utf-8") as file:
        file.write(text.replace('"format": 1', '"format": 2'))
    before = box.tree()
    with pytest.raises(GsdError) as caught:
        box.uninstall("claude:gsd")
    assert (caught.value.reason, caught.value.hint) == ("ledger_newer", "upgrade gsd-install")
    assert_same(before, box.tree())


def test_two_homes_with_one_state_directory_are_told_apart(tmp_path: Path) -> None:
    one, two = Box(tmp_path, name="one"), Box(tmp_path, name="two")
    one.install(one.file("a.md"))
    shared = two.location._replace(ledger=one.location.ledger, state=one.location.state)
    with pytest.raises(GsdError) as caught:
        load(shared)
    assert caught.value.reason == "ledger_home"
    one.root.rename(tmp_path / "one-gone")
    moved = two.location._replace(
        root=str(tmp_path / "one-gone"),
        ledger=one.location.ledger.replace("/one-home", "/one-gone"),
        state=one.location.state.replace("/one-home", "/one-gone"),
    )
    assert set(load(moved).files) == {"a.md"}, "a home that moved is the same home"


def test_a_version_change_alone_is_recorded(box: Box) -> None:
    file = box.file("a.md")
    box.install(file)
    desired = box.desired(file)._replace(units={UNIT: {"v": 2}})
    plan, _ = box.run(desired)
    assert plan.changed
    assert box.ledger().units[UNIT] == {"v": 2}
    assert not box.run(desired)[0].changed


@pytest.mark.parametrize("scope", ["global", "project"])
def test_units_need_no_files(tmp_path: Path, scope: Literal["global", "project"]) -> None:
    box = Box(tmp_path, scope)
    before = box.tree()
    box.install(units=["other:x"])
    assert set(box.ledger().units) == {"other:x"}
    assert box.check() == ()
    box.uninstall()
    assert_same(before, box.tree())


def test_an_entry_in_a_ledger_that_went_missing_is_not_guessed(project: Box) -> None:
    project.install(project.file("a.md", "1\n"))
    os.unlink(project.location.ledger)
    with pytest.raises(GsdError, match="not ours"):
        project.install(project.file("a.md", "2\n"))
    project.install(project.file("a.md", "1\n"))
    assert project.ledger().files["a.md"].found


def test_a_ledger_that_changes_during_the_run_stops_it(project: Box) -> None:
    project.install(project.file("a.md", "1\n"))
    from gsd_install.apply.plan import plan
    from gsd_install.apply.transaction import execute

    def planned() -> object:
        made = plan(project.location, project.desired(project.file("a.md", "2\n")))
        project.write(".gsd/ledger.json", project.read(".gsd/ledger.json") + "\n")
        return made

    with pytest.raises(GsdError) as caught:
        execute(project.location, planned)  # type: ignore[arg-type]
    assert caught.value.reason == "changed"
    assert project.read("a.md") == "1\n"


NAMES = st.text(
    st.characters(exclude_characters="/\\\0", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8
)
KEYS = st.lists(
    NAMES.filter(lambda name: name not in {".", ".."} and ":" not in name), min_size=1, max_size=4
).map("/".join)
SHAS = st.text("0123456789abcdef", min_size=64, max_size=64)
OWNERS = st.lists(st.sampled_from(["a:x", "b:x", "c:y"]), min_size=1, unique=True).map(
    lambda o: tuple(sorted(o))
)
OWNED = st.builds(
    Owned, SHAS, st.booleans(), OWNERS, st.booleans(), st.booleans(), st.just("") | SHAS, st.booleans(),
    st.just("") | SHAS,
)  # fmt: skip
ENTRIES = st.builds(
    Entry, KEYS, st.sampled_from(["jsonc", "toml"]), st.lists(NAMES, min_size=1).map(tuple), SHAS, OWNERS,
    st.dictionaries(NAMES, st.integers() | st.text()), st.booleans(),
)  # fmt: skip
LEDGERS = st.builds(
    Ledger,
    units=st.dictionaries(NAMES, st.dictionaries(NAMES, st.integers() | st.text()), min_size=1),
    files=st.dictionaries(KEYS, OWNED, max_size=5),
    entries=st.lists(ENTRIES, max_size=3).map(tuple),
    dirs=st.frozensets(KEYS, max_size=4),
)


@settings(max_examples=150, deadline=None)
@given(ledger=LEDGERS)
def test_what_is_written_is_what_is_read(ledger: Ledger, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("l")
    location = Box(folder, "project").location
    os.mkdir(location.payload)
    text = dump(ledger)
    assert text is not None
    with open(location.ledger, "wb") as file:
        file.write(text)
    again = load(location)
    assert again._replace(source=None) == ledger
    assert dump(again) == text
    assert ledgers.same(again, ledger)


def test_an_empty_ledger_has_no_text() -> None:
    assert dump(Ledger()) is None


@settings(max_examples=100, deadline=None)
@given(key=KEYS)
def test_keys_and_paths_are_inverse(key: str) -> None:
    location = project_location(Platform("linux", "/h", {}, "/h"), "/p/q")
    path = path_of(location, key)
    assert path == f"/p/q/{key}"
    assert key_of(location, path) == key


def test_a_sibling_with_the_root_s_name_as_prefix_is_outside() -> None:
    location = project_location(Platform("linux", "/h", {}, "/h"), "/p/q")
    assert key_of(location, "/p/q2/a") == "/p/q2/a"
