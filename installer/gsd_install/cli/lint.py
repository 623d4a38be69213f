"""`gsd-install lint [PATH]`: everything that is wrong with a content root, each finding with its fix."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Iterator

from gsd_install.cli.result import Result
from gsd_install.cli.where import platform_of
from gsd_install.gathering import gather_capabilities
from gsd_install.kernel.errors import DONE, FAILED, GsdError
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.lint.lint import lint
from gsd_install.lint.merged import findings as of_capability
from gsd_install.lint.model import Finding, Host, Level
from gsd_install.lint.rules import RULES
from gsd_install.payload import payload
from gsd_install.plugins import Plugins
from gsd_install.shipped import shipped_root

if TYPE_CHECKING:
    from typing import Any

_LEVELS: tuple[Level, ...] = ("error", "warning", "note")


def main(args: argparse.Namespace) -> Result:
    """Look at one content root; exit code 1 where there are errors or warnings."""
    root = platform_of(args).expand(args.path) if args.path else shipped_root()
    hosts, problems = _hosts(Plugins())
    gathered = gather_capabilities()
    started = dict(payload(gathered=gathered).code.launchers)
    if args.path:
        findings = lint(root, hosts, started=started)
    else:
        faults = [item for _, error in gathered.faults for item in of_capability(root, error)]
        findings = tuple(sorted({*faults, *lint(root, hosts, gathered.features, started)}))
    bad = any(finding.level != "note" for finding in findings)
    code = FAILED if bad else DONE
    if args.sarif:
        return Result({}, (_sarif(root, findings, problems),), problems, code)
    data = {"root": root, "counts": _counts(findings), "findings": [_as_data(item) for item in findings]}
    return Result(data, (*_lines(root, findings), _verdict(findings)), problems, code)


def _hosts(plugins: Plugins) -> tuple[list[Host], tuple[str, ...]]:
    """Every runtime whose plugin loads, and a sentence for each that does not."""
    hosts, problems = [], []
    for name in plugins.ids():
        try:
            plugin = plugins.get(name)
        except GsdError as error:
            problems.append(f"the limits of {name} are not checked: {error.message}")
            continue
        hosts.append(Host(plugin.runtime, plugin.caps))
    return hosts, tuple(problems)


def _counts(findings: Iterable[Finding]) -> dict[str, int]:
    levels = [finding.level for finding in findings]
    return {level: levels.count(level) for level in _LEVELS}


def _as_data(finding: Finding) -> dict[str, Any]:
    return {
        "file": finding.path,
        "line": finding.line,
        "rule": finding.rule,
        "level": finding.level,
        "message": finding.message,
        "fix": finding.fix,
    }


def _lines(root: str, findings: Iterable[Finding]) -> Iterator[str]:
    for finding in findings:
        file = os.path.normpath(os.path.join(root, finding.path)).removeprefix(os.getcwd() + os.sep)
        yield f"{file}:{finding.line}: {finding.level}: {finding.message} [{finding.rule}]"
        yield f"  fix: {finding.fix}"


def _verdict(findings: Iterable[Finding]) -> str:
    counts = _counts(findings)
    parts = [f"{count} {level}{'s' * (count != 1)}" for level, count in counts.items() if count]
    return ", ".join(parts) or "no findings"


def _sarif(root: str, findings: Iterable[Finding], problems: Iterable[str]) -> str:
    """The findings as a SARIF 2.1.0 log over the content root."""
    from gsd_install.cli import sarif

    log = sarif.document(root, (), problems)
    [run] = log["runs"]
    run["tool"]["driver"]["rules"] = [_rule(name) for name in RULES]
    run["results"] = [_result(root, finding) for finding in findings]
    return json.dumps(log, indent=2, ensure_ascii=True)


def _rule(name: str) -> dict[str, Any]:
    rule = RULES[name]
    return {
        "id": name,
        "shortDescription": {"text": rule.meaning},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": rule.level},
    }


def _result(root: str, finding: Finding) -> dict[str, Any]:
    from gsd_install.cli import sarif

    whole = sarif.uri(os.path.normpath(f"{root}/{finding.path}"))
    below = whole.removeprefix(f"{sarif.uri(root)}/")
    place = {"uri": below} | ({} if below == whole else {"uriBaseId": sarif.ROOT})
    return {
        "ruleId": finding.rule,
        "ruleIndex": list(RULES).index(finding.rule),
        "level": finding.level,
        "message": {"text": f"{finding.message}; {finding.fix}"},
        "locations": [
            {"physicalLocation": {"artifactLocation": place, "region": {"startLine": finding.line}}}
        ],
    }
