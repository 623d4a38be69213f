"""`gsd-install` with nothing named: the project's `gsd.toml`, the picker, the short help."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from support.installs import Machine, machine
from support.trees import assert_same


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


def test_a_project_file_is_applied_by_a_bare_command(box: Machine) -> None:
    text = 'runtimes = ["claude", "codex"]\nprofile = "core"\nwith = ["permissions"]\nversion = ">=0.1"\n'
    (box.project / "gsd.toml").write_text(text, encoding="utf-8")
    before = box.tree()
    box.run().ok()
    assert (box.project / ".claude" / "commands" / "gsd-help.md").is_file()
    assert not (box.project / ".claude" / "commands" / "gsd-ship.md").exists(), "not in the core profile"
    assert "permissions" in (box.project / ".claude" / "settings.json").read_text(encoding="utf-8")
    assert not (box.home / ".claude").exists()
    assert "no file was written" in box.run().ok().out
    box.run("--runtime", "claude").ok()  # what is in the home is not what a check in the project is about
    (box.project / ".claude" / "commands" / "gsd-help.md").write_text("mine\n", encoding="utf-8")
    assert box.run("--check").code == 4
    assert box.run("--check", "--scope", "global").code == 0
    box.run("uninstall", "--scope", "global", "--yes").ok()
    (box.project / ".claude" / "commands" / "gsd-help.md").unlink()
    box.run("--restore").ok()
    box.run("uninstall", "--scope", "project", "--yes").ok()
    assert_same(before, box.tree())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("runtimes = [\n", "gsd.toml"),
        ('runtime = ["claude"]\n', "'runtime'"),
        ("profile = 'core'\n", "runtimes"),
        ('runtimes = ["claude"]\nprofile = "tiny"\n', "tiny"),
        ('runtimes = ["claude"]\nversion = ">=99"\n', ">=99"),
        ('runtimes = "claude"\n', "list"),
    ],
)
def test_a_project_file_that_is_not_right_is_named(box: Machine, text: str, said: str) -> None:
    (box.project / "gsd.toml").write_text(text, encoding="utf-8")
    before = box.tree()
    done = box.run()
    assert done.code == 1
    assert "gsd.toml" in done.err
    assert said in done.err
    assert_same(before, box.tree())


def _until(terminal: int, word: str) -> str:
    """Read what the terminal shows until `word` is in it."""
    seen = ""
    while word not in seen:
        ready, _, _ = select.select([terminal], [], [], 30)
        assert ready, f"{word!r} never came: {seen!r}"
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux says so when the other end is closed
            piece = b""
        assert piece, f"{word!r} never came: {seen!r}"
        seen += piece.decode(errors="replace")
        if "\x1b[6n" in seen:
            # It asks where the cursor is, as a real terminal would be.
            os.write(terminal, b"\x1b[1;1R")
            seen = seen.replace("\x1b[6n", "")
    return seen


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo terminal")
def test_on_a_terminal_a_picker_shows_what_is_here_and_installs_it(box: Machine) -> None:
    import pty

    (box.home / ".codex").mkdir()
    outer, inner = pty.openpty()
    env = box.env | {"TERM": "xterm-256color"}
    process = subprocess.Popen(
        [box.script], stdin=inner, stdout=inner, stderr=inner, env=env, cwd=box.project
    )
    os.close(inner)
    shown = _until(outer, "Claude Code")
    assert "Codex (found here)" in shown
    assert "Claude Code (found here)" not in shown
    os.write(outer, b"\r")
    _until(outer, "settings files of yours")
    os.write(outer, b"n")
    _until(outer, "undo: gsd-install uninstall")
    assert process.wait(timeout=30) == 0
    os.close(outer)
    assert (box.home / ".agents" / "skills" / "gsd-help" / "SKILL.md").is_file()
    assert not (box.home / ".claude").exists()
    assert not (box.home / ".codex" / "hooks.json").exists()
