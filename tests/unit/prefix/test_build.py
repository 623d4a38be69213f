"""The prefix as a whole: what is always there, what is stable, and what is said when it is too much."""

from __future__ import annotations

import json
from bisect import bisect_right
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gsd_capabilities.learning import limits
from gsd_capabilities.packs.discovery import State
from gsd_capabilities.packs.scenarios import SCENARIOS, pack_of
from gsd_capabilities.packs.select import Selection, live
from gsd_capabilities.packs.tool import Tool
from gsd_capabilities.packs.tools import CORE
from gsd_capabilities.prefix.build import build
from gsd_capabilities.prefix.modes import MODES
from gsd_capabilities.prefix.sources import Text
from gsd_install.kernel.measure import estimated
from support.payloads import Box
from support.prefixes import box, chosen, gathered, knowledge, loaded, part, shown, text

ROLE_END = "THE LAST LINE OF THE ROLE"
ALWAYS = {"role", "rules", "mode", "handbook", "date"}


@pytest.fixture
def made(tmp_path: Path) -> Box:
    return box(tmp_path)


def role(made: Box, tokens: int) -> str:
    """A role text of about so many tokens, with a last line to look for."""
    line = "You care about the work of others as if it were your own.\n"
    times = tokens // estimated().cost(line)
    whole = f"# Who you are\n\n{line * times}{ROLE_END}"
    made.planning("agent/ROLE.md", f"{whole}\n")
    return whole


@pytest.mark.req("A-profile-role-full", "ECO-profile-role", "ECO-const-role")
@pytest.mark.parametrize("scenario", sorted(SCENARIOS))
def test_a_role_of_any_length_is_whole_and_warns_once(made: Box, scenario: str) -> None:
    whole = role(made, 5 * limits.ROLE_PROMPT_MAX_TOKENS)
    assert text(made, scenario).startswith(f"{whole}\n\n")
    warnings = shown(made, scenario)["warnings"]
    assert len([one for one in warnings if one.startswith("the role takes")]) == 1


@pytest.mark.req("ECO-const-role")
def test_a_role_below_the_soft_limit_does_not_warn(made: Box) -> None:
    sources, cost = gathered(made), estimated().cost
    most = (
        bisect_right(range(10_000), limits.ROLE_PROMPT_MAX_TOKENS, key=lambda n: cost("so it is\n" * n)) - 1
    )
    for times, warned in ((most, False), (most + 1, True)):
        given = sources._replace(role=Text("so it is\n" * times))
        assert bool(build(given, "chat", chosen("chat")).warnings) is warned


@pytest.mark.req("ECO-profile-rules", "A-collab-rules-always-on", "ECO-profile-date")
@pytest.mark.parametrize("scenario", sorted(SCENARIOS))
def test_rules_mode_locale_and_date_are_in_every_profile(made: Box, scenario: str) -> None:
    answer = made.run(
        "prefix", "show", scenario, "--text", "--at", "2026-12-01T00:00:00Z", environ={"LANG": "de_AT.UTF-8"}
    )
    prompt = answer.out.decode()
    assert "\n## Basic rules\n" in prompt
    assert "\n## Collaboration rules\n" in prompt
    assert part(prompt, "Interaction mode").startswith(f"{scenario}: ")
    assert "Locale: de_AT." in part(prompt, "Interaction mode")
    assert part(prompt, "Now").strip() == "Tuesday, 2026-12-01T00:00:00Z"


@pytest.mark.req("S-converse-keeps-essentials", "S-converse-keeps-date", "ECO-profile-no-truncation")
@pytest.mark.parametrize("scenario", sorted(SCENARIOS))
def test_under_any_load_what_is_always_on_keeps_its_bytes(made: Box, scenario: str) -> None:
    light = build(gathered(made), scenario, chosen(scenario))
    loaded(made)
    role_before = gathered(made).role
    heavy = build(gathered(made), scenario, chosen(scenario))
    assert gathered(made).role == role_before
    assert heavy.segments[0] == light.segments[0]
    assert part(heavy.tail, "Now") == part(light.tail, "Now") == "Tuesday, 2026-12-01T00:00:00Z"
    assert heavy.system_tokens > light.system_tokens
    assert not heavy.over


