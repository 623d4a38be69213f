"""Small bundles, and what they come to in one runtime."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from gsd_install.apply.ledger import Ledger
from gsd_install.apply.location import global_location, project_location
from gsd_install.content.catalog import load
from gsd_install.content.model import Catalog
from gsd_install.contents import Content
from gsd_install.emit.companion import Code
from gsd_install.payload import Payload
from gsd_install.pipeline import Prepared, prepare
from gsd_install.plugins import Plugins
from gsd_install.runtime.platform import Platform
from gsd_install.units import Wish

SCOPES = ("global", "project")
BASES = {"global": "/home/ann", "project": "/home/ann/work"}
_NOTHING = Payload(Code(), ())
SURFACES = frozenset({"hooks", "mcp"})


class Emitted(NamedTuple):
    """What runtimes get: texts by path below the home or the project, and the warnings."""

    files: Mapping[str, bytes]
    warnings: tuple[str, ...]
    prepared: Prepared

    def text(self, path: str) -> str:
        """One file, which must be there."""
        assert path in self.files, sorted(self.files)
        return self.files[path].decode()

    def body(self, path: str) -> str:
        """What stands below its frontmatter."""
        return self.text(path).partition("---\n")[2].partition("---\n")[2].lstrip("\n")


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """A folder of these files."""
    for path, data in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data.encode() if isinstance(data, str) else data)
    return root


def bundle(root: Path, files: Mapping[str, str | bytes]) -> Catalog:
    """The catalog of a bundle of these files."""
    return load(str(write(root, files)))


def emitted(catalog: Catalog, *runtimes: str, scope: str = "global", env: Mapping[str, str] = {}) -> Emitted:
    """What an install of the bundle would hold, hooks and MCP servers included."""
    platform = Platform("linux", BASES["global"], env, BASES["project"])
    where = global_location(platform) if scope == "global" else project_location(platform, BASES["project"])
    content = Content(catalog.root, catalog=catalog)
    wishes = [(name, content, Wish("full", SURFACES)) for name in runtimes]
    prepared = prepare(where, Ledger(), Plugins(), wishes, brought=_NOTHING)
    files = {output.path.removeprefix(f"{where.root}/"): output.data for output in prepared.outputs}
    warnings = tuple(warning for unit in prepared.units for warning in unit.warnings)
    return Emitted(files, warnings, prepared)


def runtimes(scope: str) -> Iterator[str]:
    """Every runtime that places something in a scope."""
    plugins = Plugins()
    for name in plugins.ids():
        if any(place.scope in (None, scope) for place in plugins.get(name).runtime.places):
            yield name
