"""Deliverables through `gsd-tools`: versions, bodies in the store, and nobody's change lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsd_capabilities.artifacts.binding import begin_session
from gsd_capabilities.artifacts.reference import digest_of
from gsd_capabilities.learning.limits import DELIVERABLE_CHANGES_KEPT
from support.works import Desk

LONG = "A long body, longer than the name of an artifact could be, so that it is stored.\n" * 3


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def created(desk: Desk, body: str = LONG) -> None:
    made = desk.say("deliverable", "create", "The", "page", "--as", "ann", stdin=body.encode()).json
    assert (made["id"], made["version"], made["title"]) == ("D-1", 1, "The page")


def place(desk: Desk, reference: str) -> Path:
    digest = digest_of(reference)
    return desk.folder / ".planning" / "artifacts" / digest[:2] / digest[2:4] / digest


@pytest.mark.req("C-deliv-version")
def test_a_change_raises_the_version_and_adds_to_the_changelog_and_reading_returns_both(desk: Desk) -> None:
    created(desk)
    words = ("deliverable", "update", "D-1", "--base=1", "--summary", "more of it", "--as", "bob")
    changed = desk.say(*words, stdin=(LONG * 2).encode()).json
    assert (changed["version"], changed["changed"]) == (2, True)
    read = desk.say("deliverable", "get", "D-1").json
    assert (read["version"], read["body"], read["size"]) == (2, LONG * 2, len(LONG) * 2)
    log = [(one["version"], one["summary"], one["who"]) for one in read["changelog"]]
    assert log == [(1, "created", "ann"), (2, "more of it", "bob")]
    first = desk.say("deliverable", "get", "D-1", "--version=1").json
    assert (first["version"], first["newest"], first["body"]) == (1, 2, LONG)
    assert desk.say("deliverable", "get", "D-1", "--text").out == LONG * 2
    assert desk.say("deliverable", "get", "D-1", "--version=3").reason == "no_version"


@pytest.mark.req("C-deliv-version")
@pytest.mark.parametrize("body", [LONG, "short"])
def test_the_same_body_again_changes_nothing_even_from_an_old_base(desk: Desk, body: str) -> None:
    created(desk, body)
    desk.say("deliverable", "update", "D-1", "--base=1", "--body", "between").json  # noqa: B018
    ledger = desk.ledger.read_bytes()
    for base in ("1", "2"):
        said = desk.say("deliverable", "update", "D-1", f"--base={base}", "--body", "between").json
        assert (said["version"], said["changed"]) == (2, False)
    assert desk.ledger.read_bytes() == ledger
    titled = desk.say("deliverable", "update", "D-1", "--base=2", "--body=between", "--title=Other").json
    assert (titled["version"], titled["title"]) == (3, "Other")


@pytest.mark.req("C-deliv-version")
def test_a_change_made_from_an_old_version_is_refused_and_so_is_one_that_names_none(desk: Desk) -> None:
    created(desk)
    desk.say("deliverable", "update", "D-1", "--base=1", "--body=ann's", "--as=ann").json  # noqa: B018
    said = desk.say("deliverable", "update", "D-1", "--base=1", "--body=bob's", "--as=bob")
    assert (said.code, said.reason) == (1, "stale_version")
    assert "version 2, by ann" in said.err
    assert desk.say("deliverable", "update", "D-1", "--body=x").reason == "base_required"
    assert desk.say("deliverable", "get", "D-1").json["body"] == "ann's"


def test_long_bodies_are_in_the_store_and_nowhere_else(desk: Desk) -> None:
    created(desk)
    reference = desk.say("deliverable", "list").json[0]["reference"]
    assert place(desk, reference).read_text() == LONG
    assert LONG[:40] not in desk.ledger.read_text()
    assert reference in desk.ledger.read_text()


def test_a_file_is_stored_as_it_is_and_a_large_body_is_not_poured_into_an_answer(desk: Desk) -> None:
    data = bytes(range(256)) * 400
    (desk.folder / "big.bin").write_bytes(data)
    made = desk.say("deliverable", "create", "Big", "--from=big.bin").json
    assert place(desk, made["reference"]).read_bytes() == data
    shown = desk.say("deliverable", "get", "D-1").json
    assert shown["body"] is None
    assert f"artifact get {made['reference']}" in shown["note"]
    assert desk.say("deliverable", "create", "No", "--from=none").reason == "unreadable"
    assert desk.say("deliverable", "create", "No", stdin=b"\xff").reason == "not_text"
    assert desk.say("deliverable", "create", "No", "--body=x", "--from=big.bin").reason == "usage"
    assert desk.say("deliverable", "create", "No", "--body=x", "--task=T-1").reason == "no_task"
    assert len(desk.say("deliverable", "list").json) == 1


def test_another_session_can_read_it_and_then_has_the_artifact_too(desk: Desk) -> None:
    created(desk)
    store = desk.folder / ".planning" / "artifacts"
    begin_session(str(store), "later")
    reference = desk.say("deliverable", "list").json[0]["reference"]
    assert desk.say("artifact", "get", reference).reason == "unauthorized"
    assert desk.say("deliverable", "get", "D-1").json["body"] == LONG
    assert desk.say("artifact", "get", reference).out == LONG


def test_a_body_that_is_gone_or_was_changed_is_not_given(desk: Desk) -> None:
    created(desk)
    file = place(desk, desk.say("deliverable", "list").json[0]["reference"])
    file.chmod(0o600)
    file.write_text("other")
    assert desk.say("deliverable", "get", "D-1").reason == "stale"
    file.unlink()
    assert desk.say("deliverable", "get", "D-1").reason == "missing"


@pytest.mark.req("C-deliv-version")
def test_the_changelog_keeps_the_last_fifty(desk: Desk) -> None:
    created(desk, "body 0")
    assert DELIVERABLE_CHANGES_KEPT == 50
    for number in range(1, 53):
        desk.say("deliverable", "update", "D-1", f"--base={number}", f"--body=body {number}").json  # noqa: B018
    read = desk.say("deliverable", "get", "D-1").json
    assert [one["version"] for one in read["changelog"]] == list(range(4, 54))


def test_what_a_task_brings_forth_is_listed_with_it(desk: Desk) -> None:
    made = desk.running()
    desk.say("deliverable", "create", "Of it", "--body=x", GSD_TASK=made)
    desk.say("deliverable", "create", "Of nothing", "--body=x")
    assert [one["title"] for one in desk.say("deliverable", "list", "--task", made).json] == ["Of it"]


def test_collecting_artifacts_leaves_the_bodies_of_deliverables_unless_they_are_named(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for number in (1, 2):
        words = ("create", "It") if number == 1 else ("update", "D-1", "--base=1")
        desk.say("deliverable", *words, stdin=b"body %d " % number * 40).json  # noqa: B018
    other = desk.say("artifact", "put", "--text", stdin=b"bulky " * 10_000).out.strip()
    dry = desk.say("artifact", "gc", "--max-bytes=0", "--dry-run").json
    done = desk.say("artifact", "gc", "--max-bytes=0").json
    assert done["removed"] == dry["removed"] == [other]
    assert done["held_bytes"] == done["kept_bytes"] == 2 * 280
    for number in (1, 2):
        assert (
            desk.say("deliverable", "get", "D-1", f"--version={number}", "--text").out
            == f"body {number} " * 40
        )
    assert len(desk.say("artifact", "gc", "--max-bytes=0", "--deliverables").json["removed"]) == 2
    assert desk.say("deliverable", "get", "D-1").reason == "missing"
