"""Packed emissions say exactly what emitting says, for every shipped runtime, scope and profile."""

from __future__ import annotations

import hashlib
import json
import shutil
import tomllib
from pathlib import Path

import pytest

from gsd_install.content.model import TIERS
from gsd_install.content.tree import EMITTED
from gsd_install.contents import Content
from gsd_install.declared import GROUP, Declared
from gsd_install.emit.output import Emission, Output
from gsd_install.emit.packed import open_pack
from gsd_install.emit.target import Target, target
from gsd_install.packing import pack_emissions, pack_plugins
from gsd_install.plugins import Plugin, Plugins
from gsd_install.runtime.platform import Platform
from gsd_install.runtime.words import Scope
from gsd_install.shipped import shipped_root
from support.venvs import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ENTRY_POINTS: dict[str, str] = PROJECT["entry-points"][GROUP]
RUNTIMES = sorted(ENTRY_POINTS)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped content with its packed emissions, as in the wheel."""
    folder = tmp_path_factory.mktemp("packed") / "content"
    skipped = shutil.ignore_patterns("__pycache__", EMITTED, "catalog.json")
    shutil.copytree(shipped_root(), folder, ignore=skipped)
    data = pack_emissions(str(folder), ENTRY_POINTS, str(ROOT / "plugins" / "gsd_runtimes"))
    (folder / EMITTED).write_bytes(data)
    return folder


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Plugin]:
    """The shipped plugins as a wheel gives them: from their pack, with a digest."""
    pack = json.loads(pack_plugins(ENTRY_POINTS, str(ROOT / "plugins" / "gsd_runtimes")))["modules"]
    asked = Plugins(tuple(Declared(name, module, "gsd-install 0") for name, module in ENTRY_POINTS.items()))
    stems = {name: module.rpartition(".")[2] for name, module in ENTRY_POINTS.items()}
    return {name: asked.get(name)._replace(digest=pack[stems[name]][0]) for name in RUNTIMES}


def _target(
    plugin: Plugin, scope: Scope, home: str = "/home/me", system: str = "linux", **env: str
) -> Target:
    join = "\\" if system == "windows" else "/"
    platform = Platform(system, home, env, f"{home}{join}project")
    base = platform.home if scope == "global" else platform.cwd
    return target(plugin.runtime, scope, platform, base=base, payload=f"{base}{join}.gsd")


def _plain(emission: Emission) -> Emission:
    """An emission without the digests that a pack knows, which must be those of its bytes."""
    for output in emission.outputs:
        assert output.sha256 in ("", hashlib.sha256(output.data).hexdigest())
    return emission._replace(outputs=_undigested(emission.outputs))


def _undigested(outputs: tuple[Output, ...]) -> tuple[Output, ...]:
    return tuple(output._replace(sha256="") for output in outputs)


@pytest.mark.parametrize("profile", TIERS)
@pytest.mark.parametrize("scope", ["global", "project"])
@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("system", ["linux", "windows"])
def test_the_pack_is_what_emitting_gives(
    root: Path, plugins: dict[str, Plugin], runtime: str, scope: Scope, profile: str, system: str
) -> None:
    home = "C:\\Users\\me" if system == "windows" else "/Users/me"
    made = _target(plugins[runtime], scope, home, system)
    packed = Content(str(root), pack=open_pack(str(root)))
    parsed = Content(str(root))
    assert _plain(packed.emission(plugins[runtime], made, profile, frozenset())) == parsed.emission(
        plugins[runtime], made, profile, frozenset()
    )
    assert _undigested(packed.shared(made, profile)) == parsed.shared(made, profile)
    assert _undigested(packed.described(made)) == parsed.described(made)
    assert packed.first_command(made, profile) == parsed.first_command(made, profile)
    elsewhere = system == "windows" and scope == "global" and plugins[runtime].runtime.home.windows
    assert elsewhere or packed._catalog is None, "the pack was not used"


def test_skills_of_other_hosts_are_left_out_of_the_pack_as_well(
    root: Path, plugins: dict[str, Plugin]
) -> None:
    made = _target(plugins["opencode"], "global")
    others = _target(plugins["claude"], "global")
    parsed = Content(str(root))
    there = frozenset(
        output.path for output in parsed.emission(plugins["claude"], others, "full", frozenset()).outputs
    )
    packed = Content(str(root), pack=open_pack(str(root)))
    found = _plain(packed.emission(plugins["opencode"], made, "full", there))
    assert found == parsed.emission(plugins["opencode"], made, "full", there)
    assert found != parsed.emission(plugins["opencode"], made, "full", frozenset())
    assert packed._catalog is None, "the pack was not used"


@pytest.mark.parametrize("change", ["plugin", "directory", "content"])
def test_a_pack_for_something_else_is_not_used(
    root: Path, plugins: dict[str, Plugin], change: str, tmp_path: Path
) -> None:
    plugin, made = plugins["claude"], _target(plugins["claude"], "global")
    folder = root
    if change == "plugin":
        plugin = plugin._replace(digest="another")
    elif change == "directory":
        made = _target(plugin, "global", CLAUDE_CONFIG_DIR="/elsewhere")
    else:
        folder = tmp_path / "content"
        shutil.copytree(root, folder)
        (folder / "commands" / "help.md").write_text("---\ndescription: New.\n---\nNew.\n", encoding="utf-8")
    content = Content(str(folder), pack=open_pack(str(folder)))
    found = content.emission(plugin, made, "core", frozenset())
    assert content._catalog is not None, "the pack was used"
    assert found == Content(str(folder)).emission(plugin, made, "core", frozenset())
