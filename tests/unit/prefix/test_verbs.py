"""`gsd-tools prefix`: what it answers, what it writes down, and when it says that something is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gsd_capabilities.companion.project import find
from gsd_capabilities.learning import limits
from gsd_capabilities.packs.scenarios import SCENARIOS
from gsd_capabilities.work.events import events
from support.payloads import Box
from support.prefixes import AT, box, loaded, shown, text


@pytest.fixture
def made(tmp_path: Path) -> Box:
    return box(tmp_path)


@pytest.mark.req(
    "A-budget-contract-converse",
    "A-budget-contract-reflex",
    "ECO-const-cold-converse",
    "ECO-const-cold-reflex",
    "ECO-prefix-first",
)
def test_the_cold_prefix_of_every_scenario_holds_its_limit(made: Box) -> None:
    answer: dict[str, Any] = dict(made.run("prefix", "check", "--manager").json)
    assert answer["holds"] is True
    assert [row["scenario"] for row in answer["scenarios"]] == list(SCENARIOS)
    for row in answer["scenarios"]:
        limit = {"reflex": 8_000, "converse": 28_000}.get(row["pack"], 32_000)
        assert row["limit"] == limit
        assert 1_000 < row["fixed_tokens"] == row["system_tokens"] + row["tool_tokens"] <= limit
        assert row["tool_tokens"] > 500
    assert answer["goal"]["tokens"] == limits.COLD_CONVERSE_FIXED_GOAL == 12_000
    assert answer["goal"]["holds"] is True
    assert answer["goal"]["largest"] == max(
        row["fixed_tokens"] for row in answer["scenarios"] if row["pack"] == "converse"
    )


def test_the_limits_hold_in_a_project_that_is_full(made: Box) -> None:
    loaded(made)
    assert made.run("prefix", "check").code == 0


@pytest.mark.parametrize(("tokens", "converse"), [(9_000, False), (40_000, True)])
def test_a_prefix_over_its_limit_fails_the_check(made: Box, tokens: int, converse: bool) -> None:
    made.planning("agent/ROLE.md", "You work with care. " * (tokens // 5))
    answer = made.run("prefix", "check")
    assert answer.code == 1
    over = answer.json["over"]
    assert isinstance(over, list)
    assert "heartbeat" in over
    assert ("chat" in over) is converse
    assert answer.json["warnings"]


def test_the_goal_is_not_the_limit(made: Box) -> None:
    made.planning("agent/ROLE.md", "You work with care. " * 2_000)
    goal = made.run("prefix", "check").json["goal"]
    assert isinstance(goal, dict)
    assert goal["holds"] is False
    chat = shown(made, "chat")
    assert not chat["over"]


@pytest.mark.req("ECO-live-cold")
def test_the_sizes_are_logged_where_a_person_can_read_them(made: Box) -> None:
    assert made.run("prefix", "log").json == {"measured": []}
    first, second = shown(made, "chat", "--as", "ann"), shown(made, "heartbeat")
    rows: Any = made.run("prefix", "log").json["measured"]
    assert [(row["scenario"], row["who"], row["at"]) for row in rows] == [
        ("chat", "ann", AT),
        ("heartbeat", "", AT),
    ]
    for row, answer in zip(rows, (first, second), strict=True):
        for name in ("system_tokens", "tool_tokens", "fixed_tokens", "limit"):
            assert row[name] == answer[name]
    assert [event.kind for event in events(find(str(made.project)))] == ["prefix-measured"] * 2


def test_sections_add_up_to_the_text(made: Box) -> None:
    loaded(made)
    answer = shown(made, "chat")
    total = sum(row["tokens"] for row in answer["sections"].values())
    assert abs(total - answer["system_tokens"]) <= len(answer["sections"]) * 3
    places = [row["place"] for row in answer["sections"].values()]
    assert places == sorted(places, key=["stable", "slow", "tail"].index)


def test_the_same_question_has_the_same_answer(made: Box) -> None:
    loaded(made)
    assert text(made, "chat") == text(made, "chat")


def test_without_a_project_there_is_a_prefix_and_nothing_is_written(tmp_path: Path) -> None:
    made = Box(tmp_path)
    before = sorted(made.project.rglob("*"))
    answer = made.run("prefix", "show", "chat")
    assert answer.code == 0, answer.err
    assert made.run("prefix", "check").code == 0
    assert made.run("prefix", "log").json == {"measured": []}
    assert sorted(made.project.rglob("*")) == before


@pytest.mark.parametrize("words", [("show",), ("show", "chat", "more"), ("check", "chat"), ("log", "chat")])
def test_words_that_nobody_asked_for_are_refused(made: Box, words: tuple[str, ...]) -> None:
    answer = made.run("prefix", *words)
    assert answer.code == 2
    assert f"prefix {words[0]}" in answer.err


@pytest.mark.parametrize(
    ("name", "said"), [("C.UTF-8", "not stated"), ("pt_BR.UTF-8", "pt_BR"), ("", "not stated")]
)
def test_the_locale_is_that_of_messages(made: Box, name: str, said: str) -> None:
    environ = {"LC_MESSAGES": name, "LANG": name}
    prompt = made.run("prefix", "show", "chat", "--text", environ=environ).out.decode()
    assert f"Locale: {said}." in prompt
