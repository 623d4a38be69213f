"""Every test that takes `lab` runs against each kind of workspace that we ship."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from gsd_capabilities.artifacts.folder import Folder
from gsd_capabilities.artifacts.object_store import connect
from support.artifacts import Lab


@pytest.fixture(params=["folder", "object store"])
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> Lab:
    if request.param == "folder":
        return Lab(Folder(str(tmp_path / "artifacts")))
    pytest.importorskip("fsspec")
    return Lab(connect(f"memory://{uuid.uuid4().hex}"))


@pytest.fixture
def folder_lab(tmp_path: Path) -> Lab:
    return Lab(Folder(str(tmp_path / "artifacts")))
