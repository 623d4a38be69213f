"""What gives way, in which order, and what never does."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gsd_capabilities.context.checks import check_structure, repaired
from gsd_capabilities.context.engine import Built, Counters, Order, Sources, build
from gsd_capabilities.context.ladder import newest, pointer
from gsd_capabilities.context.monitor import watched
from gsd_capabilities.context.providers import Providers
from gsd_capabilities.context.references import Loader, Roots
from gsd_capabilities.context.report import BudgetExceededError
from gsd_capabilities.context.sections import ROLES, Section, band, section
from gsd_capabilities.context.settings import Settings
from gsd_capabilities.context.summary import key_sentences, summarised
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import Counted, Measure, estimated

TOKENS = estimated()
LONG = (
    "The module reads its settings before it looks at any of the files that it is asked about. "
    "It must never write them while somebody else holds the lock. Everything else is detail here. "
) * 8
NOWHERE = Sources(Loader(Roots("")), Providers())


def window(available: int, **changed: int) -> Settings:
    return Settings(available + 1_000, 1_000, soft_limit=available)._replace(**changed)  # type: ignore[arg-type]


def made(
    *sections: Section, available: int, exact: Measure | None = TOKENS, order: Order | None = None
) -> Built:
    asked = (order or Order(request="Fix it", output="Be brief"))._replace(extra=sections)
    return build(asked, NOWHERE, window(available), Counters(TOKENS, exact))


def total(*sections: Section) -> int:
    return made(*sections, available=100_000).report.survey.before.total


def changed(built: Built) -> dict[str, str]:
    return {one.id: one.rendition for one in built.report.choices if one.rendition != "full"}


def document(name: str, priority: int = 50, text: str = LONG) -> Section:
    return section(name, "project", text, title=name, priority=priority, source=f"{name}.md")


# --- triggers -----------------------------------------------------------------------------------------


@pytest.mark.req("CTX-validate-within", "CTX-two-phases", "CTX-five-stages")
def test_what_fits_is_returned_as_it_is() -> None:
    built = made(document("a"), available=total(document("a")))
    assert (built.report.survey.trigger, changed(built)) == ("", {})
    assert LONG in built.text
    assert built.report.survey.stages == ("resolve", "load", "inject", "render", "validate")
    assert built.report.after == built.report.survey.before


@pytest.mark.req("CTX-trigger-forced", "CTX-validate-never-over", "CTX-validate-report")
def test_one_token_too_many_forces_a_cut() -> None:
    most = total(document("a")) - 1
    built = made(document("a"), available=most)
    before = built.report.survey.before
    assert (before.over, before.over_by, built.report.survey.trigger) == (True, 1, "forced")
    assert not built.report.after.over
    assert built.report.after.total == TOKENS.cost(built.text) <= most


def test_without_an_exact_counter_a_forced_cut_leaves_room_for_the_error() -> None:
    sections = [document(f"d{n}") for n in range(8)]
    most = total(*sections) - 1
    built = made(*sections, available=most, exact=None)
    assert built.report.survey.aim == most * 85 // 100
    assert not built.report.after.exact
    assert built.report.after.total <= most * 85 // 100


@pytest.mark.req("CTX-trigger-preventive")
def test_above_the_soft_limit_a_cut_prevents() -> None:
    sections = [document(f"d{n}") for n in range(8)]
    most = total(*sections) * 100 // 90
    settings = window(most, soft_limit=most * 85 // 100)
    built = build(Order(extra=tuple(sections)), NOWHERE, settings)
    assert built.report.survey.trigger == "preventive"
    assert built.report.after.total <= most * 85 // 100


@pytest.mark.req("CTX-trigger-requested")
def test_a_cut_can_be_asked_for() -> None:
    sections = [document(f"d{n}") for n in range(8)]
    most = total(*sections) + 10
    built = made(*sections, available=most, order=Order(request="R", compact=True))
    assert (built.report.survey.trigger, built.report.survey.aim) == ("requested", most * 60 // 100)
    assert built.report.after.total <= most * 60 // 100


def test_an_aim_below_what_may_not_be_cut_comes_as_near_as_it_can() -> None:
    order = Order(request="word " * 200, compact=True)
    spare = section("e", "environment", "x" * 300)
    most = made(spare, available=5_000, order=order._replace(compact=False)).report.after.total
    built = made(spare, available=most, order=order)
    assert changed(built) == {"e": "omitted"}
    assert built.report.survey.aim == most * 60 // 100 < built.report.after.total < most


@pytest.mark.req("CTX-monitor-preventive")
def test_a_short_projection_compacts_the_history_before_there_is_need() -> None:
    from gsd_capabilities.context.history import Message

    talk = [Message(role, f"{role} {n}. {LONG}") for n in range(5) for role in ("user", "tool", "assistant")]
    providers = Providers(session=lambda: talk)
    loader = Loader(Roots(""))
    calm = build(Order(), Sources(loader, providers, watched(100_000, [10, 20])), Settings())
    due = build(Order(), Sources(loader, providers, watched(100_000, [30_000, 60_000])), Settings())
    assert (calm.report.survey.trigger, due.report.survey.trigger) == ("", "projected")
    assert f"tool 2. {LONG}".strip() in calm.text
    assert f"tool 2. {LONG}".strip() not in due.text
    assert f"tool 3. {LONG}".strip() in due.text
    assert due.report.after.total < calm.report.after.total


def test_a_text_far_too_large_is_summed_from_its_parts() -> None:
    sections = [document(f"d{n}") for n in range(50)]
    whole, parts = total(*sections), made(*sections, available=1_200).report.survey.before
    assert whole <= parts.total <= whole + 110
    assert (parts.over, parts.exact) == (True, False)


# --- the ladder ---------------------------------------------------------------------------------------


@pytest.mark.req("CTX-ladder", "CTX-tier-discardable", "CTX-strategy-middle", "CTX-tier-summarizable")
def test_the_ladder_goes_step_by_step() -> None:
    old = section("old", "project", f"# 1\n\n{LONG}\n\n# 2\n\nnew", title="old", deprecated=True)
    inner = section("history:1:middle", "history", LONG, middle=True)
    debug, first, second = section("debug", "debug", LONG), document("first", 60), document("second", 55)
    everything = (first, second, inner, old, debug)
    steps: list[dict[str, str]] = []
    for most in range(total(*everything), 30, -5):
        try:
            found = changed(made(*everything, available=most))
        except BudgetExceededError:
            break
        steps += [found] if not steps or steps[-1] != found else []
    order = [
        ("debug", "omitted"), ("old", "newest"), ("old", "omitted"), ("history:1:middle", "summary"),
        ("second", "summary"), ("first", "summary"), ("first", "pointer"),
    ]  # fmt: skip
    places = [next(n for n, step in enumerate(steps) if step.get(name) == how) for name, how in order]
    assert places == sorted(places), steps


@pytest.mark.req("CTX-ladder")
def test_what_still_fits_comes_back() -> None:
    small = section("small", "environment", "x" * 40, priority=1)
    large = section("large", "debug", "y" * 4_000, priority=2)
    built = made(small, large, available=total(small, large) - 1)
    assert changed(built) == {"large": "omitted"}


@pytest.mark.req("CTX-strategy-head")
def test_only_deprecated_text_loses_its_head() -> None:
    text = f"# 1\n\n{LONG}\n\n# 2\n\nnewest part"
    old = section("old", "project", text, title="old", deprecated=True)
    built = made(old, available=total(old) - 1)
    assert changed(built) == {"old": "newest"}
    assert "# 2\n\nnewest part" in built.text
    assert "# 1" not in built.text
    assert newest("one\n\ntwo") == "two"
    assert newest("one") == ""
    assert changed(made(document("a", text=text), available=total(old) - 1)) == {"a": "summary"}


@pytest.mark.req("CTX-strategy-tail")
def test_the_inner_messages_of_old_rounds_go_before_anything_that_is_summarised() -> None:
    inner, other = section("history:1:middle", "history", LONG, middle=True), document("other", 51)
    built = made(inner, other, available=total(inner, other) - 1)
    assert changed(built) == {"history:1:middle": "summary"}


@pytest.mark.req("CTX-pools-lending")
def test_pools_that_took_too_much_give_way_first() -> None:
    heavy = [document(f"h{n}", 89, text=LONG) for n in range(12)]
    light = section("git", "git", LONG, source="git")
    built = made(*heavy, light, available=total(*heavy, light) - 200)
    lacking = built.report.survey.lending.lacking
    assert lacking["references"] > 0 == lacking["state"]
    assert "git" not in changed(built)
    assert changed(built)


@pytest.mark.req("CTX-numeric-priorities")
@pytest.mark.parametrize(
    ("priority", "tier"),
    [(100, "immutable"), (90, "immutable"), (89, "summarizable"), (50, "summarizable"), (49, "discardable")],
)
def test_bands_map_to_tiers_and_an_explicit_tier_wins(priority: int, tier: str) -> None:
    assert band(priority) == tier
    assert section("x", "extra", "t", priority=priority).tier == tier
    assert section("x", "extra", "t", priority=priority, tier="discardable").tier == "discardable"
    for role, wrong in (("nobody", ""), ("extra", "holy")):
        with pytest.raises(GsdError):
            section("x", role, "t", tier=wrong)


@pytest.mark.req("CTX-tier-discardable")
def test_what_is_left_out_is_named_and_leaves_no_heading() -> None:
    env = section("environment", "environment", LONG)
    built = made(document("a"), env, available=total(document("a"), env) - 1)
    assert changed(built) == {"environment": "omitted"}
    assert "## Environment" not in built.text
    assert "left out: environment]" in built.text
    assert built.text.index("left out:") < built.text.index("## User Request")


def test_a_pointer_says_where_the_text_is() -> None:
    assert pointer(document("a", text="1\n2")) == "[a: 2 lines left out, in a.md]"
    assert pointer(section("git", "git", "1")) == "[Working Directory Changes: 1 line left out]"


def test_a_required_reference_outlives_what_requires_it() -> None:
    needed = section("needed", "environment", LONG, priority=1)
    user = section("user", "debug", LONG, priority=90, requires=("needed",))
    built = made(needed, user, available=total(needed, user) - 1)
    assert changed(built) == {"user": "omitted"}


# --- what never happens -------------------------------------------------------------------------------

SECTIONS = st.lists(
    st.tuples(
        st.sampled_from([role for role in ROLES if role not in ("request", "output")]),
        st.text(alphabet="ab 日本語é.\n#-`", min_size=1, max_size=300),
        st.integers(0, 100),
        st.booleans(),
    ),
    max_size=8,
)


@pytest.mark.req("CTX-tier-immutable", "CTX-validate-never-over", "CTX-two-phases")
@settings(max_examples=120, deadline=None)
@given(SECTIONS, st.text(alphabet="ab 日\n", min_size=1, max_size=80), st.integers(1, 1_500))
def test_it_fits_or_refuses_and_what_may_not_be_cut_is_whole(
    rows: list[tuple[str, str, int, bool]], request: str, available: int
) -> None:
    sections = [
        section(f"s{n}", role, text, priority=priority, deprecated=old and role == "project")
        for n, (role, text, priority, old) in enumerate(rows)
    ]
    order = Order(request=request, output="Answer in JSON.")
    refused = None
    try:
        built = made(*sections, available=available, order=order)
    except BudgetExceededError as error:
        refused = error
    if refused:
        assert refused.required > refused.available == available
        return
    assert TOKENS.cost(built.text) == built.report.after.total <= available
    assert f"## User Request\n\n{request}\n" in built.text
    assert "## Output Instructions\n\nAnswer in JSON.\n" in built.text
    for one in sections:
        assert one.tier != "immutable" or one.text in built.text
    assert {one.id for one in built.report.choices} == {"request", "output", *(one.id for one in sections)}
    assert made(*sections, available=available, order=order).text == built.text


@pytest.mark.case("CT-05")
def test_required_parts_over_the_budget_are_refused_with_numbers_and_never_cut() -> None:
    # The case returns the required part with a flag; a refusal with the same numbers cannot be overlooked.
    required = Order(request="rule " * 1_000)
    with pytest.raises(BudgetExceededError) as caught:
        made(section("e", "environment", "o" * 1_000), available=1_000, order=required)
    assert caught.value.required == caught.value.available + caught.value.over_by
    assert caught.value.exit_code == 1
    enough = made(section("e", "environment", "o" * 1_000), available=caught.value.required, order=required)
    assert "rule " * 1_000 in enough.text
    assert changed(enough) == {"e": "omitted"}


# --- the three checks ---------------------------------------------------------------------------------


@pytest.mark.req("CTX-check-structure")
def test_a_context_without_a_protected_section_is_not_returned() -> None:
    given = [section("request", "request", "Fix it"), document("a")]
    check_structure(given, "... Fix it ...")
    with pytest.raises(GsdError, match="lacks User Request") as caught:
        check_structure(given, "... Fix  it ...")
    assert caught.value.reason == "broken_structure"


@pytest.mark.req("CTX-check-structure")
def test_a_template_without_a_place_for_the_request_is_refused(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("t") / "t.md"
    path.write_text("{{?outputInstructions}}{{outputInstructions}}{{/outputInstructions}}")
    with pytest.raises(GsdError, match="lacks User Request"):
        made(available=500, order=Order(request="Fix it", output="O", template=str(path)))
    built = made(document("a"), available=500, order=Order(output="O", template=str(path)))
    assert built.report.survey.absent["a"] == "no place in the template"
    assert built.report.survey.absent["request"] == "none given"


@pytest.mark.req("CTX-check-references")
def test_a_mention_of_what_is_gone_is_repaired_in_the_context() -> None:
    env = section("environment", "environment", LONG)
    one = document("a", text="Versions: see `Environment`, and mind `x`. Mail me@environment.test.")
    rules = section("rules", "core", "See Environment.")
    built = made(rules, one, env, available=total(rules, one, env) - 1)
    assert "Versions: (Environment omitted), and mind `x`. Mail me@environment.test." in built.text
    assert "See Environment." in built.text
    assert built.report.repaired == ("a",)


def test_a_name_that_something_else_still_has_is_not_gone() -> None:
    gone, twin = section("g", "environment", "x", title="Guide"), section("t", "project", "y", title="Guide")
    mention = document("a", text="See `Guide`.")
    assert repaired([mention, twin], [gone]).changed == ()
    assert repaired([mention], [gone]).changed == ("a",)


@pytest.mark.req("CTX-check-references")
@settings(max_examples=100)
@given(st.text(alphabet="ab `.\nse日@", max_size=60), st.text(alphabet="ab `.\nse日@", max_size=60))
def test_text_around_a_mention_is_intact(before: str, after: str) -> None:
    gone = section("g", "environment", "x", title="Quite Unique")
    assume(not before.endswith("@"))
    text = f"{before} see `Quite Unique`{after}"
    assert repaired([document("a", text=text)], [gone]).sections[0].text == (
        f"{before} (Quite Unique omitted){after}"
    )


@pytest.mark.req("CTX-check-calibration")
def test_an_estimate_that_was_too_kind_runs_the_ladder_again() -> None:
    dear = Counted("dear", lambda text: -(-TOKENS.cost(text) * 3 // 2))
    sections = [document(f"d{n}") for n in range(10)]
    most = total(*sections) - 20
    kind = made(*sections, available=most)
    strict = made(*sections, available=most, exact=dear)
    assert dear.cost(kind.text) > most
    assert strict.report.after.exact
    assert dear.cost(strict.text) == strict.report.after.total <= most


def test_an_estimate_that_was_too_strict_refuses_nothing() -> None:
    cheap = Counted("cheap", lambda text: TOKENS.cost(text) // 2)
    order = Order(request="word " * 200)
    with pytest.raises(BudgetExceededError):
        made(available=150, order=order)
    assert made(available=200, order=order, exact=cheap).report.after.exact


# --- summaries ----------------------------------------------------------------------------------------


@pytest.mark.req("CTX-summary-deterministic")
def test_a_summary_is_headings_and_key_sentences() -> None:
    text = (
        "# Title\n\nFirst one. Second is detail. You must do this! Last.\n\n- item\n- more\n- most\n\n"
        "```py\nx = 1\ny = 2\n```\n\n| a |\n|---|\n| 1 |\n\n第一句。细节。必须检查。\n"
    )
    assert summarised(text) == (
        "# Title\nFirst one. You must do this!\n- item\n[2 more items]\n[code: 2 lines]\n[table: 3 rows]\n"
        "第一句。 必须检查。"
    )
    assert summarised(text) == summarised(text)
    assert key_sentences("One line\nwithout a stop") == "One line without a stop"
    assert summarised("") == ""


@settings(max_examples=100)
@given(st.text(alphabet="ab .!必须。\n#-`|1)", max_size=200))
def test_a_summary_invents_no_words(text: str) -> None:
    notes = {"[code:", "[table:", "more", "items]", "lines]", "rows]"}
    words = {word for word in summarised(text).split() if not word.strip("[").isdecimal()} - notes
    assert all(word in "".join(text.split()) or word in text for word in words)
