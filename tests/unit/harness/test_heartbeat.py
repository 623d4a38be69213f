"""Beats: what they yield to, when they fall asleep, what wakes them, and how one ends badly."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.harness import beats, entries, heartbeat
from gsd_capabilities.harness.beats import Rhythm, Wakeup
from gsd_capabilities.learning import limits
from gsd_install.kernel.errors import GsdError
from support.agents import Desk
from support.scripted_model import Refuse, Say, call

HOUR = 3_600


def beat(desk: Desk, hour: int = 0, *options: str) -> Any:
    """One beat, so many hours after the first."""
    return desk.agent("heartbeat", *options, at=f"2026-12-{1 + hour // 24:02}T{hour % 24:02}:00:00Z").answer


@pytest.mark.req("A-deep-sleep-skip", "ECO-const-deep-sleep", "ECO-live-quiet")
def test_the_third_idle_beat_and_all_after_it_call_nobody_and_come_ever_later(desk: Desk) -> None:
    told = [beat(desk, hour) for hour in (0, 6, 12, 24, 48, 72)]
    assert [one["outcome"] for one in told] == ["called", "called", *["asleep"] * 4]
    assert [one["calls"] for one in told] == [1, 1, 0, 0, 0, 0]
    assert [one["interval"] // HOUR for one in told] == [6, 6, 12, 24, 24, 24]
    assert told[3]["next"] == "2026-12-03T00:00:00Z"
    assert all(one["success"] for one in told)
    assert len(desk.model.requests) == 2
    assert len(desk.events("model-called")) == 2, "what is recorded is what was sent"
    assert [event.data["calls"] for event in desk.events("heartbeat")] == [1, 1, 0, 0, 0, 0]


@pytest.mark.req("ECO-live-quiet")
def test_a_quiet_time_needs_no_provider_at_all(desk: Desk) -> None:
    for hour in (0, 6, 12):
        beat(desk, hour)
    assert desk.tools("agent", "heartbeat").code == 0
    assert len(desk.events("model-called")) == 2


WAKES = {
    "a task": ("task", "add", "do it", "--to", "agent"),
    "a message": ("message", "send", "agent", "hello", "--as", "bob"),
}


def asleep(desk: Desk) -> None:
    for hour in (0, 6, 12, 24):
        beat(desk, hour)
    assert len(desk.model.requests) == 2


@pytest.mark.req("A-deep-sleep-wake")
@pytest.mark.parametrize("name", WAKES)
def test_work_and_messages_wake(desk: Desk, name: str) -> None:
    asleep(desk)
    assert desk.tools(*WAKES[name]).code == 0
    woken = beat(desk, 25, "--due")
    assert (woken["outcome"], woken["idle"], woken["interval"]) == ("called", 0, limits.HEARTBEAT_SECONDS)
    assert len(desk.model.requests) == 3
    assert woken["why"][0] in desk.model.requests[2]["messages"][-1]["content"]


@pytest.mark.req("A-deep-sleep-wake")
def test_a_review_wakes_whoever_did_not_do_the_work(desk: Desk) -> None:
    asleep(desk)
    for words in (
        ("task", "add", "do it", "--to", "bob"),
        ("task", "start", "T-1", "--as", "bob"),
        ("review", "submit", "done", "--task", "T-1", "--as", "bob"),
    ):
        assert desk.tools(*words).code == 0
    assert beat(desk, 25, "--as", "bob")["why"] == []
    woken = beat(desk, 25)
    assert woken["outcome"] == "called"
    assert woken["why"] == ["task T-1 waits for a review: do it"]


@pytest.mark.req("A-deep-sleep-wake")
def test_a_planned_wake_up_wakes_once_it_is_due(desk: Desk) -> None:
    desk.model.answers = [call("schedule_wakeup", at="2026-12-02T00:30:00Z", reason="look at the build")]
    assert beat(desk, 0)["next"] == "2026-12-01T06:00:00Z"
    for hour in (6, 12, 24):
        early = beat(desk, hour)
    assert (early["outcome"], early["next"]) == ("asleep", "2026-12-02T00:30:00Z")
    woken = beat(desk, 25)
    assert woken["why"] == ["wake-up w1: look at the build"]
    again = beat(desk, 26)
    assert again["why"] == [], "it was acted on"


def test_a_wake_up_is_not_lost_when_the_beat_ends_badly(desk: Desk) -> None:
    desk.model.answers = [call("schedule_wakeup", at="2026-12-01T00:30:00Z", reason="x")]
    beat(desk, 0)
    assert beat(desk, 1, "--afford", "1")["success"] is False
    assert beat(desk, 2)["why"] == ["wake-up w1: x"]


@pytest.mark.req("A-deep-sleep-wake")
def test_work_of_others_and_blocked_work_do_not_wake(desk: Desk) -> None:
    for words in (
        ("task", "add", "mine", "--to", "agent"),
        ("task", "start", "T-1", "--as", "agent"),
        ("task", "block", "T-1", "no key yet"),
        ("task", "add", "yours", "--to", "bob"),
        ("task", "add", "nobody's"),
        ("message", "send", "bob", "hello"),
    ):
        assert desk.tools(*words).code == 0
    assert beat(desk)["why"] == []


@pytest.mark.req("ECO-heartbeat-yields")
@pytest.mark.parametrize("focused", [False, True])
def test_a_beat_yields_to_a_person(desk: Desk, focused: bool) -> None:
    assert desk.tools("task", "add", "do it", "--to", "agent").code == 0
    assert desk.tools("message", "send", "agent", "hi", "--human", "--as", "eve").code == 0
    if focused:
        assert desk.tools("message", "read", "M-1", "--focus", "--as", "agent").code == 0
    for hour in range(4):
        told = beat(desk, hour)
        assert (told["success"], told["outcome"], told["calls"]) == (True, "deferred", 0)
        assert told["why"] == [f"a message of a person is {'focused' if focused else 'queued'}"]
    assert desk.model.requests == []
    assert desk.tools("message", "read", "M-1", "--as", "agent").code == 0
    assert beat(desk, 5)["outcome"] == "called"


@pytest.mark.req("ECO-heartbeat-yields")
def test_a_message_for_somebody_else_is_not_yielded_to(desk: Desk) -> None:
    assert desk.tools("message", "send", "bob", "hi", "--human").code == 0
    assert beat(desk)["outcome"] == "called"


@pytest.mark.req("A-afford-heartbeat-fail")
def test_a_beat_whose_prompt_is_rejected_ends_badly_and_called_nobody(desk: Desk) -> None:
    done = desk.agent("heartbeat", "--afford", "1")
    told = done.answer
    assert done.code == 1
    assert (told["success"], told["outcome"], told["calls"]) == (False, "failed", 0)
    assert told["reason"] == "prompt_pack_rejected"
    assert told["numbers"]["afford"] == 1
    assert told["numbers"]["needed"] == told["numbers"]["fixed"] + 4_596
    assert desk.model.requests == []
    (event,) = desk.events("heartbeat")
    assert event.data == {"success": False, "outcome": "failed", "calls": 0, "reason": "prompt_pack_rejected"}


def test_a_provider_that_fails_ends_a_beat_badly(desk: Desk) -> None:
    desk.model.answers = [Refuse(500, "out of order")]
    done = desk.agent("heartbeat")
    assert (done.code, done.answer["reason"], done.answer["calls"]) == (1, "provider_failed", 1)


def test_a_beat_without_a_provider_counts_for_nothing(desk: Desk) -> None:
    assert desk.tools("agent", "heartbeat").reason == "no_url"
    assert not (desk.root / ".planning" / "work" / "heartbeat.json").exists()


def test_a_beat_that_is_not_due_counts_for_nothing(desk: Desk) -> None:
    beat(desk, 0, "--due")
    told = [beat(desk, hour, "--due") for hour in (1, 3, 5)]
    assert [one["outcome"] for one in told] == ["not_due"] * 3
    assert told[-1]["idle"] == 1
    assert beat(desk, 6, "--due")["outcome"] == "called"
    assert len(desk.events("heartbeat")) == 2


def test_work_that_is_known_keeps_to_the_rhythm(desk: Desk) -> None:
    assert desk.tools("task", "add", "do it", "--to", "agent").code == 0
    told = [beat(desk, hour, "--due")["outcome"] for hour in (0, 1, 5, 6, 7)]
    assert told == ["called", "not_due", "not_due", "called", "not_due"]
    desk.model.answers = [call("schedule_wakeup", at="2026-12-01T13:00:00Z", reason="x")]
    told = [beat(desk, hour, "--due")["outcome"] for hour in (12, 13, 14)]
    assert told == ["called", "called", "not_due"]


def test_an_agent_sets_its_own_rhythm(desk: Desk) -> None:
    desk.model.answers = [
        call("set_heartbeat_interval", seconds=HOUR),
        call("set_heartbeat_interval", seconds=1),
    ]
    beat(desk)
    assert "bad_interval" in desk.model.results(2)[1]
    told = [beat(desk, hour) for hour in (1, 2, 3)]
    assert [one["interval"] // HOUR for one in told] == [1, 2, 4]
    assert beat(desk, 4, "--as", "bob")["idle"] == 1, "each agent has its own"


def test_messages_that_were_read_wake_no_more(desk: Desk) -> None:
    assert desk.tools("message", "send", "agent", "hello", "--as", "bob").code == 0
    desk.model.answers = [call("check_mailbox")]
    assert beat(desk)["why"]
    assert "hello" in desk.model.results(1)[0]
    assert beat(desk, 6)["why"] == []


# --- the rhythm itself --------------------------------------------------------------------------------


@settings(max_examples=100)
@given(st.lists(st.booleans(), max_size=40), st.integers(300, 86_400))
def test_whatever_happens_beats_are_bounded_and_only_the_third_idle_one_sleeps(
    found: list[bool], base: int
) -> None:
    rhythm, now, quiet = beats.every(Rhythm(), base), 0.0, 0
    for something in found:
        rhythm = (beats.busy if something else beats.quiet)(rhythm, now)
        quiet = 0 if something else quiet + 1
        assert rhythm.asleep is (quiet >= limits.DEEP_SLEEP_IDLE_HEARTBEATS)
        assert base <= rhythm.interval <= limits.HEARTBEAT_MOST_SECONDS
        assert rhythm.next == now + rhythm.interval
        assert rhythm.asleep or rhythm.interval == base
        now = rhythm.next


def test_a_wake_up_is_planned_and_taken_back_by_its_id() -> None:
    rhythm = beats.planned(beats.planned(Rhythm(), 5, "a"), 9, "b")
    assert beats.due(rhythm, 5) == (Wakeup("w1", 5, "a"),)
    left = beats.cancelled(rhythm, "w1")
    assert beats.planned(left, 1, "c").wakeups[-1].id == "w3", "no id is used twice"
    with pytest.raises(GsdError, match="no wake-up 'w1'"):
        beats.cancelled(left, "w1")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", '{"version": 2, "agents": {}}', '{"version": 1, "agents": {"": {"x": 1}}}']
)
def test_a_state_that_is_not_ours_is_told_and_left_alone(desk: Desk, text: str) -> None:
    path = desk.root / ".planning" / "work" / "heartbeat.json"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    assert desk.agent("heartbeat").reason == "bad_state"
    assert path.read_text(encoding="utf-8") == text


def test_the_state_comes_back_as_it_was(desk: Desk) -> None:
    rhythm = beats.planned(Rhythm(idle=2, next=7.5), 5, "ä")
    beats.change(desk.project, "ada", lambda _: rhythm)
    beats.change(desk.project, "bob", lambda one: one)
    assert beats.load(desk.project, "ada") == rhythm
    found = json.loads((desk.root / ".planning" / "work" / "heartbeat.json").read_text(encoding="utf-8"))
    assert sorted(found["agents"]) == ["ada", "bob"]


# --- two at a time ------------------------------------------------------------------------------------


def test_a_beat_that_comes_while_another_is_under_way_calls_nobody(desk: Desk) -> None:
    seen: list[Any] = []

    def meanwhile(_: object) -> Say:
        seen.extend((beat(desk), beat(desk, 0, "--due"), beat(desk, 1), beat(desk, 0, "--as", "bob")))
        return Say("looked")

    desk.model.answers = [meanwhile]
    assert beat(desk)["outcome"] == "called"
    assert [one["outcome"] for one in seen] == ["under_way", "under_way", "under_way", "called"]
    assert [one["calls"] for one in seen[:3]] == [0, 0, 0]
    assert len(desk.events("heartbeat")) == 2, "what is under way counts once for each agent"
    assert beat(desk, 6)["outcome"] == "called"


@pytest.mark.parametrize("options", [(), ("--due",)])
def test_of_beats_at_the_same_instant_one_calls(desk: Desk, options: tuple[str, ...]) -> None:
    together, ended = threading.Barrier(4), threading.Semaphore(0)
    told: list[str] = []

    def run() -> None:
        together.wait()
        told.append(beat(desk, 0, *options)["outcome"])
        ended.release()

    def slow(_: object) -> Say:
        for _ in range(3):
            ended.acquire()
        return Say("looked")

    desk.model.answers = [slow]
    running = [threading.Thread(target=run) for _ in range(4)]
    for one in running:
        one.start()
    for one in running:
        one.join()
    assert sorted(told) == ["called", "under_way", "under_way", "under_way"]
    assert len(desk.model.requests) == 1
    assert beats.load(desk.project, "").held == 0


def test_a_beat_that_looked_before_another_one_looks_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, first = heartbeat.work, [True]

    def late(*given: Any) -> Any:
        if first.pop() if first else False:
            assert beat(desk)["outcome"] == "called"
        return real(*given)

    monkeypatch.setattr(heartbeat, "work", late)
    assert beat(desk, 0, "--due")["outcome"] == "not_due"
    assert len(desk.model.requests) == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_a_beat_that_breaks_off_holds_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(entries, "spoken", broken)
    if error is KeyboardInterrupt:
        with pytest.raises(KeyboardInterrupt):
            desk.agent("heartbeat")
    else:
        assert desk.agent("heartbeat").code == 3
    monkeypatch.undo()
    assert beat(desk)["outcome"] == "called"


def test_a_beat_that_was_killed_holds_the_next_one_up_for_a_while(desk: Desk) -> None:
    beats.change(desk.project, "", lambda one: beats.taken(one, 0.0))
    held = beats.load(desk.project, "").held
    assert beats.released(beats.load(desk.project, ""), held + 1).held == held, "it is another one's"
    beats.change(desk.project, "", lambda one: one._replace(held=1_764_547_200.0 + 3 * 365 * 24 * HOUR))
    assert beat(desk)["outcome"] == "under_way"
    beats.change(desk.project, "", lambda one: one._replace(held=held))
    assert beat(desk)["outcome"] == "called"


@pytest.mark.parametrize(
    "agent",
    [
        {"wakeups": [], "base": "x"},
        {"wakeups": [], "idle": None},
        {"wakeups": [], "next": True},
        {"wakeups": [{"id": "w1", "at": "x", "reason": ""}]},
        {"wakeups": [{"id": 1, "at": 1, "reason": ""}]},
        {"wakeups": {}},
    ],
    ids=str,
)
def test_numbers_that_are_none_are_told(desk: Desk, agent: dict[str, object]) -> None:
    path = desk.root / ".planning" / "work" / "heartbeat.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"version": 1, "agents": {"": agent}}), encoding="utf-8")
    assert desk.agent("heartbeat").reason == "bad_state"


@pytest.mark.req("ECO-heartbeat-yields")
@pytest.mark.parametrize("entry", ["chat", "stream", "resume"])
def test_a_beat_yields_to_a_person_who_is_speaking(desk: Desk, entry: str) -> None:
    assert desk.tools("task", "add", "do it", "--to", "agent").code == 0
    started = desk.agent("chat", "hello").answer["session"]
    words = ("resume", started) if entry == "resume" else (entry,)
    seen: list[Any] = []

    def meanwhile(_: object) -> Say:
        seen.extend((beat(desk), beat(desk, 0, "--as", "bob")))
        return Say("well")

    desk.model.answers = [meanwhile]
    assert desk.agent(*words, "how is it going?").code == 0
    assert [(one["outcome"], one["why"][:1]) for one in seen] == [
        ("deferred", ["a person is speaking with it"]),
        ("called", []),
    ]
    assert beat(desk, 1)["outcome"] == "called"
    desk.model.answers = [Refuse(500, "out of order")]
    assert desk.agent(*words, "and now?").reason == "provider_failed"
    assert beats.load(desk.project, "").talking == 0


def test_a_wake_up_that_comes_due_meanwhile_is_kept_for_the_next_beat(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    beats.change(desk.project, "", lambda one: beats.planned(one, 1_000.0, "look at the build"))
    moments = iter([999.0])
    monkeypatch.setattr("time.time", lambda: next(moments, 1_001.0))
    done = desk.tools("agent", "heartbeat", "--url", desk.model.url, "--model", "m")
    assert (done.code, done.answer["outcome"], done.answer["why"]) == (0, "called", [])
    assert [one.id for one in beats.load(desk.project, "").wakeups] == ["w1"]
