from __future__ import annotations

import pytest

from gsd_capabilities.predicates.select import for_workflow, select
from gsd_install.kernel.predicates import read

FACTS = read(
    "`RULE.tests=No Sleep`\n`RULE.plan-phase.small=yes`\n`PATH.any.api=src/api`\n`RULES.x=no`\n"
).predicates


def ids(**wanted: str) -> list[str]:
    return [found.id for found in select(FACTS, **wanted)]


@pytest.mark.req("ADR1671-predicate-select")
def test_filters_are_combined_with_and() -> None:
    assert ids() == [found.id for found in FACTS]
    assert ids(klass="RULE") == ["RULE.tests", "RULE.plan-phase.small"]
    assert ids(prefix="RULE") == ["RULE.tests", "RULE.plan-phase.small", "RULES.x"]
    assert ids(contains="no sleep") == ["RULE.tests"]
    assert ids(contains="TESTS NO") == ["RULE.tests"]
    assert ids(klass="RULE", prefix="RULE.p", contains="yes") == ["RULE.plan-phase.small"]
    assert ids(klass="PATH", contains="yes") == []


def cited(workflow: str, text: str = "") -> list[str]:
    return [found.id for found in for_workflow(FACTS, workflow, text)]


@pytest.mark.req("ADR1671-predicates-in-bundle")
def test_a_workflow_cites_what_names_it_and_what_names_any() -> None:
    assert cited("plan-phase") == ["RULE.plan-phase.small", "PATH.any.api"]
    assert cited("tests") == ["RULE.tests", "PATH.any.api"]
    assert cited("RULE") == ["PATH.any.api"]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Go by `RULE.tests`.", ["RULE.tests"]),
        ("RULE.tests, RULES.x.", ["RULE.tests", "RULES.x"]),
        ("MY-RULE.tests and RULE.testsuite and RULES", []),
        ("gsd-tools query context-predicates --class RULE", ["RULE.tests", "RULE.plan-phase.small"]),
        ("query context-predicates --class=RULES", ["RULES.x"]),
        ("--prefix RULE", ["RULE.tests", "RULE.plan-phase.small", "RULES.x"]),
    ],
)
def test_a_workflow_cites_what_its_text_names_or_asks_for(text: str, ids: list[str]) -> None:
    assert [name for name in cited("other", text) if name != "PATH.any.api"] == ids