@pytest.mark.req("S-converse-keeps-essentials", "S-converse-keeps-date", "ECO-profile-no-truncation")
@pytest.mark.parametrize("scenario", sorted(SCENARIOS))
def test_where_there_is_no_room_at_all_what_is_always_on_is_whole_and_nothing_else_is(
    made: Box, scenario: str
) -> None:
    loaded(made)
    whole = role(made, 2 * pack_of(scenario).fixed_tokens)
    found = build(gathered(made), scenario, chosen(scenario))
    assert found.over
    mode, handbook = part(found.system, "Interaction mode"), part(found.system, "Handbook (on demand)")
    assert MODES[scenario] in mode
    assert gathered(made).handbook in handbook
    always = (
        whole,
        gathered(made).rules.strip(),
        f"## Interaction mode\n\n{mode}",
        f"## Handbook (on demand)\n\n{handbook}",
    )
    assert found.segments[0].strip() == "\n\n".join(always)
    assert found.tail.startswith("## Now\n\nTuesday, 2026-12-01T00:00:00Z")
    assert not [one for one in found.sections if one.form in ("whole", "capped") and one.name not in ALWAYS]


@pytest.mark.req("ECO-prefix-byte-stable", "S-catalog-not-in-tooldef")
@pytest.mark.parametrize("scenario", ["heartbeat", "chat", "task_execution"])
def test_no_tool_that_comes_or_goes_changes_a_byte_of_the_system_text(made: Box, scenario: str) -> None:
    loaded(made)
    sources = gathered(made)
    tools = [
        *CORE.values(),
        *(Tool(f"far__tool{n}", "does far things", {"type": "object"}) for n in range(50)),
    ]
    names = tuple(f"far__tool{n}" for n in range(50))
    quiet = build(sources, scenario, live(scenario, CORE.values(), State()))
    busy = build(sources, scenario, live(scenario, tools, State(activated=names)))
    deferred = build(sources, scenario, live(scenario, tools, State()))
    assert quiet.segments == busy.segments == deferred.segments
    assert "far__tool1" in deferred.tail
    assert "far__tool" not in deferred.system
    assert len(part(deferred.tail, "Tools on demand")) <= limits.DEFERRED_CATALOG_MAX_CHARS


@pytest.mark.req("ECO-prefix-byte-stable")
def test_time_tasks_messages_and_callers_change_only_the_tail(made: Box) -> None:
    knowledge(made, ("Fact", "it stays"))
    before = build(gathered(made), "chat", chosen("chat"))
    made.planning("session.jsonl", json.dumps({"role": "user", "text": "hello"}))
    assert made.run("task", "add", "New work").code == 0
    later = gathered(made, now=1_796_200_000.0, dynamic=Text("x " * 9_000))
    after = build(later, "chat", chosen("chat"))
    assert after.segments == before.segments
    assert after.tail != before.tail
    assert "hello" in after.tail
    assert "2026-12-02" in after.tail


def test_a_prompt_may_speak_of_another_scenario_than_the_one_it_has_room_for(made: Box) -> None:
    sources = gathered(made)
    plain = build(sources, "heartbeat", chosen("heartbeat"))
    lent = build(sources._replace(mode="chat"), "heartbeat", chosen("heartbeat"))
    assert part(lent.system, "Interaction mode").startswith("chat: A person speaks with you")
    assert (lent.pack, lent.segments[1], lent.tail) == (plain.pack, plain.segments[1], plain.tail)


@pytest.mark.req("ECO-profile-soft-metric", "ECO-const-system-converse")
def test_crossing_the_soft_limit_warns_and_changes_no_byte(made: Box) -> None:
    knowledge(made, ("Fact", "it stays"))
    role(made, 5_000)
    below = build(gathered(made), "chat", chosen("chat"))
    whole = role(made, 16_500)
    above = build(gathered(made), "chat", chosen("chat"))
    assert not below.warnings
    assert [one for one in above.warnings if "more than 16,000" in one]
    assert above.segments[1] == below.segments[1]
    assert above.segments[0].removeprefix(whole) == below.segments[0].partition(ROLE_END)[2]
    assert above.tail == below.tail
    assert build(gathered(made), "review", chosen("review")).warnings[0].startswith("the role takes")


