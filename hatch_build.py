"""Build hook: pack what an install would otherwise have to parse and ask for.

`gsd_content/catalog.json` holds the content tree, `gsd_runtimes/plugins.json` what the runtime plugins
answer, `gsd_content/emitted.pack` what the one comes to in the others, `gsd_capabilities/capabilities.json`
what capabilities say of themselves. They are written by the code that reads them, and passed over when their
sources changed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

GROUP = "gsd_install.runtimes"
CAPABILITY_GROUP = "gsd_install.capabilities"


class Pack(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the packs to the wheel; an editable install reads the sources and gets none."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the packs to a temporary folder and have them included."""
        if version == "editable":
            return
        root, folder = Path(self.root), Path(tempfile.mkdtemp())
        added = [str(root / name) for name in ("installer", "plugins", "capabilities")]
        sys.path[:0] = added
        try:
            from gsd_install.content import catalog
            from gsd_install.content.tree import EMITTED
            from gsd_install.declared import Declared
            from gsd_install.gathering import PACKED as CAPABILITIES
            from gsd_install.gathering import gather_capabilities
            from gsd_install.packing import pack_emissions, pack_plugins
            from gsd_install.payload import pack, payload
            from gsd_install.plugins import PACKED

            content = str(root / "content" / "gsd_content")
            plugins = str(root / "plugins" / "gsd_runtimes")
            declared = self.metadata.core.entry_points[GROUP]
            capabilities = sorted(self.metadata.core.entry_points.get(CAPABILITY_GROUP, {}).items())
            gathered = gather_capabilities(
                Declared(name, module, "this distribution") for name, module in capabilities
            )
            code = payload(gathered=gathered).code
            packs = {
                f"gsd_content/{catalog.PACKED}": catalog.pack(content, gathered.features),
                f"gsd_runtimes/{PACKED}": pack_plugins(declared, plugins),
                f"gsd_capabilities/{CAPABILITIES}": pack(capabilities),
            }
            packs[f"gsd_content/{EMITTED}"] = pack_emissions(
                content, declared, plugins, code.render, gathered
            )
        finally:
            del sys.path[: len(added)]
        for target, data in packs.items():
            file = folder / target
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            build_data["force_include"][str(file)] = target
