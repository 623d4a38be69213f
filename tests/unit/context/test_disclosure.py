"""Which references an invocation brings along."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsd_capabilities.context import git, plan
from gsd_capabilities.context.disclosure import Facts, disclosed, mentioned, rule, rules
from gsd_capabilities.context.engine import Order, Sources, build
from gsd_capabilities.context.providers import Providers
from gsd_capabilities.context.references import Loader, Roots
from gsd_capabilities.context.sections import section
from gsd_capabilities.context.settings import Settings
from gsd_install.kernel.errors import GsdError

FACTS = Facts(
    "review", "verify", frozenset({"database"}), ("tests/a/test_b.py", "src/a.py"), "Fix billing now"
)


@pytest.mark.req("CTX-disclosure-second", "CTX-disclosure-third")
@pytest.mark.parametrize(
    ("when", "holds"),
    [
        ("mode:review", True),
        ("mode:dev", False),
        ("step:verify", True),
        ("step:plan", False),
        ("task-tag:Database", True),
        ("task-tag:data", False),
        ("diff-glob:tests/*", True),
        ("diff-glob:*.md", False),
        ("mention:Billing", True),
        ("mention:bill", False),
    ],
)
def test_a_rule_loads_on_its_trigger_alone(when: str, holds: object) -> None:
    assert disclosed([rule(when, "x.md")], FACTS) == (("x.md",) if holds else ())


@pytest.mark.req("CTX-disclosure-mention")
def test_a_document_that_the_request_mentions_is_loaded_once() -> None:
    request = "Read @doc api.md, then @doc https://x.test/a. Mail a@doc b, and @doc api.md."
    assert mentioned(request) == ("api.md", "https://x.test/a")
    assert disclosed([rule("mode:dev", "api.md")], Facts("dev", request=request)) == (
        "api.md",
        "https://x.test/a",
    )


@pytest.mark.parametrize(
    "entry", [{"when": "mode:dev"}, {"when": "mode:dev", "load": "x", "if": "y"}, "mode:dev"]
)
def test_a_rule_of_another_shape_is_refused(entry: dict[str, object]) -> None:
    with pytest.raises(GsdError) as caught:
        rules([entry], file="rules.json")
    assert (caught.value.reason, caught.value.file) == ("bad_trigger", "rules.json")


@pytest.mark.req("CTX-disclosure-before", "CTX-disclosure-database", "CTX-disclosure-tests")
def test_only_what_is_called_for_is_read(tmp_path: Path) -> None:
    for name in ("database-schema", "testing-guidelines", "review-checklist"):
        (tmp_path / f"{name}.md").write_text(f"About {name}.\n")
    given = rules(
        [
            {"when": "task-tag:database", "load": "database-schema"},
            {"when": "diff-glob:tests/*", "load": "testing-guidelines"},
            {"when": "mode:review", "load": "review-checklist"},
        ]
    )
    tags, paths = frozenset({"database"}), ("tests/test_a.py",)

    def loaded(tags: frozenset[str], paths: tuple[str, ...], mode: str) -> set[str]:
        providers = Providers(
            plan=lambda: plan.Plan((), tags),
            git=lambda _: git.Changes(section("git", "git", "changed"), paths),
        )
        loader = Loader(Roots(str(tmp_path)))
        order = Order(mode=mode, request="Go", rules=given)
        built = build(order, Sources(loader, providers), Settings())
        found = {one.title for one in built.report.choices if one.role == "session"}
        assert loader.read == len(found)
        assert all(f"About {name.removesuffix('.md')}." in built.text for name in found)
        return found

    assert loaded(frozenset(), (), "dev") == set()
    assert loaded(tags, (), "dev") == {"database-schema.md"}
    assert loaded(frozenset(), paths, "dev") == {"testing-guidelines.md"}
    assert loaded(tags, paths, "review") == {
        "database-schema.md", "testing-guidelines.md", "review-checklist.md",
    }  # fmt: skip


@pytest.mark.req("CTX-resolve-references", "CTX-resolve-state-switches")
def test_references_come_in_three_groups_and_each_source_can_be_off(tmp_path: Path) -> None:
    for name in ("core", "project", "session"):
        (tmp_path / f"{name}.md").write_text(f"{name} text\n")
    loader = Loader(Roots(str(tmp_path)))
    order = Order(core=("core",), project=("project", "core"), session=("session",))
    built = build(order, Sources(loader, Providers()), Settings())
    assert [(one.role, one.title) for one in built.report.choices] == [
        ("core", "core.md"),
        ("project", "project.md"),
        ("session", "session.md"),
    ]
    assert {"plan", "history", "git"} <= set(built.report.survey.absent)
    assert "## System Reference\n\ncore text\n" in built.text
