"""Build hook: pack the content tree into `catalog.json`, so that an install reads one file."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PackCatalog(BuildHookInterface):  # type: ignore[type-arg]
    """Adds `gsd_content/catalog.json` to the wheel, written by the function that installs read it with."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Pack the tree; an editable install reads the sources and gets no catalog."""
        if version == "editable":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root / "installer"))
        try:
            from gsd_install.content.catalog import PACKED, pack
        finally:
            sys.path.pop(0)
        packed = Path(tempfile.mkdtemp()) / PACKED
        packed.write_bytes(pack(str(root / "content" / "gsd_content")))
        build_data["force_include"][str(packed)] = f"gsd_content/{PACKED}"
