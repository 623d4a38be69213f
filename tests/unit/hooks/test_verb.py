"""The verb as the launcher starts it: what it costs, and what becomes of mistakes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gsd_capabilities.companion import main
from gsd_capabilities.hooks.verbs import HOOKS
from gsd_install.kernel import errors
from support.hooks import project

HEAVY = {
    "argparse", "ast", "dataclasses", "difflib", "hashlib", "inspect", "logging", "pathlib", "random",
    "shlex", "shutil", "subprocess", "tempfile", "tomllib", "typing",
}  # fmt: skip
START = (
    "import sys; sys.path[:0] = sys.argv.pop(1).split('|')\n"
    "from gsd_capabilities.companion.main import console\n"
    "code = console(); sys.stderr.write(' '.join(sys.modules)); sys.exit(code)"
)


def run(folder: Path, hook: str, fields: object) -> subprocess.CompletedProcess[str]:
    """A process of its own, as isolated as the launcher makes it."""
    roots = "|".join(str(Path(file).parents[2]) for file in (str(main.__file__), str(errors.__file__)))
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", START, roots, "hook", hook],
        cwd=folder,
        env={"HOME": str(folder), "TMPDIR": str(folder)},
        input=json.dumps(fields),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_imports_nothing_heavy(tmp_path: Path, hook: str) -> None:
    folder = project(tmp_path / "p")
    fields = {"prompt": "go on", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    done = run(folder, hook, fields)
    assert done.returncode == 0
    modules = set(done.stderr.split())
    assert HOOKS[hook][0] in modules
    assert modules & HEAVY == set()


def test_the_guard_of_imports_sees_a_heavy_one(tmp_path: Path) -> None:
    folder = project(tmp_path / "p")
    done = run(folder, "commit-check", {"tool_input": {"command": "git commit -m x"}})
    assert "subprocess" in done.stderr.split()


def test_by_hand_a_hook_prints_text(tmp_path: Path) -> None:
    done = run(project(tmp_path / "p"), "session-orientation", {})
    assert done.stdout.startswith("This repository is worked on in phases")


def test_a_host_without_json_is_told_by_an_exit_code(tmp_path: Path) -> None:
    done = run(tmp_path, "read-guard", {"tool_input": {"file_path": ".env"}})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("gsd-tools: .env may hold secrets")


def test_there_is_a_use_of_every_hook_in_the_shipped_content() -> None:
    import tomllib

    root = Path(__file__).resolve().parents[3]
    rows = tomllib.loads((root / "content/gsd_content/hooks/hooks.toml").read_text(encoding="utf-8"))["hook"]
    assert {row["run"] for row in rows} == {f"hook {name}" for name in HOOKS}
