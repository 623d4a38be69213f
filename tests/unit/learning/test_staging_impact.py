"""The impact of a proposal is read from it, and when two texts are nearly the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.learning.approval import require_none
from gsd_capabilities.learning.impact import HIGH, LOW, Judged, judge
from gsd_capabilities.learning.limits import LOW_IMPACT_BYTES, PROPOSAL_BYTES, SIMILAR_SHARE
from gsd_capabilities.learning.suppression import shingles, similarity
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.learned import File, Proposal, kind_of
from support.learning import AGENT, HARMLESS


def judged(
    text: str = HARMLESS, *, claimed: str = LOW, known: dict[str, str] | None = None, **more: File
) -> Judged:
    files = {"SKILL.md": File(text.encode()), **{name.replace("_", "."): file for name, file in more.items()}}
    return judge(Proposal("branch-names", kind_of(files), "", files, ""), claimed, known or {})


def test_plain_words_are_of_low_impact() -> None:
    assert judged() == Judged(LOW, ())


@pytest.mark.parametrize("claimed", ["", HIGH])
def test_only_a_claim_makes_it_low(claimed: str) -> None:
    assert judged(claimed=claimed).level == HIGH


@pytest.mark.parametrize(
    "line",
    [
        "Run `npm install` first.",
        "Then `git push`.",
        "```sh\nls\n```",
        "```\nls\n```",
        "> ~~~python\n> print(1)\n> ~~~",
        "1. ```yaml\n   on: push\n   ```",
        "Then:\n\n    git push",
        "$ make all",
        "Call curl for the file.",
        "See https://example.org for more.",
        "Write to ann@example.org.",
        f"Write to {'a' * 200}@example.org.",
        f"See {'a' * 200}://example.",
        "It listens at 127.0.0.1.",
        "Add it to mcpServers.",
        "Ask the MCP server.",
        "Use the password of the build.",
        "Read .env for it.",
        "Take the API key.",
        "<!-- do it twice -->",
        "Do it\u200b.",
        "Do \u202eit.",
    ],
)
def test_what_could_act_is_high_whatever_is_claimed(line: str) -> None:
    assert judged(f"{HARMLESS}{line}\n").level == HIGH


@pytest.mark.parametrize("unit", ["a.", "a-", "a+", "1.", "` ", "$ ", "<", "a@", "[("])
def test_the_largest_proposal_is_judged_whatever_it_repeats(unit: str) -> None:
    """Where a pattern went back over what it has seen, this would take minutes."""
    size = PROPOSAL_BYTES - len(HARMLESS) - 1
    found = judged(HARMLESS + unit * (size // len(unit)) + "\n")
    assert any(reason.startswith("it is long") for reason in found.reasons)


def test_a_block_of_text_is_text() -> None:
    assert judged(f"{HARMLESS}\n```text\nfeature/12-name\n```\n").level == LOW


def test_files_beside_it_are_looked_at_too() -> None:
    assert judged(more_md=File(b"Plain words.\n")).level == LOW
    assert judged(more_md=File(b"Plain words.\n", executable=True)).level == HIGH
    assert judged(more_md=File(b"#!/bin/sh\n")).level == HIGH
    assert judged(more_md=File(b"See www.example.org.\n")).level == HIGH
    assert judged(run_sh=File(b"true\n")).level == HIGH


def test_a_long_one_is_high() -> None:
    rest = LOW_IMPACT_BYTES - len(HARMLESS.encode())
    assert judged(HARMLESS + "x" * rest).level == LOW
    assert judged(HARMLESS + "x" * (rest + 1)).level == HIGH


@pytest.mark.parametrize(
    ("known", "level"),
    [
        ({"branch-names": ""}, HIGH),
        ({"names-of-branch": ""}, HIGH),
        ({"other": "Name every branch after its ticket"}, HIGH),
        ({"other": "Names of branches"}, LOW),
        ({"plan-phase": "Plan a phase before anybody builds it"}, LOW),
        ({"other": ""}, LOW),
    ],
)
def test_what_is_like_something_that_is_there_is_high(known: dict[str, str], level: str) -> None:
    assert judged(known=known).level == level


@pytest.mark.req("B-agent-install-always-hitl")
def test_an_agent_is_high() -> None:
    files = {"AGENT.md": File(AGENT.encode())}
    assert judge(Proposal("reader", "agent", "", files, ""), LOW, {}).level == HIGH


@pytest.mark.req("B-agent-install-always-hitl")
@pytest.mark.parametrize("kind", ["agent", "team"])
def test_whatever_its_impact_only_a_skill_goes_live_without_a_person(kind: str) -> None:
    harmless = Judged(LOW, ())
    require_none(Proposal("reader", "skill", "", {}, ""), harmless)
    with pytest.raises(GsdError) as caught:
        require_none(Proposal("reader", kind, "", {}, ""), harmless)
    assert caught.value.reason == "needs_approval"


def test_a_text_is_like_itself_and_not_like_nothing() -> None:
    words = shingles(HARMLESS)
    assert similarity(words, words) == 1
    assert similarity(words, shingles("")) == 0
    assert similarity(shingles(""), shingles("")) == 0
    assert shingles("Two words") == {"two words"}


@pytest.mark.parametrize(("words", "same"), [(31, True), (28, True), (20, False)])
def test_one_changed_word_counts_for_as_much_as_it_is(words: int, same: bool) -> None:
    """A changed word in the middle changes three runs; at the end it changes one."""
    one = [f"w{number}" for number in range(words)]
    other = [*one[:-1], "other"]
    share = similarity(shingles(" ".join(one)), shingles(" ".join(other)))
    assert (share >= SIMILAR_SHARE) is same


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_similarity_is_a_share_and_has_no_direction(one: str, other: str) -> None:
    first, second = shingles(one), shingles(other)
    share = similarity(first, second)
    assert 0 <= share <= 1
    assert share == similarity(second, first)
    assert similarity(first, shingles(f"  {one.replace(' ', '  ')} ... ")) in (0, 1)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300), st.sampled_from(["", LOW, HIGH]))
def test_low_is_only_what_is_claimed_and_nothing_speaks_against(text: str, claimed: str) -> None:
    found = judged(f"{HARMLESS}{text}", claimed=claimed)
    assert (found.level == LOW) is (found.reasons == ())
    assert claimed == LOW or found.level == HIGH
