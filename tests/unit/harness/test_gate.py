"""Every way into the agent before the same gate: what it lets through, downgrades and rejects."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from gsd_capabilities.harness import history
from gsd_capabilities.learning import jobs
from gsd_capabilities.packs.scenarios import SCENARIOS
from support.agents import AT, RESERVE, Desk, Done
from support.scripted_model import Refuse, Say, call

Enter = Callable[..., Done]

DOWNGRADED = ("chat", "stream", "task", "resume")
ENTRIES = (*DOWNGRADED, "heartbeat", "distil")


def enter(desk: Desk, entry: str, *options: str) -> Done:
    """One way in, with what it needs to be there."""
    if entry == "task":
        return desk.agent("task", "T-1", *options)
    if entry == "resume":
        return desk.agent("resume", "before", "go on", *options)
    if entry == "distil":
        jobs.open_session(desk.project, "before", "", now=0)
        return desk.agent("distil", *options)
    return desk.agent(entry, *(() if entry == "heartbeat" else ("hello",)), *options)


@pytest.fixture
def ready(desk: Desk) -> Desk:
    """A desk with a task that runs and a conversation, so that no entry changes what the next one sees."""
    folder = desk.root / ".planning" / "work" / "sessions"
    folder.mkdir(parents=True)
    line = json.dumps({"role": "user", "text": "hello", "at": 0, "who": "", "owner": ""})
    (folder / "before.jsonl").write_text(f"{line}\n", encoding="utf-8")
    (desk.root / ".planning" / "memory").mkdir()
    (desk.root / ".planning" / "memory" / "knowledge.md").write_text("# Knowledge\n", encoding="utf-8")
    assert desk.tools("task", "add", "do it", "--to", "agent", "--at", AT).code == 0
    assert desk.tools("task", "start", "T-1", "--as", "agent", "--at", AT).code == 0
    return desk


def sizes(desk: Desk, entry: str) -> tuple[int, int]:
    """What the prefix of an entry takes as it is and as reflex; a rejection, which calls nobody, tells."""
    assert enter(desk, entry, "--afford", "1").code == 1
    measured = desk.events("prefix-measured")
    rows = measured[-2:] if entry in DOWNGRADED else measured[-1:] * 2
    full, reflex = (int(str(event.data["fixed_tokens"])) for event in rows)
    return full, reflex


@pytest.mark.req("A-afford-downgrade", "S-stream-afford-reject", "ECO-afford-rejected", "ECO-live-rejected")
@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_is_rejected_without_a_call_where_not_even_reflex_fits(ready: Desk, entry: str) -> None:
    _, reflex = sizes(ready, entry)
    before = len(ready.events("prefix-measured"))
    done = enter(ready, entry, "--afford", str(reflex + RESERVE - 1))
    assert done.code == 1
    built = [event.subject for event in ready.events("prefix-measured")[before:]]
    asked = {"chat": "chat", "stream": "chat", "resume": "chat", "task": "task_execution"}
    reflexes = {"heartbeat": ["heartbeat"], "distil": ["distillation"]}
    assert built == reflexes.get(entry, [asked.get(entry, ""), "heartbeat"])
    assert ready.model.requests == []
    rejected = ready.events("prompt-rejected")[-1].data
    numbers = {name: rejected[name] for name in ("fits", "fixed", "afford", "needed", "calls")}
    assert numbers == {
        "fits": False,
        "fixed": reflex,
        "afford": reflex + RESERVE - 1,
        "needed": reflex + RESERVE,
        "calls": 0,
    }
    if entry == "heartbeat":
        assert done.answer["reason"] == "prompt_pack_rejected"
    else:
        assert done.reason == "prompt_pack_rejected"
    assert ready.events("model-called") == []


@pytest.mark.req(
    "A-afford-downgrade", "S-stream-afford-downgrade", "ECO-afford-boundary", "ECO-afford-no-history-only"
)
@pytest.mark.parametrize("entry", DOWNGRADED)
def test_every_entry_is_downgraded_by_one_token_and_prompt_and_tools_are_those_of_reflex(
    ready: Desk, entry: str
) -> None:
    full, reflex = sizes(ready, entry)
    assert reflex < full
    exact = enter(ready, entry, "--afford", str(full + RESERVE))
    assert (exact.answer["downgraded"], exact.answer["scenario"] in ("chat", "task_execution")) == (
        False,
        True,
    )
    short = enter(ready, entry, "--afford", str(full + RESERVE - 1))
    assert (short.answer["downgraded"], short.answer["scenario"], short.answer["calls"]) == (
        True,
        "heartbeat",
        1,
    )
    assert len(ready.model.requests) == 2
    assert "file_write" in ready.model.tools(0)
    assert "file_write" not in ready.model.tools(1)
    system = [request["messages"][0]["content"] for request in ready.model.requests]
    assert len(system[1]) < len(system[0])
    assert "Nobody asked you anything" not in system[1], "it still speaks of what it was asked for"


@pytest.mark.req("ECO-afford-boundary")
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_limit_that_nobody_knows_passes(ready: Desk, entry: str) -> None:
    assert enter(ready, entry).code == 0
    assert len(ready.model.requests) == 1
    assert "max_tokens" not in ready.model.requests[0]


@pytest.mark.req("S-stream-afford-reject", "S-stream-afford-downgrade", "ECO-afford-one-helper")
@pytest.mark.parametrize("afford", ["1", "6400", "7200", "9000", "30000"])
def test_streaming_decides_as_not_streaming_does(ready: Desk, afford: str) -> None:
    decided = []
    for entry in ("chat", "stream"):
        done = enter(ready, entry, "--afford", afford)
        answer = {} if done.code else {**done.answer, "session": ""}
        rejected = [event.data for event in ready.events("prompt-rejected")]
        decided.append((done.code, answer, rejected[-1:]))
    assert decided[0] == decided[1]
    assert [request.get("stream") for request in ready.model.requests] == [None, True][
        : len(ready.model.requests)
    ]
    requests = [{**request, "stream": None} for request in ready.model.requests]
    assert requests[:1] == requests[1:]


@pytest.mark.req("ECO-afford-stays-downgraded", "ECO-downgrade-once")
@pytest.mark.parametrize("entry", ["chat", "stream", "resume"])
def test_a_downgrade_holds_when_tools_are_refreshed(ready: Desk, entry: str) -> None:
    full, reflex = sizes(ready, entry)
    ready.model.answers = [call("discover_tools", names=["team_status"])]
    before = len(ready.events("prefix-measured"))
    done = enter(ready, entry, "--afford", str(full + RESERVE - 1))
    assert done.answer["downgraded"] is True
    assert ready.model.tools(1) == ready.model.tools(0) | {"team_status"}
    assert "file_write" not in ready.model.tools(1)
    scenarios = [event.subject for event in ready.events("prefix-measured")[before:]]
    assert scenarios == ["chat", "heartbeat", "heartbeat"], "built as asked once, downgraded once"
    assert reflex + RESERVE <= full + RESERVE - 1


@pytest.mark.req("ECO-afford-stays-downgraded", "ECO-afford-no-history-only")
def test_what_was_made_live_must_be_afforded_as_well(ready: Desk) -> None:
    _, reflex = sizes(ready, "chat")
    ready.model.answers = [call("discover_tools", names=["deliverable_update", "review_verdict"])]
    done = enter(ready, "chat", "--afford", str(reflex + RESERVE))
    assert (done.code, done.reason) == (1, "prompt_pack_rejected")
    assert len(ready.model.requests) == 1
    rejected = ready.events("prompt-rejected")[-1].data
    assert rejected["calls"] == 1
    assert int(str(rejected["fixed"])) > reflex


@pytest.mark.req("ECO-prefix-first")
@pytest.mark.parametrize("entry", ENTRIES)
def test_history_is_packed_only_after_the_prefix_has_passed(
    ready: Desk, entry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed: list[int] = []
    real = history.packed

    def spy(turns: list[history.Turn], budget: int | None) -> tuple[history.Turn, ...]:
        packed.append(len(ready.events("prefix-measured")))
        return real(turns, budget)

    monkeypatch.setattr(history, "packed", spy)
    assert enter(ready, entry, "--afford", "1").code == 1
    assert packed == [], "a rejected prefix leaves history alone"
    measured = len(ready.events("prefix-measured"))
    assert enter(ready, entry, "--afford", "100000").code == 0
    assert packed == [measured + 1]


@pytest.mark.req("ECO-prefix-first", "ECO-prefix-report")
def test_a_prefix_that_is_larger_than_its_pack_is_not_sent_whatever_can_be_afforded(ready: Desk) -> None:
    (ready.root / ".planning" / "agent").mkdir()
    role = "You are thorough. " * 3_000
    (ready.root / ".planning" / "agent" / "ROLE.md").write_text(role, encoding="utf-8")
    done = ready.agent("heartbeat")
    assert (done.code, done.answer["reason"]) == (1, "prompt_pack_rejected")
    assert done.answer["numbers"]["afford"] == SCENARIOS["heartbeat"].fixed_tokens
    assert ready.model.requests == []
    assert enter(ready, "chat").code == 0, "converse has the room"


# --- history ------------------------------------------------------------------------------------------


@pytest.mark.req("ECO-afford-no-history-only")
def test_history_gets_what_is_left_and_the_newest_turns_of_it(ready: Desk) -> None:
    lines = []
    for number in range(40):
        lines.append({"role": "user", "text": f"question {number} " + "word " * 200, "at": number})
        lines.append({"role": "assistant", "text": f"answer {number}", "at": number})
    path = ready.root / ".planning" / "work" / "sessions" / "long.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    full, _ = sizes(ready, "chat")
    whole = ready.agent("resume", "long", "and now?")
    assert (whole.answer["left_out"], len(ready.model.requests[0]["messages"])) == (0, 1 + 80 + 2)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    room = 3_000
    some = ready.agent("resume", "long", "and now?", "--afford", str(full + RESERVE + room))
    left = some.answer["left_out"]
    assert 0 < left < 40
    spoken = [one["content"] for one in ready.model.requests[1]["messages"]]
    assert spoken[1].startswith(f"question {left} ")
    assert spoken[-3].startswith("answer 39")
    assert spoken[-1] == "and now?"
    assert some.answer["downgraded"] is False


# --- what the provider says ---------------------------------------------------------------------------

RESERVED = "You requested up to {} tokens, but can only afford {}."


@pytest.mark.req("ECO-402-retry")
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_refused_reservation_is_tried_once_more_with_less(ready: Desk, entry: str) -> None:
    ready.model.answers = [
        Refuse(402, json.dumps({"error": {"message": RESERVED.format("13,156", "7,378")}}))
    ]
    assert enter(ready, entry, "--max-tokens", "13156").code == 0
    assert [request["max_tokens"] for request in ready.model.requests] == [13_156, 7_314]
    assert len(ready.events("model-called")) == 2


@pytest.mark.req("ECO-402-retry")
def test_a_second_refusal_surfaces(ready: Desk) -> None:
    refused = Refuse(402, RESERVED.format(900, 511))
    ready.model.answers = [refused, refused]
    done = enter(ready, "chat")
    assert (done.code, done.reason) == (1, "payment_required")
    assert [request.get("max_tokens") for request in ready.model.requests] == [None, 511]
    ready.model.answers = [Refuse(402, RESERVED.format(900, 0))]
    assert enter(ready, "chat").reason == "payment_required"
    assert len(ready.model.requests) == 3, "nothing can be afforded: no second try"


@pytest.mark.req("S-max-tokens-clamp-remaining")
@pytest.mark.parametrize("entry", ENTRIES)
def test_the_first_request_asks_for_no_more_than_remains(ready: Desk, entry: str) -> None:
    assert enter(ready, entry, "--afford", "20000", "--max-tokens", "19999").code == 0
    (called,) = ready.events("model-called")
    remaining = 20_000 - int(str(called.data["prompt"])) - 500
    assert ready.model.requests[0]["max_tokens"] == remaining < 19_999


@pytest.mark.req("S-max-tokens-clamp-remaining")
@pytest.mark.parametrize("entry", ["chat", "stream", "resume"])
def test_where_the_message_leaves_no_room_nothing_is_sent(ready: Desk, entry: str) -> None:
    full, _ = sizes(ready, entry)
    text = "word " * 6_000
    words = ("resume", "before", text) if entry == "resume" else (entry, text)
    done = ready.agent(*words, "--afford", str(full + RESERVE))
    assert (done.code, done.reason) == (1, "prompt_pack_rejected")
    assert ready.model.requests == []
    assert ready.events("prompt-rejected")[-1].data["calls"] == 0


@pytest.mark.req("ECO-afford-no-history-only")
def test_a_prompt_that_is_too_long_is_made_smaller_and_never_sent_again(ready: Desk) -> None:
    full, reflex = sizes(ready, "chat")
    limit = (reflex + RESERVE) * 100 // 95 + 2
    refused = Refuse(402, f"Prompt tokens limit exceeded: {full + 20} > {limit:,}")
    ready.model.answers = [refused, call("task_list")]
    done = enter(ready, "chat")
    assert done.answer["downgraded"] is True
    first, second, third = ready.model.requests
    assert "max_tokens" not in third, "a call that went through ends the belief"
    assert len(json.dumps(second)) < len(json.dumps(first))
    assert "max_tokens" in second


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_prompt_that_cannot_be_made_smaller_is_not_sent_a_second_time(ready: Desk, entry: str) -> None:
    refused = Refuse(402, "Prompt tokens limit exceeded: 70,001 > 70,000")
    ready.model.answers = [refused, refused]
    done = enter(ready, entry)
    reason = done.answer["reason"] if entry == "heartbeat" else done.reason
    assert (done.code, reason) == (1, "prompt_limited")
    assert len(ready.model.requests) == 1


def test_history_gives_way_to_a_limit_that_the_provider_told(ready: Desk) -> None:
    path = ready.root / ".planning" / "work" / "sessions" / "long.jsonl"
    lines = ({"role": "user", "text": f"{number} " + "word " * 300, "at": number} for number in range(40))
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    ready.model.answers = [Refuse(402, "Prompt tokens limit exceeded: 16,000 > 13,000")]
    done = ready.agent("resume", "long", "and now?")
    assert (done.code, done.answer["downgraded"]) == (0, False)
    assert 0 < done.answer["left_out"] < 40
    first, second = ready.model.requests
    assert len(second["messages"]) < len(first["messages"])


@pytest.mark.req("ECO-live-rejected")
def test_what_a_provider_said_holds_for_a_while_for_others_too(ready: Desk) -> None:
    _, reflex = sizes(ready, "chat")
    ready.model.answers = [Refuse(402, f"Prompt tokens limit exceeded: 9,999 > {reflex:,}")]
    assert enter(ready, "chat").reason == "prompt_pack_rejected"
    assert len(ready.model.requests) == 1
    late = ("chat", "hello")
    assert ready.agent(*late, at="2026-12-01T00:01:30Z").reason == "prompt_pack_rejected"
    assert len(ready.model.requests) == 1, "after 90 seconds it is still believed"
    assert ready.agent(*late, at="2026-12-01T00:01:31Z").code == 0
    assert ready.agent(*late, at="2026-12-01T00:01:20Z").code == 0, "a call that went through ends the belief"


def test_what_one_provider_said_is_not_held_against_another(ready: Desk) -> None:
    _, reflex = sizes(ready, "chat")
    ready.model.answers = [Refuse(402, f"Prompt tokens limit exceeded: 9,999 > {reflex:,}")]
    assert enter(ready, "chat").reason == "prompt_pack_rejected"
    assert ready.agent("chat", "hello", "--model", "larger").code == 0
    assert ready.agent("chat", "hello", "--url", f"{ready.model.url}/v2").code == 0
    same = ready.agent("chat", "hello", "--url", f"{ready.model.url}/")
    assert same.reason == "prompt_pack_rejected", "a call to another one says nothing of it"
    assert len(ready.model.requests) == 3
    (kept,) = {str(event.data["to"]) for event in ready.events("prompt-limited")}
    assert kept not in ready.model.url
    assert len(kept) == 12


def test_an_entry_without_a_provider_is_refused(ready: Desk) -> None:
    assert ready.tools("agent", "chat", "hello").reason == "no_url"
    assert (
        ready.tools("agent", "chat", "hello", environ={"GSD_MODEL_URL": ready.model.url}).reason == "no_model"
    )
    named = {"GSD_MODEL_URL": ready.model.url, "GSD_MODEL": "m"}
    assert ready.tools("agent", "chat", "hello", "--key-env", "K", environ=named).reason == "no_key"
    assert ready.tools("agent", "chat", "hello", "--afford", "x", environ=named).reason == "bad_number"
    assert ready.tools("agent", "chat", environ=named).reason == "usage"
    assert (
        ready.tools("agent", "chat", "hello", "--scenario", "chatt", environ=named).reason
        == "unknown_scenario"
    )
    assert ready.model.requests == []
    assert (
        ready.tools("agent", "chat", "-", "--key-env", "K", stdin=b"hi", environ={**named, "K": "s3"}).code
        == 0
    )
    assert ready.model.headers[0]["Authorization"] == "Bearer s3"


def test_what_a_model_says_is_answered(ready: Desk) -> None:
    ready.model.answers = [Say("It is so.")]
    answer = ready.agent("chat", "is", "it?").answer
    assert answer["text"] == "It is so."
    assert ready.model.requests[0]["messages"][-1] == {"role": "user", "content": "is it?"}
    assert (answer["calls"], answer["tools"], answer["downgraded"]) == (1, 0, False)
