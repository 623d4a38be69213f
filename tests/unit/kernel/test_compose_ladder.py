"""`ladder` against the five-step contract it is named after, and each departure from it.

`contract` is that contract as published, written down independently of the composer: one walk in
declaration order, each step only while the total is over, the reserve taken off under pressure only,
groups cut in proportion to their characters at their first member. docs/composer.md lists the departures.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.kernel.compose import BudgetError, Composition, Trimmed, compose
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.fragment import (
    Fragment,
    drop,
    head_shrink,
    proportional_truncate,
    verbatim,
)
from gsd_install.kernel.measure import BYTES, CHARACTERS, Measure


class Plan(NamedTuple):
    """What the contract answers; `sound` is false where it broke its own budget or skipped a group."""

    texts: list[str]
    omitted: tuple[str, ...]
    shrunk: tuple[str, ...]
    floored: tuple[str, ...]
    total: int
    sound: bool


class Contract:
    def __init__(self, fragments: list[Fragment], budget: int, reserve: int, measure: Measure) -> None:
        self.fragments = fragments
        self.measure = measure
        self.texts = [fragment.source for fragment in fragments]
        self.room = budget - reserve if self.total() > budget else budget
        self.omitted: list[str] = []
        self.shrunk: list[str] = []
        self.floored: list[str] = []
        self.sound = True

    def total(self) -> int:
        return sum(
            self.measure.cost(fragment.wrapper) + self.measure.cost(text)
            for fragment, text in zip(self.fragments, self.texts, strict=True)
            if text
        )

    def walk(self) -> Plan:
        done: set[str] = set()
        for number, fragment in enumerate(self.fragments):
            if self.total() <= self.room or fragment.isolate:
                continue
            if fragment.strategy == "head-shrink":
                self.head(number, fragment)
            elif fragment.strategy == "proportional-truncate":
                name = fragment.group or fragment.id
                if name not in done:
                    done.add(name)
                    self.share(name)
            elif fragment.strategy == "drop":
                self.drop(number, fragment)
        return Plan(
            self.texts, tuple(self.omitted), tuple(self.shrunk), tuple(self.floored), self.total(), self.sound
        )

    def head(self, number: int, fragment: Fragment) -> None:
        short = fragment.renditions[1].text
        if short == self.texts[number]:
            return
        if fragment.floor and self.measure.cost(short) < fragment.floor:
            self.floored.append(fragment.id)
            return
        self.texts[number] = short
        self.shrunk.append(fragment.id)

    def share(self, name: str) -> None:
        members = [n for n, fragment in enumerate(self.fragments) if (fragment.group or fragment.id) == name]
        cost = sum(self.measure.cost(self.texts[number]) for number in members)
        room = self.room - (self.total() - cost)
        self.sound &= room > 0
        if not 0 < room < cost:
            return
        length = sum(len(self.texts[number]) for number in members)
        for number in members:
            text, floor = self.texts[number], self.fragments[number].floor
            share = len(text) * room // length
            self.texts[number] = text[: max(share, floor)]
            if self.texts[number] != text:
                self.shrunk.append(self.fragments[number].id)
        self.sound &= sum(self.measure.cost(self.texts[number]) for number in members) <= room

    def drop(self, number: int, fragment: Fragment) -> None:
        if not self.texts[number]:
            return
        if fragment.floor:
            self.floored.append(fragment.id)
        else:
            self.texts[number] = ""
            self.omitted.append(fragment.id)


def contract(fragments: list[Fragment], budget: int, measure: Measure, reserve: int = 0) -> Plan:
    return Contract(fragments, budget, reserve, measure).walk()


# Texts without line, sentence or word ends, so that a cut may fall anywhere; heads of one line.
SOLID = st.integers(1, 40).map(lambda size: "x" * size)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Fragment], int, int]:
    fragments = []
    for number in range(draw(st.integers(1, 7))):
        name, text, floor = f"f{number}", draw(SOLID), draw(st.sampled_from([0, 0, 3, 10]))
        wrapper = draw(st.sampled_from(["", "", "# w\n"]))
        kind = draw(st.sampled_from(["verbatim", "head", "share", "group", "drop", "drop"]))
        if kind == "verbatim":
            fragments.append(verbatim(name, text, wrapper=wrapper))
        elif kind == "head":
            fragments.append(head_shrink(name, f"h\n{text}", 1, wrapper=wrapper, floor=floor))
        elif kind == "drop":
            fragments.append(drop(name, text, wrapper=wrapper, floor=floor))
        else:
            group = "g" if kind == "group" else ""
            fragments.append(
                proportional_truncate(name, text, wrapper=wrapper, floor=floor or 1, group=group)
            )
    total = sum(len(fragment.wrapper + fragment.source) for fragment in fragments)
    return fragments, draw(st.integers(0, total + 2)), draw(st.sampled_from([0, 0, 5]))


@given(case=cases())
@settings(max_examples=500, deadline=None)
def test_ladder_is_the_contract_where_the_contract_keeps_its_budget(
    case: tuple[list[Fragment], int, int],
) -> None:
    fragments, budget, reserve = case
    plan = contract(fragments, budget, CHARACTERS, reserve)
    if plan.total > budget:
        if plan.sound:
            with pytest.raises(BudgetError):
                compose(fragments, budget, CHARACTERS, reserve=reserve, note=None)
        return
    found = compose(fragments, budget, CHARACTERS, reserve=reserve, note=None)
    if plan.sound:
        assert [rendition.text for rendition in found.renditions] == plan.texts
        assert (found.omitted, found.shrunk) == (plan.omitted, plan.shrunk)
        assert set(plan.floored) <= set(found.floored)


def test_the_comparison_with_the_contract_is_not_empty() -> None:
    """The property above compares something in every strategy, or it would prove nothing."""
    fragments = [
        verbatim("v", "v" * 10),
        head_shrink("h", "h\n" + "x" * 20, 1),
        proportional_truncate("a", "a" * 40, group="g", floor=1),
        proportional_truncate("b", "b" * 20, group="g", floor=1),
        drop("d", "d" * 30),
        drop("e", "e" * 5),
    ]
    seen = set()
    for budget in range(128):
        plan = contract(fragments, budget, CHARACTERS)
        if plan.sound and plan.total <= budget:
            found = compose(fragments, budget, CHARACTERS, note=None)
            assert [rendition.text for rendition in found.renditions] == plan.texts
            seen.add((bool(plan.shrunk), bool(plan.omitted)))
    assert seen == {(False, False), (True, False)}
    ordered = [fragments[0], *fragments[4:], *fragments[1:4]]
    assert contract(ordered, 90, CHARACTERS).omitted == ("d", "e")
    assert compose(ordered, 90, CHARACTERS, note=None).omitted == ("d", "e")


# --- the review ladder


def review(plans: int = 3) -> list[Fragment]:
    """The fragments of the documented review prompt, in its order."""
    return [
        verbatim("instructions", "Review these plans.\n"),
        verbatim("roadmap", "Roadmap.\n" * 20),
        head_shrink("project", "About the project.\n" * 100, 40),
        verbatim("plans", "# Plans\n"),
        *(
            proportional_truncate(
                f"plan:{number}", f"Do thing {number}.\n" * (100 * number + 50), floor=1024, group="plans"
            )
            for number in range(1, plans + 1)
        ),
        drop("context", "Context.\n" * 100),
        drop("research", "Research.\n" * 100),
        drop("requirements", "Requirement.\n" * 100),
    ]


def composed(fragments: list[Fragment], budget: int) -> Composition | None:
    try:
        return compose(fragments, budget, CHARACTERS, note_after="instructions")
    except BudgetError:
        return None


def test_the_review_ladder_gives_way_in_its_order() -> None:
    fragments = review()
    total = sum(len(fragment.source) for fragment in fragments)
    order: list[str] = []
    for budget in range(total + 1, 0, -97):
        found = composed(fragments, budget)
        if found is None:
            break
        for name in (*found.shrunk, *found.omitted):
            if name not in order:
                order.append(name)
    assert order == ["project", "plan:1", "plan:2", "plan:3", "context", "research", "requirements"]


def test_each_plan_keeps_its_floor() -> None:
    fragments = review()
    reached = set()
    for budget in range(12_000, 0, -203):
        found = composed(fragments, budget)
        if found:
            sizes = [len(r.text) for r in found.renditions if r.text.startswith("Do thing")]
            assert len(sizes) == 3
            assert all(size >= 1024 for size in sizes)
            reached.add(max(sizes) < 1200)
    assert reached == {True, False}


def test_the_note_stands_behind_the_instructions_only_when_something_is_missing() -> None:
    fragments = review()
    total = sum(len(fragment.source) for fragment in fragments)
    whole, short = composed(fragments, total), composed(fragments, total - 1)
    assert whole
    assert short
    assert whole.note == ""
    assert short.text.startswith("Review these plans.\n[to fit")
    assert "shortened: project by 60 %" in short.note


def protected(fragments: list[Fragment]) -> list[Fragment]:
    return [fragment for fragment in fragments if fragment.load_bearing]


def sweep(fragments: list[Fragment]) -> tuple[bool, bool]:
    """Whether a descending sweep of budgets applied pressure, and whether it touched what is protected."""
    total = sum(len(fragment.source) for fragment in fragments)
    pressure = touched = False
    for budget in (total * 4, total + 1, total, total - 1, total * 3 // 4, total // 2, total // 4):
        found = composed(fragments, budget)
        if found:
            pressure |= found.pressure
            present = {span.id: found.text[span.start : span.end] for span in found.source_map() if span.id}
            touched |= any(present.get(fragment.id) != fragment.source for fragment in protected(fragments))
    return pressure, touched


@pytest.mark.req("ADR1671-load-bearing-sweep", "ADR1671-strategy-verbatim")
def test_no_pressure_touches_what_is_load_bearing() -> None:
    assert len(protected(review())) == 3
    assert sweep(review()) == (True, False)


def test_the_sweep_sees_a_protected_text_that_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        f"{__name__}.protected", lambda fragments: [f for f in fragments if f.id == "context"]
    )
    assert sweep(review()) == (True, True)


# --- departures, in the order of docs/composer.md


def test_departure_1_over_budget_is_refused() -> None:
    fragments = [verbatim("v", "v" * 1000), drop("d", "d")]
    assert contract(fragments, 10, CHARACTERS).total == 1000
    with pytest.raises(BudgetError) as caught:
        compose(fragments, 10, CHARACTERS)
    assert caught.value.required >= 1000


def test_departure_2_cuts_are_measured_in_the_unit_of_the_budget() -> None:
    fragments = [proportional_truncate("p", "日" * 20)]
    assert contract(fragments, 13, BYTES).total > 13
    assert compose(fragments, 13, BYTES, note=None).text == "日" * 4


def test_departure_3_cuts_keep_characters_whole() -> None:
    text = "👩‍👩‍👧" * 3
    fragments = [proportional_truncate("p", text)]
    assert contract(fragments, 7, CHARACTERS).texts == [text[:7]]
    assert compose(fragments, 7, CHARACTERS, note=None).text == "👩‍👩‍👧"


def test_departure_4_a_group_without_room_is_cut_to_its_floors() -> None:
    fragments = [proportional_truncate("p", "p" * 100, floor=10), drop("d", "d" * 100)]
    assert contract(fragments, 100, CHARACTERS).texts == ["p" * 100, ""]
    tight = contract(fragments, 50, CHARACTERS)
    assert (tight.texts, tight.total) == (["p" * 100, ""], 100)
    assert compose(fragments, 50, CHARACTERS, note=None).text == "p" * 10


def test_departure_5_floors_are_paid_by_the_group() -> None:
    fragments = [
        proportional_truncate("long", "l" * 990, group="g"),
        proportional_truncate("short", "s" * 10, group="g", floor=10),
    ]
    assert contract(fragments, 100, CHARACTERS).total == 99 + 10
    assert compose(fragments, 100, CHARACTERS, note=None).text == "l" * 90 + "s" * 10


def test_departure_6_separators_and_the_note_count() -> None:
    fragments = [verbatim("a", "a" * 10), drop("b", "b" * 10), drop("c", "c" * 10)]
    assert contract(fragments, 30, CHARACTERS).omitted == ()
    assert compose(fragments, 30, CHARACTERS, separator="\n\n", note=None).omitted == ("b",)

    def note(trimmed: Trimmed) -> str:
        return f"[{','.join(trimmed.omitted)}]"

    assert contract(fragments, 21, CHARACTERS).omitted == ("b",)
    assert compose(fragments, 21, CHARACTERS, note=note).text == "a" * 10 + "[b,c]"


@pytest.mark.parametrize("budget", [-5, float("nan"), 10.5])
def test_departure_7_senseless_budgets_are_refused(budget: float) -> None:
    with pytest.raises(GsdError) as caught:
        compose([drop("d", "d")], budget, CHARACTERS)  # type: ignore[arg-type]
    assert caught.value.reason == "bad_budget"


@pytest.mark.req("ADR1671-floors")
def test_departure_8_a_held_floor_is_reported_once() -> None:
    fragments = [
        proportional_truncate("a", "a" * 50, group="g", floor=40),
        proportional_truncate("b", "b" * 50, group="g", floor=40),
        drop("d", "d" * 50, floor=1),
        drop("e", "e" * 50),
    ]
    assert compose(fragments, 130, CHARACTERS, note=None).floored == ("a", "b", "d")


@pytest.mark.req("ADR1671-strategy-head-shrink")
def test_departure_9_a_head_keeps_its_last_line_end() -> None:
    fragments = [head_shrink("h", "one\ntwo\nthree\n", 2), verbatim("v", "next\n")]
    found = compose(fragments, 15, CHARACTERS, note=None)
    assert (found.text, found.shrunk) == ("one\ntwo\nnext\n", ("h",))
    assert compose([head_shrink("h", "one\ntwo\n", 2), drop("x", "x")], 8, CHARACTERS, note=None).shrunk == ()


@pytest.mark.case("CT-03")
def test_departure_10_cuts_fall_at_lines_and_close_fences() -> None:
    text = "Some words in a line.\n```\n" + "code\n" * 20 + "```\n"
    fragments = [proportional_truncate("p", text)]
    assert contract(fragments, 45, CHARACTERS).texts == [text[:45]]
    assert (
        compose(fragments, 45, CHARACTERS, note=None).text
        == "Some words in a line.\n```\ncode\ncode\ncode\n```\n"
    )


@pytest.mark.req("ADR1671-strategy-drop")
def test_freed_room_stays_free() -> None:
    """Not a departure: no refill is what tells this mode from `optimise`."""
    fragments = [drop("small", "s" * 10), drop("big", "b" * 100)]
    assert contract(fragments, 50, CHARACTERS).omitted == ("small", "big")
    assert compose(fragments, 50, CHARACTERS, note=None).omitted == ("small", "big")
    assert compose(fragments, 50, CHARACTERS, mode="optimise", note=None).omitted == ("big",)
