"""STATE.md: its fields and its log, and writers at the same time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.companion import guard, planning_text, state
from gsd_capabilities.companion.planning_verbs import VERBS
from gsd_install.kernel.errors import GsdError, LockedError
from support.planning import STATE, request, sample, text_of, write

VALUES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), max_size=20).map(
    str.strip
)
NAMES = st.sampled_from([name for name in state.FIELDS if name != "status"])
ENDS = st.sampled_from(["\n", "\r\n"])


def reasons_of(text: str) -> tuple[str, int | None]:
    with pytest.raises(GsdError) as caught:
        state.parse(text)
    assert caught.value.hint
    return caught.value.reason, caught.value.line


def test_fields_are_plain_text_in_their_order(tmp_path: Path) -> None:
    fields = state.read(sample(tmp_path))
    assert tuple(fields) == state.FIELDS
    assert fields["phase_base"] == ""
    assert fields["last"] == "plan 02-01: done, with one deviation"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("---\nproject", "project", 1),
        ("\n---\n\n# State", "\n\n# State", 1),
        ("plan: 1 of 2\n", "plan: 1 of 2\nplan: 2 of 2\n", 9),
        ("plan: 1 of 2\n", "plan 1 of 2\n", 8),
        ("# State\n", "---\nproject: Photos\nstatus: pending\n---\n", 15),
    ],
)
def test_a_damaged_block_is_named_with_its_line(old: str, new: str, line: int) -> None:
    assert STATE.count(old) == 1
    assert reasons_of(STATE.replace(old, new)) == ("bad_state", line)


def test_a_conflict_is_not_overwritten(tmp_path: Path) -> None:
    text = STATE.replace("status:", "<<<<<<< HEAD\nstatus:")
    project = write(tmp_path, {"STATE.md": text})
    with pytest.raises(GsdError) as caught:
        state.update(project, {"plan": "2 of 2"})
    assert (caught.value.reason, caught.value.line) == ("conflict_markers", 9)
    assert text_of(project, "STATE.md") == text


def test_a_missing_file_says_how_to_get_it_back(tmp_path: Path) -> None:
    with pytest.raises(GsdError) as caught:
        state.read(write(tmp_path, {"PROJECT.md": ""}))
    assert (caught.value.reason, caught.value.file) == ("missing", ".planning/STATE.md")


@settings(max_examples=150)
@given(ENDS, st.dictionaries(NAMES, VALUES, max_size=4), st.booleans())
def test_other_fields_keep_every_byte(end: str, fields: dict[str, str], bom: bool) -> None:
    text = "\ufeff" * bom + STATE.replace("\n", end)
    changed = state.with_fields(text, fields)
    found = {name: value.text for name, value in state.parse(changed).items()}
    assert found == {name: value.text for name, value in state.parse(text).items()} | fields
    pairs = zip(text.split(end), changed.split(end), strict=True)
    assert all(old == new for old, new in pairs if old.partition(":")[0] not in fields)


@given(ENDS, NAMES, VALUES)
def test_a_missing_field_is_added_below_the_others(end: str, name: str, value: str) -> None:
    text = "".join(line for line in STATE.splitlines(keepends=True) if not line.startswith(f"{name}:"))
    text = text.replace("\n", end)
    found = state.parse(state.with_fields(text, {name: value}))
    assert list(found)[-1] == name
    assert found[name].text == value


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"staus": "pending"}, "unknown_field"),
        ({"status": "done"}, "bad_value"),
        ({"last": "two\nlines"}, "bad_value"),
        ({"last": "two\u2028lines"}, "bad_value"),
    ],
)
def test_what_is_no_field_or_value_is_refused(tmp_path: Path, fields: dict[str, str], reason: str) -> None:
    project = sample(tmp_path)
    with pytest.raises(GsdError) as caught:
        state.update(project, fields)
    assert caught.value.reason == reason
    assert text_of(project, "STATE.md") == STATE


def test_an_update_that_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    project = sample(tmp_path)
    before = os.stat(project.path("STATE.md")).st_ino
    assert not state.update(project, {"status": "executing"})
    assert os.stat(project.path("STATE.md")).st_ino == before
    assert state.update(project, {"status": "executed"})


@pytest.mark.parametrize("count", [0, 1, 9, 10, 14])
def test_the_log_keeps_ten_lines_newest_first(count: int) -> None:
    head = STATE.partition("- 2026-05-04 plan")[0]
    text = head + "".join(f"- old {number}\n" for number in range(count)) + "\n## After\n\n- kept\n"
    changed = state.with_log(text, "new")
    log = changed.partition("## Log\n")[2].partition("## After")[0]
    assert log.split("\n- ")[0:2] == ["", "new"] or log.startswith("\n- new\n")
    assert [line for line in log.splitlines() if line] == [
        "- new",
        *(f"- old {n}" for n in range(min(count, 9))),
    ]
    assert changed.endswith("\n## After\n\n- kept\n")


@pytest.mark.parametrize("text", ["", "## Log", "## Log\n", "# S\n\ntext", "# S\r\n"])
def test_a_log_is_begun_where_there_is_none(text: str) -> None:
    changed = state.with_log(text, "new")
    assert changed.startswith(text)
    assert [line for line in changed.splitlines() if line][-2:] == ["## Log", "- new"]


def test_a_link_stays_a_link_and_one_that_leads_away_is_refused(tmp_path: Path) -> None:
    project = write(tmp_path, {"real.md": STATE})
    os.symlink("real.md", project.path("STATE.md"))
    state.update(project, {"plan": "2 of 2"})
    assert os.path.islink(project.path("STATE.md"))
    assert state.read(project)["plan"] == "2 of 2"
    outside = tmp_path / "elsewhere.md"
    outside.write_text(STATE)
    os.unlink(project.path("STATE.md"))
    os.symlink(outside, project.path("STATE.md"))
    with pytest.raises(GsdError) as caught:
        state.update(project, {"plan": "1 of 1"})
    assert caught.value.reason == "outside"
    assert outside.read_text() == STATE


def test_what_an_editor_saves_in_between_is_kept(tmp_path: Path) -> None:
    project = sample(tmp_path)
    path = project.path("STATE.md")
    calls = []

    def change(text: str) -> str:
        calls.append(text)
        if len(calls) == 1:
            Path(path).write_text(text + "typed by hand\n")
        return state.with_fields(text, {"plan": "2 of 2"})

    assert planning_text.edit(project, path, change)
    assert len(calls) == 2
    assert text_of(project, "STATE.md").endswith("typed by hand\n")
    assert state.read(project)["plan"] == "2 of 2"


def test_a_file_that_never_rests_is_given_up(tmp_path: Path) -> None:
    project = sample(tmp_path)
    path = project.path("STATE.md")

    def change(text: str) -> str:
        Path(path).write_text(text + "x\n")
        return text + "mine"

    with pytest.raises(GsdError) as caught:
        planning_text.edit(project, path, change)
    assert caught.value.reason == "changed_meanwhile"
    assert "mine" not in text_of(project, "STATE.md")


WRITER = """\
import sys
from gsd_capabilities.companion import project, state
here, field = project.find(sys.argv[1]), sys.argv[2]
for number in range(int(sys.argv[3])):
    state.update(here, {field: str(number)})
    found = state.read(here)[field]
    assert found == str(number), f"{field}: wrote {number}, found {found}"
