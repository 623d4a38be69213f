"""The companion that ships, started the way an installed text says, from every runtime's tree."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gsd_install.plugins import Plugins
from support.installs import Machine, machine
from support.venvs import third_party_venv

pytestmark = pytest.mark.skipif(os.name == "nt", reason="runs the launcher for POSIX shells")

RUNTIMES = Plugins().ids()
_CALL = re.compile(r"[^\s`\"'({]*/bin/gsd-tools\b")
_RECORDED = re.compile(r"^python='(.*)'$", re.MULTILINE)
_FOLDERS = ("/usr/", " /bin/", "/opt/", "/home/linuxbrew/")


def launchers(root: Path) -> set[str]:
    """How the files that a host discovers spell the launcher."""
    found = set()
    for path in root.rglob("*"):
        if path.is_file() and not {".gsd", "gsd-install"} & set(path.relative_to(root).parts):
            found |= set(_CALL.findall(path.read_text(encoding="utf-8", errors="replace")))
    return found


def typed(box: Machine, launcher: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run it as an agent does: in a shell, in the project, with nothing but what `env` says and a home."""
    return subprocess.run(
        ["/bin/sh", "-c", f"{launcher} init plan-phase '1 --research'"],
        cwd=box.project,
        env={"HOME": str(box.home), "PATH": ""} | env,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def answers(box: Machine, launcher: str, **env: str) -> None:
    done = typed(box, launcher, **env)
    assert done.returncode == 0, f"{launcher}: {done.stderr}"
    bundle = json.loads(done.stdout)
    assert bundle["workflow"] == "plan-phase"
    assert bundle["arguments"]["flags"] == ["--research"]


def without(launcher: Path, *, search: bool) -> None:
    """Let the recorded Python be gone; without `search`, every other one too."""
    text = launcher.read_text(encoding="utf-8")
    assert _RECORDED.search(text)
    text = _RECORDED.sub("python='/gone/python3'", text)
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith("start '")]
    text = "".join(lines)
    for folder in () if search else _FOLDERS:
        text = text.replace(folder, f"{' ' * folder.startswith(' ')}/nowhere/")
    launcher.write_text(text, encoding="utf-8")


@pytest.fixture
def sealed() -> Iterator[list[Path]]:
    """Directories that a test made read-only, given back afterwards."""
    folders: list[Path] = []
    yield folders
    for folder in folders:
        folder.chmod(0o755)


@pytest.mark.req("ADR1671-launchers-alike")
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_it_starts_from_the_tree_of_every_runtime(tmp_path: Path, sealed: list[Path], runtime: str) -> None:
    """No PATH, a home with blanks and more, a home that cannot be written, a new Python, and none."""
    box = machine(tmp_path / "Jörg und \u65e5")
    done = box.run("--runtime", runtime)
    root = box.home
    if done.code:  # a runtime that has no place in the home has one in projects
        done = box.run("--runtime", runtime, "--scope", "project")
        root = box.project
    done.ok()
    found = launchers(root)
    assert len(found) == 1, found
    [launcher] = found
    answers(box, launcher)

    folders = [box.home, *(path for path in box.home.rglob("*") if path.is_dir())]
    sealed += [folder for folder in folders if folder != box.project]
    for folder in sealed:
        folder.chmod(0o555)
    answers(box, launcher)
    for folder in sealed:
        folder.chmod(0o755)

    if root == box.project:  # it names no Python of this machine
        return
    tools = tmp_path / "tools"
    tools.mkdir()
    script = tools / "python3"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    file = root / ".gsd" / "bin" / "gsd-tools"
    without(file, search=True)
    answers(box, launcher, PATH=str(tools))
    without(file, search=False)
    none = typed(box, launcher)
    assert (none.returncode, none.stdout) == (127, "")
    [line] = none.stderr.splitlines()
    assert "needs Python 3.11 or newer" in line


def test_it_starts_when_the_environment_that_installed_it_is_gone(tmp_path: Path, wheel: Path) -> None:
    cache = tmp_path / ".cache" / "pipx" / "3f2a"
    bin_dir = third_party_venv(cache, wheel)
    box = machine(tmp_path / "m", bin_dir / "gsd-install")
    box.run("--runtime", "claude").ok()
    shutil.rmtree(cache)
    [launcher] = launchers(box.home)
    answers(box, launcher)
    text = (box.home / ".gsd" / "bin" / "gsd-tools").read_text(encoding="utf-8")
    assert str(cache) not in text


def test_the_launcher_is_a_program_and_nothing_else_is(tmp_path: Path) -> None:
    box = machine(tmp_path)
    box.run("--runtime", "claude").ok()
    bits = {
        path.name: stat.S_IMODE(path.stat().st_mode) & 0o111
        for path in (box.home / ".gsd").rglob("*")
        if path.is_file()
    }
    assert [name for name, mode in bits.items() if mode] == ["gsd-tools"]
