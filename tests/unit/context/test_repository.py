"""Contexts of a real repository, by the verbs: long history, a large diff, text beyond ASCII."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gsd_capabilities.companion.main import Streams, run
from gsd_capabilities.companion.request import Printed, Request
from gsd_capabilities.context.verbs import VERBS
from gsd_install.content.tokens import ExactTokens
from gsd_install.kernel.errors import GsdError, UsageError
from gsd_install.kernel.measure import estimated

EXACT = ExactTokens()
RULES = "规则：先读后写。\n\nNever delete a file — ask first.\n"
REQUEST = "修复 the parser – it drops “quotes”.\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    phase = root / ".planning" / "phases" / "02-parser"
    phase.mkdir(parents=True)
    planning = root / ".planning"
    (planning / "STATE.md").write_text("---\nphase: 2\nplan: 02-01\nstatus: executing\n---\n")
    (planning / "rules.md").write_text(RULES, encoding="utf-8")
    (planning / "guide.md").write_text(
        "# Guide\n\n" + "解析器必须保留引号。It must keep them. Détail. " * 300
    )
    (phase / "02-01-PLAN.md").write_text(
        "# Plan\n\n### Task 1: read\n\n- **Status:** done\n- long gone\n\n"
        "### Task 2: fix\n\n- **Tags:** parser\n"
    )
    rows = [
        {"role": role, "text": f"{role} {n}: {'日本語 text. ' * 40}"}
        for n in range(30)
        for role in ("user", "tool", "assistant")
    ]
    session = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (planning / "session.jsonl").write_text(session, encoding="utf-8")
    (root / "größe.py").write_text("x = 1\n" * 400)
    environ = {
        **os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
    }  # fmt: skip
    who = ["-c", "user.name=a", "-c", "user.email=a@b.test"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "one"]):
        subprocess.run(["git", *command], cwd=root, env=environ, check=True)
    (root / "größe.py").write_text("x = 2\n" * 400)
    return root


def asked(project: Path, verb: str, **options: str) -> Any:
    """What a verb answers; underscores in names of options are dashes."""
    given: Mapping[str, str] = {name.replace("_", "-"): value for name, value in options.items()}
    assert set(given) <= VERBS[verb].values | VERBS[verb].flags
    environ = {"HOME": str(project), "GSD_HOME": str(project / "none")}
    request = Request((), given, str(project), None, environ, REQUEST.encode)
    answer = VERBS[verb].run(request)
    return answer.data.decode() if isinstance(answer, Printed) else answer


@pytest.mark.req("CTX-surface-build")
@pytest.mark.parametrize("most", ["100000", "8000", "2500", "1200"])
def test_it_fits_adds_up_and_keeps_what_may_not_be_cut(project: Path, most: str) -> None:
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    found = asked(
        project, "context build", mode="dev", request="-", output_instructions="JSON only — 只要 JSON",
        core="rules", ref="guide", max_tokens=most, reserve_tokens="300", explain="",
    )  # fmt: skip
    report, text = found["report"], found["text"]
    available = int(most) - 300
    assert report["before"]["available"] == report["after"]["available"] == available
    measure = EXACT if report["after"]["exact"] else estimated()
    assert report["after"]["exact"] == (most != "100000")
    assert report["after"]["total"] == measure.cost(text) <= available
    assert report["before"]["over"] == (report["before"]["total"] > available)
    assert report["before"]["over_by"] == max(report["before"]["total"] - available, 0)
    assert sum(pool["size"] for pool in report["pools"].values()) == int(most)
    assert RULES.strip() in text
    assert REQUEST in text
    assert "JSON only — 只要 JSON" in text
    assert "long gone" not in text
    assert "größe.py (+400/-400)" in text or most == "1200"
    ids = [one["id"] for one in report["sections"]]
    assert len(ids) == len(set(ids)) > 10
    shown = {one["id"]: one["rendition"] for one in report["sections"]}
    assert shown[".planning/rules.md"] == shown["request"] == shown["output"] == "full"
    assert (set(shown.values()) == {"full"}) == (report["trigger"] is None)
    assert {path: path.read_bytes() for path in before} == before


def test_two_runs_give_the_same_bytes(project: Path) -> None:
    options = {"request": "-", "core": "rules", "ref": "guide", "max_tokens": "3000", "tree": ""}
    first = asked(project, "context build", **options)
    assert isinstance(first, str)
    assert first == asked(project, "context build", **options)
    assert "[to fit " in first


def test_a_request_comes_from_words_a_file_or_standard_input(project: Path) -> None:
    for given, text in (("Do it", "Do it"), ("@.planning/rules.md", RULES), ("-", REQUEST)):
        built = asked(project, "context build", request=given, template="lean")
        assert f"## User Request\n\n{text}" in built
    assert "## User Request" not in asked(project, "context build", template="lean")


@pytest.mark.req("CTX-surface-report")
def test_the_report_tells_pools_use_and_projection_even_over_the_budget(project: Path) -> None:
    told = asked(project, "context report", core="rules", max_tokens="300", used="30,120,230")
    assert told["before"]["over"]
    assert told["trigger"] == "forced"
    assert sum(pool["size"] for pool in told["pools"].values()) == 300
    assert told["projection"] == {
        "initial": 30, "used": 230, "current_round": 110, "remaining": 10, "growth": 100.0,
        "projected_rounds": 0, "compaction_due": True, "level": "critical",
    }  # fmt: skip
    assert told["absent"]["request"] == "none given"
    assert asked(project, "context report")["projection"] is None


@pytest.mark.req("CTX-resolve-layers")
def test_the_project_overrides_defaults_and_the_call_overrides_both(project: Path) -> None:
    config = project / ".planning" / "config.json"
    config.write_text(
        '{"context": {"max_tokens": 50000, "reserve_tokens": 10000, "soft_limit_tokens": 30000}}'
    )
    try:
        told = asked(project, "context report")
        assert told["before"]["available"] == 40_000
        assert asked(project, "context report", max_tokens="20000")["before"]["available"] == 16_000
    finally:
        config.unlink()
    assert asked(project, "context report")["before"]["available"] == 102_400


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"max_tokens": "many"}, "usage"),
        ({"max_tokens": "10", "reserve_tokens": "10"}, "bad_settings"),
        ({"request": "@none.md"}, "unreadable"),
        ({"core": "none"}, "missing_reference"),
        ({"template": "none"}, "unknown_template"),
        ({"mode": "none"}, "unknown_mode"),
        ({"rules": ".planning/rules.md"}, "bad_rules"),
        ({"without": "none"}, "unknown_source"),
        ({"used": "-1"}, "usage"),
        ({"family": "none"}, "unknown_measure"),
        ({"request": "Read @doc https://x.test/a"}, "remote_refused"),
        ({"request": "x" * 9_000, "max_tokens": "1000"}, "budget_exceeded"),
    ],
)
def test_a_mistake_is_named(project: Path, options: dict[str, str], reason: str) -> None:
    with pytest.raises(GsdError) as caught:
        asked(project, "context build", **options)
    assert caught.value.reason == reason
    assert caught.value.hint


def test_words_that_nobody_asked_for_are_refused(project: Path) -> None:
    with pytest.raises(UsageError):
        VERBS["context build"].run(Request(("fix",), {}, str(project), None, {}, bytes))


def test_sources_can_be_switched_off(project: Path) -> None:
    told = asked(project, "context report", without="plan,session,git,environment")
    assert {told["absent"][name] for name in ("plan", "history", "git", "environment")} == {"switched off"}


# --- as a command line ----------------------------------------------------------------------------------


class Screen(io.BytesIO):
    """What a person looks at."""

    def isatty(self) -> bool:
        return True


def tools(project: Path, *argv: str, out: io.BytesIO | None = None) -> tuple[int, str, str]:
    """`gsd-tools` in that project: exit code, output, errors."""
    environ = {"HOME": str(project), "GSD_HOME": str(project / "none")}
    shown, told = out or io.BytesIO(), io.BytesIO()
    code = run([*argv], Streams(io.BytesIO(REQUEST.encode()), shown, told), environ, str(project))
    return code, shown.getvalue().decode(), told.getvalue().decode()


WHOLE = (
    "context", "build", "--mode", "dev", "--request", "-", "--output-instructions", "JSON only",
    "--core", "rules", "--ref", "guide", "--max-tokens", "3000", "--reserve-tokens", "500",
)  # fmt: skip


@pytest.mark.req("CTX-surface-build")
def test_the_command_line_gives_what_fits_twice_alike_and_changes_nothing(project: Path) -> None:
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    code, text, errors = tools(project, *WHOLE)
    assert (code, errors) == (0, "")
    assert EXACT.cost(text) <= 2_500
    assert all(part in text for part in (RULES.strip(), REQUEST, "JSON only"))
    assert tools(project, *WHOLE) == (0, text, "")
    code, told, _ = tools(project, *WHOLE, "--explain")
    answer = json.loads(told)
    assert answer["text"] == text
    assert answer["report"]["after"]["exact"] is True
    assert answer["report"]["after"]["total"] == EXACT.cost(text)
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


def test_another_family_is_estimated_and_says_so(project: Path) -> None:
    _, told, _ = tools(project, *WHOLE, "--family", "claude", "--explain")
    answer = json.loads(told)
    assert answer["report"]["after"]["exact"] is False
    assert answer["report"]["after"]["total"] == estimated("claude").cost(answer["text"]) <= 2_500 * 85 // 100


def test_without_the_exact_counter_the_same_command_estimates(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec

    def none_of_it(name: str, package: str | None = None) -> object:
        return None if name == "tiktoken" else found(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", none_of_it)
    answer = json.loads(tools(project, *WHOLE, "--explain")[1])
    assert answer["report"]["after"]["exact"] is False
    assert answer["report"]["after"]["total"] == estimated().cost(answer["text"]) <= 2_500 * 85 // 100


@pytest.mark.req("CTX-surface-report")
def test_a_person_sees_bars_and_a_pipe_gets_json(project: Path) -> None:
    asked_for = (
        "context",
        "report",
        "--core",
        "rules",
        "--ref",
        "guide",
        "--max-tokens",
        "9000",
        "--used",
        "9,99,199",
    )
    code, shown, _ = tools(project, *asked_for, out=Screen())
    told = json.loads(tools(project, *asked_for)[1])
    assert code == 0
    rows = {line.split(maxsplit=1)[0]: line for line in shown.splitlines() if line[:1].isalpha()}
    for name, pool in told["pools"].items():
        assert f"{pool['size']:,}" in rows[name]
        if name not in ("response", "buffer"):
            assert f"{pool['need']:,} of" in rows[name]
            assert (">" in rows[name]) == (pool["need"] > pool["size"])
            assert rows[name].count("#") == min(-(-pool["need"] * 24 // pool["size"]), 24)
    assert any(">" in row for row in rows.values())
    assert f"{told['before']['total']:,} of {told['before']['available']:,} tokens" in shown
    assert f"truncated: {told['trigger']}" in shown
    assert f"{told['projection']['projected_rounds']} rounds left" in shown
    assert json.loads(tools(project, *asked_for, "--json", out=Screen())[1]) == told
    calm = tools(project, "context", "report", "--core", "rules", "--without", "git", out=Screen())[1]
    assert "nothing is cut" in calm


@pytest.mark.req("CTX-resolve-unknown-keys")
def test_a_key_without_effect_is_named_with_its_file_and_what_was_meant(project: Path) -> None:
    config = project / ".planning" / "config.json"
    config.write_text('{\n  "context": {"max_token": 9}\n}\n')
    try:
        code, _, errors = tools(project, "context", "build", "--request", "x")
        told = json.loads(tools(project, "context", "report")[1])
        explained = json.loads(tools(project, "context", "build", "--request", "x", "--explain")[1])
    finally:
        config.unlink()
    assert code == 0
    assert errors == (
        "gsd-tools: .planning/config.json:2: the setting 'context.max_token' has no effect; "
        "did you mean 'context.max_tokens'?\n"
    )
    row = {"key": "context.max_token", "where": ".planning/config.json:2", "nearest": "context.max_tokens"}
    assert told["unknown_settings"] == explained["report"]["unknown_settings"] == [row]
    assert told["before"]["available"] == 102_400


@pytest.mark.req("CTX-resolve-unknown-keys")
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"context": {"max_tokens": "9"}}', "context.max_tokens cannot be '9'"),
        ('{"context": {"pools": {"system": 100}}}', "context.pools cannot be"),
        ('{"context": {"reserve_tokens": 200000}}', "context.reserve_tokens (200000) must be below"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused_with_file_and_key(
    project: Path, text: str, says: str
) -> None:
    config = project / ".planning" / "config.json"
    config.write_text(text)
    try:
        code, out, errors = tools(project, "context", "build", "--request", "x")
    finally:
        config.unlink()
    assert (code, out) == (1, "")
    assert ".planning/config.json" in errors
    assert says in errors
    assert "hint: " in errors
