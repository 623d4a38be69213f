"""Where the one is missing who approves, says who asks or knows a limit, nothing happens.

Each of these tries a thing twice: without whom it needs, which is refused and changes nothing, and with them,
which goes through; so no refusal here is one that would come anyway.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.agents import AT, Desk
from support.learning import HARMLESS
from support.scripted_model import call, serving
from support.trees import assert_same, snapshot

INSTALL = ("skill", "install", "branch-names")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with serving() as model:
        yield Desk(tmp_path / "project", model)


def said(desk: Desk, *words: str, stdin: bytes = b"") -> None:
    """Something that goes through."""
    done = desk.tools(*words, stdin=stdin)
    assert done.code == 0, done.err


def refused(desk: Desk, reason: str, *words: str, stdin: bytes = b"") -> None:
    """Something that is refused and leaves every file as it was."""
    before = snapshot(desk.root)
    done = desk.tools(*words, stdin=stdin)
    assert (done.code in (1, 2), done.reason) == (True, reason)
    assert_same(before, snapshot(desk.root))


def proposed(desk: Desk) -> None:
    said(desk, "skill", "propose", "branch-names", "--impact", "low", stdin=HARMLESS.encode())


# --- approval -----------------------------------------------------------------------------------------


@pytest.mark.req("B-skill-install-high-requires-hitl")
def test_without_the_record_of_what_was_claimed_a_skill_waits(desk: Desk) -> None:
    proposed(desk)
    ledger = desk.root / ".planning" / "work" / "events.jsonl"
    kept = ledger.read_bytes()
    ledger.write_bytes(b"")
    refused(desk, "needs_approval", *INSTALL)
    ledger.write_bytes(kept)
    said(desk, *INSTALL)


@pytest.mark.req("B-skill-install-high-requires-hitl")
@pytest.mark.parametrize("damaged", ["{", "[]", '{"format": 99}'])
def test_where_nobody_can_say_what_is_installed_a_skill_waits(desk: Desk, damaged: str) -> None:
    table = {"format": 1, "content": "gsd", "version": "1", "prefix": "gsd-", "workflows": {}}
    manifest = desk.root / ".gsd" / "gsd" / "companion.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text(json.dumps(table), encoding="utf-8")
    proposed(desk)
    manifest.write_text(damaged, encoding="utf-8")
    refused(desk, "bad_manifest", *INSTALL)
    manifest.write_text(json.dumps({**table, "skills": {"names-of-branch": {}}}), encoding="utf-8")
    refused(desk, "needs_approval", *INSTALL)
    manifest.write_text(json.dumps(table), encoding="utf-8")
    said(desk, *INSTALL)


@pytest.mark.req("ECO-execute-no-skills")
def test_a_task_runs_also_where_the_table_of_those_that_do_is_gone(desk: Desk) -> None:
    proposed(desk)
    said(desk, "task", "add", "It", "--to", "ann")
    said(desk, "task", "start", "T-1")
    (desk.root / ".planning" / "work" / "running.json").unlink()
    refused(desk, "task_running", *INSTALL)
    said(desk, *INSTALL, "--as", "bob")


def test_our_agent_is_allowed_nothing_where_no_person_sees_it(desk: Desk) -> None:
    desk.model.answers = [call("request_user_approval", action="delete it", reason="it is old")]
    assert desk.agent("chat", "hello").code == 0
    assert json.loads(desk.model.results(1)[0])["approved"] is False


def test_a_review_has_a_reviewer(desk: Desk) -> None:
    said(desk, "task", "add", "It", "--to", "ann")
    said(desk, "task", "start", "T-1")
    said(desk, "review", "submit", "--task", "T-1")
    refused(desk, "reviewer_required", "review", "verdict", "T-1", "approved")
    refused(desk, "self_review", "review", "verdict", "T-1", "approved", "--as", "ann")
    said(desk, "review", "verdict", "T-1", "approved", "--as", "bob")


# --- who asks -----------------------------------------------------------------------------------------


@pytest.mark.req("B-recall-chat-session-foreign", "B-evolve-owner-only")
def test_whoever_gives_no_name_owns_no_conversation(desk: Desk) -> None:
    row = b'{"role": "user", "text": "the plan", "owner": "ann"}\n'
    refused(desk, "foreign_session", "learn", "remember", stdin=row)
    said(desk, "learn", "remember", "--as", "ann", stdin=row)
    refused(desk, "foreign_session", "learn", "recall", "remembered-1")
    said(desk, "learn", "recall", "remembered-1", "--as", "ann")
    before = snapshot(desk.root)
    assert desk.tools("learn", "next").answer == {"job": None, "prompt": ""}
    assert_same(before, snapshot(desk.root))
    assert desk.tools("learn", "next", "--as", "ann").answer["job"]["id"] == "job-1"


# --- limits -------------------------------------------------------------------------------------------


@pytest.mark.req("ECO-pack-total")
@pytest.mark.parametrize("words", [("fit",), ("discover", "s"), ("show",)])
def test_a_scenario_without_a_pack_has_no_tools(desk: Desk, words: tuple[str, ...]) -> None:
    core = () if words == ("show",) else ("--core",)
    refused(desk, "unknown_scenario", "packs", *words, "chatting", *core)
    said(desk, "packs", *words, "chat", *core)


@pytest.mark.req("ECO-prefix-first", "ECO-afford-rejected")
def test_no_call_is_made_where_a_limit_a_provider_or_a_text_is_missing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert desk.agent("chat", "hello", "--afford", "much").reason == "bad_number"
    assert desk.agent("chat", "hello", "--scenario", "chatting").reason == "unknown_scenario"
    assert desk.tools("agent", "chat", "hello", "--model", "m", "--at", AT).reason == "no_url"
    with monkeypatch.context() as patched:
        patched.setattr("gsd_capabilities.learning.texts._folders", lambda _: iter(()))
        assert desk.agent("chat", "hello").reason == "missing_text"
    assert desk.model.requests == []
    assert desk.events("model-called") == []
    assert desk.agent("chat", "hello", "--afford", "30000").code == 0
    assert len(desk.model.requests) == 1
