"""What is live within a budget, what loses words, what goes, and when it says that nothing helps."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.packs import discovery, select, tools
from gsd_capabilities.packs.scenarios import SCENARIOS
from gsd_capabilities.packs.slim import BARE, TERSE, slimmed
from gsd_capabilities.packs.tool import Tool, cost, namespaced
from support.packs import ask, project, tool, wordy

CORE = tuple(tools.CORE.values())
NAMES = [*tools.CORE, "gsd_render", "web__search", "web__fetch", "data__ask", "extra", "other"]


@st.composite
def lists(draw: st.DrawFn) -> list[Tool]:
    """Tools of any size, some of them core."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=30))
    sizes = st.integers(min_value=0, max_value=600)
    return [
        draw(st.sampled_from([tool(name, draw(sizes)), wordy(name, draw(sizes) // 40)])) for name in names
    ]


STATES = st.builds(
    lambda names, ticks, recent: discovery.State(
        tuple(names), dict(zip(names, ticks, strict=False)), 0, tuple(recent)
    ),
    st.lists(st.sampled_from(NAMES), unique=True),
    st.lists(st.integers(min_value=0, max_value=9), max_size=50),
    st.lists(st.sampled_from(NAMES), unique=True, max_size=8),
)


@pytest.mark.req("A-tooldef-budget")
@settings(max_examples=150, deadline=None)
@given(
    scenario=st.sampled_from(sorted(SCENARIOS)),
    every=lists(),
    state=STATES,
    text=st.sampled_from(["", "extra shell"]),
)
def test_what_is_live_fits_or_says_that_it_cannot(
    scenario: str, every: list[Tool], state: discovery.State, text: str
) -> None:
    found = select.live(scenario, every, state, text=text)
    names = [one.name for one in found.live]
    given_names = [one.name for one in every]
    assert names == [name for name in given_names if name in names]  # the order is that of the tools
    assert found.tokens == sum(map(cost, found.live))
    assert (found.unsatisfied is None) == (found.tokens <= found.budget)
    assert not set(names) & {one.name for one in found.deferred}
    plain = select.live(scenario, every, discovery.State())
    assert {one.name for one in plain.live} <= set(names)  # what is allowed never goes
    for one in found.live:
        assert not namespaced(one) or one.name in state.activated
    if found.unsatisfied:
        assert found.unsatisfied.required == found.tokens
        assert found.unsatisfied.available == found.budget
        assert not [
            one for one in found.live if not tools.is_core(one) and one.name not in plain_names(plain)
        ]
    assert found == select.live(scenario, every, state, text=text)


def plain_names(found: select.Selection) -> set[str]:
    return {one.name for one in found.live}


@pytest.mark.req("A-tooldef-budget")
def test_budgets_are_kept_through_the_command(tmp_path: Path) -> None:
    many = [tool(f"web__tool{at}", 200) for at in range(40)]
    folder = project(tmp_path)
    names = [one.name for one in many]
    for scenario in SCENARIOS:
        asked = ask(folder, "discover", scenario, scenario, *names, "--core", tools=many)
        fit = ask(folder, "fit", scenario, "--core", "--session", scenario, tools=many)
        assert fit["tokens"] <= fit["budget"]
        assert fit["unsatisfied"] is None
        assert fit["live"] == asked["available_tools"]
        assert any("__" in name for name in fit["live"])
        assert asked["no_room"]


@pytest.mark.req("A-tooldef-budget", "ECO-tooldef-slimmed")
def test_what_can_never_fit_is_told_with_numbers(tmp_path: Path) -> None:
    # Names and enumerations of values cannot be taken away.
    schema = {"type": "object", "properties": {"a": {"enum": [f"value{at}" for at in range(3_000)]}}}
    huge = Tool("shell", "Runs.", schema)
    fit = ask(tmp_path, "fit", "chat", tools=[huge, tool("web__x"), tools.CORE["discover_tools"]])
    assert fit["live"] == ["shell", "discover_tools"]
    assert fit["unsatisfied"]["required"] == fit["tokens"] > fit["budget"] == fit["unsatisfied"]["available"]
    assert fit["unsatisfied"]["dearest"] == ["shell", "discover_tools"]


@pytest.mark.req("ECO-tooldef-slimmed")
def test_core_tools_lose_words_before_a_rule_is_broken(tmp_path: Path) -> None:
    core = [wordy(name, 3) for name in (*tools.PROTECTED, *tools.CORE_KEEP)]
    assert sum(map(cost, core)) > 8_000
    fit = ask(tmp_path, "fit", "chat", tools=core)
    assert fit["tokens"] <= 8_000
    assert fit["live"] == [one.name for one in core]
    assert fit["slimmed"]
    shown = {one["name"]: one for one in fit["tools"]}
    for one in core:
        sent = shown[one.name]["input_schema"]
        assert list(sent["properties"]) == list(one.schema["properties"])  # also one named `description`
        assert sent["required"] == one.schema["required"]
        assert "description" in one.schema["properties"]


def test_no_more_words_are_lost_than_must_be() -> None:
    core = [wordy(name) for name in sorted(tools.CORE_KEEP)]
    assert select.live("task_execution", core, discovery.State()).slimmed == ()
    larger = [wordy(name, 5) for name in sorted(tools.CORE_KEEP)]
    found = select.live("task_execution", larger, discovery.State())
    assert 0 < len(found.slimmed) < len(larger)
    biggest = max(cost(one) - cost(slimmed(one, TERSE)) for one in larger)
    assert found.budget - biggest < found.tokens <= found.budget


def test_a_bare_schema_still_says_what_is_valid() -> None:
    words = {"title": "A", "description": "what", "examples": ["a"], "default": "a"}
    inner = {"type": "string", "enum": ["description", "a"], **words}
    schema = {
        "type": "object",
        "description": "about",
        "properties": {"description": inner, "title": {"type": "array", "items": inner}},
        "anyOf": [{"required": ["title"], "description": "why"}],
        "$defs": {"x": inner},
    }
    bare = slimmed(Tool("one", "Does.", schema), BARE)
    kept = {"type": "string", "enum": ["description", "a"]}
    assert bare == Tool(
        "one",
        "",
        {
            "type": "object",
            "properties": {"description": kept, "title": {"type": "array", "items": kept}},
            "anyOf": [{"required": ["title"]}],
            "$defs": {"x": kept},
        },
    )
    terse = slimmed(Tool("one", "Does.", schema), TERSE)
    assert terse.description == "Does."
    assert terse.schema["properties"]["description"] == {
        **kept,
        "title": "A",
        "examples": ["a"],
        "default": "a",
    }


@pytest.mark.req("A-tooldef-sticky-capped")
def test_recent_and_named_tools_come_early_and_only_as_far_as_there_is_room(tmp_path: Path) -> None:
    folder = project(tmp_path)
    extras = [tool(f"extra_{at}", 1_900) for at in range(6)]
    for round_ in range(10):
        for at in range(3):
            ask(folder, "called", "s", f"extra_{(round_ + at) % 6}")
        fit = ask(
            folder, "fit", "chat", "--core", "--session", "s", "--text", "extra 0 1 2 3 4 5", tools=extras
        )
        early = [name for name in fit["live"] if name.startswith("extra_")]
        assert f"extra_{(round_ + 2) % 6}" in early  # the one used last
        assert fit["tokens"] <= 8_000
        assert 0 < len(early) < 6
        assert fit["slimmed"] == []
    named = ask(tmp_path, "fit", "chat", "--core", "--text", "what is the Goal status?".replace("?", ""))
    assert "goal_status" in named["live"]
    assert "goal_status" in ask(tmp_path, "fit", "chat", "--core", "--text", "hello")["deferred"]


@pytest.mark.req("S-tool-mcp-progressive")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_tools_of_others_are_live_only_after_discovery(tmp_path: Path, scenario: str) -> None:
    folder = project(tmp_path)
    others = [tool("web__search"), tool("browse", source="web"), tool("shell", source="web")]
    words = ["fit", scenario, "--session", "s", "--text", "web search browse shell"]
    assert ask(folder, *words, tools=others)["live"] == []  # at the start, and by keyword
    for one in others:
        ask(folder, "called", "s", one.name)
    assert ask(folder, *words, tools=others)["live"] == []  # by recent use
    ask(folder, "discover", "s", scenario, "web__search", tools=others)
    assert ask(folder, *words, tools=others)["live"] == ["web__search"]


@pytest.mark.req("ECO-namespaced-tools")
def test_one_rule_tells_the_tools_of_others() -> None:
    assert namespaced(tool("web__search"))
    assert namespaced(tool("search", source="web"))
    assert not namespaced(tool("web_search"))
    assert not any(map(namespaced, CORE))


@pytest.mark.req("S-tooldef-evict-mcp-before-core")
def test_tools_of_others_go_first_and_core_never(tmp_path: Path) -> None:
    folder = project(tmp_path)
    every = [tool("web__a", 2_500), tool("extra", 6_000), tool("gsd_render", 2_500), tool("web__b", 2_500)]
    ask(folder, "discover", "s", "chat", "extra", tools=every)  # the one that was used the longest ago
    asked = ask(folder, "discover", "s", "chat", "web__a", "web__b", "--core", tools=every)
    fit = ask(folder, "fit", "chat", "--core", "--session", "s", tools=every)
    assert "extra" in fit["live"]
    assert "gsd_render" in fit["live"]
    assert asked["no_room"] == ["web__a", "web__b"]
    assert not {"web__a", "web__b"} & set(fit["live"])
    assert set(fit["live"]) >= tools.CORE_KEEP | tools.PROTECTED


@pytest.mark.req("S-activated-mcp-lru")
def test_the_one_used_the_longest_ago_goes_and_is_listed_again(tmp_path: Path) -> None:
    folder = project(tmp_path)
    every = [tool("web__a", 2_000), tool("web__b", 1_990), tool("web__c", 2_000), tool("web__d", 2_000)]
    for name in ("web__a", "web__b"):
        ask(folder, "discover", "s", "chat", name, "--core", tools=every)
    ask(folder, "called", "s", "web__a")
    asked = ask(folder, "discover", "s", "chat", "web__c", "web__d", "--core", tools=every)
    assert [name for name in asked["available_tools"] if "__" in name] == ["web__a", "web__c", "web__d"]
    assert "web__b" in asked["deferred"]
    assert "web__b" in asked["catalog"]
    # There is room for it elsewhere, and still only another activation brings it back.
    fit = ask(folder, "fit", "task_execution", "--core", "--session", "s", tools=every)
    assert "web__b" not in fit["live"]
    again = ask(folder, "discover", "s", "task_execution", "web__b", "--core", tools=every)
    assert again["activated"] == ["web__b"]


def test_of_one_activation_the_larger_goes_first_and_then_by_name() -> None:
    every = [tool("web__a", 3_000), tool("web__b", 3_500), tool("web__c", 3_000)]
    state, _, _ = discovery.activate(
        discovery.State(), ["web__c", "web__b", "web__a"], {one.name for one in every}
    )
    assert select.live("chat", every, state).evicted == ("web__b",)
    same = [every[2], every[0], tool("web__d", 3_000)]
    state, _, _ = discovery.activate(
        discovery.State(), ["web__c", "web__d", "web__a"], {one.name for one in same}
    )
    assert select.live("chat", same, state).evicted == ("web__a",)


@pytest.mark.req("S-discover-activated-protected")
def test_activated_core_tools_survive_pressure(tmp_path: Path) -> None:
    folder = project(tmp_path)
    every = [wordy("shell", 16), wordy("file_write", 16), tool("web__a", 1_500), tool("web__b", 1_500)]
    assert cost(every[0]) + cost(every[1]) > 3_000  # they alone do not fit with all of their words
    ask(folder, "discover", "s", "heartbeat", "shell", "file_write", tools=every)
    asked = ask(folder, "discover", "s", "heartbeat", "web__a", "web__b", tools=every)
    assert {"shell", "file_write"} <= set(asked["available_tools"])
    assert asked["no_room"]
    fit = ask(folder, "fit", "heartbeat", "--session", "s", tools=every)
    assert {"shell", "file_write"} <= set(fit["live"])
    assert fit["slimmed"]
    assert fit["tokens"] <= 3_000


def test_everything_of_ours_fits_everywhere() -> None:
    for scenario in SCENARIOS:
        state, _, _ = discovery.activate(discovery.State(), tools.CORE, tools.CORE)
        found = select.live(scenario, CORE, state, manager=True)
        assert (found.unsatisfied, found.evicted, found.slimmed) == (None, (), ())
