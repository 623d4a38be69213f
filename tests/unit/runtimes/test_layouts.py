"""What was decided where the sources about a runtime disagree, or a host differs from the rest."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import cast

import pytest

from gsd_install.content.model import Hook
from gsd_install.emit.hooks import events
from gsd_install.emit.target import home_of, target
from gsd_install.runtime import Runtime, Surface, Value
from gsd_install.runtime.platform import Platform
from gsd_install.runtime.words import Scope

EVENTS = frozenset({"session-start", "session-end", "prompt", "pre-tool", "post-tool", "stop", "pre-compact"})
LINUX = Platform("linux", "/home/u", {}, "/home/u/p")
WINDOWS = Platform("windows", "C:\\Users\\u", {"LOCALAPPDATA": "C:\\Users\\u\\AppData\\Local"}, "C:\\p")
IDS = (
    "antigravity", "augment", "cline", "codebuddy", "copilot", "cursor", "gemini", "grok",
    "hermes", "kilo", "kimi", "kimi_code", "pi", "qwen", "trae", "zcode",
)  # fmt: skip


def runtime(name: str) -> Runtime:
    return cast("Runtime", importlib.import_module(f"gsd_runtimes.{name}").RUNTIME)


def placed(name: str, scope: Scope) -> dict[str, str]:
    """Where a document named `x` goes, by kind."""
    base = LINUX.home if scope == "global" else LINUX.cwd
    made = target(runtime(name), scope, LINUX, base=base, payload=f"{base}/.gsd")
    places = [place for place in made.runtime.places if place.scope in (None, scope)]
    return {place.kind: made.spell(made.resolve(place.path.replace("{name}", "x"))) for place in places}


def surfaces(name: str, kind: str, scope: Scope) -> list[Surface]:
    found = runtime(name).surfaces
    return [each for each in found if each.name == kind and each.scope in (None, scope)]


@pytest.mark.parametrize(
    ("name", "everywhere", "here"),
    [
        ("kilo", "~/.config/kilo/skills/x/SKILL.md", ".kilo/skills/x/SKILL.md"),
        ("antigravity", "~/.gemini/config/skills/x/SKILL.md", ".agents/skills/x/SKILL.md"),
        ("copilot", "~/.copilot/skills/x/SKILL.md", ".github/skills/x/SKILL.md"),
        ("pi", "~/.pi/agent/skills/x/SKILL.md", ".pi/skills/x/SKILL.md"),
        ("gemini", "~/.gemini/skills/x/SKILL.md", ".gemini/skills/x/SKILL.md"),
        ("kimi", "~/.config/agents/skills/x/SKILL.md", ".agents/skills/x/SKILL.md"),
        ("grok", "~/.grok/skills/x/SKILL.md", ".grok/skills/x/SKILL.md"),
    ],
)
def test_skills_stand_where_the_host_lists_them(name: str, everywhere: str, here: str) -> None:
    assert (placed(name, "global")["skill"], placed(name, "project")["skill"]) == (everywhere, here)


def test_the_workflows_of_antigravity_are_its_commands() -> None:
    assert placed("antigravity", "global")["command"] == "~/.gemini/antigravity/global_workflows/x.md"
    assert placed("antigravity", "project")["command"] == ".agents/workflows/x.md"


def test_an_agent_of_cline_is_a_yaml_file() -> None:
    assert placed("cline", "project")["agent"] == ".cline/agents/x.yaml"


def test_hermes_has_a_home_of_its_own_on_windows_and_nothing_in_a_project() -> None:
    home = runtime("hermes").home
    assert home_of(home, WINDOWS) == "C:\\Users\\u\\AppData\\Local\\hermes"
    assert home_of(home, LINUX) == "/home/u/.hermes"
    assert placed("hermes", "project") == {}


@pytest.mark.case("DD-09")
def test_nothing_of_cline_goes_where_some_users_have_a_file_and_others_a_directory() -> None:
    paths = [place.path for place in runtime("cline").places]
    paths += [path for surface in runtime("cline").surfaces for path in surface.paths]
    assert len(paths) >= 4
    assert not [path for path in paths if ".clinerules" in path]


@pytest.mark.case("CM-13")
@pytest.mark.parametrize(
    ("name", "scope", "path", "steps"),
    [
        ("cursor", "project", "mcp.json", ("mcpServers", "{server}")),
        ("gemini", "project", "settings.json", ("mcpServers", "{server}")),
        ("copilot", "project", "./.vscode/mcp.json", ("servers", "{server}")),
        ("copilot", "project", "mcp.json", ("mcpServers", "{server}")),
        ("copilot", "global", "mcp-config.json", ("mcpServers", "{server}")),
        ("kilo", "project", "./kilo.json", ("mcp", "{server}")),
        ("grok", "project", "config.toml", ("mcp_servers", "{server}")),
        ("hermes", "global", "config.yaml", ("mcp_servers", "{server}")),
    ],
)
def test_servers_stand_below_the_hosts_own_key(
    name: str, scope: Scope, path: str, steps: tuple[str, ...]
) -> None:
    found = {surface.paths[-1]: surface.entries[0] for surface in surfaces(name, "mcp", scope)}
    assert found[path].pointer == steps
    value = cast("Mapping[str, Value]", found[path].value)
    assert value["command"] == ("{command_line}" if name == "kilo" else "{command}")


def test_hooks_of_kimi_are_tables_of_an_array() -> None:
    for name in ("kimi", "kimi_code"):
        (hooks,) = surfaces(name, "hooks", "global")
        assert (hooks.format, hooks.entries[0].pointer) == ("toml", ("hooks", "-"))
        assert not surfaces(name, "hooks", "project")


@pytest.mark.case("HK-11")
@pytest.mark.parametrize("name", ["cline", "kilo", "pi", "trae", "zcode"])
def test_a_host_without_hook_entries_declares_none(name: str) -> None:
    assert not surfaces(name, "hooks", "global") + surfaces(name, "hooks", "project")


@pytest.mark.parametrize(
    ("name", "script"), [("claude", True), ("kimi_code", True), ("copilot", False), ("cursor", False)]
)
def test_a_script_speaks_at_the_start_only_where_printed_text_is_taken(name: str, script: bool) -> None:
    (hooks,) = surfaces(name, "hooks", "global")
    own = Hook("a", ("session-start",), "hooks/a.py")
    assert bool(events(hooks, own, {})) is script
    assert events(hooks, Hook("b", ("session-start",), run=("hook", "b")), {})


@pytest.mark.parametrize("name", IDS)
def test_events_are_words_we_know_and_each_means_one_thing(name: str) -> None:
    for hooks in surfaces(name, "hooks", "global"):
        assert set(hooks.events) <= EVENTS
        assert len(set(hooks.events.values())) == len(hooks.events)


@pytest.mark.parametrize("name", IDS)
def test_a_bundle_written_for_another_host_is_led_to_this_one(name: str) -> None:
    rules = importlib.import_module(f"gsd_runtimes.{name}").gsd_path_rewrites()
    found = {rule.find: rule.replace for rule in rules}
    assert found["~/.claude"] == runtime(name).home.path
    assert found[".claude"] == runtime(name).project


@pytest.mark.case("FM-05")
def test_an_agent_of_gemini_names_its_tools_in_a_list() -> None:
    (agent,) = (place for place in runtime("gemini").places if place.kind == "agent")
    assert "tools" in [field.key for field in agent.forms[0].fields if not field.join]
    assert [runtime("gemini").tools[tool] for tool in ("read", "run", "edit")] == [
        "read_file",
        "run_shell_command",
        "replace",
    ]
