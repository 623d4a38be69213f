"""Our block in an instructions file that somebody else wrote into."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsd_install.content.catalog import load
from gsd_install.content.select import select
from gsd_install.emit.emit import locate
from gsd_install.emit.rules import pointed
from gsd_install.emit.text import renderer
from gsd_install.plugins import Plugins
from support.content import content_root, target_of
from support.installs import machine


@pytest.mark.case("MS-03")
@pytest.mark.parametrize("runtime", ["codex", "opencode"])
def test_a_block_that_stands_twice_is_named_and_not_guessed_over(tmp_path: Path, runtime: str) -> None:
    # The report wanted the copies to collapse. Which of them holds words of the user's by now cannot be
    # known, so we stop with the line, and once one is left everything works again.
    box = machine(tmp_path)
    file = box.project / "AGENTS.md"
    file.write_text("top\n", encoding="utf-8")
    words = ("--runtime", runtime, "--scope", "project", "--with", "instructions")
    box.run(*words).ok()
    block = file.read_text(encoding="utf-8").removeprefix("top\n")
    assert "gsd:begin" in block
    file.write_text(f"top\n{block}mid\n{block}end\n", encoding="utf-8")
    before = box.tree()
    for command in (words, ("uninstall", "--scope", "project", "--yes")):
        done = box.run(*command)
        assert done.code == 1
        assert "AGENTS.md:" in done.err
        assert "hint: " in done.err
        assert box.tree() == before
    file.write_text(f"top\n{block}mid\nend\n", encoding="utf-8")
    box.run(*words).ok()
    box.run("uninstall", "--scope", "project", "--yes").ok()
    assert file.read_text(encoding="utf-8") == "top\nmid\nend\n"


TEXT = "Install @acme/core, mail ann@ex.test.\nSee @docs/flow.md: it has the steps.\n"
RULED = {"rules/loop.md": TEXT, "commands/go.md": "---\ndescription: Goes\ntier: core\n---\nGo.\n"}


@pytest.mark.case("CT-09")
def test_instructions_are_in_a_form_that_the_host_follows(tmp_path: Path) -> None:
    # The rules stand in the block itself, so there is nothing to follow. Where a limit on the chain leaves no
    # room, the block points at them: by imports alone on their lines where the host has imports.
    box = machine(tmp_path)
    (box.project / "CLAUDE.md").write_text("mine\n", encoding="utf-8")
    box.run("--runtime", "claude", "--scope", "project", "--with", "instructions").ok()
    block = (box.project / "CLAUDE.md").read_text(encoding="utf-8").removeprefix("mine\n")
    assert "Decisions (`D-01`, ...)" in block
    assert "@" not in block
    assert "](" not in block

    catalog = load(str(content_root(tmp_path / "acme", RULED)))
    documents = select(catalog, "full")
    for runtime, mark in (("claude", "@"), ("codex", "- ")):
        target = target_of(Plugins().get(runtime).runtime)
        render = renderer(catalog, target, locate(catalog, documents, target, frozenset()))
        made = pointed(catalog, documents, target, render)
        [line] = [line for line in made.text.splitlines() if "loop.md" in line]
        assert line == f"{mark}{target.spell(made.files[0].path)}"


@pytest.mark.case("CT-10")
@pytest.mark.parametrize(
    ("runtime", "file", "shown"),
    [
        ("claude", "CLAUDE.md", "Install `@acme/core`, mail ann@ex.test.\nSee `@docs/flow.md`: it has"),
        ("codex", "AGENTS.md", "Install @acme/core, mail ann@ex.test.\nSee @docs/flow.md: it has"),
    ],
)
def test_an_at_sign_in_a_rule_is_no_import(tmp_path: Path, runtime: str, file: str, shown: str) -> None:
    # A word with a sentence around it is text. What shall be included stands alone on its line and stays so.
    box = machine(tmp_path)
    root = content_root(tmp_path / "acme", {**RULED, "rules/more.md": "@docs/flow.md\n"})
    box.run("--runtime", runtime, "--scope", "project", "--with", "instructions", "--content", str(root)).ok()
    block = (box.project / file).read_text(encoding="utf-8")
    assert shown in block
    assert "\n@docs/flow.md\n" in block
    told = box.run("lint", str(root)).out
    for line in (1, 2):
        assert f"loop.md:{line}: note: " in told
