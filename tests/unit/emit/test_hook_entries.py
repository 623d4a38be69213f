"""Hooks of a content root in the words of one host."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from gsd_install.content.model import Catalog, Hook
from gsd_install.emit.companion import host
from gsd_install.emit.hooks import events, hook_tables
from gsd_install.emit.target import Target
from gsd_install.runtime import Entry, Home, Place, Runtime, Surface, inline
from support.content import LINUX, WINDOWS, target_of

GROUP = Entry(("hooks", "{event}", "-"), {"matcher": "{matcher}", "hooks": ["{command}"]})
PLAIN = Entry(("hooks", "{event}", "-"), {"command": "{command}"})
MAP = {"pre-tool": "Before", "prompt": "Asked"}
TOOLS = {"write": "Write", "edit": "Edit", "run": "Bash"}


def surface(entry: Entry = GROUP, **fields: Any) -> Surface:
    return Surface("hooks", "jsonc", ("s.json",), (entry,), MAP)._replace(**fields)


def acme(hooks: Surface) -> Runtime:
    places = (Place("command", "commands/{name}.md", (inline,)),)
    return Runtime("acme", "Acme", Home("~/.acme"), ".acme", places, tools=TOOLS, surfaces=(hooks,))


def hook(*names: str, tools: tuple[str, ...] = ()) -> Hook:
    return Hook("guard", names, run=("hook", "guard"), tools=tools)


@pytest.mark.case("HK-03")
def test_the_tools_of_a_hook_become_the_hosts_matcher() -> None:
    assert events(surface(), hook("pre-tool", tools=("write", "edit")), TOOLS) == [("Before", "Write|Edit")]
    assert events(surface(), hook("pre-tool"), TOOLS) == [("Before", "")]
    assert events(surface(every="*"), hook("pre-tool"), TOOLS) == [("Before", "*")]


def test_names_of_the_surface_come_before_those_of_the_runtime() -> None:
    own = surface(tools={"write": "patch", "edit": "patch"})
    assert events(own, hook("pre-tool", tools=("write", "edit", "run")), TOOLS) == [("Before", "patch|Bash")]


@pytest.mark.case("HK-03")
def test_a_guard_that_cannot_be_narrowed_is_left_out() -> None:
    assert events(surface(PLAIN), hook("pre-tool", tools=("write",)), TOOLS) == []
    assert events(surface(), hook("pre-tool", tools=("ask",)), TOOLS) == []
    assert events(surface(), hook("pre-tool", tools=("write",)), {}) == []


def test_the_first_event_that_the_host_has_is_taken() -> None:
    assert events(surface(), hook("stop", "prompt", "pre-tool"), {}) == [("Asked", "")]
    assert events(surface(), hook("stop"), {}) == []


def test_a_host_with_an_event_for_each_tool_gets_one_entry_for_each() -> None:
    split = surface(PLAIN, events={"pre-tool:write": "w", "pre-tool:edit": "w", "pre-tool:run": "r"})
    assert events(split, hook("pre-tool", tools=("write", "edit", "run", "ask")), {}) == [
        ("w", ""),
        ("r", ""),
    ]
    assert events(split, hook("pre-tool"), {}) == []


def command(target: Target, launcher: str = "acme-tools", **fields: Any) -> list[str]:
    """The command lines of one hook that the companion answers."""
    catalog = Catalog("/c", "c", "C", "1", "c", "", (), (), (hook("prompt"),), {}, "")
    found = hook_tables(surface(**fields), catalog, target, {}, "python3", launcher)
    return [table["command"] for table in found]


@pytest.mark.case("HK-07", "WP-01")
@pytest.mark.parametrize("home", ["/home/ann", "/home/Ann Lee", "/home/it's $HOME"])
def test_the_launcher_starts_a_hook_and_no_interpreter_is_named(home: str) -> None:
    target = target_of(acme(surface()), platform=LINUX._replace(home=home), payload=f"{home}/.gsd")
    [line] = command(target)
    assert shlex.split(line) == [f"{home}/.gsd/bin/acme-tools", "--runtime", "acme", "hook", "guard"]
    assert "python" not in line


def test_on_windows_a_program_of_its_own_is_started() -> None:
    home = "C:\\Users\\Ann Lee"
    target = target_of(acme(surface()), platform=WINDOWS._replace(home=home), payload=f"{home}\\.gsd")
    assert command(target) == ['"C:/Users/Ann Lee/.gsd/bin/acme-tools.cmd" --runtime acme hook guard']


def test_in_a_project_the_line_is_the_same_on_every_system() -> None:
    for platform in (LINUX, WINDOWS):
        target = target_of(acme(surface()), "project", platform=platform)
        assert command(target) == ['".gsd/bin/acme-tools" --runtime acme hook guard']
        own = command(target, project_dir='"$ACME_DIR"')
        assert own == ['"$ACME_DIR"/.gsd/bin/acme-tools --runtime acme hook guard']


def test_without_a_launcher_there_is_no_hook_that_needs_one() -> None:
    assert command(target_of(acme(surface())), launcher="") == []


def test_the_companion_is_told_how_the_host_reads_answers() -> None:
    hooks = surface(envelope="decision", tools={"read": "View"})
    facts = json.loads(host(target_of(acme(hooks))).data)
    tools = {**TOOLS, "read": "View"}
    assert facts["hooks"] == {"envelope": "decision", "events": MAP, "tools": tools}
    assert "hooks" not in json.loads(host(target_of(acme(surface(scope="project")))).data)
