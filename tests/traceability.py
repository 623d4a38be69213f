"""Compare what is said to be built with what a test run proved.

    python tests/traceability.py --junit report.xml [--junit more.xml] [--promote] [--write-docs]

The rows are in requirements.toml and cases.toml beside this file. A test proves a row through
`@pytest.mark.req("id")` or `@pytest.mark.case("id")`; conftest.py puts the ids into the JUnit report.
A row is proven when a test of it passed and none failed; skipped and deselected tests prove nothing.

Exit 1 with one line for each problem, each with its fix; 0 when there is none. `--promote` first sets
the planned rows that the reports prove to built. docs/traceability.md is rendered from the two
tables, compared on every run and written by `--write-docs`.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree as ET

ROOT: Final = Path(__file__).resolve().parents[1]
DOCS: Final = Path("docs", "traceability.md")

DOCUMENTS: Final = (
    "adr-0006-hybrid-context-workspace-authority",
    "adr-1671-dynamic-context-management",
    "context-economics-and-learning-loop",
    "gsd-context-engine-and-truncation",
)
ISSUES: Final = (
    "SKELETON",
    "KERNEL",
    "SAFE HANDS",
    "CONTENT",
    "RUN TIME",
    "ARTIFACTS AND CONTEXT",
    "RUNTIMES",
    "CATALOG",
)


class Table(NamedTuple):
    """One kind of row: its file, its TOML array, its mark, and what a row of it must say."""

    file: Path
    key: str
    mark: str
    excluded: str
    fields: tuple[str, ...]
    choices: dict[str, tuple[str, ...]]
    limit: int | None  # how many rows may be excluded

    @property
    def statuses(self) -> tuple[str, ...]:
        return ("planned", "built", self.excluded)


REQUIREMENTS: Final = Table(
    file=Path("tests", "requirements.toml"),
    key="requirement",
    mark="req",
    excluded="rejected",
    fields=("id", "document", "text", "status"),
    choices={"document": DOCUMENTS},
    limit=None,
)
CASES: Final = Table(
    file=Path("tests", "cases.toml"),
    key="case",
    mark="case",
    excluded="not-applicable",
    fields=("id", "class", "title", "issue", "status", "source"),
    choices={"issue": ISSUES},
    limit=15,
)
TABLES: Final = (REQUIREMENTS, CASES)

Row = dict[str, Any]


class Problem(NamedTuple):
    """What is wrong, where, and how to put it right."""

    where: str
    what: str
    fix: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; fix: {self.fix}"


class Run(NamedTuple):
    """One test of a report: its outcome is passed, failed or skipped."""

    name: str
    outcome: str
    ids: frozenset[tuple[str, str]]


def read_rows(root: Path, table: Table) -> list[Row]:
    """The rows of a table in file order. Raises OSError and tomllib.TOMLDecodeError."""
    return list(tomllib.loads((root / table.file).read_text(encoding="utf-8")).get(table.key, []))


def read_report(path: Path) -> list[Run]:
    """The tests of a JUnit report. Raises OSError and ET.ParseError."""
    return [_run(case) for case in ET.parse(path).getroot().iter("testcase")]


def _run(case: ET.Element) -> Run:
    marks = {table.mark for table in TABLES}
    pairs = ((item.get("name", ""), item.get("value", "")) for item in case.iter("property"))
    name = f"{case.get('classname', '')}::{case.get('name', '')}"
    return Run(name, _outcome(case), frozenset(pair for pair in pairs if pair[0] in marks))


def _outcome(case: ET.Element) -> str:
    tags = {child.tag for child in case}
    if tags & {"failure", "error"}:
        return "failed"
    return "skipped" if "skipped" in tags else "passed"


def proven(runs: Iterable[Run], mark: str) -> set[str]:
    """The ids with a test that passed and none that failed."""
    ids: dict[str, set[str]] = {"passed": set(), "failed": set(), "skipped": set()}
    for run in runs:
        ids[run.outcome].update(name for kind, name in run.ids if kind == mark)
    return ids["passed"] - ids["failed"]


def check_table(table: Table, rows: list[Row]) -> Iterator[Problem]:
    """What is wrong with a table by itself."""
    file = table.file.as_posix()
    if not rows:
        yield Problem(file, "the table is empty", f"restore its [[{table.key}]] rows")
    for name, count in Counter(str(row.get("id")) for row in rows).items():
        if count > 1:
            yield Problem(f"{file} {name}", f"{count} rows have this id", "give each row an id of its own")
    excluded = sum(row.get("status") == table.excluded for row in rows)
    if table.limit is not None and excluded > table.limit:
        yield Problem(file, f"{excluded} rows are {table.excluded}, the limit is {table.limit}", "prove some")
    for row in rows:
        yield from _check_row(table, row)


def _check_row(table: Table, row: Row) -> Iterator[Problem]:
    where = f"{table.file.as_posix()} {row.get('id', '(row without id)')}"
    for name in table.fields:
        if not isinstance(row.get(name), str) or not row[name].strip():
            yield Problem(where, f"{name!r} is missing, blank or no string", f"state its {name}")
    for name in sorted(row.keys() - {*table.fields, "reason"}):
        yield Problem(where, f"unknown key {name!r}", f"use {', '.join(table.fields)} and reason only")
    for name, choices in {**table.choices, "status": table.statuses}.items():
        if name in row and row[name] not in choices:
            yield Problem(where, f"unknown {name} {row[name]!r}", f"use one of {', '.join(choices)}")
    if row.get("status") == table.excluded and not str(row.get("reason", "")).strip():
        yield Problem(where, f"{table.excluded} without a reason", "add reason = with one sentence")


def check_report(runs: list[Run]) -> Iterator[Problem]:
    """A report that cannot prove anything is a problem of its own."""
    if not runs:
        yield Problem("report", "it has no tests", "run pytest --junitxml with the whole suite")
    elif not any(run.ids for run in runs):
        yield Problem("report", "no test in it names a row", "use tests/conftest.py, req and case marks")


def check_proofs(table: Table, rows: list[Row], runs: list[Run]) -> Iterator[Problem]:
    """What table and report say differently."""
    known = {row["id"]: str(row.get("status")) for row in rows if isinstance(row.get("id"), str)}
    for run in runs:
        for name in sorted(name for kind, name in run.ids if kind == table.mark and name not in known):
            what = f"it names the unknown {table.mark} {name!r}"
            yield Problem(run.name, what, f"correct the mark or add the row to {table.file.as_posix()}")
    done = proven(runs, table.mark)
    for name, status in known.items():
        problem = _contradiction(table, name, status, is_proven=name in done)
        if problem:
            yield problem


def _contradiction(table: Table, name: str, status: str, *, is_proven: bool) -> Problem | None:
    where = f"{table.file.as_posix()} {name}"
    if status == "built" and not is_proven:
        fix = f'have @pytest.mark.{table.mark}("{name}") on tests that run and all pass, or set it to planned'
        return Problem(where, "built, but the report does not prove it", fix)
    if status == "planned" and is_proven:
        return Problem(where, "planned, but the report proves it", 'set it to "built", or run with --promote')
    if status == table.excluded and is_proven:
        return Problem(where, f"{status}, but a test proves it", "remove the mark or change the status")
    return None


def promote(root: Path, table: Table, ids: set[str]) -> list[str]:
    """Set the planned rows among `ids` to built in the file, and return their ids in file order.

    Only the status lines change. Raises ValueError for a row that is not laid out as the file's
    others are, with its id above its status.
    """
    planned = [row["id"] for row in read_rows(root, table) if row.get("status") == "planned"]
    wanted = [name for name in planned if name in ids]
    path = root / table.file
    lines = path.read_bytes().decode("utf-8").splitlines(keepends=True)
    changed = _set_built(lines, table, set(wanted))
    if changed != wanted:
        raise ValueError(f"{table.file.as_posix()}: cannot promote {sorted(set(wanted) - set(changed))}")
    if changed:
        path.write_bytes("".join(lines).encode("utf-8"))
    return changed


def _set_built(lines: list[str], table: Table, wanted: set[str]) -> list[str]:
    current, changed = "", []
    for number, line in enumerate(lines):
        if line.startswith(f"[[{table.key}]]"):
            current = ""
        elif match := re.match(r'id = "([^"]*)"', line):
            current = match[1]
        elif current in wanted and line.startswith('status = "planned"'):
            lines[number] = line.replace('"planned"', '"built"', 1)
            changed.append(current)
    return changed


def render_docs(requirements: list[Row], cases: list[Row]) -> str:
    """docs/traceability.md: every row with its status, grouped as in the tables."""
    head = "Generated by `tests/traceability.py --write-docs`. A row is built only while a test proves it."
    demands = _render_group(REQUIREMENTS, requirements, "document", "text")
    parts = (*demands, *_render_group(CASES, cases, "class", "title"))
    return "\n".join((f"# What is asked and what is built\n\n{head}\n", *parts))


def _render_group(table: Table, rows: list[Row], group: str, text: str) -> Iterator[str]:
    for name in dict.fromkeys(row[group] for row in rows):
        members = [row for row in rows if row[group] == name]
        counts = Counter(row["status"] for row in members)
        summary = ", ".join(f"{counts[status]} {status}" for status in table.statuses if counts[status])
        yield f"## {name}\n\n{len(members)} rows: {summary}.\n\n| id | | status |\n|---|---|---|"
        for row in members:
            said = f"{row[text]} {row.get('reason', '')}".strip().replace("|", "\\|")
            yield f"| {row['id']} | {said} | {row['status']} |"
        yield ""


def check_docs(root: Path, text: str, *, write: bool) -> Iterator[Problem]:
    """Compare the rendered page with the committed one, or write it."""
    path = root / DOCS
    if write:
        path.write_text(text, encoding="utf-8", newline="")
    elif not path.is_file() or path.read_text(encoding="utf-8") != text:
        yield Problem(DOCS.as_posix(), "it is not what the tables say", "run with --write-docs")


def check(root: Path, runs: list[Run], *, write_docs: bool) -> list[Problem]:
    """Every problem of the tables, the report and the page. Raises as read_rows does."""
    requirements, cases = (read_rows(root, table) for table in TABLES)
    pairs = ((REQUIREMENTS, requirements), (CASES, cases))
    problems = [problem for table, rows in pairs for problem in check_table(table, rows)]
    if not problems:
        problems += check_docs(root, render_docs(requirements, cases), write=write_docs)
    problems += check_report(runs)
    for table, rows in pairs:
        problems += check_proofs(table, rows, runs)
    return problems


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--junit", type=Path, action="append", required=True, help="a JUnit report; repeatable"
    )
    parser.add_argument("--promote", action="store_true", help="set what the reports prove to built")
    parser.add_argument("--write-docs", action="store_true", help=f"write {DOCS.as_posix()}")
    return parser


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Run the gate: 0 when table and report agree, else 1."""
    options = _parser().parse_args(arguments)
    try:
        runs = [run for path in options.junit for run in read_report(path)]
        for table in TABLES if options.promote else ():
            for name in promote(root, table, proven(runs, table.mark)):
                print(f"{table.file.as_posix()} {name}: built")
        problems = check(root, runs, write_docs=options.write_docs)
    except (OSError, ValueError, ET.ParseError) as error:
        problems = [Problem("traceability", str(error), "correct that file and run again")]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
