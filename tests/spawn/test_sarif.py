"""`gsd-install --check --sarif`: the same drift as `--check`, in the format CI systems read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from support.content import EVERY_KIND, content_root
from support.installs import Done, Machine, machine

KINDS = ("missing", "modified", "stale", "foreign")
ROOT = "%SRCROOT%"


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path / "a #home with ümlaut")


def run_of(done: Done) -> dict[str, Any]:
    """The one run of a SARIF log, after asserting the structure that SARIF 2.1.0 asks for."""
    log = json.loads(done.out)
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    [run] = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "gsd-install"
    assert [rule["id"] for rule in driver["rules"]] == list(KINDS)
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["defaultConfiguration"]["level"] in {"none", "note", "warning", "error"}
    [invocation] = run["invocations"]
    assert invocation["executionSuccessful"] is True
    assert all(note["message"]["text"] for note in invocation["toolExecutionNotifications"])
    assert run["originalUriBaseIds"][ROOT]["uri"].startswith("file:///")
    assert run["originalUriBaseIds"][ROOT]["uri"].endswith("/")
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"note", "warning", "error"}
        assert result["message"]["text"]
        [location] = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"]
    return dict(run)


def paths(run: dict[str, Any]) -> dict[str, str]:
    """The kind of drift of each path, found through its URI as a reader of SARIF would."""
    base = run["originalUriBaseIds"][ROOT]["uri"]
    found = {}
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]
        uri = base + place["uri"] if place.get("uriBaseId") == ROOT else place["uri"]
        parts = urlsplit(uri)
        assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("file", "", "", "")
        assert uri.isascii()
        assert " " not in uri
        found[unquote(parts.path)] = result["ruleId"]
    return found


@pytest.mark.parametrize("scope", ["global", "project"])
def test_what_is_as_it_should_be_has_no_result(box: Machine, scope: str) -> None:
    box.run("--runtime", "claude", "--scope", scope).ok()
    done = box.run("--check", "--sarif", "--scope", scope).ok()
    run = run_of(done)
    assert run["results"] == []
    root = box.home if scope == "global" else box.project
    assert unquote(urlsplit(run["originalUriBaseIds"][ROOT]["uri"]).path) == f"{root}/"


@pytest.mark.parametrize("scope", ["global", "project"])
def test_every_kind_of_drift_is_a_rule_with_its_path(box: Machine, scope: str) -> None:
    root = box.home if scope == "global" else box.project
    extra = {
        "commands/old.md": EVERY_KIND["commands/plan.md"],
        "commands/gone.md": EVERY_KIND["commands/plan.md"],
    }
    content = content_root(box.project / "content", EVERY_KIND | extra)
    box.run("--runtime", "claude", "--scope", scope, "--content", str(content)).ok()
    commands = root / ".claude" / "commands"
    (commands / "ac-gone.md").unlink()
    (commands / "ac-plan.md").write_text("edited\n")
    (commands / "ac-new.md").write_text("mine\n")
    content_root(content, {"commands/new.md": EVERY_KIND["commands/plan.md"]})
    (content / "commands" / "old.md").unlink()
    done = box.run("--check", "--sarif", "--scope", scope)
    assert done.code == 4
    assert paths(run_of(done)) == {
        str(commands / "ac-gone.md"): "missing",
        str(commands / "ac-plan.md"): "modified",
        str(commands / "ac-old.md"): "stale",
        str(commands / "ac-new.md"): "foreign",
        str(root / ".gsd" / "acme" / "companion.json"): "stale",
    }
    as_json = box.run("--check", "--json", "--scope", scope)
    assert as_json.code == 4
    assert len(as_json.json["data"]["drift"]) == 5


def test_a_path_that_a_uri_cannot_hold_is_encoded(box: Machine) -> None:
    box.run("--runtime", "claude", "--config-dir", "~/a b#c%20ü").ok()
    gone = box.home / "a b#c%20ü" / "commands" / "gsd-help.md"
    gone.unlink()
    run = run_of(box.run("--check", "--sarif"))
    assert paths(run) == {str(gone): "missing"}
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "a%20b%23c%2520%C3%BC/commands/gsd-help.md", "uriBaseId": ROOT}


def test_a_path_outside_the_root_is_absolute(box: Machine, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    box.run("--runtime", "claude", "--config-dir", str(outside)).ok()
    gone = outside / "commands" / "gsd-help.md"
    gone.unlink()
    run = run_of(box.run("--check", "--sarif"))
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": f"file://{gone}"}
    assert paths(run) == {str(gone): "missing"}


def test_a_unit_that_nobody_can_plan_anew_is_a_notification(box: Machine) -> None:
    content = content_root(box.project / "content", EVERY_KIND)
    box.run("--runtime", "claude", "--content", str(content)).ok()
    content.rename(box.project / "moved")
    done = box.run("--check", "--sarif").ok()
    [note] = run_of(done)["invocations"][0]["toolExecutionNotifications"]
    assert "claude:acme" in note["message"]["text"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--check", "--sarif", "--json"], "exclude each other"),
        (["--sarif"], "goes with --check"),
        (["--check", "--sarif", "--runtime", "claude"], "all that is recorded"),
    ],
)
def test_what_sarif_does_not_go_with_is_a_usage_error(box: Machine, words: list[str], said: str) -> None:
    done = box.run(*words)
    assert done.code == 2
    assert said in done.out + done.err
    assert "hint" in done.out + done.err


def test_where_nothing_is_installed_there_is_no_document(box: Machine) -> None:
    done = box.run("--check", "--sarif")
    assert (done.code, done.out) == (1, "")
    assert "nothing is installed" in done.err
