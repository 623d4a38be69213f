"""Build hook: pack the content tree into `catalog.json`, so that an install reads one file."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PackCatalog(BuildHookInterface):  # type: ignore[type-arg]
    """Adds `gsd_content/catalog.json` to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
