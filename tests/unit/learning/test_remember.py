"""Remembering from a conversation, and reading a conversation again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.learning import jobs, limits
from gsd_capabilities.learning.recall import Message, parsed
from gsd_capabilities.learning.remember import CUT, excerpt
from support.office import Office


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path / "p")


def rows(*texts: str, **fields: str) -> bytes:
    roles = ("user", "assistant")
    made = ({"role": roles[number % 2], "text": text, **fields} for number, text in enumerate(texts))
    return b"".join(json.dumps(row).encode() + b"\n" for row in made)


def kept(office: Office, session: str) -> list[tuple[str, str]]:
    path = office.planning / "work" / "sessions" / f"{session}.jsonl"
    return [(one.role, one.text) for one in parsed(path.read_bytes())]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.req("B-evolve-remember")
def test_a_conversation_seeds_one_of_its_own_and_a_distillation(office: Office) -> None:
    texts = [f"message {number}" for number in range(1, 46)]
    made = office("learn", "remember", "--note", "the order", stdin=rows(*texts, owner="ann"), as_="ann")
    assert (made["session"], made["messages"], made["left_out"]) == ("remembered-1", 40, 5)
    assert (made["job"]["scenario"], made["job"]["session"]) == ("distillation", "remembered-1")
    said = kept(office, "remembered-1")
    assert said[0] == ("note", "[5 earlier messages are left out]")
    assert said[1] == ("assistant", "message 6")
    assert said[-2:] == [("user", "message 45"), ("note", "Remember this: the order")]
    prompt = office("learn", "next", as_="ann")["prompt"]
    for piece in ("message 45", "Remember this: the order", "[5 earlier messages are left out]", "impact"):
        assert piece in prompt
    assert office("learn", "remember", stdin=rows("again"), as_="ann")["session"] == "remembered-2"


@pytest.mark.req("B-evolve-remember")
def test_a_short_one_is_whole_and_from_a_file(office: Office) -> None:
    (office.folder / "talk.jsonl").write_bytes(rows("a", "b"))
    made = office("learn", "remember", "--transcript", "talk.jsonl")
    assert (made["messages"], made["left_out"]) == (2, 0)
    assert kept(office, "remembered-1") == [("user", "a"), ("assistant", "b")]
    assert office.refused("learn", "remember", "--transcript", "gone.jsonl") == "no_transcript"
    assert office.refused("learn", "remember", stdin=b"hello\n[]\n{}\n") == "empty_transcript"


def test_what_hosts_keep_of_a_conversation_is_understood() -> None:
    found = parsed(
        b'{"type": "user", "message": {"role": "user", "content": "go on"}}\n'
        b'{"message": {"role": "assistant", "content": [{"type": "text", "text": "yes"}, {"type": "x"}]}}\n'
        b'{"message": {"role": "assistant", "content": [{"type": "x"}]}}\n'
    )
    assert found == (Message("user", "go on"), Message("assistant", "yes"))


def test_a_secret_is_not_kept(office: Office) -> None:
    office("learn", "remember", "--note", "password=hunter22", stdin=rows("token: abcdefgh1"))
    data = (office.planning / "work" / "sessions" / "remembered-1.jsonl").read_text()
    assert "hunter22" not in data
    assert "abcdefgh1" not in data


@pytest.mark.req("B-evolve-remember")
def test_characters_are_bounded_and_a_cut_is_marked() -> None:
    half = "x" * (limits.REMEMBER_CHARS // 2)
    whole = excerpt([Message("user", "a"), Message("user", half), Message("user", half)])
    assert ([len(one.text) for one in whole.messages], whole.left_out) == ([12_000, 12_000], 1)
    (alone,) = excerpt([Message("user", "word " * 10_000)]).messages
    assert len(alone.text) <= 24_000
    assert alone.text.endswith(CUT)


@settings(max_examples=50)
@given(st.lists(st.integers(0, 9_000), min_size=1, max_size=60))
def test_an_excerpt_is_the_longest_end_within_both_bounds(sizes: Sequence[int]) -> None:
    found = excerpt([Message("user", "x" * size) for size in sizes])
    count = len(found.messages)
    assert found.left_out == len(sizes) - count
    assert [len(one.text) for one in found.messages] == list(sizes)[len(sizes) - count :]
    assert 1 <= count <= 40
    assert sum(sizes[-count:]) <= 24_000
    if count < min(len(sizes), 40):
        assert sum(sizes[-count - 1 :]) > 24_000


@pytest.mark.req("B-evolve-owner-only")
def test_a_conversation_of_somebody_else_or_of_several_is_refused(office: Office) -> None:
    before = snapshot(office.planning)
    foreign = rows("a", owner="bo")
    assert office.refused("learn", "remember", "--as", "ann", stdin=foreign) == "foreign_session"
    assert office.refused("learn", "remember", stdin=foreign) == "foreign_session"
    group = rows("a", who="ann") + rows("b", who="bo")
    assert office.refused("learn", "remember", stdin=group) == "not_direct"
    assert office.refused("learn", "remember", "--as", "cy", stdin=rows("a", who="bo")) == "not_direct"
    assert snapshot(office.planning) == before


@pytest.mark.req("B-evolve-owner-only")
def test_remembering_writes_the_new_conversation_only(office: Office) -> None:
    office("learn", "remember", stdin=rows("first", owner="ann"), as_="ann")
    source = office.planning / "work" / "sessions" / "remembered-1.jsonl"
    before = snapshot(office.folder)
    office("learn", "remember", "--transcript", str(source), as_="ann")
    after = snapshot(office.folder)
    changed = {path for path in after if after[path] != before.get(path)}
    assert changed == {".planning/work/events.jsonl", ".planning/work/sessions/remembered-2.jsonl"}
    assert before.keys() < after.keys()


@pytest.mark.req("B-evolve-owner-only")
def test_the_job_about_a_conversation_is_its_owner_s(office: Office) -> None:
    office("learn", "remember", stdin=rows("a"), as_="ann")
    assert office("learn", "next", as_="bo") == {"job": None, "prompt": ""}
    assert office("learn", "next")["job"] is None
    assert office("learn", "next", as_="ann")["job"]["session"] == "remembered-1"


@pytest.mark.req("B-evolve-owner-only")
def test_a_job_that_anybody_may_begin_shows_nobody_a_conversation_of_somebody_else(office: Office) -> None:
    office("learn", "remember", stdin=rows("the plan"), as_="ann")
    office("learn", "done", "job-1", as_="ann")
    jobs.open_session(office.project, "remembered-1", "", now=office.now)
    code, out, err = office.said("--json-errors", "learn", "next", "--as", "bo")
    assert (code, out, json.loads(err)["reason"]) == (1, "", "foreign_session")
    assert "the plan" not in err
    assert jobs.job(office.project, "job-2").state == "waiting"


@pytest.mark.req("B-evolve-remember")
def test_a_job_whose_conversation_is_gone_says_so_and_waits(office: Office) -> None:
    office("learn", "remember", stdin=rows("a"))
    (office.planning / "work" / "sessions" / "remembered-1.jsonl").unlink()
    assert office.refused("learn", "next") == "no_session"
    told = office.said("learn", "next")[2]
    assert "job-1 cannot be begun" in told
    assert "gsd-tools learn failed job-1" in told
    assert office.plain("learn", "jobs")["waiting"] == 1
    office("learn", "failed", "job-1", "--note", "its conversation is gone")
    assert office("learn", "next")["job"] is None


def test_a_conversation_on_another_machine_stands_in_nobody_s_way(office: Office) -> None:
    office("learn", "remember", stdin=rows("a"))
    (office.planning / "work" / "sessions" / "remembered-1.jsonl").unlink()
    office.completed(calls=5)
    assert office("learn", "next", as_="bo")["job"]["task"] == "T-1"


@pytest.mark.req("B-recall-chat-session-paging")
def test_a_conversation_is_read_page_by_page(office: Office) -> None:
    session = office.planning / "work" / "sessions" / "talk.jsonl"
    session.parent.mkdir(parents=True)
    session.write_bytes(
        rows(*(f"message {number}" for number in range(1, 251)), owner="ann", at="2026-12-01")
    )
    seen: list[int] = []
    before: int | None = None
    while True:
        more = ["--before", str(before)] if before else []
        page = office.plain("learn", "recall", "talk", "--as", "ann", *more)
        seen = [row["number"] for row in page["messages"]] + seen
        assert page["total"] == 250
        before = page["before"]
        if before is None:
            break
        assert len(page["messages"]) == 40
    assert seen == list(range(1, 251))
    last = office.plain("learn", "recall", "talk", "--as", "ann", "--limit", "1")["messages"]
    assert last == [
        {"number": 250, "role": "assistant", "text": "message 250", "who": "", "at": "2026-12-01"}
    ]
    assert len(office.plain("learn", "recall", "talk", "--as", "ann", "--limit", "100")["messages"]) == 100
    for wrong in (("--limit", "101"), ("--limit", "0"), ("--before", "0")):
        assert office.refused("learn", "recall", "talk", "--as", "ann", *wrong) == "bad_page"
    assert office.refused("learn", "recall", "talk", "--limit", "x") == "bad_number"
    assert office.plain("learn", "recall", "talk", "--as", "ann", "--before", "1")["messages"] == []


@pytest.mark.req("B-recall-chat-session-foreign")
def test_a_conversation_of_another_owner_cannot_be_read(office: Office) -> None:
    office("learn", "remember", stdin=rows("a secret plan"), as_="ann")
    for who in (("--as", "bo"), ()):
        code, out, err = office.said("--json-errors", "learn", "recall", "remembered-1", *who)
        assert (code, out) == (1, "")
        assert json.loads(err)["reason"] == "foreign_session"
        assert "secret plan" not in err
    assert office.plain("learn", "recall", "remembered-1", "--as", "ann")["total"] == 1


@pytest.mark.parametrize("name", ["../events", "a/b", "", ".hidden", "a\\b"])
def test_a_name_of_a_conversation_is_no_path(office: Office, name: str) -> None:
    assert office.refused("learn", "recall", name) == "bad_session"


def test_a_conversation_that_is_not_there_is_said_to_be_gone(office: Office) -> None:
    assert office.refused("learn", "recall", "remembered-1") == "no_session"


def test_a_transcript_of_another_system_loses_no_message(office: Office) -> None:
    """A byte-order mark, line ends of Windows, a moment of no calendar, and a line that is no message."""
    lines = [
        '{"role": "user", "text": "one", "at": 1e999}',
        '{"role": "assistant", "text": "two", "at": 1800000000}',
        "[" * 50_000,
        '{"role": "user", "text": "three", "at": true}',
    ]
    said = office("learn", "remember", stdin=("\ufeff" + "\r\n".join(lines)).encode())
    assert said["messages"] == 3
    assert [text for _, text in kept(office, said["session"])] == ["one", "two", "three"]
