"""Count the hosts that answered in a run; too few are a failure unless no registry could be reached.

python -m support.hosts.tally REPORT.xml
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

from support.hosts.table import BY_ID

FEWEST = 8


def answered(report: Path) -> tuple[str, ...]:
    """The hosts in a JUnit report of which tests passed and none failed or was skipped."""
    good: set[str] = set()
    bad: set[str] = set()
    for case in ET.parse(report).iter("testcase"):
        host = _host(case.get("name", ""))
        if host:
            failed = any(case.find(sign) is not None for sign in ("failure", "error", "skipped"))
            (bad if failed else good).add(host)
    return tuple(sorted(good - bad))


def _host(name: str) -> str:
    """The host in the name of a test: `test_something[claude]`, `test_something[claude-skill]@claude`."""
    given = name.partition("[")[2].partition("]")[0]
    fits = [host for host in BY_ID if given == host or given.startswith(f"{host}-")]
    return max(fits, key=len, default="")


def verdict(hosts: tuple[str, ...], reachable: Callable[[], bool]) -> tuple[int, str]:
    """The exit code and the sentence for a run in which these hosts answered."""
    said = f"{len(hosts)} hosts answered: {', '.join(hosts) or 'none'}"
    if len(hosts) >= FEWEST:
        return 0, said
    if reachable():
        return 1, f"{said}; at least {FEWEST} must, and the registry can be reached"
    return 0, f"{said}; THE REGISTRY CANNOT BE REACHED FROM HERE, so no more could be asked"


def registry_answers() -> bool:
    """Does the registry that npm is set up with answer? No npm, no registry."""
    npm = shutil.which("npm")
    if npm is None:
        return False
    return subprocess.run([npm, "ping", "--fetch-retries=1"], capture_output=True).returncode == 0


def main() -> int:
    """Print the verdict on a report."""
    code, said = verdict(answered(Path(sys.argv[1])), registry_answers)
    print(said)
    return code


if __name__ == "__main__":
    sys.exit(main())
