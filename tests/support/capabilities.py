"""Capabilities with content, as folders and as what is gathered from them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gsd_install.content.capability import capability
from gsd_install.content.catalog import Loaded, load_with
from gsd_install.content.feature import Feature
from gsd_install.content.tree import walk

CORE = {
    "CONTEXT.md": "`PLAN.SIZE=small`\n",
    "commands/plan.md": "---\ndescription: Plan.\n---\nRead {gsd:path workflows/plan.md}.\n",
    "workflows/plan.md": "Plan with {gsd:agent planner}.\n",
    "agents/planner.md": "---\ndescription: Plans.\n---\nPlan.\n",
    "references/size.md": "Small.\n",
    "references/host.md": "Type {gsd:command plan}.\n",
}
AGENT = "---\ndescription: Does it.\n---\nDo it.\n"
RESEARCH = """\
id = "research"
role = "feature"
title = "Research before planning"
agents = ["researcher"]

[config."workflow.research"]
type = "boolean"
default = true
meaning = "plans begin with research"

[[step]]
id = "look"
point = "plan:pre"
agent = "researcher"
read = "references/research/how.md"
produces = ["RESEARCH"]
when = "workflow.research"
"""
RESEARCH_FILES = {
    "capability.toml": RESEARCH,
    "agents/researcher.md": AGENT,
    "references/research/how.md": "Look, then read {gsd:path references/size.md}.\n",
}


def bare(name: str, more: str = "", **keys: str) -> str:
    """A manifest that is right, with more at its end; keys stand in its head as TOML writes their values."""
    head = {"id": f'"{name}"', "role": '"feature"', "title": f'"{name.title()}"'} | keys
    return "".join(f"{key} = {value}\n" for key, value in head.items()) + more


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Put files below a folder."""
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    return folder


def feature(folder: Path, files: Mapping[str, str]) -> Feature:
    """A capability in a folder, with all files in it."""
    write(folder, files)
    said = capability(files["capability.toml"].encode(), file=f"{folder}/capability.toml")
    found = tuple(file for file in walk(str(folder)) if "/" in file.path)
    return Feature(said, str(folder), found)


def merged(root: Path, *features: Mapping[str, str], core: Mapping[str, str] = CORE) -> Loaded:
    """A core with capabilities, each in a folder of its own, in this order."""
    from support.content import content_root

    content_root(root / "core", core)
    found = [feature(root / f"feature-{at}", files) for at, files in enumerate(features)]
    return load_with(str(root / "core"), found)
