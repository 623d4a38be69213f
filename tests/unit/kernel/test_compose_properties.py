"""Properties of the composer; every test names the modes it holds for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from gsd_install.kernel.compose import BudgetError, Composition, compose
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
    fragments: list[Fragment]
    budget: int
    separator: str
    reserve: int


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
        rules["ceiling"] = draw(st.sampled_from([None, None, 30])) if kind == "share" else None
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
def cases(draw: st.DrawFn, simple: bool = False) -> Case:
    made = draw(fragments(simple))
    size = sum(len((f.wrapper + f.source).encode()) for f in made)
    return Case(
        made,
        draw(st.integers(0, size + 20)),
        draw(st.sampled_from(["", "\n", "\n\n"])),
        draw(st.sampled_from([0, 0, 12])),
    )


def attempt(case: Case, measure: Measure, mode: Any, **options: Any) -> Composition | None:
    """The composition, or None where it was refused; a refusal must be one of the typed kind."""
    try:
        found = compose(
            case.fragments,
            case.budget,
            measure,
            mode=mode,
            separator=case.separator,
            reserve=case.reserve,
            **options,
        )
    except BudgetError as error:
        assert error.required > error.available
        event("refused")
        return None
    event(f"pressure {found.pressure}")
    return found


def parts(found: Composition) -> dict[str, str]:
    """What the text holds of each source, by way of the source map."""
    return {span.id: found.text[span.start : span.end] for span in found.source_map() if span.part == "text"}


RELAXED = settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow])


@BOTH
@pytest.mark.req("ADR1671-compose-properties")
@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.id)
@given(case=cases())
@RELAXED
def test_fits_or_raises(mode: str, measure: Measure, case: Case) -> None:
    found = attempt(case, measure, mode)
    if found:
        assert found.used == measure.cost(found.text) <= found.available == case.budget


@BOTH
@given(case=cases(), budgets=st.lists(st.integers(0, 400), min_size=2, max_size=5))
@RELAXED
def test_load_bearing_and_isolate_bytes_are_the_same_under_every_budget(
    mode: str, case: Case, budgets: list[int]
) -> None:
    prefixes = set()
    for budget in budgets:
        found = attempt(case._replace(budget=budget), BYTES, mode)
        if found is None:
            continue
        prefixes.add(found.prefix_digest)
        assert found.text.startswith(found.prefix)
        present = parts(found)
        for fragment in case.fragments:
            if fragment.load_bearing or fragment.isolate:
                assert present.get(fragment.id, "") == fragment.source
    assert len(prefixes) <= 1


@BOTH
@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.id)
@given(case=cases())
@RELAXED
def test_floors_and_ceilings_hold(mode: str, measure: Measure, case: Case) -> None:
    found = attempt(case, measure, mode)
    if found is None:
        return
    for fragment, rendition in zip(found.fragments, found.renditions, strict=True):
        cost = measure.cost(rendition.text)
        assert cost >= min(fragment.floor, measure.cost(fragment.source), fragment.ceiling or cost)
        assert fragment.ceiling is None or cost <= fragment.ceiling


@BOTH
@given(case=cases())
@RELAXED
def test_order_is_kept_and_everything_is_accounted_for(mode: str, case: Case) -> None:
    found = attempt(case, BYTES, mode)
    if found is None:
        return
    declared = [fragment.id for fragment in case.fragments]
    shown = list(dict.fromkeys(span.id for span in found.source_map() if span.id))
    assert shown == [name for name in declared if name in shown]
    gone = {name for name in declared if name not in shown}
    assert gone == set(found.omitted) | {f.id for f in case.fragments if not f.source and f.id not in shown}
    assert [decision.id for decision in found.decisions()] == declared


@BOTH
@given(case=cases())
@RELAXED
def test_sources_can_be_put_together_again(mode: str, case: Case) -> None:
    found = attempt(case, BYTES, mode)
    if found is None:
        return
    spans = found.source_map()
    assert [span.start for span in spans] == [0, *(span.end for span in spans)][: len(spans)]
    assert (spans[-1].end if spans else 0) == len(found.text)
    assert all(span.start < span.end for span in spans)
    present, rest = parts(found), found.rest()
    for fragment in case.fragments:
        assert present.get(fragment.id, "") + rest.get(fragment.id, "") == fragment.source
    for span in spans:
        if span.part == "text":
            source = next(f.source for f in case.fragments if f.id == span.id)
            assert found.text[span.start : span.end] == source[span.source_start : span.source_end]


@OPTIMISE
@pytest.mark.parametrize("measure", ADDITIVE, ids=lambda measure: measure.id)
@given(case=cases())
@settings(RELAXED, max_examples=300)
def test_nothing_that_was_left_out_would_fit_alone(mode: str, measure: Measure, case: Case) -> None:
    found = attempt(case._replace(reserve=0), measure, mode, note=None)
    if found is None or not found.omitted:
        return
    room = found.available - found.used
    gap = measure.cost(case.separator) if found.text else 0
    gone = set(found.omitted)
    for fragment in case.fragments:
        if fragment.id not in gone or fragment.group or gone & set(fragment.requires):
            continue
        if fragment.strategy in ("drop", "extract"):
            shown = [r.text for r in fragment.renditions if r.text]
            least = min(measure.cost(fragment.wrapper + text) for text in shown)
            assert least + gap > room, fragment.id


@BOTH
@given(case=cases())
@RELAXED
def test_what_is_required_is_there_and_groups_stay_together(mode: str, case: Case) -> None:
    found = attempt(case, BYTES, mode)
    if found is None:
        return
    gone = set(found.omitted)
    for fragment in case.fragments:
        if fragment.id not in gone and fragment.source:
            assert not gone & set(fragment.requires)
    dropped = {f.id in gone for f in case.fragments if f.group == "drop-group" and f.source}
    assert len(dropped) <= 1


@BOTH
@given(case=cases())
@RELAXED
def test_composing_what_was_composed_changes_nothing(mode: str, case: Case) -> None:
    found = attempt(case, BYTES, mode, note=None)
    if found is None:
        return
    again = [
        verbatim(fragment.id, rendition.text, wrapper=fragment.wrapper, isolate=fragment.isolate)
        for fragment, rendition in zip(found.fragments, found.renditions, strict=True)
    ]
    assert compose(again, case.budget, BYTES, separator=case.separator).text == found.text
    assert attempt(case, BYTES, mode, note=None) == found


@BOTH
@pytest.mark.req("ADR1671-compose-boundaries")
@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.id)
@given(case=cases())
@RELAXED
def test_one_below_at_and_one_above_the_cap(mode: str, measure: Measure, case: Case) -> None:
    assume(all(fragment.ceiling is None for fragment in case.fragments))
    whole = [fragment.wrapper + fragment.source for fragment in case.fragments if fragment.source]
    text = case.separator.join(whole)
    cap = measure.cost(text)
    for budget in (cap, cap + 1):
        found = attempt(case._replace(budget=budget), measure, mode)
        assert found
        assert (found.text, found.pressure) == (text, False)
    if cap:
        below = attempt(case._replace(budget=cap - 1), measure, mode)
        assert below is None or (below.text != text and below.used < cap)


class Scaled:
    """Another measure in different units: every cost three times as high."""

    id = "thirds"
    additive = True

    def cost(self, text: str) -> int:
        return 3 * len(text)


@BOTH
@given(case=cases())
@RELAXED
def test_a_measure_decides_through_its_costs_alone(mode: str, case: Case) -> None:
    plain = [
        f
        if f.ceiling is None and not f.floor
        else verbatim(f.id, f.source, isolate=f.isolate, requires=f.requires)
        for f in case.fragments
    ]
    scaled = [
        fragment for fragment in plain if fragment.strategy != "proportional-truncate" or not fragment.ending
    ]
    first = attempt(case._replace(fragments=plain), CHARACTERS, mode, note=None)
    second = attempt(
        case._replace(fragments=scaled, budget=case.budget * 3, reserve=case.reserve * 3),
        Scaled(),
        mode,
        note=None,
    )
    assert (first is None) == (second is None)
    if first and second:
        assert (first.text, first.omitted, first.restored) == (second.text, second.omitted, second.restored)
        assert second.used == 3 * first.used


@BOTH
@given(case=cases())
@RELAXED
def test_bytes_and_characters_agree_on_ascii(mode: str, case: Case) -> None:
    ascii_only = [fragment for fragment in case.fragments if fragment.source.isascii()]
    names = {fragment.id for fragment in ascii_only}
    assume(all(set(fragment.requires) <= names for fragment in ascii_only))
    case = case._replace(fragments=ascii_only)
    first, second = attempt(case, BYTES, mode, note=None), attempt(case, CHARACTERS, mode, note=None)
    assert (first and first.decisions()) == (second and second.decisions())


@BOTH
@pytest.mark.parametrize("measure", ADDITIVE, ids=lambda measure: measure.id)
@given(case=cases())
@RELAXED
def test_a_refusal_names_the_least_budget_that_works(mode: str, measure: Measure, case: Case) -> None:
    case = case._replace(reserve=0)
    options: dict[str, Any] = {"mode": mode, "separator": case.separator, "note": None}
    with pytest.raises(BudgetError) as caught:
        compose([*case.fragments, verbatim("last", "z" * 500)], case.budget % 500, measure, **options)
    required = caught.value.required
    enough = compose([*case.fragments, verbatim("last", "z" * 500)], required, measure, **options)
    assert enough.used == required
    with pytest.raises(BudgetError):
        compose([*case.fragments, verbatim("last", "z" * 500)], required - 1, measure, **options)
    assert sum(cost for _, cost in caught.value.contributors) <= required + measure.cost(case.separator) * 99
    assert set(caught.value.fits) <= {fragment.id for fragment in case.fragments}


@BOTH
@given(case=cases())
@RELAXED
def test_a_refusal_with_a_note_names_a_budget_that_works(mode: str, case: Case) -> None:
    try:
        compose(case.fragments, case.budget // 4, BYTES, mode=mode, separator=case.separator)  # type: ignore[arg-type]
    except BudgetError as error:
        # The note states the budget, so a longer number may cost a few bytes more.
        enough = error.required + 4
        assert compose(case.fragments, enough, BYTES, mode=mode, separator=case.separator).used <= enough  # type: ignore[arg-type]


def plainly_optimised(case: Case) -> tuple[str, ...]:
    """What `optimise` leaves out of droppable texts, done in the most obvious way."""
    gap = len(case.separator.encode())

    def used(kept: set[int]) -> int:
        return sum(len(case.fragments[n].source.encode()) + gap for n in kept) - (gap if kept else 0)

    def importance(number: int) -> tuple[int, int, int]:
        return -case.fragments[number].tier, case.fragments[number].priority, -number

    kept = {number for number, fragment in enumerate(case.fragments) if fragment.source}
    room = case.budget if used(kept) <= case.budget else case.budget - case.reserve
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
@given(case=cases(simple=True))
@settings(RELAXED, max_examples=400)
def test_the_fast_way_is_the_obvious_way(mode: str, case: Case) -> None:
    assume(case.reserve <= case.budget)
    found = attempt(case, BYTES, mode, note=None)
    assert found
    assert found.omitted == plainly_optimised(case)


@BOTH
@given(case=cases(simple=True), wrap=st.booleans())
@RELAXED
def test_bulk_and_single_handling_agree(mode: str, case: Case, wrap: bool) -> None:
    """The same texts with a rule that changes nothing take the other path through the composer."""
    bounded = [
        drop(f.id, f.source, tier=f.tier, priority=f.priority, ceiling=10**9) if wrap or n % 2 else f
        for n, f in enumerate(case.fragments)
    ]
    first, second = attempt(case, BYTES, mode), attempt(case._replace(fragments=bounded), BYTES, mode)
    assert first
    assert second
    assert (first.text, first.decisions()) == (second.text, second.decisions())


BROKEN: dict[str, Callable[[Composition], Composition]] = {
    "cut": lambda found: found._replace(text=found.text[:-1]),
    "unordered": lambda found: found._replace(fragments=list(reversed(found.fragments))),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_the_checks_see_a_broken_composition(broken: Callable[[Composition], Composition]) -> None:
    """The accounting above is not vacuous: it fails on a composition that lies."""
    found = broken(compose([verbatim("a", "aaa"), verbatim("b", "bbb")], 9, BYTES))
    whole = "".join(found.text[span.start : span.end] for span in found.source_map())
    honest = whole == found.text and parts(found) == {"a": "aaa", "b": "bbb"}
    assert not (honest and found.used == BYTES.cost(found.text))
