"""A plugin that only lowers a cap of a runtime someone else describes."""

from __future__ import annotations

from pathlib import Path

from support.installs import machine
from support.venvs import third_party_venv


def test_an_overlay_lowers_a_cap_and_the_outputs_follow(tmp_path: Path, wheel: Path) -> None:
    box = machine(
        tmp_path / "plain", third_party_venv(tmp_path / "overlay", wheel, "overlay") / "gsd-install"
    )
    box.run("--runtime", "windsurf").ok()
    sizes = [
        path.stat().st_size for path in (box.home / ".codeium" / "windsurf" / "global_workflows").iterdir()
    ]
    assert sizes
    assert max(sizes) <= 900