"""


def test_what_the_system_refuses_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GsdError) as caught:
        state.read(write(tmp_path / "folder", {"STATE.md/x": ""}))
    assert (caught.value.reason, caught.value.file) == ("system", ".planning/STATE.md")

    def full(path: str, data: bytes, *, durable: bool) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(planning_text, "write_atomic", full)
    project = sample(tmp_path / "full")
    with pytest.raises(GsdError, match="no space left"):
        state.update(project, {"plan": "2 of 2"})
    assert text_of(project, "STATE.md") == STATE


def test_two_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    """Each changes its own field; an update lost to the other would bring back an older value."""
    project = sample(tmp_path)
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), field, "300"], stderr=subprocess.PIPE)
        for field in ("last", "next")
    ]
    said = [writer.communicate()[1].decode() for writer in writers]
    assert said == ["", ""]
    expected = state.with_fields(STATE, {"last": "299", "next": "299"})
    assert text_of(project, "STATE.md") == expected
    assert not [name for name in os.listdir(project.planning) if "tmp" in name or "lock" in name]


HOLDER = """\
import sys
from gsd_capabilities.companion import guard, project
with guard.locked(project.find(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_a_lock_is_waited_for_and_ends_with_its_owner(tmp_path: Path) -> None:
    project = sample(tmp_path)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"locked\n"
    with pytest.raises(LockedError), guard.locked(project, wait=0):
        pass
    holder.kill()
    holder.communicate()
    with guard.locked(project, wait=0):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="there the stand-in is the rule")
def test_where_a_folder_cannot_be_locked_a_file_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    real = fcntl.flock

    def no_folders(descriptor: int, operation: int) -> None:
        if os.path.isdir(f"/dev/fd/{descriptor}"):
            raise OSError(9, "Bad file descriptor")
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", no_folders)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    project = sample(tmp_path / "p")
    with guard.locked(project):
        assert os.path.exists(guard.stand_in(project.shared))
        with pytest.raises(LockedError), guard.locked(project, wait=0):
            pass


def test_the_verbs_read_and_write_fields(tmp_path: Path) -> None:
    project = sample(tmp_path)
    assert VERBS["state get"].run(request(project, "phase_name")) == "Sign in"
    assert VERBS["state get"].run(request(project)) == state.read(project)
    answer = VERBS["state set"].run(request(project, "next=verify-work 2", "last=a=b", "updated=2026-06-01"))
    assert isinstance(answer, dict)
    assert answer["fields"]["last"] == "a=b"
    assert answer["fields"]["updated"] == "2026-06-01"
    VERBS["state set"].run(request(project, "plan="))
    assert state.read(project)["plan"] == ""
    assert state.read(project)["updated"] != "2026-06-01"
    for words, message in ((("status",), "FIELD=VALUE"), (("x=y",), "no field"), ((), "arguments")):
        with pytest.raises(GsdError, match=message):
            VERBS["state set"].run(request(project, *words))
    with pytest.raises(GsdError, match="no field"):
        VERBS["state get"].run(request(project, "phases"))


def test_what_killed_writers_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    project = sample(tmp_path)
    old, new, theirs = (
        Path(project.shared, name) for name in ("STATE.md.1-aa.gsd-tmp", "STATE.md.2-bb.gsd-tmp", "x.tmp")
    )
    for path in (old, new, theirs):
        path.write_bytes(b"half")
    for path in (old, theirs):
        os.utime(path, (1_000, 1_000))
    state.update(project, {"last": "again"})
    assert [path.exists() for path in (old, new, theirs)] == [False, True, True]
