"""Which tools each scenario has: through `gsd-tools packs`, for every scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsd_capabilities.packs import allowed, tools
from gsd_capabilities.packs.scenarios import ENTITY_BOUND, PACKS, SCENARIOS
from support.packs import answered, ask, project

REFLEX = {
    "task_list", "task_get", "memory_save", "memory_search", "notify_user", "request_user_input",
    "schedule_wakeup", "cancel_wakeup", "set_heartbeat_interval", "discover_tools", "check_mailbox",
    "file_read", "agent_send_message", "update_notebook",
}  # fmt: skip
FORBIDDEN = {
    "package_install", "package_list", "goal_create", "goal_update", "goal_status", "spawn_subagent",
    "spawn_subagents", "deliverable_create", "requirement_propose", "memory_update_longterm",
}  # fmt: skip
WIDER = {
    "memory_update", "memory_update_longterm", "file_write", "file_edit", "package_list", "package_install",
}  # fmt: skip
BOUND = {
    "task_submit_review", "task_note", "task_assign", "subtask_create", "subtask_list", "subtask_update",
    "subtask_delete",
}  # fmt: skip
TABLE = {
    "reflex": (3_000, {"heartbeat", "memory_consolidation", "memory_flush", "distillation"}),
    "converse": (
        8_000,
        {"chat", "a2a", "group_chat", "comment_response", "requirement_action", "workflow_action"},
    ),
    "execute": (10_000, {"task_execution"}),
    "govern": (8_000, {"review", "deliberation"}),
}
FREE = ("chat", "a2a", "group_chat", *sorted(TABLE["reflex"][1]))


def live(folder: Path, scenario: str, *options: str) -> set[str]:
    return set(ask(folder, "show", scenario, *options)["live"])


@pytest.mark.req(
    "ECO-pack-reflex",
    "ECO-pack-converse",
    "ECO-pack-execute",
    "ECO-pack-govern",
    "ECO-const-tooldef-reflex",
    "ECO-const-tooldef-converse",
    "ECO-const-tooldef-execute",
    "ECO-const-tooldef-govern",
)
def test_the_packs_are_those_of_the_table(tmp_path: Path) -> None:
    found = ask(tmp_path, "list")
    assert {name: (pack["tool_tokens"], set(pack["scenarios"])) for name, pack in found.items()} == TABLE
    for scenario in SCENARIOS:
        shown = ask(tmp_path, "show", scenario)
        assert shown["budget"] == TABLE[shown["pack"]][0]


@pytest.mark.req("ECO-pack-total")
def test_every_scenario_is_of_one_pack_and_an_unknown_one_is_refused(tmp_path: Path) -> None:
    every = [name for pack in ask(tmp_path, "list").values() for name in pack["scenarios"]]
    assert sorted(every) == sorted(set(every)) == sorted(SCENARIOS)
    for words in (["show", "chatt"], ["fit", "chatt", "--core"], ["discover", "s", "chatt", "--core"]):
        code, error = answered(project(tmp_path), *words)
        assert (code, error["reason"]) == (2, "unknown_scenario")
        assert "'chat'" in error["hint"]


@pytest.mark.req("A-pack-reflex-tools")
@pytest.mark.parametrize("scenario", sorted(TABLE["reflex"][1] - {"distillation"}))
def test_reflex_has_the_fourteen(tmp_path: Path, scenario: str) -> None:
    assert live(tmp_path, scenario) == REFLEX
    assert live(tmp_path, scenario, "--manager") == REFLEX | {"team_status"}


@pytest.mark.req("ECO-pack-reflex-forbidden")
@pytest.mark.parametrize("name", sorted(FORBIDDEN))
def test_the_ten_are_reached_through_discovery_alone(tmp_path: Path, name: str) -> None:
    folder = project(tmp_path)
    assert name not in live(folder, "heartbeat")
    ask(folder, "called", "s", name)  # recent use
    words = ["fit", "heartbeat", "--core", "--session", "s", "--text", name.replace("_", " ")]
    assert name not in ask(folder, *words)["live"]
    assert name in ask(folder, *words)["deferred"]
    assert ask(folder, "discover", "s", "heartbeat", name, "--core")["activated"] == [name]
    assert name in ask(folder, *words)["live"]


@pytest.mark.req("ECO-pack-distillation-wider", "B-distill-package-install-allowed")
def test_distillation_is_wider(tmp_path: Path) -> None:
    assert live(tmp_path, "distillation") == REFLEX | WIDER


@pytest.mark.req("ECO-pack-no-hub-install")
def test_nothing_is_installed_from_a_hub_while_distilling(tmp_path: Path) -> None:
    folder = project(tmp_path)
    assert (
        "hub_install" in ask(folder, "discover", "s", "heartbeat", "hub_install", "--core")["available_tools"]
    )
    assert "hub_install" in ask(folder, "fit", "heartbeat", "--core", "--session", "s")["live"]
    fit = ask(folder, "fit", "distillation", "--core", "--session", "s", "--text", "hub install")
    assert "hub_install" not in {*fit["live"], *fit["deferred"]}
    asked = ask(folder, "discover", "s", "distillation", "hub_install", "--core")
    assert asked["unknown"] == ["hub_install"]
    assert "hub_install" not in asked["available_tools"]


@pytest.mark.req("A-pack-converse-no-spawn")
@pytest.mark.parametrize("scenario", sorted(TABLE["converse"][1]))
def test_converse_spawns_and_delivers_only_after_discovery(tmp_path: Path, scenario: str) -> None:
    folder = project(tmp_path)
    names = {"spawn_subagent", "spawn_subagents", "deliverable_create"}
    assert not names & live(folder, scenario)
    for name in sorted(names):
        ask(folder, "called", "s", name)
    text = "spawn subagent spawn subagents deliverable create"
    words = ["fit", scenario, "--core", "--session", "s", "--text", text]
    assert not names & set(ask(folder, *words)["live"])
    ask(folder, "discover", "s", scenario, *sorted(names), "--core")
    assert names <= set(ask(folder, *words)["live"])


@pytest.mark.req("A-pack-execute-has-code")
def test_execute_has_what_code_needs(tmp_path: Path) -> None:
    code = {"shell", "code_search", "file_read", "file_write", "file_edit", "file_search"}
    assert code | BOUND <= live(tmp_path, "task_execution")


@pytest.mark.req("ECO-core-live")
@pytest.mark.parametrize("scenario", [name for name, pack in SCENARIOS.items() if pack.name != "reflex"])
def test_core_and_the_ways_to_a_human_are_live_outside_reflex(tmp_path: Path, scenario: str) -> None:
    found = live(tmp_path, scenario)
    assert {"discover_tools", "notify_user", "request_user_input", "request_user_approval"} <= found
    assert found >= tools.CORE_KEEP
    assert len(tools.CORE_KEEP) > 15


@pytest.mark.req("ECO-work-tools-bound")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_tools_about_a_task_are_live_where_there_is_one(tmp_path: Path, scenario: str) -> None:
    bound = {"comment_response", "requirement_action", "workflow_action", "task_execution"}
    bound |= {"review", "deliberation"}
    assert bound == ENTITY_BOUND
    assert live(tmp_path, scenario) & BOUND == (BOUND if scenario in bound else set())


@pytest.mark.req("ECO-work-tools-not-sticky")
@pytest.mark.parametrize("scenario", FREE)
def test_tools_about_a_task_do_not_stay(tmp_path: Path, scenario: str) -> None:
    folder = project(tmp_path)
    ask(folder, "discover", "s", "task_execution", *sorted(BOUND), "--core")
    for name in sorted(BOUND):
        ask(folder, "called", "s", name)
    fit = ask(folder, "fit", scenario, "--core", "--session", "s", "--text", "task note subtask list")
    assert not BOUND & {*fit["live"], *fit["deferred"]}
    asked = ask(folder, "discover", "s", scenario, "task_note", "--core")
    assert asked["unknown"] == ["task_note"]


def test_every_name_of_a_group_is_a_core_tool() -> None:
    groups = (tools.PROTECTED, tools.CORE_KEEP, tools.WORK_BOUND, tools.CODE)
    assert set().union(*groups, REFLEX, WIDER, FORBIDDEN) <= set(tools.CORE)
    for scenario in SCENARIOS:
        assert allowed.names(scenario, manager=True) <= set(tools.CORE) | tools.SERVED
    assert len(tools.CORE) == 45
    assert set(PACKS) == set(TABLE)


@pytest.mark.parametrize("name", tools.CORE)
def test_a_core_tool_says_what_it_takes(name: str) -> None:
    tool = tools.CORE[name]
    assert tool.description.endswith(".")
    assert tool.schema["additionalProperties"] is False
    assert set(tool.schema.get("required", ())) <= set(tool.schema["properties"])
    assert all(schema["description"] for schema in tool.schema["properties"].values())
