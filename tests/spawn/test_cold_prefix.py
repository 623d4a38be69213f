"""The prefix of every scenario in a real install: its texts, the core tools, the package's own gsd-tools."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.installs import Machine, machine


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    made = machine(tmp_path_factory.mktemp("cold"))
    made.run("--runtime", "claude").ok()
    (made.project / ".planning").mkdir()
    return made


def tools(there: Machine, *words: str, code: int = 0) -> str:
    command = [str(there.script.with_name("gsd-tools")), *words]
    done = subprocess.run(
        command, cwd=there.project, env=there.env, capture_output=True, check=False, timeout=60
    )
    assert done.returncode == code, done.stderr.decode()
    return done.stdout.decode()


@pytest.mark.req(
    "A-budget-contract-converse",
    "A-budget-contract-reflex",
    "ECO-const-cold-converse",
    "ECO-const-cold-reflex",
)
def test_what_is_really_shipped_holds_the_limits(there: Machine) -> None:
    answer = json.loads(tools(there, "prefix", "check", "--manager"))
    largest = {"reflex": 0, "converse": 0}
    for row in answer["scenarios"]:
        largest[row["pack"]] = max(largest.get(row["pack"], 0), row["fixed_tokens"])
    assert 1_000 < largest["reflex"] <= 8_000
    assert 2_000 < largest["converse"] <= 28_000
    assert answer["goal"]["holds"] is True


@pytest.mark.req("A-role-no-shared-append", "ECO-handbook-single", "A-skill-l0-only")
def test_the_installed_prompt_points_at_the_installed_handbook_and_lists_installed_skills(
    there: Machine,
) -> None:
    prompt = tools(there, "prefix", "show", "chat", "--text")
    handbook = next(word for word in prompt.split() if word.endswith("handbook.md"))
    assert Path(handbook) == there.home / ".gsd/content/gsd/references/agent/handbook.md"
    body = Path(handbook).read_text(encoding="utf-8")
    assert body.startswith("# Handbook\n") or "\n# Handbook\n" in body
    paragraphs = [part for part in body.split("\n\n") if len(part) > 64]
    assert paragraphs
    assert not [part for part in paragraphs if part[:64] in prompt]
    assert "- working-in-phases: " in prompt
    skill = (there.home / ".claude/skills/gsd-working-in-phases/SKILL.md").read_text(encoding="utf-8")
    assert not [part for part in skill.split("\n\n")[1:] if len(part) > 64 and part[:64] in prompt]


@pytest.mark.req("ECO-live-cold")
def test_sizes_are_logged(there: Machine) -> None:
    shown: dict[str, Any] = json.loads(tools(there, "prefix", "show", "heartbeat", "--as", "ann"))
    row = json.loads(tools(there, "prefix", "log"))["measured"][-1]
    assert (row["who"], row["scenario"]) == ("ann", "heartbeat")
    assert row["fixed_tokens"] == shown["fixed_tokens"]


def test_a_role_that_is_too_long_turns_the_check_red(there: Machine) -> None:
    role = there.project / ".planning" / "agent" / "ROLE.md"
    role.parent.mkdir(exist_ok=True)
    role.write_text("You work with care. " * 8_000, encoding="utf-8")
    answer = json.loads(tools(there, "prefix", "check", code=1))
    assert "chat" in answer["over"]
    role.unlink()
