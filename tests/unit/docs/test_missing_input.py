"""A generator that lacks an input stops with an error: it never writes a smaller page."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import generated

ROOT = Path(__file__).resolve().parents[3]
PARTS = ("installer", "plugins", "capabilities", "content", "docs", "tests/emit", "tests/support")
SHIPPED, FEATURES = "content/gsd_content", "capabilities/gsd_capabilities"
NO_COPY = shutil.ignore_patterns("__pycache__", ".mypy_cache")
CASES = [
    ("docs/generate_atoms.py", f"{SHIPPED}/workflows/execute-phase.md"),
    ("docs/generate_atoms.py", f"{FEATURES}/security"),
    ("docs/generate_content.py", "docs/content.template"),
    ("docs/generate_context_index.py", f"{SHIPPED}/CONTEXT.md"),
    ("docs/generate_features.py", f"{FEATURES}/research"),
    ("docs/generate_hosts.py", "tests/support/hosts/table.py"),
    ("docs/generate_lint.py", "installer/gsd_install/lint/rules.py"),
    ("docs/generate_loaded.py", f"{SHIPPED}/workflows/plan-phase.md"),
    ("docs/generate_loaded.py", f"{FEATURES}/tdd"),
    ("docs/generate_runtimes.py", "plugins/gsd_runtimes/windsurf.py"),
    ("docs/generate_shipped.py", f"{SHIPPED}/templates"),
    ("docs/generate_shipped.py", f"{FEATURES}/research"),
    ("tests/emit/golden.py", "plugins/gsd_runtimes/windsurf.py"),
    ("tests/emit/golden.py", "tests/emit/sample/workflows"),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout to take things out of."""
    made = tmp_path_factory.mktemp("tree")
    for part in PARTS:
        shutil.copytree(ROOT / part, made / part, ignore=NO_COPY)
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, made)
    return made


@pytest.fixture
def without(tree: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """The checkout without the path that the test asks for."""
    gone, kept = tree / request.param, tree / "gone"
    gone.rename(kept)
    yield tree
    kept.rename(gone)


def run(tree: Path, generator: str) -> subprocess.CompletedProcess[str]:
    """Write, with the modules of that checkout."""
    roots = ("installer", "plugins", "capabilities", "content", "tests")
    path = os.pathsep.join(str(tree / root) for root in roots)
    env = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(tree / generator), "--write"]
    return subprocess.run(command, cwd=tree, env=env, capture_output=True, encoding="utf-8", check=False)


def pages(tree: Path) -> dict[str, bytes]:
    """What generators write."""
    found = [*(tree / "docs").glob("*.*"), *(tree / "tests/emit/golden").rglob("*.*"), tree / "README.md"]
    return {path.relative_to(tree).as_posix(): path.read_bytes() for path in found}


@pytest.mark.req("ADR1671-build-order")
@pytest.mark.parametrize(("generator", "without"), CASES, indirect=["without"], ids=map(" - ".join, CASES))
def test_a_generator_that_lacks_an_input_writes_nothing(without: Path, generator: str) -> None:
    before = pages(without)
    done = run(without, generator)
    assert done.returncode == 1
    assert done.stderr
    assert pages(without) == before


@pytest.mark.req("ADR1671-build-order")
@pytest.mark.parametrize("generator", generated.GENERATORS)
def test_with_all_of_them_it_writes_what_is_committed(tree: Path, generator: str) -> None:
    before = pages(tree)
    done = run(tree, generator)
    assert (done.returncode, done.stderr) == (0, "")
    assert pages(tree) == before


def test_every_generator_has_a_case() -> None:
    assert {generator for generator, _ in CASES} == set(generated.GENERATORS)
