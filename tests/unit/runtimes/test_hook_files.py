"""The files in which each host reads hooks, with two of ours in them, written by the code that edits them."""

from __future__ import annotations

import importlib
import json
import tomllib
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from gsd_install.configedit.edit import put
from gsd_install.content.model import Catalog, Hook
from gsd_install.emit.surfaces import insertions
from gsd_install.emit.target import target
from gsd_install.emit.text import renderer
from gsd_install.runtime.platform import Platform

MACHINE = Platform("linux", "/home/u", {}, "/home/u/p")
SCRIPTS = ("hooks/first.py", "hooks/second.py")
READERS: dict[str, Callable[[str], Any]] = {
    "jsonc": json.loads,
    "toml": tomllib.loads,
    "yaml": yaml.safe_load,
}
# What starts the two scripts.
FIRST, SECOND = (f"py /home/u/.gsd/{script}" for script in SCRIPTS)


def written(name: str, event: str) -> tuple[str, Any]:
    """The file, below the home, that two hooks at an event make; and what its host reads in it."""
    runtime = importlib.import_module(f"gsd_runtimes.{name}").RUNTIME
    made = target(runtime, "global", MACHINE, base=MACHINE.home, payload=f"{MACHINE.home}/.gsd")
    hooks = tuple(Hook(script, (event,), script) for script in SCRIPTS)
    catalog = Catalog("/c", "c", "C", "1", "c", "", (), (), hooks, {}, "")
    located = {script: f"{made.payload}/{script}" for script in SCRIPTS}
    found, _, missing = insertions(
        catalog,
        (),
        made,
        frozenset({"hooks"}),
        located=located,
        render=renderer(catalog, made, located),
        interpreter="py",
        exists=lambda path: False,
    )
    assert missing == ()
    data: bytes | None = None
    # The same value at the same pointer is planned once, whichever hooks ask for it.
    for item in {(item.path, item.pointer, repr(item.value)): item for item in found}.values():
        data, _ = put(data, item.format, item.pointer, item.value, file=item.path)
    assert data is not None
    return made.spell(found[0].path), READERS[found[0].format](data.decode())


def grouped(command: str) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": command}]}


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("augment", "~/.augment/settings.json"),
        ("codebuddy", "~/.codebuddy/settings.json"),
        ("gemini", "~/.gemini/settings.json"),
        ("grok", "~/.grok/hooks/gsd-install.json"),
        ("qwen", "~/.qwen/settings.json"),
    ],
)
def test_a_group_for_each_hook_stands_below_its_event(name: str, path: str) -> None:
    event = "BeforeTool" if name == "gemini" else "PreToolUse"
    assert written(name, "pre-tool") == (path, {"hooks": {event: [grouped(FIRST), grouped(SECOND)]}})
    event = "AfterAgent" if name == "gemini" else "Stop"
    assert written(name, "stop")[1] == {"hooks": {event: [grouped(FIRST), grouped(SECOND)]}}


@pytest.mark.parametrize(
    ("name", "path"),
    [("cursor", "~/.cursor/hooks.json"), ("copilot", "~/.copilot/hooks/gsd-install.json")],
)
def test_files_with_a_version_name_it_once(name: str, path: str) -> None:
    entries = [{"type": "command", "command": command} for command in (FIRST, SECOND)]
    assert written(name, "pre-tool") == (path, {"version": 1, "hooks": {"preToolUse": entries}})


def test_hooks_of_antigravity_stand_below_a_name_of_ours() -> None:
    entries = [{"matcher": "*", **grouped(command)} for command in (FIRST, SECOND)]
    assert written("antigravity", "post-tool") == (
        "~/.gemini/config/hooks.json",
        {"gsd-install": {"PostToolUse": entries}},
    )


@pytest.mark.parametrize(
    ("name", "path"), [("kimi", "~/.kimi/config.toml"), ("kimi_code", "~/.kimi-code/config.toml")]
)
def test_hooks_of_kimi_name_their_event(name: str, path: str) -> None:
    entries = [{"event": "PreToolUse", "command": command} for command in (FIRST, SECOND)]
    assert written(name, "pre-tool") == (path, {"hooks": entries})


def test_hooks_of_hermes_are_yaml() -> None:
    entries = [{"command": command} for command in (FIRST, SECOND)]
    assert written("hermes", "session-start") == (
        "~/.hermes/config.yaml",
        {"hooks": {"on_session_start": entries}},
    )
