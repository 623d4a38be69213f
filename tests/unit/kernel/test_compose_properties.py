"""Properties of the composer; every test names the modes it holds for."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from gsd_install.kernel.compose import BudgetError, Composition, Trimmed, compose, omission_note
from gsd_install.kernel.fragment import (
    Fragment,
    Rendition,
    drop,
    extract,
    head_shrink,
    proportional_truncate,
    verbatim,
)
from gsd_install.kernel.measure import BYTES, CHARACTERS, LINES, Counted, Measure, estimated

BOTH = pytest.mark.parametrize("mode", ["ladder", "optimise"])
OPTIMISE = pytest.mark.parametrize("mode", ["optimise"])


def words(text: str) -> int:
    """A stand-in for a tokenizer: what is joined may count as less or as more than its parts."""
    return len(text.split()) + text.count("\n\n") + len(text) // 9


TOKENS = Counted("words", words)
ADDITIVE = [BYTES, CHARACTERS]
MEASURES = [*ADDITIVE, LINES, estimated("claude"), TOKENS]

TEXT = st.lists(
    st.sampled_from(
        ["word ", "two words\n", "日本語。", "e\u0301", "👩‍👩‍👧", "x" * 9, "\n", "```\n", "- item\n"]
    ),
    max_size=7,
).map("".join)
SOME = TEXT.filter(bool)


class Case(NamedTuple):
    """`share` places the budget: 0 % is the least that works, 100 % lets everything stay."""

    fragments: list[Fragment]
    measure: Measure
    share: int
    separator: str
    reserve: int

    def compose(self, mode: Any, budget: int, note: Any = None) -> Composition:
        return compose(
            self.fragments,
            budget,
            self.measure,
            mode=mode,
            separator=self.separator,
            reserve=self.reserve,
            note=note,
        )

    def budget(self, mode: Any, note: Any = None) -> int:
        whole = [fragment.wrapper + fragment.source for fragment in self.fragments if fragment.source]
        most = self.measure.cost(self.separator.join(whole))
        try:
            least = self.compose(mode, 0, note).used
        except BudgetError as refusal:
            least = refusal.required
        return max(least + (most - least) * self.share // 100, 0)


@st.composite
def fragments(draw: st.DrawFn, simple: bool = False) -> list[Fragment]:
    made = [
        verbatim(f"fixed{number}", draw(SOME), isolate=True, wrapper=draw(st.sampled_from(["", "# "])))
        for number in range(draw(st.integers(0, 0 if simple else 2)))
    ]
    groups: dict[str, str] = {}
    for number in range(draw(st.integers(1, 8))):
        made.append(
            draw(fragment(f"f{number}", [f.id for f in made if f.id.startswith("f")], groups, simple))
        )
    return made


@st.composite
def fragment(
    draw: st.DrawFn, name: str, earlier: list[str], groups: dict[str, str], simple: bool
) -> Fragment:
    text = draw(TEXT)
    rules: dict[str, Any] = {"priority": draw(st.integers(0, 4)), "tier": draw(st.integers(1, 3))}
    kind = draw(st.sampled_from(["drop", "drop", "share", "head", "verbatim", "extract", "steps"]))
    if simple:
        return drop(name, text, **rules)
    rules["wrapper"] = draw(st.sampled_from(["", "", "## h\n"]))
    if kind in ("drop", "share", "head"):
        rules["floor"] = draw(st.sampled_from([0, 0, 0, 2, 9]))
        rules["group"] = draw(st.sampled_from(["", "", f"{kind}-group"]))
        # A ceiling below the shortest clean cut is refused; a long line in a fence would need that.
        bounded = kind == "share" and "```" not in text
        rules["ceiling"] = draw(st.sampled_from([None, 30])) if bounded else None
    if earlier and not rules.get("group"):
        rules["requires"] = tuple(draw(st.lists(st.sampled_from(earlier), max_size=1)))
    match kind:
        case "share":
            return proportional_truncate(name, text, **rules)
        case "head":
            return head_shrink(name, text, draw(st.integers(0, 2)), **rules)
        case "verbatim":
            return verbatim(name, text, **rules)
        case "extract":
            return extract(name, text, "see it\n", **rules)
        case "steps":
            return drop(name, text, [Rendition("outline", "out"), Rendition("pointer", "p")], **rules)
    return drop(name, text, **rules)


@st.composite
def cases(draw: st.DrawFn, measures: list[Measure] = MEASURES, simple: bool = False) -> Case:
    return Case(
        draw(fragments(simple)),
        draw(st.sampled_from(measures)),
        draw(st.integers(-10, 110)),
        draw(st.sampled_from(["", "\n", "\n\n"])),
        draw(st.sampled_from([0, 0, 0, 12])),
    )


def short(trimmed: Trimmed) -> str:
    return f"[{len(trimmed.omitted)}, {len(trimmed.shrunk)}]\n"


def attempt(case: Case, mode: Any, note: Any = None) -> Composition | None:
    """The composition, or None where it was refused; a refusal must be one of the typed kind."""
    try:
        found = case.compose(mode, case.budget(mode, note), note)
    except BudgetError as refusal:
        event("refused")
        if refusal.required <= refusal.available:
            raise AssertionError("refused what would fit") from refusal
        return None
    event(f"pressure {found.pressure}")
    return found


def parts(found: Composition) -> dict[str, str]:
    """What the text holds of each source, by way of the source map."""
    return {span.id: found.text[span.start : span.end] for span in found.source_map() if span.part == "text"}


RELAXED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
NOTES = st.sampled_from([None, short, omission_note])


@BOTH
@pytest.mark.req("ADR1671-compose-properties")
@given(case=cases(), note=NOTES)
@settings(RELAXED, max_examples=150)
def test_fits_or_raises(mode: str, case: Case, note: Any) -> None:
    found = attempt(case, mode, note)
    if found:
        assert found.used == case.measure.cost(found.text) <= found.available == case.budget(mode, note)


@BOTH
@given(case=cases(ADDITIVE), shares=st.lists(st.integers(0, 110), min_size=2, max_size=5))
@RELAXED
def test_load_bearing_and_isolate_bytes_are_the_same_under_every_budget(
    mode: str, case: Case, shares: list[int]
) -> None:
    prefixes = set()
    for share in shares:
        found = attempt(case._replace(share=share), mode)
        assert found
        prefixes.add(found.prefix_digest)
        assert found.text.startswith(found.prefix)
        present = parts(found)
        for fragment in case.fragments:
            if fragment.load_bearing or fragment.isolate:
                assert present.get(fragment.id, "") == fragment.source
    assert len(prefixes) == 1


@BOTH
@given(case=cases(), note=NOTES)
@settings(RELAXED, max_examples=120)
def test_floors_and_ceilings_hold(mode: str, case: Case, note: Any) -> None:
    found = attempt(case, mode, note)
    if found is None:
        return
    for fragment, rendition in zip(found.fragments, found.renditions, strict=True):
        cost = case.measure.cost(rendition.text)
        assert cost >= min(fragment.floor, case.measure.cost(fragment.source), fragment.ceiling or cost)
        assert fragment.ceiling is None or cost <= fragment.ceiling


@BOTH
@given(case=cases(), note=NOTES)
@RELAXED
def test_order_is_kept_and_everything_is_accounted_for(mode: str, case: Case, note: Any) -> None:
    found = attempt(case, mode, note)
    if found is None:
        return
    declared = [fragment.id for fragment in case.fragments]
    shown = list(dict.fromkeys(span.id for span in found.source_map() if span.id))
    assert shown == [name for name in declared if name in shown]
    gone = {name for name in declared if name not in shown}
    assert gone == set(found.omitted) | {f.id for f in case.fragments if not f.source and f.id not in shown}
    assert [decision.id for decision in found.decisions()] == declared


@BOTH
@given(case=cases(), note=NOTES)
@RELAXED
def test_sources_can_be_put_together_again(mode: str, case: Case, note: Any) -> None:
    found = attempt(case, mode, note)
    if found is None:
        return
    spans = found.source_map()
    assert [span.start for span in spans] == [0, *(span.end for span in spans)][: len(spans)]
    assert (spans[-1].end if spans else 0) == len(found.text)
    assert all(span.start < span.end for span in spans)
    present, rest = parts(found), found.rest()
    sources = {fragment.id: fragment.source for fragment in case.fragments}
    for name, source in sources.items():
        assert present.get(name, "") + rest.get(name, "") == source
    for span in spans:
        if span.part == "text":
            assert found.text[span.start : span.end] == sources[span.id][span.source_start : span.source_end]


@OPTIMISE
@given(case=cases(ADDITIVE), fixed=st.sampled_from([None, short]))
@settings(RELAXED, max_examples=250)
def test_nothing_that_was_left_out_would_fit_alone(mode: str, case: Case, fixed: Any) -> None:
    case = case._replace(reserve=0)
    found = attempt(case, mode, fixed)
    if found is None or not found.omitted:
        return
    cost, gone = case.measure.cost, set(found.omitted)
    room = found.available - found.used
    gap = cost(case.separator) if found.text else 0
    for fragment in case.fragments:
        if fragment.id not in gone or fragment.group or gone & set(fragment.requires):
            continue
        if fragment.strategy in ("drop", "extract"):
            least = min(cost(fragment.wrapper + r.text) for r in fragment.renditions if r.text)
            assert least + gap > room, fragment.id


@BOTH
@given(case=cases(), note=NOTES)
@RELAXED
def test_what_is_required_is_there_and_groups_stay_together(mode: str, case: Case, note: Any) -> None:
    found = attempt(case, mode, note)
    if found is None:
        return
    gone = set(found.omitted)
    for fragment in case.fragments:
        if fragment.id not in gone and fragment.source:
            assert not gone & set(fragment.requires)
    assert len({f.id in gone for f in case.fragments if f.group == "drop-group" and f.source}) <= 1


@BOTH
@given(case=cases(ADDITIVE))
@RELAXED
def test_composing_what_was_composed_changes_nothing(mode: str, case: Case) -> None:
    found = attempt(case, mode)
    if found is None:
        return
    again = [
        verbatim(fragment.id, rendition.text, wrapper=fragment.wrapper, isolate=fragment.isolate)
        for fragment, rendition in zip(found.fragments, found.renditions, strict=True)
    ]
    assert compose(again, found.available, case.measure, separator=case.separator).text == found.text
    assert attempt(case, mode) == found


@BOTH
@pytest.mark.req("ADR1671-compose-boundaries")
@given(case=cases(), note=NOTES)
@settings(RELAXED, max_examples=120)
def test_one_below_at_and_one_above_the_cap(mode: str, case: Case, note: Any) -> None:
    unbounded = [fragment for fragment in case.fragments if fragment.ceiling is None]
    assume({name for fragment in unbounded for name in fragment.requires} <= {f.id for f in unbounded})
    case = case._replace(fragments=unbounded)
    text = case.separator.join(f.wrapper + f.source for f in unbounded if f.source)
    cap = case.measure.cost(text)
    for budget in (cap, cap + 1):
        found = case.compose(mode, budget, note)
        assert (found.text, found.pressure) == (text, False)
    if cap:
        try:
            below = case.compose(mode, cap - 1, note)
        except BudgetError:
            return
        assert below.text != text
        assert below.used < cap


class Scaled:
    """Another measure in other units: every cost is three times as high."""

    id = "thirds"
    additive = True

    def cost(self, text: str) -> int:
        return 3 * len(text)


@BOTH
@given(case=cases([CHARACTERS]))
@settings(RELAXED, max_examples=120)
def test_a_measure_decides_through_its_costs_alone(mode: str, case: Case) -> None:
    # Bounds are counts of units, so they are left out here; a cut may fall between two thirds.
    even = [
        drop(f.id, f.source, tier=f.tier, priority=f.priority, requires=f.requires, wrapper=f.wrapper)
        if f.floor or f.ceiling or f.strategy == "proportional-truncate"
        else f
        for f in case.fragments
    ]
    case = case._replace(fragments=even)
    first = attempt(case, mode)
    if first is None:
        return
    scaled = case._replace(measure=Scaled(), reserve=case.reserve * 3)
    second = scaled.compose(mode, first.available * 3)
    assert [(d.id, d.rendition, d.reason) for d in first.decisions()] == [
        (d.id, d.rendition, d.reason) for d in second.decisions()
    ]
    assert (second.text, second.used) == (first.text, 3 * first.used)


@BOTH
@given(case=cases(ADDITIVE))
@RELAXED
def test_a_refusal_names_the_least_budget_that_works(mode: str, case: Case) -> None:
    needed = [*case.fragments, verbatim("last", "z" * 50)]
    case = case._replace(fragments=needed, reserve=0)
    with pytest.raises(BudgetError) as caught:
        case.compose(mode, 49)
    error = caught.value
    assert case.compose(mode, error.required).used == error.required
    with pytest.raises(BudgetError):
        case.compose(mode, error.required - 1)
    assert set(error.fits) <= {fragment.id for fragment in needed}
    assert not set(error.fits) & {name for name, _ in error.contributors[:1]}


@BOTH
@given(case=cases(ADDITIVE), note=NOTES)
@RELAXED
def test_a_refusal_with_a_note_names_a_budget_that_works(mode: str, case: Case, note: Any) -> None:
    try:
        case.compose(mode, 0, note)
    except BudgetError as error:
        # The note states the budget, so a longer number may cost a few bytes more.
        enough = error.required + 4
        assert case.compose(mode, enough, note).used <= enough


def plainly_optimised(case: Case, budget: int) -> tuple[str, ...]:
    """What `optimise` leaves out of droppable texts, done in the most obvious way."""
    gap = case.measure.cost(case.separator)

    def used(kept: set[int]) -> int:
        costs = (case.measure.cost(case.fragments[number].source) + gap for number in kept)
        return sum(costs) - (gap if kept else 0)

    def importance(number: int) -> tuple[int, int, int]:
        return -case.fragments[number].tier, case.fragments[number].priority, -number

    kept = {number for number, fragment in enumerate(case.fragments) if fragment.source}
    room = budget if used(kept) <= budget else budget - case.reserve
    gone = []
    for number in sorted(kept, key=importance):
        if used(kept) > room:
            kept.discard(number)
            gone.append(number)
    for number in reversed(gone):
        if used(kept | {number}) <= room:
            kept.add(number)
    return tuple(f.id for n, f in enumerate(case.fragments) if f.source and n not in kept)


@OPTIMISE
@given(case=cases(ADDITIVE, simple=True))
@settings(RELAXED, max_examples=150)
def test_the_fast_way_is_the_obvious_way(mode: str, case: Case) -> None:
    found = attempt(case, mode)
    assert found
    assert found.omitted == plainly_optimised(case, found.available)


@BOTH
@given(case=cases(simple=True), note=NOTES, every=st.integers(1, 2))
@RELAXED
def test_bulk_and_single_handling_agree(mode: str, case: Case, note: Any, every: int) -> None:
    """The same texts with a rule that changes nothing take the other path through the composer."""
    bounded = [
        f if number % every else drop(f.id, f.source, tier=f.tier, priority=f.priority, ceiling=10**9)
        for number, f in enumerate(case.fragments)
    ]
    first, second = attempt(case, mode, note), attempt(case._replace(fragments=bounded), mode, note)
    assert (first and (first.text, first.decisions())) == (second and (second.text, second.decisions()))


@pytest.mark.parametrize("lie", ["a character less", "another order"])
def test_the_checks_see_a_composition_that_lies(lie: str) -> None:
    """The accounting above is not vacuous."""
    found = compose([verbatim("a", "aaa"), verbatim("b", "bbb")], 9, BYTES)
    assert parts(found) == {"a": "aaa", "b": "bbb"}
    if lie == "a character less":
        found = found._replace(text=found.text[:-1])
    else:
        found = found._replace(
            fragments=list(reversed(found.fragments)), renditions=list(reversed(found.renditions))
        )
    assert parts(found) != {"a": "aaa", "b": "bbb"}
