"""Run the conformance suite in a pytest of its own and read what came out."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

from gsd_install.testing import conformance

SUITE = conformance.__name__


class Verdict(NamedTuple):
    """One test of the suite: `passed`, `failed`, `error` or `skipped`, and what it said."""

    outcome: str
    message: str


class Session(NamedTuple):
    """A finished pytest: exit code, all it printed, and the verdict of every test by name and parameters."""

    code: int
    output: str
    verdicts: Mapping[str, Verdict]


def checks() -> set[str]:
    """The names of all tests of the suite."""
    tree = ast.parse(Path(conformance.__file__).read_text(encoding="utf-8"))
    return {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def suite(
    folder: Path,
    *words: str,
    runtimes: Iterable[str] = (),
    tests: Iterable[str] = (),
    plugins: Path | None = None,
    python: Path | str = sys.executable,
) -> Session:
    """Run the suite, or only `tests` of it, on `runtimes`; `plugins` is a directory that declares some."""
    selected = [f"{SUITE}::{test}" for test in tests] or [SUITE]
    named = [word for runtime in runtimes for word in ("--gsd-runtime", runtime)]
    return session(folder, *named, *words, "--pyargs", *selected, plugins=plugins, python=python)


def session(
    folder: Path, *words: str, plugins: Path | None = None, python: Path | str = sys.executable
) -> Session:
    """Run pytest in `folder` without any configuration of ours."""
    report = folder / "report.xml"
    fixed = [
        "-q",
        "-W",
        "error",
        "-p",
        "no:cacheprovider",
        f"--basetemp={folder / 'tmp'}",
        f"--junit-xml={report}",
    ]
    done = subprocess.run(
        [str(python), "-m", "pytest", *fixed, *words],
        cwd=folder,
        env=_environment(plugins),
        capture_output=True,
        text=True,
        check=False,
    )
    return Session(done.returncode, done.stdout + done.stderr, _verdicts(report))


def _environment(plugins: Path | None) -> dict[str, str]:
    """Ours without what steers pytest."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return kept | ({"PYTHONPATH": str(plugins)} if plugins else {})


def _verdicts(report: Path) -> dict[str, Verdict]:
    if not report.exists():
        return {}
    return {case.attrib["name"]: _verdict(case) for case in ET.parse(report).iter("testcase")}


def _verdict(case: ET.Element) -> Verdict:
    for outcome, tag in (("failed", "failure"), ("error", "error"), ("skipped", "skipped")):
        found = case.find(tag)
        if found is not None:
            return Verdict(outcome, found.text or found.attrib.get("message", ""))
    return Verdict("passed", "")
