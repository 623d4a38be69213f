"""What the librarian suggests, and that it only suggests."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsd_capabilities.learning.librarian import Seen, Shelf, Skill, Suggestion, suggestions
from gsd_capabilities.learning.stats import Stats
from support.office import Office, at

DAY = 86_400
NO_TAGS: frozenset[str] = frozenset()


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path / "p")


def shelf(
    *skills: Skill, stats: dict[str, Stats] | None = None, seen: tuple[tuple[str, str], ...] = ()
) -> Shelf:
    return Shelf(skills, stats or {}, tuple(Seen(*one) for one in seen))


def kinds(given: Shelf, now: float = 0.0) -> list[tuple[str, str]]:
    return [(one.kind, one.subject) for one in suggestions(given, now=now)]


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.req("C-dream-archive-suggest")
@pytest.mark.parametrize(("days", "expected"), [(30, []), (31, [("archive", "sort-photos")])])
def test_an_unused_skill_may_go_after_thirty_days(days: int, expected: list[tuple[str, str]]) -> None:
    skill = Skill("sort-photos", NO_TAGS, 0.0)
    assert kinds(shelf(skill), days * DAY) == expected
    assert kinds(shelf(skill, stats={"sort-photos": Stats(usage=1)}), days * DAY) == []


@pytest.mark.parametrize(
    ("known", "revised"),
    [
        (Stats(3, 1, 3), True),
        (Stats(2, 0, 2), False),
        (Stats(4, 2, 4), False),
        (Stats(9, 0, 2), False),  # what still runs says nothing
        (Stats(5, 2, 5), True),
    ],
)
def test_a_skill_that_seldom_helps_may_be_revised(known: Stats, *, revised: bool) -> None:
    assert kinds(shelf(stats={"s": known})) == ([("revise", "s")] if revised else [])


@pytest.mark.parametrize(("count", "expected"), [(2, []), (3, [("revision-task", "s")])])
def test_three_rejections_ask_for_a_revision(count: int, expected: list[tuple[str, str]]) -> None:
    assert kinds(shelf(stats={"s": Stats(feedback=("no",) * count)})) == expected


def test_skills_that_collide_may_be_merged() -> None:
    photos = frozenset({"photos"})
    named = [Skill("sort-photos", photos, 0.0), Skill("photos-sort", NO_TAGS, 0.0)]
    tagged = [Skill("read-exif", photos, 0.0), Skill("rename", photos, 0.0)]
    apart = [Skill("sort", NO_TAGS, 0.0), Skill("rename", NO_TAGS, 0.0), Skill("resort", photos, 0.0)]
    assert kinds(shelf(*named)) == [("merge", "sort-photos photos-sort")]
    assert kinds(shelf(*tagged)) == [("merge", "read-exif rename")]
    assert kinds(shelf(*apart)) == []


@pytest.mark.req("C-dream-promote-insight")
@pytest.mark.parametrize(("times", "expected"), [(2, []), (3, [("promote", "stale index")])])
def test_an_insight_seen_three_times_may_be_promoted(times: int, expected: list[tuple[str, str]]) -> None:
    seen = (("Stale  Index", "ann"),) * times
    assert kinds(shelf(seen=(*seen, ("", "ann"), ("", "bo"), ("", "cy")))) == expected


def test_a_theme_of_three_agents_may_become_a_skill_of_the_team() -> None:
    seen = (("stale index", "ann"), ("stale index", "bo"), ("stale index", "bo"), ("stale index", ""))
    assert kinds(shelf(seen=seen)) == [("promote", "stale index")]
    found = suggestions(shelf(seen=(*seen, ("Stale index", "cy"))), now=0.0)
    assert found[-1] == Suggestion("team-skill", "stale index", "observed by ann, bo, cy")


def test_every_suggestion_has_its_evidence() -> None:
    found = suggestions(
        shelf(
            Skill("sort-photos", NO_TAGS, 0.0),
            stats={"s": Stats(4, 1, 4, None, ("no", "no", "no"))},
            seen=(("x", "a"), ("x", "b"), ("x", "c")),
        ),
        now=40 * DAY,
    )
    assert [one.kind for one in found] == ["archive", "revise", "revision-task", "promote", "team-skill"]
    assert [one.evidence for one in found] == [
        "not used once in 40 days",
        "1 of 4 tasks with it were completed",
        "3 reviews of work with it were rejected",
        "observed 3 times",
        "observed by a, b, c",
    ]


@pytest.mark.req("C-dream-archive-suggest", "C-dream-promote-insight", "ECO-dream-librarian")
def test_tidying_lists_suggestions_and_applies_none_of_them(office: Office) -> None:
    office.live("sort-photos")
    for who in ("ann", "bo", "cy"):
        office("memory", "observe", "the index was stale", "--theme", "stale index", as_=who)
    office.now = at(days=31)
    before = tree(office.planning)
    found = office("learn", "tidy")
    assert found["expired"] == []
    assert [(one["kind"], one["subject"]) for one in found["suggestions"]] == [
        ("archive", "sort-photos"),
        ("promote", "stale index"),
        ("team-skill", "stale index"),
    ]
    assert tree(office.planning) == before
    office("skill", "use", "sort-photos")
    assert "archive" not in [one["kind"] for one in office("learn", "tidy")["suggestions"]]


@pytest.mark.req("ECO-dream-librarian", "C-dream-state-ttl")
def test_tidying_lets_state_expire(office: Office) -> None:
    office("memory", "state", "Release", "frozen until Friday")
    office.now = at(days=7)
    assert office("learn", "tidy")["expired"] == []
    office.now = at(days=7, seconds=1)
    assert office("learn", "tidy")["expired"] == ["Release"]
    assert "frozen until Friday" in (office.planning / "memory" / "archive" / "state.md").read_text()
