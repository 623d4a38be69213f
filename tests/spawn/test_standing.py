"""A run that finds everything in place says so without planning, and only then."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from support.installs import Machine, machine
from support.trees import assert_same
from support.venvs import third_party_venv

ASKED = ("--runtime", "claude", "--runtime", "amp")


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    return third_party_venv(tmp_path_factory.mktemp("standing"), wheel) / "gsd-install"


@pytest.fixture
def box(tmp_path: Path, script: Path) -> Machine:
    made = machine(tmp_path, script)
    made.run(*ASKED).ok()
    return made


def plans(box: Machine, *words: str, **env: str) -> bool:
    """Whether the command has to plan: it loads what plans."""
    interpreter = box.script.read_text(encoding="utf-8").splitlines()[0].removeprefix("#!")
    done = subprocess.run(
        [interpreter, "-X", "importtime", box.script, *(words or ASKED)],
        cwd=box.project,
        env=box.env | env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "gsd_install.cli.main" in done.stderr, done.stderr
    return "gsd_install.apply.plan" in done.stderr


def test_what_is_in_place_is_said_at_once_and_in_the_same_words(box: Machine) -> None:
    before = box.tree()
    assert not plans(box)
    same = (*ASKED, "--profile", "standard")
    assert plans(box, *same)
    for as_json in ((), ("--json",)):
        assert box.run(*ASKED, *as_json).ok() == box.run(*same, *as_json).ok()
    assert "everything was already in place; no file was written" in box.run(*ASKED).out
    assert_same(before, box.tree())


def edited(box: Machine) -> None:
    path = box.home / ".claude" / "commands" / "gsd-help.md"
    data = path.read_bytes()
    path.write_bytes(data[:-2] + b"!\n")


def touched(box: Machine) -> None:
    os.utime(box.home / ".gsd" / "bin" / "gsd-tools")


def closed(box: Machine) -> None:
    (box.home / ".claude" / "commands" / "gsd-help.md").chmod(0o600)


def removed(box: Machine) -> None:
    (box.home / ".gsd" / "hosts" / "claude.json").unlink()


def linked(box: Machine) -> None:
    path = box.home / ".claude" / "commands" / "gsd-help.md"
    copy = box.home / "copy.md"
    shutil.copy2(path, copy)
    path.unlink()
    path.symlink_to(copy)


def recorded(box: Machine) -> None:
    ledger = box.home / ".local" / "state" / "gsd-install" / "global" / "ledger.json"
    ledger.write_text(ledger.read_text(encoding="utf-8").replace('"standard"', '"core"'), encoding="utf-8")


def interrupted(box: Machine) -> None:
    state = box.home / ".local" / "state" / "gsd-install" / "global"
    journal = {"pid": 1, "started": "", "ledger_before": "", "ledger_after": "", "records": [], "format": 1}
    text = json.dumps({**journal, "made": [], "dropped": [], "compiled": []})
    (state / "journal").write_text(f"{text}\n", encoding="utf-8")


@pytest.mark.parametrize(
    "change", [edited, touched, closed, removed, linked, recorded, interrupted], ids=lambda f: f.__name__
)
def test_whatever_changed_on_the_disk_is_looked_at(box: Machine, change: Callable[[Machine], None]) -> None:
    change(box)
    assert plans(box)


@pytest.mark.parametrize(
    "words",
    [
        ("--runtime", "claude"),
        (*ASKED, "--runtime", "codex"),
        (*ASKED, "--profile", "core"),
        (*ASKED, "--with", "hooks"),
        (*ASKED, "--dry-run"),
        (*ASKED, "--check"),
        (*ASKED, "--scope", "project"),
        (*ASKED, "--restore"),
        (*ASKED, "--backup"),
        ("upgrade",),
    ],
    ids=" ".join,
)
def test_anything_else_that_is_asked_is_planned(box: Machine, words: tuple[str, ...]) -> None:
    assert plans(box, *words)


def test_another_directory_of_a_runtime_is_planned(box: Machine) -> None:
    assert plans(box, CLAUDE_CONFIG_DIR=str(box.home / "elsewhere"))


def test_another_distribution_is_planned(box: Machine, tmp_path: Path) -> None:
    info = tmp_path / "lib" / "acme-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n", encoding="utf-8")
    assert not plans(box, PYTHONPATH=str(tmp_path / "lib"))
    (info / "entry_points.txt").write_text("[gsd_install.runtimes]\nacme = acme\n", encoding="utf-8")
    assert plans(box, PYTHONPATH=str(tmp_path / "lib"))


def test_a_program_that_somebody_changed_is_planned(box: Machine) -> None:
    [site] = (box.script.parent.parent / "lib").glob("python*/site-packages")
    workflow = site / "gsd_content" / "workflows" / "help.md"
    text = workflow.read_bytes()
    workflow.write_bytes(text + b"More.\n")
    try:
        assert plans(box)
    finally:
        workflow.write_bytes(text)
    assert not plans(box)


def test_a_file_that_the_user_deleted_is_spoken_of_each_time(box: Machine) -> None:
    (box.home / ".claude" / "commands" / "gsd-help.md").unlink()
    for _ in range(2):
        assert "you deleted it" in box.run(*ASKED).ok().err
