"""docs/lint.md is what the rules say, and its check turns red when it is not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gsd_install.lint.rules import RULES

DOCS = Path(__file__).resolve().parents[3] / "docs"


def run(folder: Path, mode: str) -> subprocess.CompletedProcess[str]:
    """The generator in a folder of its own."""
    command = [sys.executable, str(folder / "generate_lint.py"), mode]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    for name in ("generate_lint.py", "pages.py", "lint.md"):
        shutil.copy(DOCS / name, tmp_path / name)
    return tmp_path


def test_the_page_is_up_to_date(docs: Path) -> None:
    done = run(docs, "--check")
    assert (done.returncode, done.stderr) == (0, "")
    page = (docs / "lint.md").read_text(encoding="utf-8")
    assert all(page.count(f"| `{name}` |") == 1 for name in RULES)


@pytest.mark.parametrize("fault", ["edited", "gone", "short"])
def test_a_stale_page_fails_and_is_written_anew(docs: Path, fault: str) -> None:
    page = docs / "lint.md"
    right = page.read_bytes()
    if fault == "gone":
        page.unlink()
    else:
        page.write_bytes(right.replace(b"warning", b"note", 1) if fault == "edited" else b"")
    done = run(docs, "--check")
    assert done.returncode == 1
    assert "generate_lint.py --write" in done.stderr
    assert run(docs, "--write").returncode == 0
    assert page.read_bytes() == right


def test_a_rule_without_a_family_cannot_be_left_out(docs: Path) -> None:
    script = docs / "generate_lint.py"
    text = script.read_text(encoding="utf-8")
    script.write_text(text.replace("render(FAMILIES, RULES)", "render({}, RULES)"), encoding="utf-8")
    done = run(docs, "--write")
    assert done.returncode == 1
    assert "the families do not hold every rule once" in done.stderr
