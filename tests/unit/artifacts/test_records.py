"""Records, the owner they belong to, and the files they are in."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.artifacts import binding, records
from gsd_capabilities.artifacts.folder import Folder
from gsd_install.kernel.appending import Log
from gsd_install.kernel.errors import GsdError
from support.artifacts import OWNER, Lab, digest, ending

BODY = b"x" * 101
DIGEST = digest(BODY)


def table(**changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(records.dump(records.create(DIGEST, 101, OWNER, "grep", "7", "rows")))
    return made | changes


@pytest.mark.req("ADR0006-C23")
def test_a_record_survives_being_stored() -> None:
    made = records.create(DIGEST, 101, OWNER, "grep", "7", "d" * 500)
    assert records.reconstruct(records.dump(made)) == made
    assert b"\n" not in records.dump(made)
    assert made.schema == 1


@pytest.mark.req("ADR0006-C23", "ADR0006-path-from-digest")
@pytest.mark.parametrize(
    "changes",
    [
        {"path": records.path_of("0" * 64)},
        {"path": f"/other/{records.path_of(DIGEST)}"},
        {"path": f"../{records.path_of(DIGEST)}"},
        {"path": f"{DIGEST[:2]}/../{DIGEST[:2]}/{DIGEST[2:4]}/{DIGEST}"},
        {"reference": f"artifact://sha256/{DIGEST.upper()}"},
        {"reference": "artifact://sha256/" + "0" * 64},
        {"reference": None},
        {"size": 0},
        {"size": -1},
        {"size": True},
        {"size": "101"},
        {"owner": {"user": "", "root": "/r", "session": "s"}},
        {"owner": {"user": "u", "root": "", "session": "s"}},
        {"owner": {"user": "u", "root": "/r", "session": ""}},
        {"owner": {"user": "u", "root": "/r"}},
        {"owner": {"user": 5, "root": "/r", "session": "s"}},
        {"owner": "me"},
        {"description": "d" * 501},
        {"description": None},
        {"tool": 5},
        {"call": []},
        {"created": -1.0},
        {"created": "now"},
        {"created": float("nan")},
        {"schema": 2},
        {"schema": True},
        {"liveness": "live"},
    ],
    ids=str,
)
def test_c23_every_field_is_checked_again(changes: dict[str, Any]) -> None:
    assert records.reconstruct(json.dumps(table()).encode()).owner == OWNER
    with pytest.raises(GsdError) as caught:
        records.reconstruct(json.dumps(table(**changes)).encode())
    assert caught.value.reason == "bad_record"


@pytest.mark.req("ADR0006-C23")
@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"null", b"\xff", b'{"owner": {}}'])
def test_c23_what_is_no_record_is_refused(data: bytes) -> None:
    with pytest.raises(GsdError) as caught:
        records.reconstruct(data)
    assert caught.value.reason == "bad_record"


@pytest.mark.req("ADR0006-C23", "ADR0006-owner-parts")
def test_c23_a_record_planted_for_somebody_else_gives_nothing(lab: Lab) -> None:
    stranger = OWNER._replace(session="stranger")
    lab.put(BODY)
    lab.spy.inner.remember(stranger.key, DIGEST, json.dumps(table()).encode())
    lab.owner, before = stranger, lab.spy.touched
    assert ending(lab.get(f"artifact://sha256/{DIGEST}"))[0] == "unauthorized"
    assert lab.spy.touched == before


@pytest.mark.req("ADR0006-C23")
@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")
@pytest.mark.parametrize("level", [1, 2, 3])
def test_c23_a_linked_shard_or_file_is_refused(folder_lab: Lab, tmp_path: Path, level: int) -> None:
    """Whichever part of the path is a link, nothing is read through it and nothing is written through it."""
    reference = folder_lab.reference(BODY)
    inner = folder_lab.spy.inner
    assert isinstance(inner, Folder)
    linked = Path(inner.root, *records.path_of(DIGEST).split("/")[:level])
    linked.rename(tmp_path / "elsewhere")
    linked.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PermissionError):
        folder_lab.get(reference)
    assert ending(folder_lab.put(BODY)) == ("failed", "workspace_read_failed")
    assert [each.digest for each in no_link(inner)] == []


@pytest.mark.req("ADR0006-C23")
@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")
@pytest.mark.parametrize("name", [".", "records"])
def test_c23_a_link_in_place_of_the_store_or_its_records_is_not_written_through(
    folder_lab: Lab, tmp_path: Path, name: str
) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "artifacts" / name
    if name != ".":
        link.parent.mkdir()
    link.symlink_to(tmp_path / "elsewhere")
    assert ending(folder_lab.put(BODY))[0] == "failed"
    assert os.listdir(tmp_path / "elsewhere") == []


def test_a_damaged_record_is_refused_and_written_again(lab: Lab) -> None:
    reference = lab.reference(BODY)
    lab.spy.inner.remember(OWNER.key, DIGEST, json.dumps(table(size=0)).encode())
    with pytest.raises(GsdError) as caught:
        lab.get(reference)
    assert caught.value.reason == "bad_record"
    assert lab.reference(BODY) == reference
    assert lab.body(reference) == BODY


def test_a_store_that_somebody_deletes_is_begun_anew(folder_lab: Lab, tmp_path: Path) -> None:
    references = [folder_lab.reference(body) for body in (BODY, BODY * 2)]
    shutil.rmtree(tmp_path / "artifacts")
    assert ending(folder_lab.get(references[0]))[0] == "unauthorized"
    assert folder_lab.reference(BODY) == references[0]
    again = Lab(Folder(str(tmp_path / "artifacts")))
    assert again.body(references[0]) == BODY
    assert ending(again.get(references[1]))[0] == "unauthorized"


def no_link(folder: Folder) -> list[Any]:
    try:
        return [each for each in folder.stored() if not os.path.islink(folder.location(each.digest))]
    except PermissionError:
        return []


@pytest.mark.req("ADR0006-path-from-digest")
def test_the_place_is_a_function_of_the_digest(lab: Lab) -> None:
    lab.put(BODY)
    assert lab.spy.location(DIGEST).replace(os.sep, "/").endswith(f"/{DIGEST[:2]}/{DIGEST[2:4]}/{DIGEST}")
    assert [(each.digest, each.size) for each in lab.spy.stored()] == [(DIGEST, 101)]


@pytest.mark.req("ADR0006-owner-parts")
def test_no_variable_changes_who_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = str(tmp_path / "artifacts")
    before = binding.current(str(tmp_path), store)
    for name in ("USER", "LOGNAME", "USERNAME", "SUDO_UID", "GSD_SESSION", "CLAUDE_SESSION_ID", "PWD"):
        monkeypatch.setenv(name, "somebody-else")
    assert binding.current(str(tmp_path), store) == before
    assert before.session == "project"
    assert before.root == os.path.realpath(tmp_path)


@pytest.mark.req("ADR0006-owner-parts")
def test_the_session_hook_says_which_session_it_is(tmp_path: Path) -> None:
    store = str(tmp_path / "artifacts")
    binding.begin_session(store, "abc-123_4.5")
    assert binding.current(str(tmp_path), store).session == "abc-123_4.5"
    for wrong in ("", "a b", "a\nb", "../x", "x" * 129, "é"):
        with pytest.raises(GsdError) as caught:
            binding.begin_session(store, wrong)
        assert caught.value.reason == "bad_session"
    (tmp_path / "artifacts" / "session").write_bytes(b"")
    with pytest.raises(GsdError) as caught:
        binding.current(str(tmp_path), store)
    assert caught.value.reason == "bad_session"


def test_an_owner_is_known_by_a_key_that_does_not_name_it() -> None:
    keys = {OWNER.key, *(OWNER._replace(**{name: "x"}).key for name in OWNER._fields)}
    assert len(keys) == 4
    assert not any(part in key for part in OWNER for key in keys)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary().map(lambda data: data.replace(b"\n", b"")), max_size=6), st.integers(0, 40))
def test_what_a_killed_writer_left_of_a_line_spoils_no_other(lines: list[bytes], kept: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "log")
        whole = os.path.join(place, "whole")
        Log(whole).append(b"a line that was being written")
        torn = Path(whole).read_bytes()[:kept]
        reader, writer = Log(path), Log(path)
        seen: list[bytes] = []
        for line in lines:
            writer.append(line)
            with open(path, "ab") as file:
                file.write(torn)
            seen += reader.fresh()
        writer.append(b"last")
        seen += reader.fresh()
        whole_line = [b"a line that was being written"] if len(torn) >= 32 else []
        assert [line for line in seen if line not in whole_line] == [*lines, b"last"]


def test_two_writers_of_one_log_see_each_other(tmp_path: Path) -> None:
    one, two = Log(str(tmp_path / "log")), Log(str(tmp_path / "log"))
    assert one.append(b"1")
    assert not two.append(b"2")
    assert list(one.fresh()) == [b"2"]
    assert list(two.fresh()) == [b"1", b"2"]
    assert list(two.fresh()) == []
