from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from gsd_capabilities.companion.spill import LIMIT, spilled
from gsd_install.kernel.errors import GsdError
from support.payloads import Box

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes are those of POSIX")


def test_up_to_the_limit_nothing_is_spilled(tmp_path: Path) -> None:
    assert spilled(b"x" * LIMIT, {"TMPDIR": str(tmp_path)}) == b"x" * LIMIT
    assert list(tmp_path.iterdir()) == []


@pytest.mark.req("ADR1671-spill")
def test_a_bulky_bundle_is_a_file_only_its_owner_reads(tmp_path: Path) -> None:
    data = b"x" * (LIMIT + 1)
    answer = spilled(data, {"TMPDIR": str(tmp_path)})
    assert spilled(data, {"TMPDIR": str(tmp_path)}) == answer
    path = Path(answer.decode().removeprefix("@file:").removesuffix("\n"))
    assert path.is_absolute()
    assert path.read_bytes() == data
    assert path.parent == tmp_path / f"gsd-{os.getuid()}"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def open_to_others(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)


def link(folder: Path) -> None:
    (folder.parent / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(folder.parent / "elsewhere")


@pytest.mark.parametrize("prepare", [open_to_others, link, Path.touch])
def test_a_folder_that_others_may_change_is_refused(tmp_path: Path, prepare: object) -> None:
    assert callable(prepare)
    prepare(tmp_path / f"gsd-{os.getuid()}")
    with pytest.raises(GsdError) as caught:
        spilled(b"x" * (LIMIT + 1), {"TMPDIR": str(tmp_path)})
    assert caught.value.reason == "unsafe_folder"


def test_init_spills_and_render_does_not(tmp_path: Path) -> None:
    box = Box(tmp_path / "home")
    box.workflow("plan-phase", ["x" * (LIMIT + 1)])
    box.roadmap({str(number): "standard" for number in range(1, 4)})
    box.write(box.project / "CONTEXT.md", "".join(f"`RULE.any.{'n' * 40}{n}=x`\n" for n in range(1_500)))
    temporary = {"TMPDIR": str(tmp_path)}
    answer = box.run("init", "plan-phase", "1", environ=temporary)
    assert answer.out.startswith(b"@file:")
    bundle = json.loads(Path(answer.out.decode().strip().removeprefix("@file:")).read_text())
    assert len(bundle["predicates"]) == 1_500
    assert box.run("render", "plan-phase", "1", environ=temporary).out == b"x" * (LIMIT + 1)
    picked = box.run("--pick", "predicates[0]", "init", "plan-phase", "1", environ=temporary)
    assert picked.out == f"RULE.any.{'n' * 40}0\n".encode()
