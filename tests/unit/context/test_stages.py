"""Resolving, loading, injecting and rendering, each on its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.context import git, history, plan
from gsd_capabilities.context.engine import Order, Sources, build
from gsd_capabilities.context.history import Message
from gsd_capabilities.context.layout import arranged, rendered
from gsd_capabilities.context.providers import Providers, environment, file_tree
from gsd_capabilities.context.references import Loader, Roots
from gsd_capabilities.context.sections import KEYS, Section, section
from gsd_capabilities.context.settings import SHARES, Settings, checked, windowed
from gsd_capabilities.context.template import parsed
from gsd_capabilities.context.templates import MODES, TEMPLATES, template
from gsd_install.kernel.errors import GsdError


def reason(error: pytest.ExceptionInfo[GsdError]) -> str:
    return error.value.reason


# --- resolve ------------------------------------------------------------------------------------------


@pytest.mark.req("CTX-resolve-budget", "CTX-resolve-soft-limit")
@pytest.mark.parametrize(
    "wrong",
    [
        Settings(reserve_tokens=0),
        Settings(reserve_tokens=128_000),
        Settings(soft_limit=0),
        Settings(soft_limit=102_401),
        Settings(history_rounds=-1),
        Settings(diff_lines=-1),
        Settings(compact_percent=0),
        Settings(pools={**SHARES, "buffer": 18}),
        Settings(pools={"system": 100}),
        Settings(pools={**SHARES, "buffer": -17, "system": 54}),
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: Settings) -> None:
    assert checked(Settings()) == Settings()
    with pytest.raises(GsdError) as caught:
        checked(wrong)
    assert reason(caught) == "bad_settings"
    assert caught.value.hint


def test_another_window_keeps_the_proportions() -> None:
    assert windowed(Settings(), 64_000, None).reserve_tokens == 12_800
    assert windowed(Settings(soft_limit=51_200), 64_000, None).soft == 25_600
    assert windowed(Settings(), None, 8_000) == Settings(reserve_tokens=8_000)


@pytest.mark.req("CTX-resolve-template")
def test_a_template_is_a_name_or_a_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_bytes(b"A\r\n{{userRequest}}")
    assert template(str(path)) == ("A\r\n{{userRequest}}", str(path))
    with pytest.raises(GsdError) as caught:
        template("fulll")
    assert reason(caught) == "unknown_template"
    assert "full, lean" in str(caught.value.hint)


# --- load ---------------------------------------------------------------------------------------------


@pytest.fixture
def loader(tmp_path: Path) -> Loader:
    for name, text in {
        ".planning/rules.md": "Project rules.\n",
        ".planning/deep/schema.md": "---\npriority: 70\nrequires: [rules]\n---\nTables.\n",
        ".planning/old.md": "---\ndeprecated: true\n---\n# 1\n\nold\n\n# 2\n\nnew\n",
        ".planning/wrong.md": '---\ntitle: "x"\npriority: high\n---\n',
        "bundled/rules.md": "Bundled rules.\n",
        "bundled/testing.md": "How to test.\n",
        "elsewhere.md": "Outside.\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Loader(Roots(str(tmp_path / ".planning"), str(tmp_path / "bundled")))


@pytest.mark.req("CTX-load-resolution-order")
def test_planning_comes_before_absolute_before_bundled(loader: Loader, tmp_path: Path) -> None:
    assert loader.load("@rules.md").text == "Project rules.\n"
    assert loader.load(str(tmp_path / "elsewhere.md")).text == "Outside.\n"
    assert loader.load("testing").text == "How to test.\n"


@pytest.mark.req("CTX-load-cache")
def test_a_reference_is_read_once_whatever_it_is_called(loader: Loader, tmp_path: Path) -> None:
    names = ["rules.md", "@rules", "deep/../rules.md", str(tmp_path / ".planning" / "rules.md")]
    assert {loader.load(name).id for name in names} == {".planning/rules.md"}
    assert loader.read == 1


@pytest.mark.req("CTX-load-missing")
def test_a_missing_reference_suggests_the_nearest_name(loader: Loader) -> None:
    with pytest.raises(GsdError) as caught:
        loader.load("deep/shema.md")
    assert (reason(caught), caught.value.hint) == ("missing_reference", "did you mean 'deep/schema.md'?")


def test_a_relative_name_stays_in_its_folder(loader: Loader, tmp_path: Path) -> None:
    (tmp_path / ".planning" / "link.md").symlink_to(tmp_path / "elsewhere.md")
    for name in ("../elsewhere.md", "link.md"):
        with pytest.raises(GsdError) as caught:
            loader.load(name)
        assert reason(caught) == "missing_reference"


@pytest.mark.req("CTX-load-frontmatter", "CTX-load-order")
def test_frontmatter_becomes_metadata_and_priority_orders(loader: Loader) -> None:
    found = loader.sections(["testing", "old", "deep/schema"], "project")
    assert [(one.title, one.priority, one.tier) for one in found] == [
        ("deep/schema.md", 70, "summarizable"),
        ("testing.md", 50, "summarizable"),
        ("old.md", 50, "discardable"),
        ("rules.md", 50, "summarizable"),
    ]
    assert found[0].requires == (".planning/rules.md",)
    assert found[0].text == "Tables."
    assert found[2].deprecated


def test_frontmatter_that_says_nonsense_is_named_with_its_line(loader: Loader) -> None:
    with pytest.raises(GsdError) as caught:
        loader.load("wrong")
    assert (reason(caught), caught.value.line) == ("bad_reference", 3)


def test_references_that_require_each_other_are_refused(loader: Loader, tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / ".planning" / f"{name}.md").write_text(f"---\nrequires: [{other}]\n---\n")
    with pytest.raises(GsdError, match=r"a\.md, .*b\.md") as caught:
        loader.sections(["rules", "a"], "project")
    assert reason(caught) == "requirement_cycle"


def test_bytes_that_are_no_text_are_refused(loader: Loader, tmp_path: Path) -> None:
    (tmp_path / ".planning" / "latin.md").write_bytes("é".encode("latin-1"))
    with pytest.raises(GsdError) as caught:
        loader.load("latin")
    assert reason(caught) == "not_text"


# --- inject -------------------------------------------------------------------------------------------


@pytest.mark.req("CTX-inject-plan")
def test_open_tasks_are_whole_and_finished_ones_a_line() -> None:
    text = (
        "# Plan\n\n### Task 1: done one\n\n- **Status:** completed\n- detail\n\n### Task 2: open one\n\n"
        "- **Status:** in_progress\n- detail two\n\n## Boxes\n\n- [x] ticked\n  hidden\n- [ ] open\n  shown\n"
    )
    assert plan.condensed(text) == (
        "# Plan\n\n- [x] Task 1: done one\n\n### Task 2: open one\n\n- **Status:** in_progress\n"
        "- detail two\n\n## Boxes\n\n- [x] ticked\n- [ ] open\n  shown\n"
    )


def test_a_task_in_a_fence_is_text() -> None:
    text = "```\n- [x] not a task\n  kept\n```\n"
    assert plan.condensed(text) == text


def test_a_plan_with_a_finished_summary_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "phases" / "03.1-fix"
    folder.mkdir(parents=True)
    (tmp_path / "STATE.md").write_text("---\nphase: 3.1\nplan: 03.1-02\n---\n")
    (folder / "03.1-01-PLAN.md").write_text("# One\n")
    (folder / "03.1-01-SUMMARY.md").write_text("---\nstatus: done\n---\n")
    (folder / "03.1-02-PLAN.md").write_text("---\nwave: 1\n---\n\n# Two\n\n- **Tags:** Database, api\n")
    (folder / "03.1-02-SUMMARY.md").write_text("---\nstatus: partial\n---\n")
    found = plan.current(str(tmp_path))
    assert [one.text for one in found.sections] == [
        "- [x] 03.1-01-PLAN.md: done, see 03.1-01-SUMMARY.md",
        "# Two\n\n- **Tags:** Database, api",
    ]
    assert found.tags == {"database", "api"}


@pytest.mark.req("CTX-inject-session")
def test_the_number_of_rounds_is_a_setting() -> None:
    found = [Message(role, f"{role} {n}") for n in range(4) for role in ("user", "assistant")]
    ids = [one.id for one in history.sections(found, "log", whole=2, kept=1)]
    assert ids == ["history:earlier", "history:3", "history:4"]
    assert len(history.rounds(found)) == 4


def test_a_line_that_is_no_message_is_named(tmp_path: Path) -> None:
    log = tmp_path / "s.jsonl"
    log.write_text('{"role": "user", "text": "a"}\n\n{"role": "user"}\n')
    with pytest.raises(GsdError) as caught:
        history.messages(str(log))
    assert (reason(caught), caught.value.line) == ("bad_session", 3)
    assert history.messages(str(tmp_path / "none")) is None


@pytest.mark.req("CTX-inject-git")
def test_git_is_there_only_when_something_changed() -> None:
    assert git.changes(lambda _: "", 200) == git.Changes(None, (), "nothing changed")
    assert git.changes(lambda _: None, 200).absent == "not a git repository, or no git"


def test_figures_count_lines_that_look_like_headers() -> None:
    diff = (
        "diff --git a/a b.txt b/a b.txt\n--- a/a b.txt\n+++ b/a b.txt\n@@ -1,2 +1,2 @@\n--- x\n+++ y\n same\n"
        "diff --git a/bin b/bin\nBinary files a/bin and b/bin differ\n"
    )
    assert git.figures(diff) == "a b.txt (+1/-1)\nbin (+0/-0)"


@pytest.mark.req("CTX-inject-tree")
def test_the_tree_is_off_unless_asked_for_and_filtered(tmp_path: Path) -> None:
    for name in ("src/a.py", "node_modules/x.js", ".git/config", "b.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    tree = file_tree(str(tmp_path), lambda _: None)
    assert tree
    assert tree.text == "b.md\nsrc/a.py"
    assert Providers().tree is None


@pytest.mark.req("CTX-inject-environment", "CTX-inject-positions", "CTX-inject-absent")
def test_state_stands_in_order_behind_the_references_and_the_environment_at_the_tail() -> None:
    changed = git.Changes(section("git", "git", "G"), ("f",))
    providers = Providers(
        plan=lambda: plan.Plan((section("p", "plan", "P"),), frozenset()),
        session=lambda: [Message("user", "S")],
        git=lambda _: changed,
        environment=environment,
    )
    order = Order(request="R", output="O", extra=(section("r", "project", "D"),))
    built = build(order, Sources(Loader(Roots("")), providers), Settings())
    heads = [line[3:] for line in built.text.splitlines() if line.startswith("## ")]
    assert heads == [
        "Project Reference", "Current Plan", "Session History", "Working Directory Changes", "User Request",
        "Output Instructions", "Environment",
    ]  # fmt: skip
    assert "- Python 3." in built.text
    priorities = {one.role: one.priority for one in built.report.choices}
    assert (priorities["plan"], priorities["history"], priorities["git"]) == (80, 70, 60)
    assert priorities["environment"] == min(priorities.values())
    absent = build(Order(), Sources(Loader(Roots("")), Providers(session=lambda: None)), Settings()).report
    assert absent.survey.absent == {
        "core": "none named", "plan": "switched off", "history": "no session log", "git": "switched off",
        "tree": "switched off", "environment": "switched off",
        "request": "none given", "output": "none given",
    }  # fmt: skip


# --- render -------------------------------------------------------------------------------------------


def filled(text: str, *sections: Section) -> str:
    return rendered(arranged(parsed(text, KEYS), sections))


REQUEST = section("request", "request", "R")
ONE, TWO = section("a", "project", "1", title="A"), section("b", "project", "2", title="B", source="b.md")


@pytest.mark.req("CTX-render-placeholder", "CTX-render-conditional", "CTX-render-list", "CTX-render-raw")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<{{userRequest}}>", "<R>"),
        ("<{{ userRequest }}{{{userRequest}}}>", "<RR>"),
        ("{{projectReference}}", "1\n\n2"),
        ("{{?userRequest}}yes{{/userRequest}}{{?gitState}}no{{/gitState}}", "yes"),
        ("{{gitState}}", ""),
        ("{{#projectReference}}{{title}}={{text}}{{source}};{{/projectReference}}", "A=1;B=2b.md;"),
        ("{{#projectReference}}{{?userRequest}}{{title}}{{/userRequest}}{{/projectReference}}", "AB"),
        (
            "{{#projectReference}}{{text}}{{?source}} in {{source}}{{/source}};{{/projectReference}}",
            "1;2 in b.md;",
        ),
        ("{ {x} } {{}", "{ {x} } {{}"),
    ],
)
def test_the_four_forms(text: str, expected: str) -> None:
    assert filled(text, REQUEST, ONE, TWO) == expected


@pytest.mark.req("CTX-render-errors")
@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a\n  {{nothing}}", 2, 3),
        ("{{title}}", 1, 1),
        ("{{?userRequest}}", 1, 1),
        ("x{{/userRequest}}", 1, 2),
        ("{{?userRequest}}\n{{#gitState}}\n{{/userRequest}}", 3, 1),
        ("{{#gitState}}{{#userRequest}}{{/userRequest}}{{/gitState}}", 1, 14),
    ],
)
def test_a_template_that_is_wrong_is_named_with_line_and_column(text: str, line: int, column: int) -> None:
    with pytest.raises(GsdError, match=f"in column {column}$") as caught:
        parsed(text, KEYS)
    assert (reason(caught), caught.value.line) == ("bad_template", line)


@pytest.mark.req("CTX-render-one-pass")
@settings(max_examples=60)
@given(st.text(alphabet="{}#?/userRqest \n", max_size=40))
def test_inserted_text_is_never_read_as_a_template(text: str) -> None:
    inserted = section("a", "project", text + "{{userRequest}}{{/x}}")
    assert filled("[{{projectReference}}]", REQUEST, inserted) == f"[{inserted.text}]"


@pytest.mark.req("CTX-render-sections", "CTX-render-modes")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", TEMPLATES)
def test_any_mode_goes_with_any_template(mode: str, name: str) -> None:
    core = section("c", "core", "Rules")
    order = Order(mode=mode, template=name, request="R", output="O", extra=(core,))
    text = build(order, Sources(Loader(Roots("")), Providers()), Settings()).text
    assert text.startswith(MODES[mode].head)
    assert text.endswith(MODES[mode].foot)
    assert "## System Reference\n\nRules\n\n## User Request\n\nR\n\n## Output Instructions\n\nO\n" in text


def test_a_mode_that_nobody_knows_is_refused() -> None:
    with pytest.raises(GsdError) as caught:
        build(Order(mode="deploy"), Sources(Loader(Roots("")), Providers()), Settings())
    assert reason(caught) == "unknown_mode"


def test_a_report_is_json() -> None:
    built = build(Order(request="R"), Sources(Loader(Roots("")), Providers()), Settings())
    told = json.loads(json.dumps(built.report.told()))
    assert {"total", "available", "over", "over_by", "utilisation"} <= set(told["before"])
    assert told["stages"] == ["resolve", "load", "inject", "render", "validate"]
