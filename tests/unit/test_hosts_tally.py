"""Fewer than eight hosts are a failure, unless a probe shows that no registry can be reached."""

from __future__ import annotations

import re
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

from support.hosts.table import BY_ID
from support.hosts.tally import FEWEST, answered, verdict

ROOT = Path(__file__).parents[2]
EIGHT = ("claude", "codex", "copilot", "gemini", "mistral-vibe", "opencode", "pi", "qwen")


def report(folder: Path, *cases: tuple[str, str]) -> Path:
    """A JUnit report of cases: their names, and what came of them where they did not pass."""
    made = (f"<testcase name={quoteattr(name)}>{sign and f'<{sign}/>'}</testcase>" for name, sign in cases)
    path = folder / "report.xml"
    path.write_text(f"<testsuites><testsuite>{''.join(made)}</testsuite></testsuites>", encoding="utf-8")
    return path


def never() -> bool:
    raise AssertionError("enough hosts answered, so nothing is probed")


def test_eight_hosts_are_enough(tmp_path: Path) -> None:
    hosts = answered(report(tmp_path, *((f"test_a[{host}]", "") for host in EIGHT)))
    assert hosts == tuple(sorted(EIGHT))
    assert verdict(hosts, never) == (0, f"8 hosts answered: {', '.join(sorted(EIGHT))}")


@pytest.mark.parametrize("few", [EIGHT[:-1], EIGHT[:1], ()])
def test_fewer_fail_where_the_registry_can_be_reached(few: tuple[str, ...]) -> None:
    code, said = verdict(few, lambda: True)
    assert code == 1
    assert said.startswith(f"{len(few)} hosts answered")
    assert f"at least {FEWEST} must" in said


def test_fewer_pass_where_the_registry_cannot_be_reached_and_the_summary_says_so() -> None:
    code, said = verdict(EIGHT[:2], lambda: False)
    assert code == 0
    assert said.startswith("2 hosts answered: claude, codex; THE REGISTRY CANNOT BE REACHED")


@pytest.mark.parametrize("sign", ["failure", "error", "skipped"])
def test_a_host_one_of_whose_tests_did_not_pass_is_not_counted(tmp_path: Path, sign: str) -> None:
    cases = (("test_a[claude]", ""), ("test_b[claude-skill]@claude", sign), ("test_a[pi]@pi", ""))
    assert answered(report(tmp_path, *cases)) == ("pi",)


def test_hosts_are_told_from_names_of_tests_and_nothing_else(tmp_path: Path) -> None:
    cases = [(f"test_a[{host}-skill]", "") for host in BY_ID] + [
        ("test_other[claudette]", ""),
        ("test_b", ""),
    ]
    assert answered(report(tmp_path, *cases)) == tuple(sorted(BY_ID))


def test_ci_asks_these_eight_at_least_and_counts_them() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    named = re.findall(r'^hosts="(.+)"$', script, re.MULTILINE)
    assert len(named) == 1
    assert set(EIGHT) <= set(named[0].split()) <= set(BY_ID)
    assert "tox -e hosts-ci" in script
    environment = (ROOT / "tox.ini").read_text(encoding="utf-8").partition("[testenv:hosts-ci]")[2]
    assert "support.hosts.tally" in environment.partition("\n\n")[0]


def test_a_run_that_wrote_no_report_is_no_success(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        answered(tmp_path / "report.xml")
