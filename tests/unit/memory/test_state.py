"""State: what is stamped lives seven days, what is not lives on, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.learning import limits
from gsd_capabilities.memory import state
from support.memories import LIFE, START, Mind

WRITTEN = "# State\n\n## Build\n\nupdated: 2026-12-01T00:00:00Z\n\ngreen\n"


@pytest.fixture
def mind(tmp_path: Path) -> Mind:
    return Mind(tmp_path)


@pytest.mark.req("ECO-memory-state")
def test_a_snapshot_is_stamped_and_replaces_the_one_before(mind: Mind) -> None:
    mind.ask("state", "Build", "red")
    mind.ask("state", "Other", "x")
    mind.ask("state", "Build", "## green", at=START + 60)
    assert mind.ask("show", "state")["entries"] == [
        {
            "title": "Build", "text": "### green", "updated": "2026-12-01T00:01:00Z",
            "expires": "2026-12-08T00:01:00Z",
        },
        {"title": "Other", "text": "x", "updated": "2026-12-01T00:00:00Z", "expires": "2026-12-08T00:00:00Z"},
    ]  # fmt: skip


@pytest.mark.req("C-dream-state-ttl", "ECO-const-state-ttl", "ECO-memory-state")
def test_at_seven_days_it_lives_and_one_second_later_it_is_in_the_archive(mind: Mind) -> None:
    assert limits.STATE_TTL_DAYS == 7
    mind.ask("state", "Build", "green")
    assert mind.text("state.md") == WRITTEN
    assert mind.ask("expire", at=START + LIFE) == {
        "expired": [], "archive": ".planning/memory/archive/state.md", "kept": 1, "unreadable": [],
    }  # fmt: skip
    assert mind.ask("show", "state", at=START + LIFE)["expired"] == []
    assert mind.ask("show", "state", at=START + LIFE + 1) == {
        "store": ".planning/memory/state.md", "entries": [], "expired": ["Build"],
    }  # fmt: skip
    assert mind.ask("search", "green", at=START + LIFE + 1) == []
    assert mind.text("state.md") == WRITTEN
    assert mind.ask("expire", at=START + LIFE + 1)["expired"] == ["Build"]
    assert mind.text("state.md") == "# State\n\n"
    assert mind.text("archive/state.md") == WRITTEN.removeprefix("# State\n\n")


@pytest.mark.req("C-dream-state-ttl")
def test_only_the_line_updated_counts_and_what_has_none_never_expires(mind: Mind) -> None:
    evergreen = (
        "# State\n\n## Since 2001-01-01\n\nas of 2001-01-01 it holds\nupdated: 2001-01-01T00:00:00Z\n\n"
        "## Vague\n\nupdated: yesterday\n\nx\n\n## Dated\n\nupdated: 2026-11-01\n\nold\n\n"
        "## Ahead\n\nupdated: 2027-01-01T00:00:00+02:00\n\nx\n"
    )
    mind.put("state.md", evergreen)
    said = mind.ask("expire")
    assert said["expired"] == ["Dated"]
    assert said["unreadable"] == ["Vague: updated: yesterday"]
    assert mind.text("state.md") == evergreen.replace("## Dated\n\nupdated: 2026-11-01\n\nold\n\n", "")
    assert mind.ask("expire", at=START + 10_000 * 86_400)["expired"] == ["Ahead"]
    assert [row["title"] for row in mind.ask("show", "state")["entries"]] == ["Since 2001-01-01", "Vague"]


@pytest.mark.req("C-dream-state-ttl")
def test_a_new_snapshot_archives_what_is_over(mind: Mind) -> None:
    mind.ask("state", "Build", "green")
    mind.ask("state", "Other", "x", at=START + LIFE + 1)
    assert "green" not in mind.text("state.md")
    assert "green" in mind.text("archive/state.md")


def test_archiving_again_after_a_death_doubles_nothing(mind: Mind) -> None:
    mind.ask("state", "Build", "green")
    mind.put("archive/state.md", WRITTEN.removeprefix("# State\n\n"))
    mind.ask("expire", at=START + LIFE + 1)
    assert mind.text("archive/state.md").count("green") == 1
    mind.ask("state", "Build", "green", at=START + LIFE + 1)
    mind.ask("expire", at=START + 2 * LIFE + 3)
    assert mind.text("archive/state.md").count("green") == 2


def test_state_and_notes_are_removed_into_their_archives(mind: Mind) -> None:
    mind.ask("state", "Build", "green")
    mind.ask("note", "text", "--title", "Now")
    mind.ask("remove", "Build", "--store", "state")
    mind.ask("remove", "Now", "--store", "notebook")
    assert "green" in mind.text("archive/state.md")
    assert "text" in mind.text("archive/NOTEBOOK.md")
    assert mind.ask("show")["state"]["entries"] == mind.ask("show")["notebook"]["entries"] == []


@given(st.floats(-1e9, 4e9), st.floats(-1e9, 4e9))
@settings(deadline=None, max_examples=100)
def test_the_bound_is_strict(updated: float, now: float) -> None:
    entry = state.StateEntry("t", "x", updated)
    assert entry.expired(now) == (now - updated > LIFE)
    assert not entry._replace(updated=None).expired(now)
