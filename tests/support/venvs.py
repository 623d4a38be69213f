"""Virtual environments that hold the built wheel."""

from __future__ import annotations

import os
import subprocess
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*command: object) -> str:
    """Run a command that must succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def third_party_venv(folder: Path, wheel: Path, *plugins: str) -> Path:
    """A virtual environment with our wheel and the named plugin distributions; returns its bin directory."""
    venv.create(folder / "venv", with_pip=True, symlinks=os.name != "nt")
    bin_dir = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    sources = [ROOT / "tests" / "third_party" / plugin for plugin in plugins]
    run(bin_dir / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel, *sources)
    return bin_dir
