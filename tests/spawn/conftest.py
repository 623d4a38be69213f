"""Fixtures of the tests that spawn real installs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from support.venvs import ROOT, run

@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built once for all test processes."""
    folder = tmp_path_factory.getbasetemp().parent / "wheel" if "PYTEST_XDIST_WORKER" in os.environ else (
        tmp_path_factory.mktemp("wheel")
    )
    folder.mkdir(exist_ok=True)
    with _once(folder / "built"):
        if not list(folder.glob("*.whl")):
            run(sys.executable, "-m", "build", "-q", "--wheel", "-o", folder, ROOT)
    [built] = folder.glob("*.whl")
    return built


class _once:  # noqa: N801 - used as a context manager only
    """One test process at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        self._file = self._path.open("w", encoding="utf-8")
        if os.name != "nt":
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self._file.close()
