"""`gsd-install lint`: what an author sees, in words, as JSON and as SARIF."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.content import content_root
from support.installs import Machine, machine
from support.linting import BASE

FAULTY = {
    **BASE,
    "commands/plan.md": "---\ntitel: x\ntier: high\n---\nRead {gsd:path workflows/plan.md} --research\n",
    "rules/loop.md": "Keep to {gsd:command plan}\u200b.\n",
    "references/nobody.md": "x\n",
    "templates/plan.md": "For {gsd:runtime}.\n",
}
FOUND = [
    ("commands/plan.md", 1, "no-description", "error"),
    ("commands/plan.md", 2, "unknown-key", "error"),
    ("commands/plan.md", 3, "bad-value", "error"),
    ("references/nobody.md", 1, "unreachable", "warning"),
    ("references/scope.md", 1, "specific-body", "note"),
    ("rules/loop.md", 1, "hidden-unicode", "error"),
    ("templates/plan.md", 1, "specific-body", "note"),
    ("workflows/plan.md", 3, "specific-body", "note"),
]


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


@pytest.fixture
def faulty(box: Machine) -> Path:
    return content_root(box.project / "my content", FAULTY)


def test_the_shipped_content_is_clean(box: Machine) -> None:
    before = box.tree()
    done = box.run("lint").ok()
    assert done.out == "no findings\n"
    assert done.err == ""
    assert box.tree() == before


def test_people_get_every_finding_with_its_place_and_its_fix(box: Machine, faulty: Path) -> None:
    done = box.run("lint", "my content")
    assert done.code == 1
    rows = done.out.splitlines()
    heads, fixes = rows[:-1:2], rows[1::2]
    places = [(f"my content/{path}:{line}", f"{level}: ", f"[{rule}]") for path, line, rule, level in FOUND]
    assert len(heads) == len(fixes) == len(places)
    for head, (where, level, rule) in zip(heads, places, strict=True):
        assert head.startswith(f"{where}: {level}")
        assert head.endswith(f" {rule}")
    assert all(fix.startswith("  fix: ") and len(fix) > 10 for fix in fixes)
    assert rows[-1] == "4 errors, 1 warning, 3 notes"
    assert "Traceback" not in done.err


def test_scripts_get_the_same_as_json(box: Machine, faulty: Path) -> None:
    done = box.run("lint", str(faulty), "--json")
    assert done.code == 1
    data = done.json["data"]
    assert (done.json["command"], done.json["ok"], done.json["exit_code"]) == ("lint", False, 1)
    assert data["root"] == str(faulty)
    assert data["counts"] == {"error": 4, "warning": 1, "note": 3}
    found = [(item["file"], item["line"], item["rule"], item["level"]) for item in data["findings"]]
    assert found == FOUND
    assert all(item["message"] and item["fix"] for item in data["findings"])


def test_ci_systems_get_sarif(box: Machine, faulty: Path) -> None:
    done = box.run("lint", str(faulty), "--sarif")
    assert done.code == 1
    log = json.loads(done.out)
    assert log["version"] == "2.1.0"
    [run] = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == f"file://{faulty}/".replace(" ", "%20")
    found = []
    for result in run["results"]:
        [location] = result["locations"]
        place = location["physicalLocation"]
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert place["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
        found.append(
            (
                place["artifactLocation"]["uri"],
                place["region"]["startLine"],
                result["ruleId"],
                result["level"],
            )
        )
    assert found == FOUND


def test_notes_alone_are_clean(box: Machine) -> None:
    content_root(box.project / "c", {**BASE, "templates/plan.md": "For {gsd:runtime}.\n"})
    done = box.run("lint", "c").ok()
    assert done.out.endswith("\n3 notes\n")


def test_a_warning_alone_is_not(box: Machine) -> None:
    content_root(box.project / "c", {**BASE, "references/nobody.md": "x\n"})
    done = box.run("lint", "c")
    assert done.code == 1
    assert done.out.endswith("\n1 warning\n")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["lint", "nowhere"], 1, "does not exist"),
        (["lint", "--json", "--sarif"], 2, "exclude each other"),
        (["lint", "--runtime", "x"], 2, "there is no argument"),
    ],
)
def test_what_cannot_be_done_is_said(box: Machine, words: list[str], code: int, said: str) -> None:
    done = box.run(*words)
    assert done.code == code
    assert said in done.out + done.err
    assert "hint" in done.out + done.err
