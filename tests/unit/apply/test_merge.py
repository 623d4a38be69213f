"""The user edited a file of ours and a new version comes: nothing of theirs may be lost."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.apply.text import is_crlf, merge
from gsd_install.kernel.errors import GsdError
from gsd_install.testing.trees import assert_same
from unit.apply.box import Box, actions, drift

OLD = "".join(f"line {number}\n" for number in range(10))
NEW = OLD.replace("line 2\n", "line two\n")
MINE = OLD.replace("line 8\n", "my line\n")
BOTH = NEW.replace("line 8\n", "my line\n")
CLASH = OLD.replace("line 2\n", "my second line\n")


def test_two_changes_that_fit_are_merged(box: Box) -> None:
    box.install(box.file("a.md", OLD))
    box.write("a.md", MINE, 0o640)
    assert drift(box.check(), box) == {"a.md": "modified"}
    assert actions(box.install(box.file("a.md", NEW))) == {"a.md": "merge"}
    assert box.read("a.md") == BOTH
    assert (box.root / "a.md").stat().st_mode & 0o777 == 0o640
    assert not box.install(box.file("a.md", NEW))[0].changed
    assert drift(box.check(box.file("a.md", NEW)), box) == {"a.md": "modified"}


def test_merges_go_on_over_several_versions(box: Box) -> None:
    box.install(box.file("a.md", OLD))
    box.write("a.md", MINE)
    box.install(box.file("a.md", NEW))
    third = NEW.replace("line 5\n", "line five\n")
    assert actions(box.install(box.file("a.md", third))) == {"a.md": "merge"}
    assert box.read("a.md") == third.replace("line 8\n", "my line\n")


def test_an_edit_without_a_new_version_is_left_alone(box: Box) -> None:
    box.install(box.file("a.md", OLD))
    box.write("a.md", MINE)
    assert not box.install(box.file("a.md", OLD))[0].changed
    assert box.read("a.md") == MINE


def test_a_conflict_keeps_the_user_s_file_and_puts_ours_beside_it(box: Box) -> None:
    before = box.tree()
    box.install(box.file("a.md", OLD), box.file("b.md", "1\n"))
    box.write("a.md", CLASH)
    plan, _ = box.install(box.file("a.md", NEW), box.file("b.md", "2\n"))
    assert actions(plan) == {"a.md.gsd-new": "conflict", "b.md": "replace"}
    assert (box.read("a.md"), box.read("a.md.gsd-new")) == (CLASH, NEW)
    again, _ = box.install(box.file("a.md", NEW), box.file("b.md", "2\n"))
    assert not again.changed
    for told in (plan, again):
        [note] = told.notes
        assert note.startswith(box.path("a.md"))
        assert "a.md.gsd-new" in note
    [finding] = box.check()
    assert "a.md.gsd-new" in finding.note
    box.uninstall()
    assert (box.read("a.md"), box.there("a.md.gsd-new")) == (CLASH, False)
    os.unlink(box.path("a.md"))
    assert_same(before, box.tree())


def test_a_conflict_that_the_user_settled_is_settled(box: Box) -> None:
    box.install(box.file("a.md", OLD))
    box.write("a.md", CLASH)
    box.install(box.file("a.md", NEW))
    settled = NEW.replace("line two\n", "my second line, too\n")
    box.write("a.md", settled)
    os.unlink(box.path("a.md.gsd-new"))
    box.install(box.file("a.md", NEW))
    assert box.ledger().files["a.md"].new == ""
    third = NEW.replace("line 9\n", "line nine\n")
    assert actions(box.install(box.file("a.md", third))) == {"a.md": "merge"}
    assert box.read("a.md") == settled.replace("line 9\n", "line nine\n")


def test_a_conflict_that_the_user_settled_by_taking_ours(box: Box) -> None:
    box.install(box.file("a.md", OLD))
    box.write("a.md", CLASH)
    box.install(box.file("a.md", NEW))
    os.replace(box.path("a.md.gsd-new"), box.path("a.md"))
    plan, _ = box.install(box.file("a.md", NEW))
    assert actions(plan) == {}
    assert box.check() == ()
    box.install(box.file("a.md", OLD))
    assert box.read("a.md") == OLD


def test_an_open_conflict_is_merged_when_a_later_version_fits(box: Box) -> None:
    box.install(box.file("a.md", OLD))
    box.write("a.md", CLASH)
    box.install(box.file("a.md", NEW))
    later = OLD.replace("line 9\n", "line nine\n")
    assert actions(box.install(box.file("a.md", later))) == {"a.md": "merge", "a.md.gsd-new": "remove"}
    assert box.read("a.md") == CLASH.replace("line 9\n", "line nine\n")


def test_an_open_conflict_gets_the_later_version(box: Box) -> None:
    box.install(box.file("a.md", OLD))
    box.write("a.md", CLASH)
    box.install(box.file("a.md", NEW))
    later = NEW.replace("line two\n", "line II\n")
    assert actions(box.install(box.file("a.md", later))) == {"a.md.gsd-new": "conflict"}
    assert (box.read("a.md"), box.read("a.md.gsd-new")) == (CLASH, later)


def test_a_waiting_version_that_the_user_edited_is_theirs(box: Box) -> None:
    box.install(box.file("a.md", OLD))
    box.write("a.md", CLASH)
    box.install(box.file("a.md", NEW))
    box.write("a.md.gsd-new", "notes of mine\n")
    with pytest.raises(GsdError, match="not ours"):
        box.install(box.file("a.md", NEW.replace("line two\n", "line II\n")))
    box.uninstall()
    assert box.read("a.md.gsd-new") == "notes of mine\n"


def test_without_the_base_text_an_edit_is_a_conflict(box: Box) -> None:
    box.install(box.file("a.md", OLD))
    os.unlink(os.path.join(box.location.state, "cache"))
    box.write("a.md", MINE)
    assert actions(box.install(box.file("a.md", NEW))) == {"a.md.gsd-new": "conflict"}
    assert box.read("a.md") == MINE


@pytest.mark.parametrize("damage", [b"", b"gsd-cache 1 ", b"gsd-cache 1 000000009\nnot json!", b"\0" * 400])
def test_a_damaged_cache_is_no_cache(box: Box, damage: bytes) -> None:
    box.install(box.file("a.md", OLD), box.file("b.md", "1\n"))
    with open(os.path.join(box.location.state, "cache"), "wb") as file:
        file.write(damage)
    assert box.check() == ()
    box.write("a.md", MINE)
    plan, _ = box.install(box.file("a.md", NEW), box.file("b.md", "2\n"))
    assert actions(plan) == {"a.md.gsd-new": "conflict", "b.md": "replace"}


def test_a_base_text_whose_bytes_rotted_is_not_used(box: Box) -> None:
    box.install(box.file("a.md", OLD))
    cache = os.path.join(box.location.state, "cache")
    with open(cache, "rb") as file:
        data = file.read()
    with open(cache, "wb") as file:
        file.write(data.replace(b"line 5", b"line X"))
    box.write("a.md", MINE)
    assert actions(box.install(box.file("a.md", NEW))) == {"a.md.gsd-new": "conflict"}


def test_a_binary_file_never_merges(box: Box) -> None:
    box.install(box.file("a.bin", b"\0one\n\n\n\ntwo\n"))
    box.write("a.bin", b"\0one\n\n\n\nmine\n")
    assert actions(box.install(box.file("a.bin", b"\0ONE\n\n\n\ntwo\n"))) == {"a.bin.gsd-new": "conflict"}
    assert (box.root / "a.bin").read_bytes() == b"\0one\n\n\n\nmine\n"


@pytest.mark.parametrize("odd", [b"\0", b"\xff"])
def test_what_is_not_text_never_merges(odd: bytes) -> None:
    base, mine, theirs = (text.encode() for text in (OLD, MINE, NEW))
    assert merge(base, mine, theirs) is not None
    assert merge(base + odd, mine + odd, theirs + odd) is None


def test_the_user_s_change_that_we_ship_later_is_no_edit_any_more(box: Box) -> None:
    box.install(box.file("a.md", OLD))
    box.write("a.md", NEW)
    assert actions(box.install(box.file("a.md", NEW))) == {}
    assert box.check(box.file("a.md", NEW)) == ()


@pytest.mark.case("EN-07")
def test_a_crlf_checkout_is_not_an_edit(project: Box) -> None:
    project.install(project.file("a.md", OLD), project.file("b.md", OLD))
    project.write("a.md", OLD.replace("\n", "\r\n"))
    project.write("b.md", MINE.replace("\n", "\r\n"))
    ledger = project.write(".gsd/ledger.json", project.read(".gsd/ledger.json").replace("\n", "\r\n"))
    assert drift(project.check(), project) == {"b.md": "modified"}
    stamp = ledger.stat().st_mtime_ns
    assert not project.install(project.file("a.md", OLD), project.file("b.md", OLD))[0].changed
    assert ledger.stat().st_mtime_ns == stamp
    plan, _ = project.install(project.file("a.md", NEW), project.file("b.md", NEW))
    assert actions(plan) == {"a.md": "replace", "b.md": "merge"}
    assert project.read("a.md") == NEW
    assert project.read("b.md") == BOTH.replace("\n", "\r\n")
    assert not project.there("a.md.gsd-new")


def test_a_checkout_that_dropped_cr_is_not_an_edit(project: Box) -> None:
    launcher = OLD.replace("\n", "\r\n")
    project.install(project.file("run.cmd", launcher))
    project.write("run.cmd", OLD)
    assert project.check() == ()
    assert not project.install(project.file("run.cmd", launcher))[0].changed
    project.uninstall()
    assert not project.there("run.cmd")


def test_half_a_line_end_conversion_is_an_edit(box: Box) -> None:
    box.install(box.file("a.md", OLD))
    box.write("a.md", OLD.replace("line 3\n", "line 3\r\n"))
    assert drift(box.check(), box) == {"a.md": "modified"}


@pytest.mark.case("SL-03")
def test_a_link_in_our_place_is_the_user_s_change(box: Box) -> None:
    mine = box.write("mine/plan.md", "my fork\n")
    box.install(box.file("plan.md", OLD))
    os.unlink(box.path("plan.md"))
    os.symlink(mine, box.path("plan.md"))
    assert drift(box.check(), box) == {"plan.md": "modified"}
    assert not box.install(box.file("plan.md", OLD))[0].changed
    assert actions(box.install(box.file("plan.md", NEW))) == {"plan.md.gsd-new": "conflict"}
    box.uninstall()
    assert box.read("mine/plan.md") == "my fork\n"
    assert os.path.islink(box.path("plan.md"))
    assert not box.there("plan.md.gsd-new")


def test_a_directory_in_our_place_stops_an_install_and_survives_an_uninstall(box: Box) -> None:
    box.install(box.file("plan.md"))
    os.unlink(box.path("plan.md"))
    box.write("plan.md/mine.md", "mine\n")
    with pytest.raises(GsdError, match="not a file"):
        box.install(box.file("plan.md", NEW))
    box.uninstall()
    assert box.read("plan.md/mine.md") == "mine\n"


LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n", "e"]), max_size=12).map("".join).map(str.encode)


@settings(max_examples=300, deadline=None)
@given(base=LINES, mine=LINES, theirs=LINES)
def test_a_merge_invents_and_loses_no_line(base: bytes, mine: bytes, theirs: bytes) -> None:
    merged = merge(base, mine, theirs)
    assert merge(base, mine, base) == mine
    assert merge(base, base, theirs) == theirs
    assert merge(base, mine, mine) == mine
    if merged is not None:
        added = set(mine.splitlines()) | set(theirs.splitlines())
        assert set(merged.splitlines()) <= added
        kept = [line for line in mine.splitlines() if line not in base.splitlines()]
        assert set(kept) <= set(merged.splitlines()), "a line that only the user has is never dropped"


@settings(max_examples=100, deadline=None)
@given(base=LINES, mine=LINES, theirs=LINES)
def test_a_merge_follows_the_user_s_line_ends(base: bytes, mine: bytes, theirs: bytes) -> None:
    mine = mine.replace(b"\n", b"\r\n")
    merged = merge(base, mine, theirs)
    if merged is not None and is_crlf(mine):
        assert merged.count(b"\n") == merged.count(b"\r\n")
        assert merged.replace(b"\r\n", b"\n") == merge(base, mine.replace(b"\r\n", b"\n"), theirs)
