"""Two hosts that run the hooks of one file get each of ours once, whoever comes or goes first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.installs import Machine, machine
from support.trees import assert_same

PAIRS = [
    ("kiro", "kiro-cli", "global", ".kiro/hooks/gsd.json"),
    ("kiro", "kiro-cli", "project", ".kiro/hooks/gsd.json"),
    ("antigravity", "antigravity-cli", "global", ".gemini/config/hooks.json"),
]


def hooks(box: Machine, scope: str, file: str) -> list[str]:
    """What the launcher is told in the file, with the event; each runtime that is named is known there."""
    root = box.home if scope == "global" else box.project
    found = []
    for pointer, line in _commands(json.loads((root / file).read_text(encoding="utf-8")), ""):
        runtime, _, words = line.split("--runtime ")[1].partition(" ")
        assert (root / ".gsd" / "hosts" / f"{runtime}.json").is_file()
        found.append(f"{pointer}: {words}")
    return sorted(found)


def _commands(value: Any, event: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for item in value:
            yield from _commands(item, event)
    elif isinstance(value, dict):
        event = f"{event} {value.get('trigger', '')}{value.get('matcher', '')}".strip()
        for key, item in value.items():
            if key == "command" and isinstance(item, str):
                yield event, item
            else:
                yield from _commands(item, f"{event} {key}" if key.endswith("ToolUse") else event)


@pytest.mark.parametrize(("one", "other", "scope", "file"), PAIRS)
def test_each_hook_stands_there_once(tmp_path: Path, one: str, other: str, scope: str, file: str) -> None:
    box = machine(tmp_path)
    before = box.tree()
    words = ("--scope", scope, "--with", "hooks")
    alone = {}
    for name in (one, other):
        box.run("--runtime", name, *words).ok()
        alone[name] = hooks(box, scope, file)
        assert len(alone[name]) == len(set(alone[name])) > 0
        box.run("uninstall", "--scope", scope, "--yes").ok()
    both = sorted({*alone[one], *alone[other]})
    box.run("--runtime", one, *words).ok()
    box.run("--runtime", other, *words).ok()
    assert hooks(box, scope, file) == both
    box.run("--check", "--scope", scope).ok()
    for gone, left in ((one, other), (other, one)):
        box.run("uninstall", "--runtime", gone, "--scope", scope, "--yes").ok()
        assert hooks(box, scope, file) == alone[left]
        box.run("--check", "--scope", scope).ok()
        box.run("--runtime", gone, *words).ok()
        assert hooks(box, scope, file) == both
    box.run("uninstall", "--scope", scope, "--yes").ok()
    assert_same(before, box.tree())
