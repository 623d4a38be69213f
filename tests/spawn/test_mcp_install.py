"""`--with mcp`: one entry in the host's settings and one record in the ledger, and nothing else."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from support.installs import SCRIPT, Machine, machine
from support.trees import Tree
from support.venvs import third_party_venv

STATE = ".local/state/gsd-install"
RUNTIMES = ("--runtime", "claude", "--runtime", "codex")
SERVER = str(SCRIPT.parent / "gsd-mcp-server")


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The console script of an installation without the extra."""
    return third_party_venv(tmp_path_factory.mktemp("bare"), wheel) / "gsd-install"


def ledger(box: Machine) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((box.home / STATE / "global" / "ledger.json").read_bytes())
    return found


def without_state(tree: Tree) -> dict[str, object]:
    return {path: node for path, node in tree.items() if not path.startswith(STATE)}


@pytest.mark.req("ADR1671-mcp-additive")
def test_the_trees_with_and_without_differ_in_the_entry_and_its_record_only(tmp_path: Path) -> None:
    one, two = machine(tmp_path / "one"), machine(tmp_path / "two")
    one.run(*RUNTIMES).ok()
    two.run(*RUNTIMES, "--with", "mcp").ok()
    plain, served = without_state(one.tree()), without_state(two.tree())
    assert set(served) - set(plain) == {".claude.json", ".codex/config.toml"}
    assert {path: node for path, node in served.items() if path in plain} == plain
    plain_ledger, served_ledger = ledger(one), ledger(two)
    assert served_ledger["files"] == plain_ledger["files"]
    for key, record in served_ledger["units"].items():
        assert record.pop("server") == SERVER
        assert record.pop("with") == ["mcp"]
        assert plain_ledger["units"][key].pop("with") == []
    assert served_ledger["units"] == plain_ledger["units"]
    two.run("--check").ok()
    two.run("uninstall", "--yes").ok()
    one.run("uninstall", "--yes").ok()
    assert without_state(one.tree()) == without_state(two.tree())


def test_the_entry_names_the_script_and_outlives_an_upgrade(tmp_path: Path, bare: Path) -> None:
    box = machine(tmp_path)
    box.run("--runtime", "claude", "--with", "mcp").ok()
    entry = json.loads((box.home / ".claude.json").read_bytes())["mcpServers"]["gsd"]
    assert entry == {
        "command": SERVER,
        "args": ["--scope", "global", "--runtime", "claude"],
        "env": {},
    }
    before = (box.home / ".claude.json").read_bytes()
    for script in (SCRIPT, bare):
        again = box._replace(script=script)
        again.run("upgrade").ok()
        again.run("--runtime", "claude", "--with", "all").ok()
        assert (box.home / ".claude.json").read_bytes() == before


def test_without_the_extra_it_refuses_before_it_writes(tmp_path: Path, bare: Path) -> None:
    for scope in ("global", "project"):
        box = machine(tmp_path / scope, bare)
        before = box.tree()
        done = box.run("--runtime", "claude", "--scope", scope, "--with", "hooks,mcp")
        assert done.code == 1
        assert "the server gsd-mcp-server is not installed where it would stay" in done.err
        assert "pipx install 'gsd-install[mcp]'" in done.err
        assert box.tree() == before


def test_the_server_without_the_extra_says_what_is_missing(tmp_path: Path, bare: Path) -> None:
    box = machine(tmp_path, bare.with_name("gsd-mcp-server"))
    done = box.run()
    assert (done.code, done.out) == (1, "")
    assert "is missing\nhint: pipx install 'gsd-install[mcp]'" in done.err


def test_all_of_them_without_the_extra_is_the_others_and_a_hint(tmp_path: Path, bare: Path) -> None:
    for scope in ("global", "project"):
        box = machine(tmp_path / scope, bare)
        done = box.run("--runtime", "claude", "--scope", scope, "--with", "all").ok()
        said = done.out + done.err
        assert "claude got nothing for: mcp" in said
        assert "pipx install 'gsd-install[mcp]'" in said
        assert not (box.home / ".claude.json").exists()
        assert not (box.project / ".mcp.json").exists()
        box.run("--check", "--scope", scope).ok()
        unit = box.run("--runtime", "claude", "--scope", scope, "--with", "all", "--json").ok().json
        assert "mcp" in json.dumps(unit)


def test_a_project_names_no_path_and_a_clone_of_it_checks_anywhere(tmp_path: Path, bare: Path) -> None:
    box = machine(tmp_path / "mine")
    box.run(*RUNTIMES, "--scope", "project", "--with", "mcp").ok()
    entry = json.loads((box.project / ".mcp.json").read_bytes())["mcpServers"]["gsd"]
    assert entry["command"] == "gsd-mcp-server"
    assert entry["args"] == ["--scope", "project"]
    held = [file for file in box.project.rglob("*") if file.is_file()]
    assert len(held) > 100
    roots = (str(tmp_path).encode(), sys.prefix.encode())
    assert [file for file in held if any(root in file.read_bytes() for root in roots)] == []
    theirs = machine(tmp_path / "theirs", bare)
    shutil.rmtree(theirs.project)
    shutil.copytree(box.project, theirs.project)
    theirs.run("--check", "--scope", "project").ok()
    theirs.run("upgrade", "--scope", "project").ok()
    assert (theirs.project / ".mcp.json").read_bytes() == (box.project / ".mcp.json").read_bytes()


@pytest.mark.parametrize("scope", ["global", "project"])
def test_hosts_that_read_one_file_share_one_entry(tmp_path: Path, scope: str) -> None:
    box = machine(tmp_path)
    before = box.tree()
    where = ("--scope", scope)
    box.run("--runtime", "kiro", *where, "--with", "mcp").ok()
    root = box.home if scope == "global" else box.project
    file = root / ".kiro/settings/mcp.json"
    written = file.read_bytes()
    for host in ("kiro-cli", "claude", "codebuddy"):
        box.run("--runtime", host, *where, "--with", "mcp" if scope == "project" else "all").ok()
        box.run("--check", *where).ok()
    assert file.read_bytes() == written
    assert json.loads(written)["mcpServers"]["gsd"]["args"] == ["--scope", scope]
    box.run("uninstall", "--runtime", "kiro", *where, "--yes").ok()
    assert file.read_bytes() == written
    box.run("uninstall", *where, "--yes").ok()
    assert box.tree() == before


@pytest.mark.parametrize("scope", ["global", "project"])
def test_every_host_at_once_with_everything(tmp_path: Path, scope: str) -> None:
    box = machine(tmp_path)
    before = box.tree()
    box.run("--all", "--scope", scope, "--profile", "core", "--with", "all").ok()
    box.run("--check", "--scope", scope).ok()
    box.run("uninstall", "--scope", scope, "--yes").ok()
    assert box.tree() == before
