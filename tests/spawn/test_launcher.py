"""The launcher as it is installed: it finds a Python, whatever became of the one that installed it."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from support.companions import distribution
from support.installs import Machine, machine
from support.trees import assert_same

pytestmark = pytest.mark.skipif(os.name == "nt", reason="runs the launcher for POSIX shells")

SHELLS = [shell for shell in ("/bin/sh", "/bin/dash", "/bin/bash", "/bin/busybox") if os.path.exists(shell)]


class Box(NamedTuple):
    """A machine whose installs bring a capability along; `env` makes it known."""

    machine: Machine
    env: dict[str, str]

    def install(self, *words: str) -> None:
        self.machine.run("--runtime", "claude", *words, env=self.env).ok()

    def launcher(self, scope: str = "global") -> Path:
        root = self.machine.home if scope == "global" else self.machine.project
        return root / ".gsd" / "bin" / "acme-tools"


@pytest.fixture
def box(tmp_path: Path) -> Box:
    made = machine(tmp_path / "a b é")
    return Box(made, {"PYTHONPATH": str(distribution(tmp_path / "acme"))})


def started(command: list[str | Path], stdin: bytes = b"", **env: str) -> dict[str, Any]:
    done = subprocess.run(command, env=env, input=stdin, capture_output=True, check=False)
    assert done.returncode in {0, 7}, done.stderr
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts | {"code": done.returncode}


@pytest.mark.parametrize("shell", SHELLS)
def test_it_runs_isolated_without_path_or_home(box: Box, shell: str) -> None:
    box.install()
    words = [shell] if not shell.endswith("busybox") else [shell, "sh"]
    facts = started([*words, box.launcher(), "-", "a b", "$c 'd'", "seven"], "é\n".encode())
    payload = os.path.realpath(box.machine.home / ".gsd")
    assert facts["argv"] == ["acme-tools", "--payload", payload, "-", "a b", "$c 'd'", "seven"]
    assert (facts["stdin"], facts["code"]) == ("é\n", 7)
    assert (facts["isolated"], facts["site"]) == (1, False)
    assert facts["path"][0] == f"{payload}/lib"
    base = getattr(sys, "_base_executable", sys.executable)
    assert os.path.realpath(facts["python"]) == os.path.realpath(base)


def test_it_works_from_a_read_only_home_and_through_a_link(box: Box, tmp_path: Path) -> None:
    box.install()
    link = tmp_path / "link"
    link.symlink_to(box.launcher())
    folders = [box.machine.home, *(path for path in box.machine.home.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        assert started([link])["argv"][2] == os.path.realpath(box.machine.home / ".gsd")
    finally:
        for folder in folders:
            folder.chmod(0o755)


@pytest.mark.case("HK-07")
def test_it_looks_for_another_python_when_the_recorded_one_is_gone(box: Box, tmp_path: Path) -> None:
    box.install()
    launcher = box.launcher()
    lines = launcher.read_text(encoding="utf-8").splitlines(keepends=True)
    gone = [line for line in lines if not line.startswith(("python='", "start '"))]
    at = next(number for number, line in enumerate(gone) if line.startswith("if [ -f"))
    gone.insert(at, "python='/gone/python3'\n")
    launcher.write_text("".join(gone), encoding="utf-8")
    tools = tmp_path / "tools"
    tools.mkdir()
    _script(tools / "python3", "exit 1")  # too old, or a shim without a version
    _script(tools / "python3.13", f'exec "{sys.executable}" "$@"')
    assert started([launcher], PATH=str(tools))["argv"][0] == "acme-tools"
    none = (
        "".join(gone)
        .replace("/usr/", "/nowhere/")
        .replace(" /bin/", " /nowhere/")
        .replace("/opt/", "/nowhere/")
    )
    launcher.write_text(none.replace("/home/linuxbrew/", "/nowhere/"), encoding="utf-8")
    done = subprocess.run([launcher], env={"PATH": ""}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (127, "")
    [line] = done.stderr.splitlines()
    assert "needs Python 3.11 or newer" in line


def test_the_recorded_python_stays_while_it_is_there(box: Box, tmp_path: Path) -> None:
    box.install()
    other = tmp_path / "python3.99"
    _script(other, f'exec "{sys.executable}" "$@"')
    ledger = box.machine.home / ".local" / "state" / "gsd-install" / "global" / "ledger.json"
    text = ledger.read_text(encoding="utf-8")
    [recorded] = {str(unit["python"]) for unit in json.loads(text)["units"].values()}
    ledger.write_text(text.replace(json.dumps(recorded), json.dumps(str(other))), encoding="utf-8")
    box.install()
    assert f"python='{other}'" in box.launcher().read_text(encoding="utf-8")
    box.machine.run("--check", env=box.env).ok()
    other.unlink()
    box.install()
    assert f"python='{recorded}'" in box.launcher().read_text(encoding="utf-8")


def _script(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.mark.parametrize("scope", ["global", "project"])
def test_it_comes_and_goes_without_a_trace_and_what_it_compiled_is_no_drift(box: Box, scope: str) -> None:
    before = box.machine.tree()
    box.install("--scope", scope)
    assert stat.S_IMODE(box.launcher(scope).stat().st_mode) & 0o111
    started([box.launcher(scope)], PATH=os.defpath)
    lib = box.launcher(scope).parents[1] / "lib"
    assert list(lib.rglob("__pycache__/*.pyc")), "nothing was compiled"
    box.machine.run("--scope", scope, "--check", env=box.env).ok()
    again = box.machine.run("--runtime", "claude", "--scope", scope, env=box.env).ok()
    assert "no file was written" in again.out
    box.machine.run("uninstall", "--scope", scope, "--yes").ok()
    assert_same(before, box.machine.tree())


def test_another_runtime_keeps_it(box: Box) -> None:
    box.install("--runtime", "codex")
    hosts = box.machine.home / ".gsd" / "hosts"
    assert sorted(path.name for path in hosts.iterdir()) == ["claude.json", "codex.json"]
    box.machine.run("uninstall", "--runtime", "claude", "--yes", env=box.env).ok()
    assert started([box.launcher()])["argv"][0] == "acme-tools"
    assert [path.name for path in hosts.iterdir()] == ["codex.json"]


def test_a_project_holds_nothing_of_this_machine_and_a_clone_passes_the_check(
    box: Box, tmp_path: Path
) -> None:
    box.install("--scope", "project")
    project = box.machine.project
    for path in project.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert str(box.machine.home).encode() not in data, path
            assert sys.base_prefix.encode() not in data or path.parent.name != "bin", path
    assert (project / ".gsd" / ".gitignore").read_text(encoding="utf-8") == "__pycache__/\n"
    elsewhere = machine(tmp_path / "elsewhere")
    shutil.rmtree(elsewhere.project)
    shutil.copytree(project, elsewhere.project)
    elsewhere.run("--scope", "project", "--check", env=box.env).ok()


def test_a_capability_that_is_malformed_is_named_and_the_rest_is_installed(box: Box, tmp_path: Path) -> None:
    folder = distribution(tmp_path / "bad", 'id = "acme"\ncolour = 1\n')
    done = box.machine.run("--runtime", "claude", env={"PYTHONPATH": str(folder)}).ok()
    assert "the capability 'acme' of acme_tools 1.0 is left out" in done.out + done.err
    assert not box.launcher().exists()
    assert (box.machine.home / ".claude" / "commands").is_dir()


def test_permission_to_run_it_is_granted_only_when_asked_and_installed(box: Box) -> None:
    box.install("--with", "permissions")
    settings = box.machine.home / ".claude" / "settings.json"
    rules = json.loads(settings.read_text(encoding="utf-8"))["permissions"]["allow"]
    assert rules == ["Read(~/.gsd/**)", "Bash(~/.gsd/bin/acme-tools:*)"]
    box.machine.run("uninstall", "--yes").ok()
    assert not settings.exists()
