"""Fixtures of the tests of `apply`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from unit.apply.box import Box


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    old = os.umask(0o022)
    yield
    os.umask(old)


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """An empty home."""
    return Box(tmp_path)


@pytest.fixture
def project(tmp_path: Path) -> Box:
    """An empty project."""
    return Box(tmp_path, "project")
