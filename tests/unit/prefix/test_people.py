"""The team: how its members are called, and what is said when all of them are stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gsd_capabilities.work.team import parse
from gsd_install.kernel.errors import GsdError
from support.prefixes import box, members, part, team, text


@pytest.mark.req("ECO-team-status")
@pytest.mark.parametrize(
    ("status", "said"),
    [("offline", "stopped"), ("stopped", "stopped"), ("", "stopped"), ("Off", "stopped"), ("busy", "busy")],
)
def test_an_agent_that_does_not_run_is_called_stopped(tmp_path: Path, status: str, said: str) -> None:
    made = box(tmp_path)
    team(made, members=[*members(1), {"name": "ann", "role": "tests", "status": status}])
    found = part(text(made, "chat"), "Team")
    assert f"- ann ({said}), tests" in found
    assert "offline" not in found


@pytest.mark.req("ECO-team-status")
@pytest.mark.parametrize("scenario", ["heartbeat", "chat", "task_execution"])
def test_a_team_that_is_all_stopped_gets_a_hint(tmp_path: Path, scenario: str) -> None:
    made = box(tmp_path)
    team(made, members=[{"name": "me", "status": "busy"}, *members(2, "offline")])
    found = part(text(made, scenario, "--as", "me"), "Team")
    assert "All of them are stopped" in found
    assert "gsd-tools agent chat" in found
    assert "may go on without them" in found
    team(made, members=[*members(1), *members(2, "offline")])
    assert "All of them" not in part(text(made, scenario, "--as", "me"), "Team")
    team(made, manager={"name": "boss", "status": "idle"}, members=members(2, "offline"))
    assert "All of them" not in part(text(made, scenario, "--as", "me"), "Team"), "the manager is there"
    assert "All of them" in part(text(made, scenario, "--as", "boss"), "Team"), "to the manager nobody is"


def test_nobody_is_their_own_colleague(tmp_path: Path) -> None:
    made = box(tmp_path)
    team(made, manager={"name": "boss", "status": "idle"}, members=members(2))
    found = part(text(made, "chat", "--as", "agent0"), "Team")
    assert "agent0" not in found
    assert "agent1" in found
    own = text(made, "chat", "--as", "boss", "--manager")
    assert "manager: boss" not in part(own, "Team")
    assert "You are called boss. You are the manager." in own


@pytest.mark.parametrize("damaged", ["{", "[]", '{"members": [{"role": "x"}]}', '{"manager": "boss"}'])
def test_a_team_that_cannot_be_read_is_named(tmp_path: Path, damaged: str) -> None:
    made = box(tmp_path)
    made.planning("agent/team.json", damaged)
    answer = made.run("--json-errors", "prefix", "show", "chat")
    assert answer.code == 1
    told = json.loads(answer.err)
    assert told["reason"] == "bad_team"
    assert told["file"] == ".planning/agent/team.json"


def test_members_of_a_team_may_be_names_or_objects() -> None:
    rows = {
        "teams": [{"name": "a", "members": ["x", {"name": "y"}]}],
        "humans": [{"name": "h", "role": "asks"}],
    }
    found = parse(json.dumps(rows), "team.json")
    assert found.teams == (("a", ("x", "y")),)
    assert found.humans[0] == ("h", "asks", "", ())
    with pytest.raises(GsdError):
        parse('{"teams": [{}]}', "team.json")
