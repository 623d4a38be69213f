"""Real hosts load a bundle with everything in it that some host rejects: each file, by their own listing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from support import traps
from support.hosts import fence, settings
from support.hosts.fetching import node
from support.hosts.table import BY_ID, Host
from support.installs import machine

pytestmark = pytest.mark.hosts

ASKED = [host for host in BY_ID.values() if "doctor --live" in host.kinds]


@pytest.mark.parametrize("host", ASKED, ids=lambda host: host.id)
def test_no_file_of_a_bundle_is_rejected(host: Host, program: Callable[[Host], Path], tmp_path: Path) -> None:
    box = machine(tmp_path / "machine")
    settings.write(host.id, box.home, box.project)
    root = traps.write(tmp_path / "bundle")
    box.run("--runtime", host.id, "--content", str(root), "--with", "hooks,mcp", "--yes").ok()
    folders = [str(program(host).parent), *([str(node())] if host.newer_node else []), os.environ["PATH"]]
    environ = box.env | {"PATH": os.pathsep.join(folders)}
    command = [str(box.script), "doctor", "--live", "--json"]
    done = fence.run(command, cwd=box.project, environ=environ, seconds=200)
    told = {item["runtime"]: item for item in json.loads(done.stdout)["data"]["live"]}[host.id]
    assert told["ok"], told
    assert not told["missing"]
    assert told["loaded"].get("skill", 0) >= 18
