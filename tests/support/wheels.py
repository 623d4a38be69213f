"""The wheel of this checkout."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from support.venvs import ROOT, run


def built_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel once for all tests and all test processes of a session, and return it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "wheel"
    folder.mkdir(exist_ok=True)
    with _Once(folder / "built"):
        if not list(folder.glob("*.whl")):
            run(sys.executable, "-m", "build", "-q", "--wheel", "-o", folder, ROOT)
    [built] = folder.glob("*.whl")
    return built


class _Once:
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
