"""Knowledge in a prompt: whole sections within a cap, stale ones last, and nothing of observations."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.prefix.knowledge import demoted, shown, stale
from gsd_install.kernel.markdown import headings
from gsd_install.kernel.measure import estimated
from support.prefixes import NOW, box, knowledge, part, text

POINTER = "The rest: .planning/memory/knowledge.md"


@pytest.mark.req(
    "A-knowledge-cap", "ECO-profile-knowledge", "ECO-const-knowledge", "ECO-const-knowledge-converse"
)
@pytest.mark.parametrize(
    ("scenario", "most"), [("chat", 1_200), ("task_execution", 1_500), ("review", 1_500)]
)
def test_knowledge_is_whole_sections_within_the_cap_of_the_profile(
    tmp_path: Path, scenario: str, most: int
) -> None:
    made = box(tmp_path)
    body = " ".join(f"word{number}" for number in range(9))
    knowledge(made, *((f"Fact {number}", f"{body} end{number}.") for number in range(200)))
    found = part(text(made, scenario), "Knowledge")
    assert most * 0.9 < estimated().cost(found) <= most
    assert found.endswith(POINTER)
    kept = found.removesuffix(POINTER).strip().split("### ")[1:]
    assert [piece.strip() for piece in kept] == [f"Fact {n}\n\n{body} end{n}." for n in range(len(kept))]
    assert (made.project / ".planning/memory/knowledge.md").is_file()


def test_the_cap_is_exact() -> None:
    one = "## Fact\n\n" + "something that is true " * 60
    cost = estimated().cost(demoted(one).strip())
    assert "something" not in shown(one, cost - 1, POINTER, NOW).text
    for most in (cost, cost + 1):
        assert shown(one, most, POINTER, NOW) == (demoted(one).strip(), POINTER, False)


@pytest.mark.req("A-knowledge-cap")
def test_stale_sections_come_last_and_go_first() -> None:
    names = ("Incident in the store", "Log of 2026-01-02", "Transcript: talk", "Fresh", "Decided 2026-11-20")
    whole = "".join(f"## {name}\n\n{'text ' * 50}\n\n" for name in names)
    titles = [one.title for one in headings(shown(whole, 9_000, POINTER, NOW).text)]
    assert titles == [
        "Fresh",
        "Decided 2026-11-20",
        "Incident in the store",
        "Log of 2026-01-02",
        "Transcript: talk",
    ]
    tight = shown(whole, 150, POINTER, NOW)
    assert [one.title for one in headings(tight.text)] == ["Fresh", "Decided 2026-11-20"]
    assert tight.text.endswith(POINTER)


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("## Fault tolerance", True),
        ("## Default values", False),
        ("## 2026-10-31", True),
        ("## 2026-11-02", False),
        ("## Release 2026-99-99", False),
        ("## Version 12026-01-01", False),
        ("no heading 2020-01-01", False),
    ],
)
def test_only_the_heading_says_that_a_section_is_stale(heading: str, expected: bool) -> None:
    assert stale(f"{heading}\n\nseen on 2020-01-01, transcript below\n", NOW) is expected


@pytest.mark.req("ECO-knowledge-demoted")
def test_headings_are_demoted_and_fences_are_not_touched() -> None:
    before = "# A\n\n## B\n\n```\n# not a heading\n```\n\n##### E\n\n###### F\n"
    assert demoted(before) == "### A\n\n### B\n\n```\n# not a heading\n```\n\n###### E\n\n###### F\n"


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="#ab \n`~-<!>", max_size=200))
def test_nothing_but_headings_changes_when_they_are_demoted(before: str) -> None:
    after = demoted(before)
    assert after.replace("#", "") == before.replace("#", "")
    assert all(one.level >= 3 for one in headings(after, frontmatter=False))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(alphabet="abc \n", max_size=80), max_size=8), st.integers(20, 200))
def test_a_section_is_whole_or_not_there(bodies: list[str], most: int) -> None:
    sections = [f"## T{number}\n\n{body.strip()}" for number, body in enumerate(bodies)]
    found = shown("\n\n".join(sections), most, POINTER, NOW)
    assert estimated().cost(found.text) <= most
    left = found.text.removesuffix(POINTER).strip()
    for section in sections:
        left = left.replace(demoted(section).strip(), "", 1)
    assert left.strip() == ""
    assert found.capped is found.text.endswith(POINTER)


@pytest.mark.req("A-knowledge-cap")
def test_observations_are_in_no_prompt(tmp_path: Path) -> None:
    made = box(tmp_path)
    knowledge(made, ("Fact", "it stays"))
    assert made.run("memory", "observe", "SENTINEL of an observation").code == 0
    assert "SENTINEL" in (made.project / ".planning/memory/observations.jsonl").read_text()
    for scenario in ("heartbeat", "chat", "distillation", "task_execution", "review"):
        assert "SENTINEL" not in text(made, scenario)
