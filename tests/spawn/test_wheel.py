"""The wheel: what is in it, what it declares, and that its packs say what the sources say."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from gsd_install.content.tree import EMITTED
from gsd_install.declared import GROUP, Declared
from gsd_install.packing import pack_plugins
from gsd_install.plugins import PACKED, Plugins
from gsd_install.runtime.packed import Unpacker
from support.venvs import ROOT, run

SOURCE_ROOTS = ("installer", "plugins", "capabilities", "content")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RUNTIMES: dict[str, str] = PROJECT["entry-points"][GROUP]
PACKS = {
    "gsd_content/catalog.json",
    f"gsd_content/{EMITTED}",
    f"gsd_runtimes/{PACKED}",
    "gsd_capabilities/capabilities.json",
}


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only a checkout knows what git tracks")
def test_the_wheel_holds_exactly_what_git_tracks_and_the_packs(names: set[str]) -> None:
    tracked = run("git", "-C", ROOT, "ls-files", "-z", *SOURCE_ROOTS).split("\0")[:-1]
    assert names == {path.split("/", 1)[1] for path in tracked} | PACKS


def test_every_runtime_module_is_declared() -> None:
    modules = {path.stem for path in (ROOT / "plugins" / "gsd_runtimes").glob("*.py")} - {"__init__"}
    declared = metadata.distribution("gsd-install").entry_points.select(group=GROUP)
    assert {entry.name for entry in declared} == set(RUNTIMES)
    assert {entry.value for entry in declared} == {f"gsd_runtimes.{name}" for name in modules}


def test_a_packed_plugin_is_what_asking_it_gives(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        pack = json.loads(archive.read(f"gsd_runtimes/{PACKED}"))
    asked = Plugins(tuple(Declared(name, module, "gsd-install 0") for name, module in RUNTIMES.items()))
    modules, answers = pack["modules"], Unpacker(pack["rows"])
    assert len(modules) == len(RUNTIMES) >= 45
    for name, module in RUNTIMES.items():
        plugin = asked.get(name)
        *_, stored = modules[module.rpartition(".")[2]]
        assert answers.get(stored) == (plugin.runtime, plugin.caps, plugin.rewrites)
    folder = ROOT / "plugins" / "gsd_runtimes"
    assert json.loads(pack_plugins(RUNTIMES, str(folder))) == pack


# Runs the command line and prints the modules it imported to stderr.
CODE = """\
import sys
from gsd_install.cli.main import run
run(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
"""


def _imported(*words: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", CODE, *words], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("words", [("--version",), ("--help",)])
def test_a_small_command_imports_nothing_it_does_not_use(words: tuple[str, ...]) -> None:
    allowed = {"", "cli", "cli.main", "cli.args", "cli.result", "version"}
    allowed |= {"kernel", "kernel.errors", "kernel.record"}
    found = _imported(*words)
    ours = {name.removeprefix("gsd_install").lstrip(".") for name in found if name.startswith("gsd_install")}
    assert ours <= allowed, ours - allowed
    heavy = {
        "pluggy",
        "importlib_metadata",
        "packaging",
        "platformdirs",
        "tiktoken",
        "yaml",
        "questionary",
        "merge3",
        "dataclasses",
        "inspect",
        "hashlib",
        "tomllib",
        "pathlib",
        "subprocess",
        "tempfile",
    }
    assert not found & heavy


def test_an_install_of_shipped_runtimes_imports_no_library(tmp_path: Path, wheel: Path) -> None:
    from support.venvs import third_party_venv

    python = third_party_venv(tmp_path, wheel) / "python"
    (tmp_path / "home").mkdir()
    done = subprocess.run(
        [python, "-c", CODE, "--runtime", "claude", "--home", str(tmp_path / "home")],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert "commands" in done.stdout
    heavy = {
        "pluggy",
        "importlib_metadata",
        "packaging",
        "platformdirs",
        "tiktoken",
        "yaml",
        "questionary",
        "merge3",
        "dataclasses",
        "inspect",
        "tomllib",
        "pathlib",
        "gsd_runtimes.claude",
    }
    assert not set(done.stderr.split()) & heavy
