"""Where the article on contexts contradicts itself or leaves a choice: what we settled on, one test each."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsd_capabilities.context import git, history
from gsd_capabilities.context.checks import repaired
from gsd_capabilities.context.disclosure import rule
from gsd_capabilities.context.engine import Built, Counters, Order, Sources, build, survey
from gsd_capabilities.context.history import Message
from gsd_capabilities.context.plan import current
from gsd_capabilities.context.providers import Providers, standard
from gsd_capabilities.context.references import Loader, Roots
from gsd_capabilities.context.report import BudgetExceededError
from gsd_capabilities.context.sections import Section, section
from gsd_capabilities.context.settings import Settings, checked
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.measure import Counted, estimated

TOKENS = estimated()
SENTENCES = "The module reads its settings. It must never write them. Everything else is detail here. " * 12


def made(*sections: Section, available: int, order: Order | None = None, reserve: int = 100) -> Built:
    """A context of these sections in a window with that much room; counting is exact."""
    settings = Settings(max_tokens=available + reserve, reserve_tokens=reserve, soft_limit=available)
    asked = (order or Order(request="Fix it", output="Be brief"))._replace(extra=sections)
    return build(asked, Sources(Loader(Roots("")), Providers()), settings, Counters(TOKENS, TOKENS))


def least(*sections: Section) -> int:
    """The least room in which these sections can stand at all."""
    with pytest.raises(BudgetExceededError) as caught:
        made(*sections, available=10)
    return caught.value.required


def renditions(built: Built) -> dict[str, str]:
    return {one.id: one.rendition for one in built.report.choices}


def document(name: str, *, priority: int = 50, text: str = SENTENCES, tier: str = "") -> Section:
    return section(name, "project", text, title=name, priority=priority, source=f"{name}.md", tier=tier)


def talk(count: int, inner: int = 2) -> list[Message]:
    """That many rounds of a question, inner messages and an answer."""
    found = []
    for number in range(1, count + 1):
        found.append(Message("user", f"Question {number}? Please look at it."))
        found += [Message("tool", f"Inner {number}.{n}. {SENTENCES}") for n in range(inner)]
        found.append(Message("assistant", f"Answer {number}. That is all."))
    return found


@pytest.mark.req("CTX-A01")
def test_a01_use_is_measured_against_what_is_available() -> None:
    assert Settings().soft == 87_040 < Settings().available == 102_400
    built = made(document("a"), available=1_000)
    before = built.report.survey.before
    assert before.utilisation == before.total / 1_000
    assert before.utilisation_of_window == before.total / 1_100
    with pytest.raises(GsdError, match="soft limit") as caught:
        checked(Settings(soft_limit=102_401))
    assert caught.value.reason == "bad_settings"


@pytest.mark.req("CTX-A02")
def test_a02_what_does_not_fit_is_passed_over_and_what_follows_stays() -> None:
    huge = document("huge", priority=90, text="x" * 20_000)
    built = made(huge, document("small", text="A small one."), available=250)
    assert renditions(built)["huge"] == "pointer"
    assert "A small one." in built.text
    assert "## User Request\n\nFix it\n" in built.text
    assert "## Output Instructions\n\nBe brief\n" in built.text


@pytest.mark.req("CTX-A03")
def test_a03_the_frame_of_each_round_and_the_newest_rounds_stay() -> None:
    sections = history.sections(talk(5), "log", whole=5, kept=2)
    everything = made(*sections, available=20_000).report.survey.before.total
    built = made(*sections, available=everything * 3 // 4)
    for number in range(1, 6):
        assert f"Question {number}? Please look at it." in built.text
        assert f"Answer {number}. That is all." in built.text
    assert [f"Inner {n}.1. {SENTENCES.strip()}" in built.text for n in (1, 4, 5)] == [False, True, True]


@pytest.mark.req("CTX-A04", "ADR1671-priority-on-fragments")
def test_a04_priority_decides_what_survives_and_the_template_where_it_stands() -> None:
    low, high = document("low", priority=51), document("high", priority=89)
    full = made(low, high, available=9_000)
    half = made(low, high, available=full.report.survey.before.total * 3 // 4)
    assert renditions(half)["high"] == "full"
    assert renditions(half)["low"] != "full"
    for built in (full, half):
        places = [built.text.index(word) for word in ("### low", "### high", "## User Request")]
        assert places == sorted(places)


@pytest.mark.req("CTX-A05")
def test_a05_full_then_summary_then_pointer_and_what_fits_is_never_dropped() -> None:
    one = document("a")
    total = made(one, available=5_000).report.survey.before.total
    found = [renditions(made(one, available=size))["a"] for size in (total, total - 1, least(one))]
    assert found == ["full", "summary", "pointer"]
    spare = section("env", "environment", "- tiny")
    assert renditions(made(one, spare, available=total + 50))["env"] == "full"


@pytest.mark.req("CTX-A06", "ADR1671-priority-on-fragments")
def test_a06_the_tier_is_explicit_and_numbers_order_within_it() -> None:
    assert document("a", priority=95).tier == "summarizable"
    assert document("a", priority=10).tier == "summarizable"
    assert document("a", priority=10, tier="immutable").tier == "immutable"
    important, other = document("a", priority=99), section("e", "environment", "x" * 400, priority=100)
    total = made(important, other, available=9_000).report.survey.before.total
    assert renditions(made(important, other, available=total - 1)) == {
        "a": "full", "e": "omitted", "request": "full", "output": "full",
    }  # fmt: skip


@pytest.mark.req("CTX-A07", "CTX-disclosure-first")
def test_a07_a_plan_comes_down_to_its_summary_and_no_further() -> None:
    plan = section("plan:1", "plan", f"# Plan\n\n{SENTENCES}", source="PLAN.md")
    built = made(plan, available=least(plan))
    assert renditions(built)["plan:1"] == "summary"
    assert "# Plan\nThe module reads its settings. It must never write them." in built.text
    with pytest.raises(BudgetExceededError) as caught:
        made(plan, available=80)
    assert "plan:1" in dict(caught.value.contributors)


@pytest.mark.req("CTX-A08")
def test_a08_five_rounds_go_in_and_two_stay_whole() -> None:
    assert (Settings().history_rounds, Settings().kept_rounds) == (5, 2)
    sections = history.sections(talk(7), "log", whole=5, kept=2)
    assert [one.id for one in sections] == [
        "history:earlier",
        *(f"history:{n}:{part}" for n in (3, 4, 5) for part in ("first", "middle", "last")),
        "history:6",
        "history:7",
    ]
    assert sections[0].text.splitlines()[1:] == [
        "- round 1: Question 1? -> Answer 1.",
        "- round 2: Question 2? -> Answer 2.",
    ]


@pytest.mark.req("CTX-A09")
def test_a09_sections_are_known_by_id_and_titles_may_say_anything() -> None:
    liar = document("a", text="## User Request\n\nnot me")
    twin = section("b", "project", "Other.", title="User Request")
    built = made(liar, twin, available=2_000)
    assert renditions(built) == dict.fromkeys(("a", "b", "request", "output"), "full")
    with pytest.raises(GsdError) as caught:
        made(document("same"), document("same"), available=2_000)
    assert caught.value.reason == "placed_twice"


@pytest.mark.req("CTX-A10")
def test_a10_a_repair_ends_where_the_mention_ends() -> None:
    gone = section("env", "environment", "x", title="Environment")
    text = "First see Environment above, then go on. 详见 `Environment`。 And `c`, see Environment variables."
    done = repaired([document("a", text=text)], [gone])
    assert done.sections[0].text == (
        "First (Environment omitted), then go on. (Environment omitted)。 And `c`, see Environment variables."
    )
    assert done.changed == ("a",)


@pytest.mark.req("CTX-A12")
def test_a12_nothing_is_escaped() -> None:
    code = "if a < b && c > d: print('\"&amp;')"
    assert code in made(document("a", text=code), available=2_000).text


def test_a11_estimates_know_cjk_and_say_their_unit() -> None:
    chinese, latin = section("c", "project", "模块必须先读取配置。" * 40), document("l", text="module " * 57)
    settings = Settings(max_tokens=50_000, reserve_tokens=100)
    found = survey(Order(extra=(chinese, latin)), Sources(Loader(Roots("")), Providers()), settings)
    assert (len(chinese.text), len(latin.text)) == (400, 399)
    assert found.need["references"] == TOKENS.cost(chinese.text) + TOKENS.cost(latin.text)
    assert TOKENS.cost(chinese.text) > 2 * TOKENS.cost(latin.text)
    assert (TOKENS.id, found.before.exact) == ("tokens:openai", False)


def test_a13_remote_references_are_off_bounded_and_kept() -> None:
    kept: list[tuple[str, bytes]] = []
    asked: list[str] = []

    def keep(address: str, data: bytes) -> None:
        kept.append((address, data))

    def fetch(address: str, most: int) -> bytes:
        asked.append(address)
        return b"# Remote\n" if "small" in address else b"x" * (most + 1)

    with pytest.raises(GsdError) as caught:
        Loader(Roots(""), fetch=fetch).load("https://docs.test/small")
    assert (caught.value.reason, asked) == ("remote_refused", [])
    loader = Loader(Roots(""), hosts=["docs.test"], url_bytes=100, fetch=fetch, keep=keep)
    assert loader.load("https://docs.test/small").text == "# Remote\n"
    assert kept == [("https://docs.test/small", b"# Remote\n")]
    for address, reason in (
        ("https://docs.test/large", "remote_too_large"),
        ("https://docs.test.evil.test/small", "remote_refused"),
        ("https://docs.test@evil.test/small", "remote_refused"),
    ):
        with pytest.raises(GsdError) as caught:
            loader.load(address)
        assert caught.value.reason == reason
    assert kept == [("https://docs.test/small", b"# Remote\n")]


@pytest.mark.req("CTX-A14")
def test_a14_state_comes_through_providers_and_the_standard_ones_read_the_planning_folder(
    tmp_path: Path,
) -> None:
    planning = tmp_path / ".planning"
    for folder in ("dreams", "plans/current", "sessions/current", ".planning/phases/01-a"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "plans/current/plan.md").write_text("# Wrong\n")
    (tmp_path / "sessions/current/session.log").write_text("wrong\n")
    (planning / "STATE.md").write_text("---\nphase: 1\nplan:\n---\n")
    (planning / "phases/01-a/01-01-PLAN.md").write_text("# Right\n")
    (planning / "session.jsonl").write_text('{"role": "user", "text": "Right?"}\n')
    providers = standard(str(tmp_path), str(planning))
    assert providers.plan
    assert providers.session
    assert [one.text for one in providers.plan().sections] == ["# Right"]
    assert providers.session() == [Message("user", "Right?")]
    assert providers.session_name == ".planning/session.jsonl"
    assert current(str(tmp_path / "nowhere")).sections == ()


@pytest.mark.req("CTX-A15", "CTX-inject-diff-summary")
def test_a15_exactly_at_the_line_nothing_happens() -> None:
    header = "diff --git a/f.py b/f.py\n--- a/f.py\n+++ b/f.py\n@@ -0,0 +1,196 @@\n"
    diff = header + "+x\n" * 196

    def run(text: str) -> git.Git:
        return lambda arguments: " M f.py\n" if arguments[0] == "status" else text

    shown = git.changes(run(diff), 200).section
    listed = git.changes(run(diff + "+y\n"), 200).section
    assert shown is not None
    assert listed is not None
    assert shown.text.count("+x") == 196
    assert "f.py (+197/-0)" in listed.text
    assert "+x" not in listed.text

    order = Order(extra=(document("a"),))
    sources = Sources(Loader(Roots("")), Providers())
    total = survey(order, sources, Settings()).before.total
    for soft, trigger in ((total, ""), (total - 1, "preventive")):
        settings = Settings(max_tokens=2 * total, reserve_tokens=100, soft_limit=soft)
        assert survey(order, sources, settings).trigger == trigger


@pytest.mark.req("CTX-A16", "CTX-disclosure-closed")
@pytest.mark.parametrize(
    ("when", "reason"),
    [
        ("phase:3", "unknown_trigger"),
        ("mode", "unknown_trigger"),
        ("mode:", "bad_trigger"),
        ("mode:dev && step:a", "bad_trigger"),
        ("mode:dev|review", "bad_trigger"),
        ("not mode:dev", "unknown_trigger"),
        ("mode:!dev", "bad_trigger"),
    ],
)
def test_a16_triggers_are_a_closed_vocabulary_without_operators(when: str, reason: str) -> None:
    assert rule("diff-glob:tests/*", "testing.md").kind == "diff-glob"
    with pytest.raises(GsdError) as caught:
        rule(when, "x.md")
    assert caught.value.reason == reason


@pytest.mark.req("CTX-A17", "CTX-budget-exceeded")
def test_a17_the_error_carries_numbers_and_names_no_model() -> None:
    with pytest.raises(BudgetExceededError) as caught:
        made(available=60, order=Order(request="w " * 400, output="Be brief"))
    error = caught.value
    assert error.required - error.available == error.over_by > 0
    assert (error.available, error.window) == (60, error.required + 100)
    assert "request" in dict(error.contributors)
    assert "output" in error.fits
    assert error.reason == "budget_exceeded"
    assert f"{error.window:,}" in str(error.hint)
    assert not any(word in str(error.hint).lower() for word in ("gpt", "claude", "gemini"))
    enough = made(available=error.required, order=Order(request="w " * 400, output="Be brief"))
    assert "w " * 400 in enough.text


def test_the_exact_counter_is_asked_only_near_the_limit() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return TOKENS.cost(text)

    counters = Counters(TOKENS, Counted("exact", count))
    settings = Settings(max_tokens=100_000, reserve_tokens=1_000)
    sources = Sources(Loader(Roots("")), Providers())
    assert not build(Order(request="Hi"), sources, settings, counters).report.after.exact
    assert asked == []
    near = settings._replace(max_tokens=1_000 + 55, soft_limit=55)
    assert build(Order(request="Hi"), sources, near, counters).report.after.exact
    assert len(asked) == 1
