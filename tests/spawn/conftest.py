"""Fixtures of the tests that spawn real installs."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.wheels import built_wheel


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built once for all test processes."""
    return built_wheel(tmp_path_factory)
