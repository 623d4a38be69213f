"""The texts of the agent: where they are found, and that they say what they must."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest

from gsd_capabilities.learning import texts
from gsd_capabilities.learning.limits import LEARNING_HABITS_MAX_CHARS
from gsd_install.kernel.errors import GsdError
from support.prefixes import box


@pytest.mark.parametrize("name", texts.NAMES)
def test_each_text_is_found_in_a_checkout_and_has_no_frontmatter(name: str) -> None:
    assert Path(texts.path(None, name)).is_absolute()
    found = texts.text(None, name)
    assert found.startswith("# ")
    assert "description:" not in found


@pytest.mark.parametrize("name", ["rules", "habits", "checklists"])
def test_what_stands_in_a_prompt_needs_no_placeholder(name: str) -> None:
    assert "{gsd:" not in texts.text(None, name)


def test_the_payload_is_asked_before_the_checkout(tmp_path: Path) -> None:
    made = box(tmp_path)
    path = made.write(
        made.payload / "content/gsd/references/agent/rules.md", "---\ndescription: x\n---\n\n# Mine\n"
    )
    assert texts.path(str(made.payload), "rules") == str(path)
    assert texts.text(str(made.payload), "rules") == "# Mine\n"
    assert texts.text(str(made.payload), "habits") == texts.text(None, "habits")


def test_a_text_that_nobody_wrote_is_an_error() -> None:
    with pytest.raises(GsdError) as caught:
        texts.path(None, "missing")
    assert caught.value.reason == "missing_text"


def sentences(text: str) -> list[str]:
    return [" ".join(one.split()).lower() for one in re.split(r"(?m)^- ", text)]


def says(text: str, *words: str) -> bool:
    """Whether one rule of the text says all of it."""
    return any(all(word in one for word in words) for one in sentences(text))


@pytest.mark.req("ECO-collab-conversation-first")
def test_the_rules_put_conversation_first_and_tasks_where_they_are_needed() -> None:
    rules = texts.text(None, "rules")
    assert says(rules, "conversation comes first", "built there, together")
    assert says(rules, "make a task when", "asynchronous", "somebody else does it", "formally reviewed")


@pytest.mark.req("ECO-collab-stop")
def test_the_rules_stop_only_after_the_task_was_created() -> None:
    assert says(texts.text(None, "rules"), "stop", "only after the task for that work was created")


@pytest.mark.req("ECO-collab-player-coach")
def test_the_rules_let_managers_build_and_route() -> None:
    assert says(texts.text(None, "rules"), "managers are player-coaches", "build themselves", "hand work on")


def test_a_rule_that_is_gone_is_noticed() -> None:
    rules = texts.text(None, "rules").replace("player-coaches", "managers")
    assert not says(rules, "managers are player-coaches")


@pytest.mark.req("B-prompt-learning-habits-budget")
def test_the_habits_are_short() -> None:
    assert 600 < len(texts.text(None, "habits")) <= LEARNING_HABITS_MAX_CHARS == 1_600


@pytest.mark.req("ECO-habits-content")
def test_the_habits_say_look_back_where_to_record_and_how_impact_is_judged() -> None:
    habits = texts.text(None, "habits")
    for words in (
        "**Look back.**",
        "**Record it where it belongs.**",
        "knowledge",
        "state",
        "notebook",
        "observation",
        "**Judge the impact of a skill.**",
        "Low:",
        "High:",
        "waits for a person",
    ):
        assert words in habits


@pytest.mark.req("ECO-profile-rules")
def test_the_rules_are_concise() -> None:
    assert len(texts.text(None, "rules")) <= 2_400


def shipped(pattern: str) -> list[Path]:
    """Files of the content and of the capabilities that ship."""
    folders = [Path(str(resources.files(package))) for package in ("gsd_capabilities", "gsd_content")]
    return [path for folder in folders for path in folder.rglob(pattern)]


@pytest.mark.req("ECO-handbook-single")
def test_there_is_one_handbook() -> None:
    found = [path for path in shipped("*.md") if "handbook" in path.name.lower()]
    assert found == [Path(texts.path(None, "handbook"))]


@pytest.mark.req("B-self-evolution-skill-retired")
def test_no_skill_of_its_own_evolution_ships() -> None:
    skills = [path.parent.name for path in shipped("SKILL.md")]
    assert "working-in-phases" in skills
    assert not [name for name in skills if "evol" in name or "self-" in name]
