"""A desk with a provider."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.agents import Desk
from support.scripted_model import serving


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """An empty project before a provider that answers `done`."""
    with serving() as model:
        yield Desk(tmp_path / "project", model)
