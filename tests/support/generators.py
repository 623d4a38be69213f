"""The scripts that write pages of docs/: as modules, and as programs in a folder of their own."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

DOCS: Path = Path(__file__).resolve().parents[2] / "docs"


def module(name: str) -> ModuleType:
    """A generator of docs/ as a module; `pages`, which they share, can be imported from then on."""
    if str(DOCS) not in sys.path:
        sys.path.append(str(DOCS))
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def copied(folder: Path, script: str, *beside: str) -> Path:
    """A folder with a generator, what it shares with the others, and the files it needs or writes."""
    for name in (script, "pages.py", *beside):
        shutil.copy(DOCS / name, folder)
    return folder


def run(folder: Path, script: str, mode: str) -> subprocess.CompletedProcess[str]:
    """Run a copied generator."""
    command = [sys.executable, str(folder / script), mode]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def turns_red_and_green(folder: Path, script: str, page: str, old: str) -> None:
    """Assert that a changed page and a missing one fail the check, and that writing mends both."""
    right = (folder / page).read_text(encoding="utf-8")
    assert run(folder, script, "--check").returncode == 0
    assert old in right
    (folder / page).write_text(right.replace(old, "something else"), encoding="utf-8")
    red = run(folder, script, "--check")
    assert red.returncode == 1
    assert f"fix: python docs/{script} --write" in red.stderr
    (folder / page).unlink()
    assert run(folder, script, "--check").returncode == 1
    assert run(folder, script, "--write").returncode == 0
    assert (folder / page).read_text(encoding="utf-8") == right
