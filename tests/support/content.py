"""Write small content roots, and targets on machines of every system to emit them for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from gsd_install.content.catalog import load
from gsd_install.content.model import Catalog, Document
from gsd_install.emit.target import Target, target
from gsd_install.kernel.errors import GsdError, ManyErrors
from gsd_install.runtime.model import Runtime
from gsd_install.runtime.platform import Platform
from gsd_install.runtime.words import Scope

HEAD = """format = 1
id = "acme"
name = "Acme"
version = "1.2.3"
prefix = "ac"
requires = ">=0.1"
"""

# One document of each kind, and everything that travels along.
EVERY_KIND: Mapping[str, str] = MappingProxyType(
    {
        "commands/plan.md": "---\ndescription: Plans\ntier: core\n---\nRead {gsd:path workflows/plan.md}\n",
        "workflows/plan.md": "# Plan\n\nAsk {gsd:agent planner}; see {gsd:path references/deep/scope.md}.\n",
        "agents/planner.md": "---\ndescription: Makes plans\ntier: core\n---\nYou plan.\n",
        "skills/tidy/SKILL.md": "---\ndescription: Tidies up\n---\nRun {gsd:path skills/tidy/tidy.py}\n",
        "skills/tidy/tidy.py": "#!/usr/bin/env python3\nprint('tidy')\n",
        "references/deep/scope.md": "What belongs to the scope.\n",
        "templates/plan.md": "# Plan of ...\n",
        "rules/loop.md": "Keep {gsd:path templates/plan.md} in mind.\n",
        "hooks/hooks.toml": '[[hook]]\nid = "hello"\nevent = "session-start"\nscript = "hello.py"\n',
        "hooks/hello.py": "#!/usr/bin/env python3\nprint('hello')\n",
        "mcp.json": '{"mcpServers": {"acme": {"command": "mcp", "args": ["--stdio"], "env": {"A": "1"}}}}',
    }
)

LINUX = Platform("linux", "/home/ann", {}, "/home/ann/work/app")
MACOS = Platform("macos", "/Users/ann", {}, "/Users/ann/work/app")
WINDOWS = Platform("windows", "C:\\Users\\ann", {}, "C:\\Users\\ann\\work\\app")
SYSTEMS = (LINUX, MACOS, WINDOWS)


def content_root(folder: Path, files: Mapping[str, str | bytes], *, head: str = HEAD) -> Path:
    """A content root in `folder` that holds `files` by path, with line ends as given."""
    for path, content in {"content.toml": head, **files}.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def loaded(folder: Path, files: Mapping[str, str | bytes], *, head: str = HEAD) -> Catalog:
    """The catalog of such a root."""
    return load(str(content_root(folder, files, head=head)))


def document(catalog: Catalog, path: str) -> Document:
    """The document of that path."""
    [found] = [document for document in catalog.documents if document.path == path]
    return found


def refusals(folder: Path, files: Mapping[str, str | bytes], *, head: str = HEAD) -> list[GsdError]:
    """Every error that loading such a root reports."""
    with pytest.raises(GsdError) as caught:
        loaded(folder, files, head=head)
    error = caught.value
    return list(error.errors) if isinstance(error, ManyErrors) else [error]


def refusal(folder: Path, files: Mapping[str, str | bytes], *, head: str = HEAD) -> GsdError:
    """The one error that loading such a root reports."""
    [error] = refusals(folder, files, head=head)
    return error


def joined(platform: Platform, *parts: str) -> str:
    """A path by the rules of `platform`."""
    return str(platform.path.normpath(platform.path.join(*parts)))


def target_of(
    runtime: Runtime,
    scope: Scope = "global",
    platform: Platform = LINUX,
    *,
    config_dir: str | None = None,
    payload: str | None = None,
) -> Target:
    """The target of a runtime in the home, or in the current directory as the project."""
    base = platform.home if scope == "global" else platform.cwd
    shared = joined(platform, base, ".gsd") if payload is None else payload
    return target(runtime, scope, platform, base=base, payload=shared, config_dir=config_dir)
