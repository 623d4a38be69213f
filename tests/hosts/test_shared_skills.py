"""A skill that two hosts read from one place is listed once, and stays when one of them goes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from support.hosts import fence
from support.hosts.table import BY_ID, Host
from support.installs import Machine, machine

pytestmark = pytest.mark.hosts
QUIET = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}


def listed(program: Path, box: Machine) -> list[str]:
    """The skills of ours that OpenCode lists, as often as it lists them."""
    environ = box.env | QUIET | {"PATH": os.environ["PATH"]}
    done = fence.run(
        [str(program), "debug", "skill", "--pure"], cwd=box.project, environ=environ, seconds=120
    )
    assert done.returncode == 0, done.stderr
    return sorted(item["name"] for item in json.loads(done.stdout) if item["name"].startswith("gsd-"))


def places(box: Machine) -> list[str]:
    """Where skills stand in the home."""
    return sorted(path.parent.name for path in box.home.rglob("SKILL.md"))


@pytest.mark.parametrize("host", [BY_ID["opencode"]], ids=lambda host: host.id)
def test_each_skill_is_listed_once_with_claude_and_without(
    host: Host, program: Callable[[Host], Path], tmp_path: Path
) -> None:
    box = machine(tmp_path)
    box.run("--runtime", "claude", "--runtime", "opencode").ok()
    names = places(box)
    assert len(names) == len(set(names)) > 0, "a skill stands in two places"
    assert listed(program(host), box) == names
    box.run("uninstall", "--runtime", "claude", "--yes").ok()
    assert not (box.home / ".claude").exists()
    assert places(box) == names
    assert listed(program(host), box) == names
