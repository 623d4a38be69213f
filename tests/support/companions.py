"""A capability that brings a launcher along, as another distribution would declare it."""

from __future__ import annotations

from pathlib import Path

MAIN = """\
import json, os, sys


def console():
    given = sys.stdin.buffer.read().decode() if "-" in sys.argv else ""
    facts = {"argv": sys.argv, "stdin": given, "path": sys.path, "flags": list(sys.flags)[:13]}
    facts["python"] = sys.executable
    facts["isolated"] = sys.flags.isolated
    facts["site"] = not sys.flags.no_site
    sys.stdout.buffer.write(json.dumps(facts, ensure_ascii=False).encode())
    return 7 if "seven" in sys.argv else 0
"""
MANIFEST = """\
id = "acme"
title = "Acme's tools"

[payload]
packages = ["gsd_install.kernel", "acme_tools.inner"]
render = "acme-tools"

[payload.launchers]
acme-tools = "acme_tools.inner.main:console"
"""


def distribution(folder: Path, manifest: str = MANIFEST) -> Path:
    """A folder for `sys.path` with the package `acme_tools.inner` and the metadata that declares it."""
    package = folder / "acme_tools" / "inner"
    package.mkdir(parents=True)
    (folder / "acme_tools" / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "main.py").write_text(MAIN, encoding="utf-8")
    (package / "capability.toml").write_text(manifest, encoding="utf-8")
    metadata = folder / "acme_tools-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-tools\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[gsd_install.capabilities]\nacme = acme_tools.inner\n")
    return folder
