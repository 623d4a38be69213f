"""Our block in an instructions file that somebody else wrote into."""

from __future__ import annotations

from pathlib import Path

import pytest

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
