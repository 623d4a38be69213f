"""What docs/loaded.md counts is what an installed companion prints."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.generators import module
from support.installs import machine


@pytest.mark.req("ADR1671-less-context")
def test_a_usual_invocation_renders_what_the_table_counts(tmp_path: Path) -> None:
    box = machine(tmp_path)
    box.run("--runtime", "claude", "--profile", "full").ok()
    (box.project / ".git").mkdir()
    counted = list(module("generate_loaded").texts())
    assert len(counted) >= 10
    for name, sections, whole, loaded in counted:
        done = subprocess.run(
            [box.home / ".gsd" / "bin" / "gsd-tools", "render", name],
            cwd=box.project,
            env=box.env,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.decode() == loaded, name
        assert sections
        assert len(loaded) < len(whole)