@pytest.mark.req("ECO-prefix-first", "ECO-prefix-report", "A-budget-contract-reflex")
def test_a_prefix_that_is_too_large_is_reported_and_not_cut(made: Box) -> None:
    whole = role(made, 9_000)
    answer = shown(made, "heartbeat")
    assert answer["over"] is True
    assert answer["fixed_tokens"] > answer["limit"] == 8_000
    assert any(one.startswith("the fixed prefix is too large") for one in answer["warnings"])
    assert text(made, "heartbeat").startswith(whole)
    checked = made.run("prefix", "check")
    assert checked.code == 1
    assert checked.json["holds"] is False
    assert set(checked.json["over"]) == {"heartbeat", "memory_consolidation", "memory_flush", "distillation"}  # type: ignore[call-overload]


@pytest.mark.req("A-budget-contract-reflex")
def test_reflex_holds_its_limit_with_a_role_of_five_thousand(made: Box) -> None:
    role(made, 5_000)
    loaded(made)
    role(made, 5_000)
    answer = shown(made, "heartbeat")
    assert not answer["over"]
    assert answer["fixed_tokens"] <= limits.COLD_REFLEX_FIXED_MAX


@pytest.mark.req("ECO-prefix-report")
def test_the_boundary_is_exact(made: Box) -> None:
    selection = chosen("chat")
    sources = gathered(made)
    tokens = build(sources, "chat", selection).system_tokens
    limit = pack_of("chat").fixed_tokens
    assert not build(sources, "chat", selection._replace(tokens=limit - tokens)).over
    assert build(sources, "chat", selection._replace(tokens=limit - tokens + 1)).over


def test_what_has_no_room_gives_way_to_where_it_can_be_read(made: Box) -> None:
    loaded(made)
    role(made, 19_000)
    answer = shown(made, "chat")
    gone = [row for row in answer["sections"].values() if row["form"] == "pointer"]
    assert gone
    for row in gone:
        assert (made.project / row["pointer"].removeprefix("The rest: ")).is_file() or "task board" in row[
            "pointer"
        ]
        assert f"there is no room for the section {row['name']!r}: {row['pointer']}" in answer["warnings"]
    assert ROLE_END in text(made, "chat")


def test_tools_that_do_not_fit_are_named(made: Box) -> None:
    huge = Tool("discover_tools", "x", {"type": "object", "properties": {f"p{n}": {} for n in range(9_000)}})
    selection: Selection = live("heartbeat", [huge], State())
    found = build(gathered(made), "heartbeat", selection)
    assert any(one.startswith("tools that are always there take") for one in found.warnings)
    assert found.over


@pytest.mark.req("A-role-no-shared-append", "ECO-handbook-single")
@pytest.mark.parametrize("scenario", sorted(SCENARIOS))
def test_the_handbook_is_named_by_a_path_that_resolves_and_never_copied(made: Box, scenario: str) -> None:
    installed = made.payload / "content" / "gsd" / "references" / "agent" / "handbook.md"
    body = (
        "# Handbook\n\n" + "Only whoever opens this file reads what stands in it, from here to its end. " * 3
    )
    made.write(installed, f"---\ndescription: x\n---\n\n{body}")
    prompt = text(made, scenario)
    assert str(installed) in part(prompt, "Handbook (on demand)")
    assert body[20:84] not in prompt
    assert not [
        path for path in made.project.rglob("*") if path.is_file() and "handbook" in path.name.lower()
    ]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    scenario=st.sampled_from(sorted(SCENARIOS)),
    announcements=st.text(max_size=3_000),
    dynamic=st.text(max_size=3_000),
    facts=st.lists(st.text(alphabet="ab #\n`~", max_size=600), max_size=6),
)
def test_no_text_of_others_breaks_a_prompt(
    tmp_path_factory: pytest.TempPathFactory,
    scenario: str,
    announcements: str,
    dynamic: str,
    facts: list[str],
) -> None:
    made = box(tmp_path_factory.mktemp("any"))
    sources = gathered(made)._replace(
        announcements=Text(announcements, "a.md"),
        dynamic=Text(dynamic),
        knowledge=Text("".join(f"## F{n}\n\n{fact}\n\n" for n, fact in enumerate(facts)), "k.md"),
    )
    found = build(sources, scenario, chosen(scenario))
    plain = build(gathered(made), scenario, chosen(scenario))
    assert found.segments[0] == plain.segments[0]
    assert found.tail.startswith("## Now\n\nTuesday, 2026-12-01T00:00:00Z")
    assert not found.over
    assert found.system_tokens == estimated().cost(f"{found.system}\n\n{found.tail}")
