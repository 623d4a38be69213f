"""Every write stays inside its declared root, whatever is in the way."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from gsd_install.apply.confine import check_name, fold
from gsd_install.apply.model import File
from gsd_install.kernel.errors import GsdError, ManyErrors
from gsd_install.testing.trees import assert_same
from unit.apply.box import Box, actions, drift


def _refused(box: Box, *files: File) -> GsdError:
    """The error of an install that must not change anything."""
    before = box.tree()
    with pytest.raises(GsdError) as caught:
        box.install(*files)
    assert_same(before, box.tree())
    assert caught.value.hint or isinstance(caught.value, ManyErrors)
    return caught.value


@pytest.mark.case("SE-01", "WP-07", "SE-07")
@pytest.mark.parametrize(
    "name",
    [
        "../../evil", "/tmp/evil", "a/../../evil", "..", ".", "", "a\\..\\b", "-rf", 300 * "a",
        "acme:plan.md", "aux.md", "AUX", "con.txt", "nul", "end .md/x.md ", "end.", "end ", "com1.md",
        "lpt9", "what?.md", "a\0b",
        "a/./b", "a//b", "tab\tbed", "CONIN$", "com¹", "sk\0ills/x", "skills/../..", "nul .txt",
    ],
)  # fmt: skip
def test_names_that_leave_the_root_or_that_some_system_cannot_store(box: Box, name: str) -> None:
    file = File(f"{box.root}/x/{name}", b"x", False, f"{box.root}/x", ("claude:gsd",))
    before = box.tree()
    with pytest.raises(GsdError) as caught:
        box.install(file)
    assert caught.value.reason in {"name", "outside"}
    assert_same(before, box.tree())


@pytest.mark.parametrize(
    "name", ["plan.md", ".hidden", "a-b_c.d", "console.md", "com.md", "nulls", "größe.md", "計画.md"]
)
def test_names_that_every_system_can_store(name: str) -> None:
    check_name(name, name)


def test_a_path_outside_its_root_is_refused(box: Box) -> None:
    file = File(str(box.base / "elsewhere" / "a.md"), b"x", False, str(box.root), ("claude:gsd",))
    assert _refused_quietly(box, file).reason == "outside"


def _refused_quietly(box: Box, file: File) -> GsdError:
    before = box.tree()
    with pytest.raises(GsdError) as caught:
        box.install(file)
    assert_same(before, box.tree())
    return caught.value


def test_a_project_owns_nothing_outside_itself(project: Box) -> None:
    other = str(project.base / "other")
    file = File(f"{other}/a.md", b"x", False, other, ("claude:gsd",))
    assert _refused_quietly(project, file).reason == "outside"


@pytest.mark.case("SL-05", "SE-07")
@pytest.mark.parametrize("link", [".claude", ".claude/skills", ".claude/skills/gsd-plan"])
def test_a_link_that_leaves_the_root_is_refused(box: Box, link: str) -> None:
    outside = box.base / "outside"
    outside.mkdir()
    (box.root / link).parent.mkdir(parents=True, exist_ok=True)
    os.symlink(outside, box.root / link)
    error = _refused(box, box.file(".claude/skills/gsd-plan/SKILL.md"))
    assert error.reason == "symlink"
    assert str(outside) in error.message
    assert error.file == box.path(link)


@pytest.mark.case("SL-05")
def test_a_config_root_that_is_a_link_inside_the_home_is_a_normal_set_up(box: Box) -> None:
    (box.root / "dot/claude").mkdir(parents=True)
    os.symlink("dot/claude", box.root / ".claude")
    before = box.tree()
    root = box.path(".claude")
    file = File(f"{root}/commands/plan.md", b"x\n", False, root, ("claude:gsd",))
    box.install(file)
    assert box.read("dot/claude/commands/plan.md") == "x\n"
    assert box.check(file) == ()
    box.uninstall()
    assert_same(before, box.tree())


@pytest.mark.case("SL-05")
def test_a_declared_root_that_is_a_link_out_of_the_home_is_refused_with_a_way_out(box: Box) -> None:
    """The case would follow it unasked; we ask, because elsewhere such a link is how files get lost."""
    outside = box.base / "outside"
    outside.mkdir()
    os.symlink(outside, box.root / ".claude")
    root = box.path(".claude")
    error = _refused(box, File(f"{root}/plan.md", b"x", False, root, ("claude:gsd",)))
    assert error.hint == f"name the directory it leads to: --config-dir {outside}"


@pytest.mark.case("SL-05")
def test_a_declared_root_outside_the_home_is_fine_and_leaves_no_trace(box: Box) -> None:
    outside = str(box.base / "outside")
    before = box.tree()
    box.install(
        File(f"{outside}/commands/plan.md", b"x\n", False, outside, ("claude:gsd",)), box.file(".gsd/a.md")
    )
    assert f"{outside}/commands/plan.md" in box.ledger().files
    assert box.check() == ()
    box.uninstall()
    assert_same(before, box.tree())


def test_a_link_that_stays_inside_its_root_is_followed(box: Box) -> None:
    (box.root / "real").mkdir()
    os.symlink("real", box.root / "skills")
    before = box.tree()
    box.install(box.file("skills/plan/SKILL.md"))
    assert box.read("real/plan/SKILL.md") == "ours\n"
    assert box.check() == ()
    box.uninstall()
    assert_same(before, box.tree())


def test_two_outputs_that_a_link_makes_one_are_refused(box: Box) -> None:
    (box.root / ".agents/skills").mkdir(parents=True)
    (box.root / ".claude").mkdir()
    os.symlink("../.agents/skills", box.root / ".claude/skills")
    error = _refused(box, box.file(".agents/skills/a.md", "1\n"), box.file(".claude/skills/a.md", "2\n"))
    assert error.reason == "collision"


@pytest.mark.case("SL-03")
def test_a_folder_of_ours_that_became_a_link_is_left_alone(box: Box) -> None:
    mine = box.base / "mine" / "plan"
    mine.mkdir(parents=True)
    (mine / "SKILL.md").write_text("my fork\n", encoding="utf-8")
    box.install(box.file("skills/acme-plan/SKILL.md", "1\n"), box.file("skills/other/SKILL.md"))
    os.unlink(box.path("skills/acme-plan/SKILL.md"))
    os.rmdir(box.path("skills/acme-plan"))
    os.symlink(mine, box.path("skills/acme-plan"))
    assert drift(box.check(), box) == {"skills/acme-plan/SKILL.md": "modified"}
    result = box.install(box.file("skills/acme-plan/SKILL.md", "2\n"), box.file("skills/other/SKILL.md"))
    assert actions(result) == {"skills/acme-plan/SKILL.md": "skip"}
    assert any("link" in sentence for sentence in result[1].left)
    box.uninstall()
    assert (mine / "SKILL.md").read_text(encoding="utf-8") == "my fork\n"
    assert os.path.islink(box.path("skills/acme-plan"))
    assert not box.there("skills/other")


@pytest.mark.case("SL-03")
def test_an_uninstall_does_not_delete_through_a_link_to_identical_files(box: Box) -> None:
    mine = box.base / "mine"
    mine.mkdir()
    (mine / "SKILL.md").write_bytes(b"1\n")
    box.install(box.file("skills/plan/SKILL.md", "1\n"))
    os.unlink(box.path("skills/plan/SKILL.md"))
    os.rmdir(box.path("skills/plan"))
    os.symlink(mine, box.path("skills/plan"))
    _, outcome = box.uninstall()
    assert (mine / "SKILL.md").read_bytes() == b"1\n"
    assert outcome.left


def test_a_hard_linked_file_is_not_replaced(box: Box) -> None:
    box.install(box.file("a.md", "1\n"))
    os.link(box.path("a.md"), box.path("other-name.md"))
    error = _refused(box, box.file("a.md", "2\n"))
    assert error.reason == "hard_link"
    assert not box.install(box.file("a.md", "1\n"))[0].changed
    box.uninstall()
    assert box.read("other-name.md") == "1\n"


def test_a_pipe_and_a_socket_in_our_place_are_refused(box: Box) -> None:
    os.mkfifo(box.path("a.md"))
    assert _refused(box, box.file("a.md")).reason == "not_a_file"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(box.path("b.md"))
        assert _refused(box, box.file("b.md")).reason == "not_a_file"


def test_a_file_where_a_directory_should_be_is_refused(box: Box) -> None:
    box.write(".claude/commands", "I am a file\n")
    error = _refused(box, box.file(".claude/commands/plan.md"))
    assert (error.reason, error.file) == ("not_a_directory", box.path(".claude/commands"))


def test_a_link_to_nothing_where_a_directory_should_be_is_refused(box: Box) -> None:
    os.symlink("nowhere", box.root / ".claude")
    assert _refused_quietly(box, box.file(".claude/plan.md")).reason == "not_a_directory"


def test_outputs_that_differ_in_case_only_are_refused(box: Box) -> None:
    error = _refused(box, box.file("commands/plan.md"), box.file("commands/Plan.md", "other\n"))
    assert error.reason == "collision"
    assert _refused(box, box.file("größe.md"), box.file("GRÖSSE.md", "other\n")).reason == "collision"


def test_a_name_that_is_there_in_another_case_is_refused(box: Box) -> None:
    box.write("Commands/Plan.md", "mine\n")
    assert _refused(box, box.file("Commands/plan.md")).reason == "collision"
    assert _refused(box, box.file("commands/new.md")).reason == "collision"


def test_unicode_forms_of_one_name_are_one_name() -> None:
    assert fold("caf\u00e9") == fold("cafe\u0301") == fold("CAFÉ")
    assert fold("a") != fold("b")


@pytest.mark.case("SE-01")
@pytest.mark.parametrize("key", ["../../x", "/etc/x", "a/../../x", "./x", "a//b", "C:/x", "a\\b", "x\0y", ""])
def test_a_forged_project_ledger_deletes_nothing(project: Box, key: str) -> None:
    project.install(project.file("a.md", "x\n"))
    victim = project.base / "x"
    victim.write_bytes(b"x\n")
    text = project.read(".gsd/ledger.json")
    import json

    project.write(".gsd/ledger.json", text.replace('"a.md"', json.dumps(key)))
    before = project.tree()
    with pytest.raises(GsdError) as caught:
        project.uninstall("claude:gsd")
    assert caught.value.reason == "ledger"
    assert_same(before, project.tree())


def test_a_forged_ledger_cannot_reach_out_through_a_link(project: Box) -> None:
    victim = project.base / "victim"
    victim.mkdir()
    (victim / "a.md").write_bytes(b"x\n")
    project.install(project.file("dir/a.md", "x\n"))
    os.unlink(project.path("dir/a.md"))
    os.rmdir(project.path("dir"))
    os.symlink(victim, project.path("dir"))
    project.uninstall()
    assert (victim / "a.md").read_bytes() == b"x\n"


def test_a_payload_link_out_of_the_project_is_refused(project: Box) -> None:
    outside = project.base / "outside"
    outside.mkdir()
    os.symlink(outside, project.path(".gsd"))
    assert _refused(project, project.file("a.md")).reason == "symlink"
    assert list(outside.iterdir()) == []


def test_a_project_that_is_not_there_is_not_created(tmp_path: Path) -> None:
    project = Box(tmp_path, "project")
    project.root.rmdir()
    with pytest.raises(GsdError, match="does not exist"):
        project.install(project.file("a.md"))
    assert not project.root.exists()


def test_a_home_that_is_itself_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk" / "box-home").mkdir(parents=True)
    os.symlink(tmp_path / "disk" / "box-home", tmp_path / "box-home")
    box = Box(tmp_path)
    before = box.tree()
    box.install(box.file(".claude/plan.md"))
    assert box.check() == ()
    box.uninstall()
    assert_same(before, box.tree())
