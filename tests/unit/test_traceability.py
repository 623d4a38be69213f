"""The gate on traceability: every way it must fail is seeded here, and so is what must pass."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]

REQUIREMENT = """\
[[requirement]]
id = "{id}"
document = "adr-1671-dynamic-context-management"
text = "A demand."
status = "{status}"
"""
CASE = """\
[[case]]
id = "{id}"
class = "caps/size"
title = "A | case"
issue = "KERNEL"
status = "{status}"
source = "https://ex.test/1"
"""
REASON = 'reason = "It does not apply."\n'

PASSED = ""
FAILED = "<failure/>"
ERROR = "<error/>"
SKIPPED = "<skipped/>"
XFAILED = '<skipped type="pytest.xfail"/>'


@pytest.fixture(scope="module")
def traceability() -> ModuleType:
    spec = importlib.util.spec_from_file_location("traceability", CHECKOUT / "tests" / "traceability.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Checkout:
    """A small checkout: two tables, a page, a report, and the gate to run on them."""

    def __init__(self, root: Path, traceability: ModuleType) -> None:
        self.root = root
        self.main = traceability.main
        self.requirements = root / "tests" / "requirements.toml"
        self.cases = root / "tests" / "cases.toml"
        self.report_path = root / "report.xml"
        self.requirements.parent.mkdir()
        (root / "docs").mkdir()
        self.requirements.write_text(REQUIREMENT.format(id="R-1", status="built"))
        self.cases.write_text(CASE.format(id="CS-01", status="built"))
        self.report(("t1", PASSED, [("req", "R-1"), ("case", "CS-01")]))
        assert self.gate("--write-docs") == 0

    def report(self, *tests: tuple[str, str, list[tuple[str, str]]]) -> None:
        cases = [
            f'<testcase classname="tests.m" name="{name}"><properties>'
            + "".join(f"<property name={quoteattr(k)} value={quoteattr(v)}/>" for k, v in marks)
            + f"</properties>{outcome}</testcase>"
            for name, outcome, marks in tests
        ]
        xml = f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>"
        self.report_path.write_text(xml, encoding="utf-8")

    def gate(self, *options: str) -> int:
        code: int = self.main(["--junit", str(self.report_path), *options], self.root)
        return code


@pytest.fixture
def checkout(tmp_path: Path, traceability: ModuleType) -> Checkout:
    return Checkout(tmp_path, traceability)


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text() + "\n" + text)


def test_tables_that_a_run_proves_pass(checkout: Checkout, capsys: pytest.CaptureFixture[str]) -> None:
    assert checkout.gate() == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("outcome", [FAILED, ERROR, SKIPPED, XFAILED])
def test_a_built_row_needs_a_test_that_passed(
    checkout: Checkout, outcome: str, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout.report(("t1", outcome, [("req", "R-1")]), ("t2", PASSED, [("case", "CS-01")]))
    assert checkout.gate() == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("tests/requirements.toml R-1: built, but the report does not prove it; fix: ")


def test_a_deselected_test_proves_nothing(checkout: Checkout, capsys: pytest.CaptureFixture[str]) -> None:
    checkout.report(("t1", PASSED, [("req", "R-1")]))
    assert checkout.gate() == 1
    assert "tests/cases.toml CS-01: built, but the report does not prove it" in capsys.readouterr().err


@pytest.mark.parametrize(("other", "code"), [(SKIPPED, 0), (FAILED, 1)])
def test_one_pass_proves_a_row_unless_another_test_of_it_fails(
    checkout: Checkout, other: str, code: int
) -> None:
    marks = [("req", "R-1"), ("case", "CS-01")]
    checkout.report(("t1", PASSED, marks), ("t2", other, marks))
    assert checkout.gate() == code


def test_several_reports_prove_together(checkout: Checkout, tmp_path: Path) -> None:
    checkout.report(("t1", PASSED, [("req", "R-1")]))
    first = checkout.report_path.rename(tmp_path / "first.xml")
    checkout.report(("t2", PASSED, [("case", "CS-01")]))
    assert checkout.gate() == 1
    assert checkout.gate("--junit", str(first)) == 0


def unknown_requirement(checkout: Checkout) -> None:
    checkout.report(("t1", PASSED, [("req", "R-1"), ("case", "CS-01"), ("req", "R-2")]))


def unknown_case_on_a_skipped_test(checkout: Checkout) -> None:
    marks = [("req", "R-1"), ("case", "CS-01")]
    checkout.report(("t1", PASSED, marks), ("t2", SKIPPED, [("case", "CS-1")]))


def id_of_the_other_table(checkout: Checkout) -> None:
    checkout.report(("t1", PASSED, [("req", "R-1"), ("case", "CS-01"), ("case", "R-1")]))


def duplicate_id(checkout: Checkout) -> None:
    append(checkout.cases, CASE.format(id="CS-01", status="built"))


def unknown_status(checkout: Checkout) -> None:
    append(checkout.requirements, REQUIREMENT.format(id="R-2", status="done"))


def status_of_the_other_table(checkout: Checkout) -> None:
    append(checkout.requirements, REQUIREMENT.format(id="R-2", status="not-applicable") + REASON)


def rejected_without_reason(checkout: Checkout) -> None:
    append(checkout.requirements, REQUIREMENT.format(id="R-2", status="rejected"))


def blank_reason(checkout: Checkout) -> None:
    append(checkout.cases, CASE.format(id="CS-02", status="not-applicable") + 'reason = " "\n')


def too_many_not_applicable(checkout: Checkout) -> None:
    for number in range(16):
        append(checkout.cases, CASE.format(id=f"N-{number}", status="not-applicable") + REASON)


def empty_requirements(checkout: Checkout) -> None:
    checkout.requirements.write_text("# nothing\n")
    checkout.report(("t1", PASSED, [("case", "CS-01")]))


def empty_cases(checkout: Checkout) -> None:
    checkout.cases.write_text("# nothing\n")
    checkout.report(("t1", PASSED, [("req", "R-1")]))


def report_without_tests(checkout: Checkout) -> None:
    checkout.report()


def report_without_marks(checkout: Checkout) -> None:
    checkout.report(("t1", PASSED, []))


def planned_but_proven(checkout: Checkout) -> None:
    append(checkout.cases, CASE.format(id="CS-02", status="planned"))
    checkout.report(("t1", PASSED, [("req", "R-1"), ("case", "CS-01"), ("case", "CS-02")]))


def rejected_but_proven(checkout: Checkout) -> None:
    append(checkout.requirements, REQUIREMENT.format(id="R-2", status="rejected") + REASON)
    checkout.report(("t1", PASSED, [("req", "R-1"), ("case", "CS-01"), ("req", "R-2")]))


def unknown_document(checkout: Checkout) -> None:
    row = REQUIREMENT.format(id="R-2", status="planned")
    append(checkout.requirements, row.replace("adr-1671", "adr-1672"))


def unknown_issue(checkout: Checkout) -> None:
    append(checkout.cases, CASE.format(id="CS-02", status="planned").replace("KERNEL", "KERNELS"))


def missing_field(checkout: Checkout) -> None:
    append(checkout.cases, CASE.format(id="CS-02", status="planned").replace("title", "titel"))


def unreadable_table(checkout: Checkout) -> None:
    append(checkout.cases, "[[case]\n")


def missing_table(checkout: Checkout) -> None:
    checkout.cases.unlink()


def missing_report(checkout: Checkout) -> None:
    checkout.report_path.unlink()


def unreadable_report(checkout: Checkout) -> None:
    checkout.report_path.write_text("<testsuites>")


def stale_page(checkout: Checkout) -> None:
    append(checkout.root / "docs" / "traceability.md", "by hand\n")


def missing_page(checkout: Checkout) -> None:
    (checkout.root / "docs" / "traceability.md").unlink()


@pytest.mark.parametrize(
    ("seed", "said"),
    [
        (unknown_requirement, "tests.m::t1: it names the unknown req 'R-2'"),
        (unknown_case_on_a_skipped_test, "tests.m::t2: it names the unknown case 'CS-1'"),
        (id_of_the_other_table, "tests.m::t1: it names the unknown case 'R-1'"),
        (duplicate_id, "tests/cases.toml CS-01: 2 rows have this id"),
        (unknown_status, "tests/requirements.toml R-2: unknown status 'done'"),
        (status_of_the_other_table, "tests/requirements.toml R-2: unknown status 'not-applicable'"),
        (rejected_without_reason, "tests/requirements.toml R-2: rejected without a reason"),
        (blank_reason, "tests/cases.toml CS-02: not-applicable without a reason"),
        (too_many_not_applicable, "tests/cases.toml: 16 rows are not-applicable, the limit is 15"),
        (empty_requirements, "tests/requirements.toml: the table is empty"),
        (empty_cases, "tests/cases.toml: the table is empty"),
        (report_without_tests, "report: it has no tests"),
        (report_without_marks, "report: no test in it names a row"),
        (planned_but_proven, "tests/cases.toml CS-02: planned, but the report proves it"),
        (rejected_but_proven, "tests/requirements.toml R-2: rejected, but a test proves it"),
        (unknown_document, "unknown document 'adr-1672-dynamic-context-management'"),
        (unknown_issue, "tests/cases.toml CS-02: unknown issue 'KERNELS'"),
        (missing_field, "tests/cases.toml CS-02: 'title' is missing, blank or no string"),
        (missing_field, "tests/cases.toml CS-02: unknown key 'titel'"),
        (unreadable_table, "traceability: "),
        (missing_table, "cases.toml"),
        (missing_report, "report.xml"),
        (unreadable_report, "traceability: no element found"),
        (stale_page, "docs/traceability.md: it is not what the tables say"),
        (missing_page, "docs/traceability.md: it is not what the tables say"),
    ],
)
def test_each_defect_is_named_with_its_fix(
    checkout: Checkout, seed: Callable[[Checkout], None], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    seed(checkout)
    assert checkout.gate() == 1
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if said in line]
    assert all("; fix: " in line for line in lines)


def test_fifteen_cases_may_be_not_applicable(checkout: Checkout) -> None:
    for number in range(15):
        append(checkout.cases, CASE.format(id=f"N-{number}", status="not-applicable") + REASON)
    assert checkout.gate("--write-docs") == 0


def test_promoting_changes_the_status_lines_of_proven_rows_and_nothing_else(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    append(checkout.requirements, "# kept\n" + REQUIREMENT.format(id="R-2", status="planned") + "# tail")
    append(checkout.requirements, REQUIREMENT.format(id="R-3", status="planned"))
    append(checkout.requirements, REQUIREMENT.format(id="R-4", status="rejected") + REASON)
    before = checkout.requirements.read_text()
    cases = checkout.cases.read_bytes()
    marks = [("req", "R-1"), ("case", "CS-01"), ("req", "R-2")]
    checkout.report(("t1", PASSED, marks), ("t2", FAILED, [("req", "R-3")]))
    assert checkout.gate("--promote", "--write-docs") == 0
    assert capsys.readouterr().out == "tests/requirements.toml R-2: built\n"
    head, tail = before.split('id = "R-2"')
    assert checkout.requirements.read_text() == head + 'id = "R-2"' + tail.replace("planned", "built", 1)
    assert checkout.cases.read_bytes() == cases
    assert checkout.gate("--promote") == 0
    assert capsys.readouterr().out == ""


def test_promoting_keeps_the_line_ends_of_a_table(checkout: Checkout) -> None:
    rows = REQUIREMENT.format(id="R-1", status="planned") + "# ünicode\n"
    checkout.requirements.write_bytes(rows.replace("\n", "\r\n").encode())
    assert checkout.gate("--promote", "--write-docs") == 0
    assert checkout.requirements.read_bytes().decode() == rows.replace("planned", "built").replace(
        "\n", "\r\n"
    )


def test_a_row_that_cannot_be_promoted_is_named(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    row = REQUIREMENT.format(id="R-1", status="planned").replace('"R-1"', "'R-1'")
    checkout.requirements.write_text(row)
    assert checkout.gate("--promote") == 1
    assert "cannot promote ['R-1']; fix: " in capsys.readouterr().err


def test_the_page_shows_every_row_and_is_a_table(checkout: Checkout) -> None:
    page = (checkout.root / "docs" / "traceability.md").read_text()
    assert "| R-1 | A demand. | built |\n" in page
    assert "| CS-01 | A \\| case | built |\n" in page


def test_our_tables_are_sound_and_complete(traceability: ModuleType) -> None:
    tables: dict[str, list[dict[str, Any]]] = {}
    for table in traceability.TABLES:
        tables[table.mark] = rows = traceability.read_rows(CHECKOUT, table)
        assert list(map(str, traceability.check_table(table, rows))) == []
    assert {row["document"] for row in tables["req"]} == set(traceability.DOCUMENTS)
    assert len(tables["req"]) >= 450
    assert len(tables["case"]) == 121
