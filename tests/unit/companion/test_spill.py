from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from gsd_capabilities.companion.request import Request
from gsd_capabilities.companion.spill import LIMIT, spilled
from gsd_install.kernel.errors import GsdError
from support.payloads import Box

posix = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes are those of POSIX")


def asked(cwd: Path, **environ: str) -> Request:
    return Request((), {}, str(cwd), None, environ, bytes)


@pytest.fixture
def nowhere(tmp_path: Path) -> Request:
    """A folder without a project, and a temporary directory."""
    (tmp_path / "here").mkdir()
    return asked(tmp_path / "here", TMPDIR=str(tmp_path))


def test_up_to_the_limit_nothing_is_spilled(tmp_path: Path, nowhere: Request) -> None:
    assert spilled(b"x" * LIMIT, nowhere) == (b"x" * LIMIT,)
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


@posix
@pytest.mark.req("ADR1671-spill")
def test_a_bulky_bundle_without_a_project_is_a_file_only_its_owner_reads(
    tmp_path: Path, nowhere: Request
) -> None:
    data = b"x" * (LIMIT + 1)
    answer = spilled(data, nowhere)[0]
    assert spilled(data, nowhere) == (answer,)
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


@posix
@pytest.mark.parametrize("prepare", [open_to_others, link, Path.touch])
def test_a_folder_that_others_may_change_is_refused(
    tmp_path: Path, nowhere: Request, prepare: object
) -> None:
    assert callable(prepare)
    prepare(tmp_path / f"gsd-{os.getuid()}")
    with pytest.raises(GsdError) as caught:
        spilled(b"x" * (LIMIT + 1), nowhere)
    assert caught.value.reason == "unsafe_folder"


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """A project whose bundle is bulky."""
    made = Box(tmp_path / "home")
    made.workflow("plan-phase", ["x" * (LIMIT + 1)])
    made.roadmap({str(number): "standard" for number in range(1, 4)})
    made.write(made.project / "CONTEXT.md", "".join(f"`RULE.any.{'n' * 40}{n}=x`\n" for n in range(1_500)))
    return made


@pytest.mark.req("ADR1671-spill", "ADR0006-surface-spill")
def test_in_a_project_a_bulky_bundle_of_init_is_an_artifact(tmp_path: Path, box: Box) -> None:
    temporary = {"TMPDIR": str(tmp_path / "none")}
    answer = box.run("init", "plan-phase", "1", environ=temporary)
    reference = answer.out.decode().removesuffix("\n")
    assert answer.out.startswith(b"artifact://sha256/")
    assert len(reference) == 82
    command = answer.err.partition("read it with: gsd-tools ")[2].split()
    assert command[:3] == ["artifact", "get", reference]
    bundle = json.loads(box.run(*command, environ=temporary).out)
    assert len(bundle["predicates"]) == 1_500
    assert box.run("init", "plan-phase", "1", environ=temporary).out == answer.out
    stored = [path for path in (box.project / ".planning" / "artifacts").rglob("*") if len(path.name) == 64]
    assert [path.name for path in stored] == [reference[-64:]]
    assert not (tmp_path / "none").exists()


def test_render_and_what_is_picked_are_never_spilled(box: Box) -> None:
    assert box.run("render", "plan-phase", "1").out == b"x" * (LIMIT + 1)
    picked = box.run("--pick", "predicates[0]", "init", "plan-phase", "1")
    assert picked.out == f"RULE.any.{'n' * 40}0\n".encode()
    assert not (box.project / ".planning" / "artifacts").exists()


@pytest.mark.req("ADR0006-surface-spill")
def test_a_bundle_that_cannot_be_stored_stays_whole_and_says_why(box: Box) -> None:
    (box.project / ".planning" / "artifacts").write_text("in the way")
    answer = box.run("init", "plan-phase", "1")
    assert answer.code == 0
    assert len(json.loads(answer.out)["predicates"]) == 1_500
    assert "not stored" in answer.err


def test_a_threshold_above_the_bundle_keeps_it_in_the_answer(box: Box) -> None:
    box.write(box.project / ".planning" / "config.json", '{"artifacts": {"threshold_bytes": 1000000}}')
    answer = box.run("init", "plan-phase", "1")
    assert len(json.loads(answer.out)["predicates"]) == 1_500
    assert answer.err == ""
