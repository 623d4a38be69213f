from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.companion.review_prompt import CUT, INSTRUCTIONS, PLAN_CHARACTERS, Texts, compose
from gsd_install.kernel.budget import BudgetError
from gsd_install.kernel.measure import estimated
from support.payloads import Box

LINE = "Some words about what is to be done here.\n"
PLANS = (("01-01-PLAN.md", LINE * 200), ("01-02-PLAN.md", LINE * 100), ("01-03-PLAN.md", "short\n"))
TEXTS = Texts("## Phase 1: x\n", LINE * 120, PLANS, "context\n" * 90, "research\n" * 90, "needs\n" * 90)


def kept(text: str, name: str) -> str:
    """What of a plan is in a prompt."""
    return text.partition(f"## {name}\n\n")[2].partition("\n## ")[0].partition("\n# ")[0]


def test_what_fits_is_not_touched_and_no_note_is_made() -> None:
    composed = compose(TEXTS, 100_000)
    assert (composed.omitted, composed.shrunk, composed.note) == ((), (), "")
    assert all(plan in composed.text for _, plan in PLANS)
    assert composed.text.startswith(INSTRUCTIONS)


@pytest.mark.req("ADR1671-ladder-order", "ADR1671-ladder-droppables")
def test_the_ladder_goes_down_in_its_order() -> None:
    sizes = range(100_000, 0, -150)
    seen: list[tuple[bool, int, tuple[str, ...]]] = []
    for limit in sizes:
        try:
            composed = compose(TEXTS, limit)
        except BudgetError:
            break
        plans = sum(len(kept(composed.text, name)) for name, _ in PLANS)
        step = ("project" in composed.shrunk, plans, composed.omitted)
        assert composed.used <= limit * 9 // 10
        if not seen or seen[-1] != step:
            seen.append(step)
    orders = [omitted for *_, omitted in seen]
    assert seen[0][0] is False
    assert all(shrunk for shrunk, *_ in seen[1:])
    assert [plans for _, plans, _ in seen] == sorted((plans for _, plans, _ in seen), reverse=True)
    assert orders[-1] == ("context", "research", "requirements")
    assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(orders))


@pytest.mark.req("ADR1671-ladder-untouchable", "ADR1671-ladder-note")
@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 6_000), min_size=1, max_size=5),
    st.integers(1, 6_000),
    st.sampled_from(["a word ", "日本語の文。", "x", "line\n", "```\ncode\n```\n"]),
)
def test_instructions_roadmap_and_the_floor_of_each_plan_survive(
    lengths: list[int], limit: int, filling: str
) -> None:
    plans = tuple((f"01-0{n}-PLAN.md", (filling * length)[:length]) for n, length in enumerate(lengths, 1))
    texts = TEXTS._replace(plans=plans)
    try:
        composed = compose(texts, limit)
    except BudgetError:
        return
    assert composed.prefix == INSTRUCTIONS
    assert composed.text.startswith(INSTRUCTIONS)
    assert texts.roadmap in composed.text
    assert estimated().cost(composed.text) <= limit * 9 // 10
    for fragment, rendition in zip(composed.fragments, composed.renditions, strict=True):
        if fragment.group == "plans":
            assert rendition.kept >= min(PLAN_CHARACTERS, len(fragment.source))
    trimmed = bool(composed.omitted or composed.shrunk)
    assert (composed.note != "") is trimmed


def test_a_cut_is_marked_and_said_behind_the_instructions() -> None:
    composed = compose(TEXTS, 3_000)
    assert kept(composed.text, "01-01-PLAN.md").rstrip().endswith(CUT.rstrip())
    assert composed.text[len(INSTRUCTIONS) :].lstrip("\n").startswith("[to fit ")
    assert kept(composed.text, "01-03-PLAN.md").strip() == "short"


@pytest.fixture
def box(tmp_path: Path) -> Box:
    made = Box(tmp_path)
    made.roadmap({"1": "standard", "2": "standard"})
    for name in ("01-01-PLAN.md", "01-02-PLAN.md", "01-01-SUMMARY.md", "01-CONTEXT.md", "01-RESEARCH.md"):
        made.planning(f"phases/01-part-1/{name}", f"text of {name}\n")
    made.planning("REQUIREMENTS.md", "- [ ] A-01 wanted\n- [ ] A-02 of another phase\n")
    made.planning("PROJECT.md", "what is built\n")
    return made


@pytest.mark.req("ADR1671-plan-floor")
@pytest.mark.parametrize("length", [300, 1_023, 1_024, 1_200, 6_000])
def test_each_plan_keeps_its_first_1024_characters_or_all_it_has(box: Box, length: int) -> None:
    """With the smallest budget that is not refused."""
    lines = "".join(f"line {number:04d}\n" for number in range(length // 10 + 1))[: length - 1] + "\n"
    names = ("01-02-PLAN.md", "01-03-PLAN.md")
    for name in names:
        box.planning(f"phases/01-part-1/{name}", lines)
    told = json.loads(box.run("--json-errors", "review-prompt", "1", "--max-tokens", "50").err)
    assert told["reason"] == "over_budget"
    answers = (box.run("review-prompt", "1", "--max-tokens", str(size)) for size in range(200, 9_000, 10))
    text = next(answer.out.decode() for answer in answers if answer.code == 0)
    for name in names:
        assert lines[:1_024] in text, name
        assert (lines in text) is (length <= 1_024)


def test_the_verb_gathers_what_belongs_to_the_phase(box: Box) -> None:
    answer = box.run("review-prompt", "1", "--max-tokens", "9000")
    text = answer.out.decode()
    assert answer.code == 0, answer.err
    for part in (
        "## Phase 1: Part 1",
        "what is built",
        "text of 01-02-PLAN.md",
        "A-01 wanted",
        "01-RESEARCH",
    ):
        assert part in text
    for part in ("text of 01-01-PLAN.md", "A-02", "## Phase 2"):
        assert part not in text


@pytest.mark.parametrize(
    ("argv", "code", "reason"),
    [
        (("1",), 2, "missing_phase"),
        (("--max-tokens", "9"), 2, "missing_phase"),
        (("1", "--max-tokens", "-9"), 2, "bad_budget"),
        (("2", "--max-tokens", "9000"), 1, "no_plans"),
        (("7", "--max-tokens", "9000"), 1, "unknown_phase"),
        (("1", "--max-tokens", "50"), 1, "over_budget"),
    ],
)
def test_what_cannot_be_done_is_said(box: Box, argv: tuple[str, ...], code: int, reason: str) -> None:
    answer = box.run("--json-errors", "review-prompt", *argv)
    assert (answer.code, json.loads(answer.err)["reason"], answer.out) == (code, reason, b"")
