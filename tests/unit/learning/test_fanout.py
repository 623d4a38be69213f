"""Who hears of a skill, and how often."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.learning.fanout import recipients, tokens
from gsd_capabilities.work.team import Person
from support.office import Office, at

TEAM = {
    "manager": {"name": "max", "role": "keeps the go services together"},
    "members": [
        {"name": "ann", "role": "backend", "skills": ["go", "sql"]},
        {"name": "bo", "role": "Django developer", "skills": ["django"]},
        {"name": "cy", "role": "designer"},
    ],
}


@pytest.fixture
def office(tmp_path: Path) -> Office:
    made = Office(tmp_path / "p")
    made.environ["GSD_AGENT"] = "olga"
    (made.planning / "agent").mkdir()
    (made.planning / "agent" / "team.json").write_text(json.dumps(TEAM))
    return made


def inbox(office: Office, who: str) -> list[str]:
    found = office.plain("message", "list", "--all", "--as", who)["messages"]
    return [message["text"] for message in found]


@pytest.mark.req("C-fanout-tag-match")
def test_tags_match_whole_words_only(office: Office) -> None:
    office.live("write-services", "metadata:\n  tags: go, rust\n")
    news = office("learn", "announce", "write-services")
    assert news["announced"] == {"write-services": ["max", "ann"]}
    assert inbox(office, "ann") == ["1 skill is new or changed: write-services"]
    assert inbox(office, "bo") == inbox(office, "cy") == []


@pytest.mark.req("C-fanout-tag-match")
@pytest.mark.parametrize(
    ("tag", "matched"),
    [
        ("go", ["ann"]),
        ("GO", ["ann"]),
        ("django", ["bo"]),
        ("developer", ["bo"]),
        ("django developer", ["bo"]),
        ("django go", []),
        ("dev", []),
        ("c", []),
        ("c++", ["dee"]),
        ("", []),
        ("-", []),
    ],
)
def test_each_tag_reaches_those_with_all_of_its_words(tag: str, matched: list[str]) -> None:
    team = [
        Person("ann", "backend", skills=("go", "sql")),
        Person("bo", "Django developer", skills=("django",)),
        Person("dee", "c++ things"),
    ]
    assert list(recipients([tag], team)) == matched


@given(st.text(max_size=12), st.text(max_size=12))
def test_a_part_of_a_word_never_matches(tag: str, role: str) -> None:
    hit = recipients([tag], [Person("ann", role)])
    assert bool(hit) is (bool(tokens(tag)) and tokens(tag) <= tokens(role))


@pytest.mark.req("C-fanout-tag-match")
def test_without_tags_nobody_hears_unless_everybody_is_meant(office: Office) -> None:
    office.live("write-services")
    assert office("learn", "announce", "write-services")["announced"] == {"write-services": []}
    everybody = office("learn", "announce", "write-services", "--all")["announced"]
    assert everybody == {"write-services": ["max", "ann", "bo", "cy"]}


@pytest.mark.req("C-fanout-cap")
def test_two_skills_on_a_day_are_one_notice_and_the_next_day_is_another(office: Office) -> None:
    for name in ("write-services", "tune-queries"):
        office.live(name, "metadata:\n  tags: [go, sql]\n")
        office("learn", "announce", name)
    assert inbox(office, "ann") == ["2 skills are new or changed: write-services, tune-queries"]
    office("learn", "announce", "tune-queries")
    assert inbox(office, "ann") == ["2 skills are new or changed: write-services, tune-queries"]
    office.now = at(hours=15)
    office("learn", "announce", "tune-queries")
    assert inbox(office, "ann")[1:] == ["1 skill is new or changed: tune-queries"]


@pytest.mark.req("C-fanout-cap")
def test_who_has_read_todays_notice_hears_the_rest_another_day(office: Office) -> None:
    office.live("write-services", "metadata:\n  tags: go\n")
    office("learn", "announce")
    (message,) = office.plain("message", "list", "--as", "ann")["messages"]
    office("message", "read", message["id"], as_="ann")
    office.live("tune-services", "metadata:\n  tags: go\n", when=at(hours=1))
    office.now = at(hours=2)
    assert office("learn", "announce")["waiting"] == {"ann": ["tune-services"]}
    assert len(inbox(office, "ann")) == 1
    office.now = at(days=1)
    assert office("learn", "announce")["announced"] == {}
    assert inbox(office, "ann")[1:] == ["1 skill is new or changed: tune-services"]
    assert inbox(office, "max") == ["2 skills are new or changed: write-services, tune-services"]


def test_without_a_name_it_announces_what_went_live_since(office: Office) -> None:
    office.live("write-services", "metadata:\n  tags: go\n")
    assert list(office("learn", "announce")["announced"]) == ["write-services"]
    assert office("learn", "announce")["announced"] == {}
    office.live("write-services", "metadata:\n  tags: go\n", when=at(hours=1))
    assert list(office("learn", "announce")["announced"]) == ["write-services"]


def test_news_change_no_message_that_another_branch_gave_the_same_id(office: Office) -> None:
    office.live("write-services", "metadata:\n  tags: sql\n")
    office("learn", "announce")
    ledger = office.planning / "work" / "events.jsonl"
    ours = {
        "at": 1.0,
        "data": {"to": "ann", "text": "ours"},
        "kind": "message-sent",
        "subject": "M-1",
        "who": "bo",
    }
    ledger.write_bytes(b"\n" + json.dumps(ours).encode() + b" .\n" + ledger.read_bytes())
    office.live("tune-queries", "metadata:\n  tags: sql\n", when=at(hours=1))
    office.now = at(hours=2)
    assert office("learn", "announce")["waiting"] == {"ann": ["tune-queries"]}
    assert inbox(office, "ann") == ["ours", "1 skill is new or changed: write-services"]


def test_only_a_live_skill_can_be_announced_and_a_broken_team_is_named(office: Office) -> None:
    assert office.refused("learn", "announce", "invented") == "not_live"
    (office.planning / "agent" / "team.json").write_text('{"members": [{"role": "x"}]}')
    assert office.refused("learn", "announce") == "bad_team"
    (office.planning / "agent" / "team.json").write_text("{")
    assert office.refused("learn", "announce") == "bad_team"


@pytest.mark.req("C-fanout-cap")
def test_several_processes_at_once_send_one_notice(office: Office) -> None:
    for number in range(3):
        office.live(f"skill-{number}", "metadata:\n  tags: go\n")
    code = "import sys; from gsd_capabilities.companion.main import console; sys.exit(console())"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, "--cwd", str(office.folder), "learn", "announce", f"skill-{number}"],
            stdout=subprocess.DEVNULL,
        )
        for number in range(3)
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    (notice,) = inbox(office, "ann")
    assert notice.startswith("3 skills are new or changed: ")


@settings(max_examples=8, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 60)), min_size=1, max_size=8))
def test_nobody_gets_two_notices_on_a_day(
    tmp_path_factory: pytest.TempPathFactory, announced: list[tuple[str, int]]
) -> None:
    office = Office(tmp_path_factory.mktemp("o") / "p")
    (office.planning / "agent").mkdir()
    (office.planning / "agent" / "team.json").write_text(json.dumps(TEAM))
    days: dict[int, set[str]] = {}
    for name, hours in sorted(announced, key=lambda one: one[1]):
        office.live(name, "metadata:\n  tags: sql\n")
        office.now = at(hours=hours)
        office("learn", "announce", name)
        days.setdefault(int(office.now // 86_400), set()).add(name)
    assert [set(text.partition(": ")[2].split(", ")) for text in inbox(office, "ann")] == list(days.values())
