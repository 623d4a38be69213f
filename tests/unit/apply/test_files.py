"""What becomes of a file of ours, from the first install to the last uninstall."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gsd_install.apply.model import Options
from gsd_install.kernel.errors import GsdError, ManyErrors
from gsd_install.testing.trees import assert_same
from unit.apply.box import UNIT, Box, actions, drift

A, B = "claude:gsd", "codex:gsd"
BACKUP = Options(backup=True)
RESTORE = Options(restore=True)


def test_install_writes_bytes_and_modes(box: Box) -> None:
    result = box.install(
        box.file(".claude/commands/plan.md", "text\n"), box.file(".gsd/bin/run", "#!\n", x=True)
    )
    assert actions(result) == {".claude/commands/plan.md": "create", ".gsd/bin/run": "create"}
    assert box.read(".claude/commands/plan.md") == "text\n"
    assert (box.root / ".claude/commands/plan.md").stat().st_mode & 0o777 == 0o644
    assert (box.root / ".gsd/bin/run").stat().st_mode & 0o777 == 0o755
    assert box.check() == ()


def test_a_plan_and_a_check_create_nothing(box: Box) -> None:
    before = box.tree()
    plan = box.plan(box.file("a/b.md"))
    assert plan.changed
    assert box.check(box.file("a/b.md"))
    assert_same(before, box.tree())


def test_a_plan_tells_what_the_transaction_does(box: Box) -> None:
    box.install(box.file("a.md", "one\n"), box.file("b.md"), box.file("run", "x\n", x=True))
    (box.root / "run").chmod(0o644)
    plan = box.plan(box.file("a.md", "two\n"), box.file("c.md"), box.file("run", "x\n", x=True))
    told = {Path(item.path).name: item for item in plan.operations}
    assert (told["a.md"].before, told["a.md"].after) == (b"one\n", b"two\n")
    assert (told["c.md"].before, told["c.md"].after, told["c.md"].mode_after) == (None, b"ours\n", 0o644)
    assert (told["b.md"].before, told["b.md"].after) == (b"ours\n", None)
    assert (told["run"].action, told["run"].mode_before, told["run"].mode_after) == ("chmod", 0o644, 0o755)


def test_a_second_run_writes_nothing_at_all(box: Box) -> None:
    files = [box.file(f"d/{number}.md") for number in range(5)]
    box.install(*files)
    stamps = _stamps(box.base)
    plan, outcome = box.install(*files)
    assert not plan.changed
    assert outcome.operations == ()
    assert _stamps(box.base) == stamps


def _stamps(base: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for folder, directories, names in os.walk(base):
        for name in [*directories, *names]:
            status = os.lstat(os.path.join(folder, name))
            found[os.path.join(folder, name)] = (status.st_ino, status.st_mtime_ns)
    return found


def test_an_upgrade_replaces_only_what_changed(box: Box) -> None:
    box.install(box.file("a.md", "one\n"), box.file("b.md", "same\n"))
    inode = (box.root / "b.md").stat().st_ino
    assert actions(box.install(box.file("a.md", "two\n"), box.file("b.md", "same\n"))) == {"a.md": "replace"}
    assert box.read("a.md") == "two\n"
    assert (box.root / "b.md").stat().st_ino == inode
    assert box.check() == ()


def test_a_replacement_keeps_the_mode(box: Box) -> None:
    os.umask(0o077)
    box.install(box.file("a.md", "one\n"), box.file("run", "1\n", x=True))
    os.umask(0o022)
    box.install(box.file("a.md", "two\n"), box.file("run", "2\n", x=True))
    assert (box.root / "a.md").stat().st_mode & 0o777 == 0o600
    assert (box.root / "run").stat().st_mode & 0o777 == 0o700
    assert box.check() == ()


def test_a_version_that_makes_a_file_executable(box: Box) -> None:
    box.install(box.file("run", "1\n"), box.file("tool", "1\n", x=True))
    result = box.install(box.file("run", "1\n", x=True), box.file("tool", "2\n"))
    assert actions(result) == {"run": "chmod", "tool": "replace"}
    assert (box.root / "run").stat().st_mode & 0o777 == 0o755
    assert (box.root / "tool").stat().st_mode & 0o777 == 0o644
    assert box.check() == ()


@pytest.mark.case("PM-03")
def test_a_lost_x_bit_is_drift_and_put_right(box: Box) -> None:
    script = box.file("hooks/run.sh", "#!/usr/bin/env bash\necho ok\n", x=True)
    box.install(script)
    (box.root / "hooks/run.sh").chmod(0o644)
    assert drift(box.check(), box) == {"hooks/run.sh": "modified"}
    assert actions(box.install(script)) == {"hooks/run.sh": "chmod"}
    assert (box.root / "hooks/run.sh").stat().st_mode & 0o777 == 0o755
    assert box.check() == ()


@pytest.mark.parametrize("mode", [0o600, 0o666, 0o755, 0o400])
def test_any_other_mode_is_drift_on_the_machine_that_installed(box: Box, mode: int) -> None:
    box.install(box.file("a.md"))
    (box.root / "a.md").chmod(mode)
    assert drift(box.check(), box) == {"a.md": "modified"}
    assert actions(box.install(box.file("a.md"))) == {"a.md": "chmod"}
    assert box.check() == ()


@pytest.mark.case("UP-03", "UP-12")
def test_what_is_no_longer_shipped_goes_if_untouched_and_stays_if_edited(box: Box) -> None:
    old = [box.file("hooks/old-a.py"), box.file("hooks/old-b.py"), box.file("skills/plan/references/old.md")]
    kept = box.file("skills/plan/SKILL.md")
    box.install(*old, kept)
    box.write("hooks/old-b.py", "ours\n# mine\n")
    plan, outcome = box.install(kept)
    assert actions(plan) == {
        "hooks/old-a.py": "remove",
        "hooks/old-b.py": "keep",
        "skills/plan/references/old.md": "remove",
    }
    assert plan.changed
    assert box.read("hooks/old-b.py") == "ours\n# mine\n"
    [sentence] = outcome.left
    assert "old-b.py" in sentence
    assert not box.there("skills/plan/references")
    assert set(box.ledger().files) == {"hooks/old-b.py", "skills/plan/SKILL.md"}, (
        "what was edited is remembered"
    )
    assert box.check(kept) == ()
    assert box.install(kept)[1].left == (), "it is told once"


def test_a_deleted_file_stays_deleted_until_restored(box: Box) -> None:
    files = [box.file("c/a.md", "one\n"), box.file("c/b.md")]
    box.install(*files)
    os.unlink(box.path("c/a.md"))
    assert drift(box.check(), box) == {"c/a.md": "missing"}
    assert actions(box.install(*files)) == {"c/a.md": "skip"}
    assert not box.there("c/a.md")
    assert box.check(*files) == (), "the user's choice is recorded, so it is no drift any more"
    assert not box.install(*files)[0].changed
    assert actions(box.install(box.file("c/a.md", "two\n"), box.file("c/b.md"))) == {"c/a.md": "skip"}
    assert box.check(box.file("c/a.md", "two\n"), box.file("c/b.md")) == ()
    assert actions(box.install(*files, options=RESTORE)) == {"c/a.md": "create"}
    assert box.read("c/a.md") == "one\n"
    assert box.check(*files) == ()


def test_a_deleted_file_that_the_user_brings_back_is_ours_again(box: Box) -> None:
    box.install(box.file("a.md", "one\n"), box.file("b.md"))
    os.unlink(box.path("a.md"))
    box.install(box.file("a.md", "one\n"), box.file("b.md"))
    box.write("a.md", "one\n")
    box.install(box.file("a.md", "two\n"), box.file("b.md"))
    assert box.read("a.md") == "two\n"


def test_a_deleted_file_that_the_user_writes_anew_counts_as_present(box: Box) -> None:
    files = [box.file("a.md", "one\n"), box.file("b.md")]
    box.install(*files)
    os.unlink(box.path("a.md"))
    box.install(*files)
    box.write("a.md", "mine\n")
    box.install(*files)
    os.unlink(box.path("a.md"))
    assert drift(box.check(), box) == {"a.md": "missing"}


def test_a_removed_installation_is_installed_anew(box: Box) -> None:
    files = [box.file(".claude/commands/a.md"), box.file(".claude/agents/b.md"), box.file(".gsd/c.md")]
    box.install(*files)
    for folder in (".claude/commands", ".claude/agents", ".claude", ".gsd"):
        for name in os.listdir(box.root / folder):
            if (box.root / folder / name).is_file():
                os.unlink(box.root / folder / name)
    for folder in (".claude/commands", ".claude/agents", ".claude", ".gsd"):
        os.rmdir(box.root / folder)
    assert set(actions(box.install(*files)).values()) == {"create"}
    assert box.check(*files) == ()


@pytest.mark.case("UP-09")
def test_a_foreign_file_stops_the_command_before_its_first_write(box: Box) -> None:
    box.write("commands/acme-notes.md", "my notes\n")
    box.write("commands/acme-plan.md", "my own plan command\n")
    before = box.tree()
    with pytest.raises(GsdError) as caught:
        box.install(box.file("commands/acme-new.md"), box.file("commands/acme-plan.md"))
    assert caught.value.reason == "foreign"
    assert caught.value.file == box.path("commands/acme-plan.md")
    assert "--backup" in (caught.value.hint or "")
    assert_same(before, box.tree())


@pytest.mark.case("UP-09")
def test_backup_moves_a_foreign_file_aside_and_uninstall_brings_it_back(box: Box) -> None:
    mine = box.write("commands/acme-plan.md", "my own plan command\n", 0o640)
    inode = mine.stat().st_ino
    before = box.tree()
    plan, _ = box.install(box.file("commands/acme-plan.md", "theirs\n"), options=BACKUP)
    assert [item.action for item in plan.operations] == ["backup", "create"]
    assert box.read("commands/acme-plan.md") == "theirs\n"
    assert box.read("commands/acme-plan.md.gsd-backup") == "my own plan command\n"
    assert not box.install(box.file("commands/acme-plan.md", "theirs\n"))[0].changed
    box.install(box.file("commands/acme-plan.md", "theirs 2\n"))
    box.uninstall()
    assert_same(before, box.tree())
    assert mine.stat().st_ino == inode


def test_a_foreign_link_moves_aside_as_a_link(box: Box) -> None:
    target = box.write("mine.md", "mine\n")
    os.symlink(target, box.path("plan.md"))
    before = box.tree()
    box.install(box.file("plan.md", "theirs\n"), options=BACKUP)
    assert box.read("mine.md") == "mine\n"
    assert os.path.islink(box.path("plan.md.gsd-backup"))
    box.uninstall()
    assert_same(before, box.tree())


def test_a_backup_does_not_overwrite_another(box: Box) -> None:
    box.write("plan.md", "mine\n")
    box.write("plan.md.gsd-backup", "older\n")
    before = box.tree()
    with pytest.raises(GsdError, match="in the way of a backup"):
        box.install(box.file("plan.md"), options=BACKUP)
    assert_same(before, box.tree())


def test_an_edited_file_keeps_its_place_before_a_backup_at_uninstall(box: Box) -> None:
    box.write("plan.md", "mine\n")
    box.install(box.file("plan.md"), options=BACKUP)
    box.write("plan.md", "ours, edited\n")
    _, outcome = box.uninstall()
    assert box.read("plan.md") == "ours, edited\n"
    assert box.read("plan.md.gsd-backup") == "mine\n"
    assert len(outcome.left) == 2


def test_an_identical_foreign_file_is_accepted_and_never_deleted(box: Box) -> None:
    box.write("commands/plan.md", "ours\n", 0o640)
    before = box.tree()
    plan, _ = box.install(box.file("commands/plan.md", "ours\n"))
    assert actions(plan) == {}
    assert box.ledger().files["commands/plan.md"].found
    assert box.check(box.file("commands/plan.md")) == ()
    box.uninstall()
    assert_same(before, box.tree())


def test_an_identical_foreign_file_is_not_replaced_by_the_next_version(box: Box) -> None:
    box.write("plan.md", "ours\n")
    box.install(box.file("plan.md", "ours\n"))
    with pytest.raises(GsdError, match="not ours"):
        box.install(box.file("plan.md", "ours 2\n"))
    box.install(box.file("plan.md", "ours 2\n"), options=BACKUP)
    box.uninstall()
    assert box.read("plan.md") == "ours\n"


def test_all_obstacles_are_told_at_once(box: Box) -> None:
    box.write("a.md", "mine\n")
    os.mkdir(box.path("b.md"))
    with pytest.raises(ManyErrors) as caught:
        box.install(box.file("a.md"), box.file("b.md"), box.file("c.md"))
    assert {error.reason for error in caught.value.errors} == {"foreign", "not_a_file"}


def test_two_files_for_one_path_are_an_error_unless_equal(box: Box) -> None:
    with pytest.raises(GsdError, match="want different files"):
        box.install(box.file("skills/a.md", "one\n", A), box.file("skills/a.md", "two\n", B))
    box.install(box.file("skills/a.md", "one\n", A), box.file("skills/a.md", "one\n", B))
    assert box.ledger().files["skills/a.md"].owners == (A, B)


@pytest.mark.case("UN-09")
def test_a_shared_file_goes_with_its_last_owner(box: Box) -> None:
    before = box.tree()
    box.install(box.file(".agents/skills/plan/SKILL.md", "s\n", A), units=[A])
    box.install(box.file(".agents/skills/plan/SKILL.md", "s\n", B), units=[B])
    assert box.ledger().files[".agents/skills/plan/SKILL.md"].owners == (A, B)
    plan, _ = box.uninstall(A)
    assert actions(plan) == {}
    assert box.there(".agents/skills/plan/SKILL.md")
    assert box.check() == ()
    assert set(box.ledger().units) == {B}
    box.uninstall(B)
    assert_same(before, box.tree())


def test_units_that_are_not_named_keep_what_they_have(box: Box) -> None:
    box.install(box.file("a.md", "a\n", A), units=[A])
    box.install(box.file("b.md", "b\n", B), units=[B])
    assert actions(box.install(box.file("a.md", "a2\n", A))) == {"a.md": "replace"}
    assert box.read("b.md") == "b\n"
    assert set(box.ledger().units) == {A, B}


@pytest.mark.case("UP-01", "UP-04", "UP-11")
def test_files_of_the_user_beside_ours_are_never_touched(box: Box) -> None:
    box.install(box.file("commands/acme/plan.md"), box.file("commands/acme/ship.md"))
    box.write("commands/acme/my-own.md", "mine\n")
    box.write("skills/mine/SKILL.md", "mine\n")
    box.write("commands/acme/ship.md", "edited by me\n")
    plan, outcome = box.install(box.file("skills/acme-plan/SKILL.md"), box.file("skills/acme-ship/SKILL.md"))
    assert actions(plan) == {
        "commands/acme/plan.md": "remove",
        "commands/acme/ship.md": "keep",
        "skills/acme-plan/SKILL.md": "create",
        "skills/acme-ship/SKILL.md": "create",
    }
    assert box.read("commands/acme/my-own.md") == "mine\n"
    _, outcome = box.uninstall()
    assert {box.read("commands/acme/my-own.md"), box.read("skills/mine/SKILL.md")} == {"mine\n"}
    assert box.read("commands/acme/ship.md") == "edited by me\n"
    assert not box.there("skills/acme-plan")
    assert any("my-own.md" in sentence for sentence in outcome.left)


@pytest.mark.case("UP-01")
def test_the_user_s_own_files_in_our_directories_can_be_listed(box: Box) -> None:
    from gsd_install.apply.drift import unmanaged

    box.install(box.file(".gsd/a.py"), box.file(".gsd/b.md"))
    assert unmanaged(box.location) == ()
    box.write(".gsd/USER-PROFILE.md", "me\n")
    box.write(".gsd/__pycache__/a.cpython-311.pyc", "x")
    assert unmanaged(box.location) == (box.path(".gsd/USER-PROFILE.md"),)
    assert box.check() == ()


@pytest.mark.case("UN-03")
def test_the_last_uninstall_leaves_no_trace(box: Box) -> None:
    box.write("empty/.keep", "")
    os.unlink(box.path("empty/.keep"))
    before = box.tree()
    box.install(
        box.file(".claude/commands/plan.md"),
        box.file(".gsd/bin/tool.py", "x = 1\n"),
        box.file(".gsd/a/b/c/d.md"),
    )
    box.write(".gsd/bin/__pycache__/tool.cpython-311.pyc", "compiled")
    box.write(".gsd/bin/__pycache__/tool.cpython-311.opt-1.pyc", "compiled")
    _, outcome = box.uninstall()
    assert outcome.left == ()
    assert_same(before, box.tree())


def test_what_python_compiled_of_the_user_s_modules_stays(box: Box) -> None:
    box.install(box.file("bin/tool.py"))
    box.write("bin/mine.py", "y = 2\n")
    box.write("bin/__pycache__/mine.cpython-311.pyc", "compiled")
    box.write("bin/__pycache__/tool.cpython-311.pyc", "compiled")
    box.uninstall()
    assert sorted(os.listdir(box.path("bin/__pycache__"))) == ["mine.cpython-311.pyc"]
    assert box.read("bin/mine.py") == "y = 2\n"


@pytest.mark.case("UN-05")
def test_uninstalling_twice_does_nothing_the_second_time(box: Box) -> None:
    box.write("AGENTS.md", "old text\n")
    box.install(box.file(".codex/skills/acme-plan/SKILL.md"), box.edit("s.json", "a", 1))
    box.uninstall()
    box.write("AGENTS.md", "new text\n")
    box.write(".codex/skills/acme-plan/SKILL.md", "by hand\n")
    before = box.tree()
    plan, outcome = box.uninstall(UNIT)
    assert not plan.changed
    assert outcome.operations == ()
    assert_same(before, box.tree())


def test_directories_that_were_there_stay(box: Box) -> None:
    os.makedirs(box.path(".claude/commands"))
    os.chmod(box.path(".claude"), 0o700)
    before = box.tree()
    box.install(box.file(".claude/commands/gsd/plan.md"))
    assert set(box.ledger().dirs) == {".claude/commands/gsd"}
    box.uninstall()
    assert_same(before, box.tree())


def test_a_directory_of_ours_that_the_user_fills_goes_when_it_is_empty_again(box: Box) -> None:
    box.install(box.file("a/x.md"), box.file("b/y.md"))
    box.write("a/mine.md", "mine\n")
    box.install(box.file("b/y.md"))
    assert box.there("a/mine.md")
    os.unlink(box.path("a/mine.md"))
    box.uninstall()
    assert not box.there("a")


def test_a_profile_change_is_the_same_plan(box: Box) -> None:
    box.install(*[box.file(f"commands/{number}/c.md") for number in range(4)])
    result = box.install(box.file("commands/0/c.md"))
    assert actions(result) == {f"commands/{number}/c.md": "remove" for number in (1, 2, 3)}
    assert os.listdir(box.path("commands")) == ["0"]


def test_touching_a_file_is_no_change(box: Box) -> None:
    box.install(box.file("a.md"))
    os.utime(box.path("a.md"), (1, 1))
    assert not box.install(box.file("a.md"))[0].changed
    assert box.check(box.file("a.md")) == ()


def test_an_edit_of_the_same_size_is_seen(box: Box) -> None:
    box.install(box.file("a.md", "aaaa\n"))
    box.write("a.md", "bbbb\n")
    os.utime(box.path("a.md"), (1, 1))
    [operation] = box.plan(box.file("a.md", "aaaa\n")).operations
    assert "you edited it" in operation.note


def test_the_cache_keeps_the_texts_of_one_version(box: Box) -> None:
    from gsd_install.apply.cache import load

    for version in range(5):
        box.install(box.file("a.md", f"{version}\n" * 50), box.file("b.md", "same\n"))
    cache = load(box.location.state)
    held = box.ledger().files
    assert set(cache.places) == {held["a.md"].sha256, held["b.md"].sha256}
    assert cache.text(held["a.md"].sha256) == b"4\n" * 50
    assert set(cache.stats) == {"a.md", "b.md"}


@pytest.mark.case("UP-13")
def test_every_changed_path_is_in_the_ledger_and_every_change_of_it_is_found(box: Box) -> None:
    box.write("settings.json", "{}")
    before = box.tree()
    names = ["a.md", "bin/tool.py", "bin/run.sh", "c.json", "d.toml", "lib/nested/no-extension"]
    box.install(*[box.file(name, f"{name}\n") for name in names], box.edit("settings.json", "hooks/x", 1))
    after = box.tree()
    written = {path.partition("/")[2] for path in after if after[path] != before.get(path)}
    state = box.location.state.removeprefix(f"{box.root}{os.sep}")
    files = {path for path in written if after[f"{box.root.name}/{path}"].kind == "file"}
    entries = {entry.path for entry in box.ledger().entries}
    assert {path for path in files if not path.startswith(".local")} == set(box.ledger().files) | entries
    assert all(path.startswith(".local") for path in files - set(names) - entries), state
    for name in names:
        box.write(name, "changed\n")
        assert drift(box.check(), box) == {name: "modified"}
        box.write(name, f"{name}\n")
        os.unlink(box.path(name))
        assert drift(box.check(), box) == {name: "missing"}
        box.write(name, f"{name}\n")
    assert box.check() == ()


def test_thirty_runtimes_that_go_in_any_order_leave_what_the_rest_needs(box: Box) -> None:
    """Scenario I."""
    import random

    before = box.tree()
    units = [f"r{number}:gsd" for number in range(30)]
    shared = [box.file(f".agents/skills/{name}/SKILL.md", name, *units) for name in ("plan", "ship")]
    own = [box.file(f".r{number}/commands/plan.md", unit, unit) for number, unit in enumerate(units)]
    box.install(*shared, *own)
    order = random.Random(7).sample(units, len(units))
    for gone, unit in enumerate(order, 1):
        box.uninstall(unit)
        assert box.check() == ()
        assert box.there(".agents/skills/plan/SKILL.md") == (gone < len(units))
        assert len([name for name in os.listdir(box.root) if name.startswith(".r")]) == len(units) - gone
    assert_same(before, box.tree())


def test_the_stat_cache_never_hides_an_edit_from_an_upgrade(box: Box) -> None:
    """Same size, same time: the stat lies, but bytes that get replaced are read first."""
    box.install(box.file("a.md", "aaaa\n"))
    times = (box.root / "a.md").stat()
    (box.root / "a.md").write_bytes(b"bbbb\n")
    os.utime(box.path("a.md"), ns=(times.st_atime_ns, times.st_mtime_ns))
    assert drift(box.check(), box) == {"a.md": "modified"}
    result = box.install(box.file("a.md", "cccc\n"))
    assert actions(result) == {"a.md.gsd-new": "conflict"}
    assert box.read("a.md") == "bbbb\n"


def test_a_file_without_owner_is_a_bug_of_the_caller(box: Box) -> None:
    desired = box.desired(box.file("a.md"))
    with pytest.raises(ValueError, match="owners"):
        box.run(desired._replace(units={}))
