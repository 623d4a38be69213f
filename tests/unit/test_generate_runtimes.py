"""docs/generate_runtimes.py: every runtime is listed, and what is stale is seen."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gsd_install.kernel.errors import GsdError
from gsd_install.plugins import Plugin
from gsd_install.runtime.model import Cap, Entry, Home, Place, Runtime, Source, Surface
from support.generators import module

if TYPE_CHECKING:
    from gsd_install.runtime.words import Kind, Scope

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "docs" / "generate_runtimes.py"
KINDS = ("Where things go", "Files of yours", "Limits")
PAGE = Source("https://docs.acme.example", date="2026-11-01")


GENERATOR = module("generate_runtimes")
SHIPPED: tuple[Plugin, ...] = GENERATOR.plugins(str(ROOT / "pyproject.toml"))


def acme(*places: Place, surfaces: tuple[Surface, ...] = ()) -> Plugin:
    runtime = Runtime("acme", "Acme", Home("~/.acme", env=("ACME_HOME",)), ".acme", places)
    cap = Cap("skill", 1_024, unit="characters", on_excess="shrink", field="description", source=PAGE)
    return Plugin(runtime._replace(surfaces=surfaces, sources=(PAGE,)), (cap,), (), {}, ("gsd-acme",))


def place(kind: Kind, scope: Scope | None = None) -> Place:
    return Place(kind, f"{kind}s/{{name}}.md", (), scope=scope, source=PAGE)


def row(text: str, name: str) -> list[str]:
    [found] = [line for line in text.splitlines() if line.startswith(f"| `{name}` |")]
    return [cell.strip() for cell in found.strip("| ").split(" | ")]


def section(page: str, title: str) -> str:
    return str(page.split(f"\n## {title}\n")[1].split("\n## ")[0])


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    for name in (SCRIPT.name, "pages.py"):
        shutil.copy(ROOT / "docs" / name, tmp_path / "docs")
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    assert run(tmp_path, "--write").returncode == 0
    return tmp_path


def run(tree: Path, mode: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(tree / "docs" / SCRIPT.name), mode]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("title", KINDS)
def test_every_declared_runtime_has_one_row_in_each_table(title: str) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    ids = list(declared["project"]["entry-points"]["gsd_install.runtimes"])
    assert len(ids) >= 4
    rows = re.findall(r"^\| `([\w-]+)` \|", section(GENERATOR.render(SHIPPED), title), re.MULTILINE)
    assert rows == sorted(ids)


def test_every_note_and_source_stands_on_the_page() -> None:
    page = GENERATOR.render(SHIPPED)
    for plugin in SHIPPED:
        text = page.split(f"(`{plugin.runtime.id}`)\n")[1].split("\n### ")[0]
        assert all(f"\n- {note}\n" in text for note in plugin.runtime.notes)
        assert all(source.url in text for source in plugin.runtime.sources if source.url != "unknown")


def test_the_readme_names_every_runtime_once() -> None:
    table = GENERATOR.short(SHIPPED)
    assert sorted(re.findall(r" `(\w[\w-]*)`(?:,| \|)", table)) == [plugin.runtime.id for plugin in SHIPPED]


def test_a_row_says_what_the_plugin_says() -> None:
    surface = Surface(
        "mcp", "jsonc", ("mcp.json",), (Entry(("servers",), "x"),), scope="project", source=PAGE
    )
    page = GENERATOR.render([acme(place("command", "project"), place("skill"), surfaces=(surface,))])
    assert row(section(page, KINDS[0]), "acme") == [
        "`acme`",
        "Acme",
        "`~/.acme` (moved by `ACME_HOME`)",
        "`.acme`",
        "user: as skills; project: `commands/{name}.md`",
        "none",
        "`skills/{name}.md`",
    ]
    assert row(section(page, KINDS[1]), "acme") == ["`acme`", "none", "project: `mcp.json`", "none", "none"]
    assert row(section(page, KINDS[2]), "acme") == ["`acme`", "skill description: 1,024 characters, shrink"]
    assert "- <https://docs.acme.example>, 2026-11-01\n" in page


@pytest.mark.parametrize(
    ("places", "cells"),
    [
        ((place("command"), place("skill")), ["yes", "none", "yes"]),
        ((place("skill"), place("agent")), ["as skills", "yes", "yes"]),
        ((place("agent"),), ["none", "yes", "none"]),
        (
            (place("command", "project"), place("skill")),
            ["user: as skills, project: yes", "none", "yes"],
        ),
    ],
)
def test_the_short_table_says_how_things_arrive(places: tuple[Place, ...], cells: list[str]) -> None:
    [found] = [line for line in GENERATOR.short([acme(*places)]).splitlines() if "Acme `acme`" in line]
    assert found == f"| {' | '.join(cells)} | Acme `acme` |"


def test_the_same_plugins_give_the_same_page() -> None:
    again = GENERATOR.plugins(str(ROOT / "pyproject.toml"))
    assert (GENERATOR.render(again), GENERATOR.short(again)) == (
        GENERATOR.render(SHIPPED),
        GENERATOR.short(SHIPPED),
    )


def test_without_a_runtime_there_is_no_page() -> None:
    with pytest.raises(ValueError, match="no runtime"):
        GENERATOR.render([])


@pytest.mark.parametrize(
    "readme", ["", "{begin}", "{end}{begin}", "{begin}{begin}{end}", "{begin}{end}{end}"]
)
def test_a_readme_without_its_two_markers_is_refused(readme: str) -> None:
    text = readme.format(begin=GENERATOR.BEGIN, end=GENERATOR.END)
    with pytest.raises(ValueError, match=r"README\.md needs"):
        GENERATOR.within(text, "| a |\n")


def test_only_what_stands_between_the_markers_is_written() -> None:
    readme = f"# A\n{GENERATOR.BEGIN}\nold\n{GENERATOR.END}\nB\n"
    assert GENERATOR.within(readme, "new\n") == f"# A\n{GENERATOR.BEGIN}\nnew\n{GENERATOR.END}\nB\n"


def test_a_broken_plugin_is_named(tmp_path: Path) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text(
        '[project.entry-points."gsd_install.runtimes"]\nnope = "gsd_runtimes.nope"\n', encoding="utf-8"
    )
    with pytest.raises(GsdError, match="nope"):
        GENERATOR.plugins(str(project))


@pytest.mark.req("ADR1671-check-write")
@pytest.mark.parametrize("seed", ["page", "page missing", "readme", "a runtime less"])
def test_the_check_is_red_after_a_change_and_green_after_writing(tree: Path, seed: str) -> None:
    assert run(tree, "--check").returncode == 0
    page, readme, project = tree / "docs" / "runtimes.md", tree / "README.md", tree / "pyproject.toml"
    if seed == "page missing":
        page.unlink()
    else:
        file, old = {
            "page": (page, b"| `claude` |"),
            "readme": (readme, b" `claude`"),
            "a runtime less": (project, b'claude = "gsd_runtimes.claude"\n'),
        }[seed]
        assert old in file.read_bytes()
        file.write_bytes(file.read_bytes().replace(old, b"", 1))
    red = run(tree, "--check")
    assert red.returncode == 1
    assert "fix:" in red.stderr
    assert run(tree, "--write").returncode == 0
    assert run(tree, "--check").returncode == 0


def test_a_readme_that_lost_its_markers_stops_the_check(tree: Path) -> None:
    readme = tree / "README.md"
    readme.write_text(readme.read_text(encoding="utf-8").replace(GENERATOR.END, ""), encoding="utf-8")
    found = run(tree, "--check")
    assert found.returncode == 1
    assert "README.md needs" in found.stderr
