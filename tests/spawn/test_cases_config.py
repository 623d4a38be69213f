"""Entries of ours in settings the user owns: nothing of theirs is lost, moved or reformatted."""

from __future__ import annotations

import difflib
import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from support.bundle import EVERY_KIND, STDIO, Bundle, bundle, install, put, uninstall
from support.installs import Machine, machine
from support.trees import assert_same, snapshot


@pytest.fixture
def box(tmp_path: Path) -> Machine:
    return machine(tmp_path)


@pytest.fixture
def acme(tmp_path: Path) -> Bundle:
    return bundle(tmp_path)


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_bytes().decode())


COMMENTED = """{
  // colours
  "theme": "dark",
  "docs": "https://ex.test//a", /* keep the double slash */
  "hooks": {},
}
"""


@pytest.mark.case("CM-01")
@pytest.mark.parametrize(
    ("runtime", "name", "ours"),
    [
        ("claude", ".claude/settings.json", "hello.py"),
        ("codex", ".codex/hooks.json", "hello.py"),
        ("opencode", ".config/opencode/opencode.jsonc", "acme-mcp"),
    ],
)
def test_settings_with_comments_and_trailing_commas_keep_all_of_it(
    box: Machine, acme: Bundle, runtime: str, name: str, ours: str
) -> None:
    settings = put(box.home / name, COMMENTED)
    before = box.tree()
    install(box, acme, runtime, surfaces="all").ok()
    text = settings.read_text(encoding="utf-8")
    assert ours in text
    for line in COMMENTED.splitlines()[1:4]:
        assert line in text.splitlines()
    uninstall(box)
    assert_same(before, box.tree())


ROOT_KEYS = 'model = "m-1"\napproval_policy = "never"\n\n[projects."/w"]\ntrust_level = "trusted"\n'


@pytest.mark.case("CM-03")
def test_a_table_of_ours_does_not_swallow_root_keys(box: Machine, acme: Bundle) -> None:
    config = put(box.home / ".codex/config.toml", ROOT_KEYS)
    install(box, acme, "codex", surfaces="mcp").ok()
    data = _toml(config)
    assert {name: data[name] for name in ("model", "approval_policy", "projects")} == tomllib.loads(ROOT_KEYS)
    assert set(data) == {"model", "approval_policy", "projects", "mcp_servers"}
    assert set(data["mcp_servers"]) == {"acme"}
    uninstall(box)
    assert config.read_text(encoding="utf-8") == ROOT_KEYS


BELOW = '\n[profiles.night]\nmodel = "m-2"\n\n[mcp_servers.docs]\ncommand = "docs-mcp"\n'


@pytest.mark.case("CM-05")
def test_tables_below_ours_survive_an_upgrade_and_the_end(box: Machine, acme: Bundle) -> None:
    config = put(box.home / ".codex/config.toml", "")
    install(box, acme, "codex", surfaces="mcp").ok()
    with config.open("a", encoding="utf-8") as file:
        file.write(BELOW)
    acme.write({**EVERY_KIND, "mcp.json": STDIO.replace("--stdio", "--second")}, version="2")
    box.run("upgrade").ok()
    data = _toml(config)
    assert data["profiles"]["night"]["model"] == "m-2"
    assert data["mcp_servers"]["docs"] == {"command": "docs-mcp"}
    assert data["mcp_servers"]["acme"]["args"] == ["--second"]
    assert config.read_text(encoding="utf-8").count("[mcp_servers.acme]") == 1
    uninstall(box)
    assert config.read_text(encoding="utf-8").strip() == BELOW.strip()


SECOND = '{"mcpServers": {"acme": {"command": "acme-http", "args": []}}}\n'


@pytest.mark.case("CM-07")
@pytest.mark.parametrize("runtime", ["claude", "codex", "opencode"])
def test_a_server_that_changes_shape_is_replaced_not_blended(
    box: Machine, acme: Bundle, runtime: str
) -> None:
    install(box, acme, runtime, surfaces="mcp").ok()
    acme.write({**EVERY_KIND, "mcp.json": SECOND}, version="2")
    box.run("upgrade").ok()
    upgraded = _servers(box, runtime)
    uninstall(box)
    install(box, acme, runtime, surfaces="mcp").ok()
    assert upgraded == _servers(box, runtime)
    assert "--stdio" not in json.dumps(upgraded)
    assert "A" not in json.dumps(upgraded)


def _servers(box: Machine, runtime: str) -> Any:
    if runtime == "codex":
        return _toml(box.home / ".codex/config.toml")["mcp_servers"]
    if runtime == "claude":
        return json.loads((box.home / ".claude.json").read_bytes())["mcpServers"]
    return json.loads((box.home / ".config/opencode/opencode.json").read_bytes())["mcp"]


@pytest.mark.case("CM-07")
def test_a_server_reached_by_address_is_refused_before_anything_is_blended(
    box: Machine, acme: Bundle
) -> None:
    # Only servers that a host starts itself are installed; half of one is never written.
    install(box, acme, "codex", surfaces="mcp").ok()
    acme.write({**EVERY_KIND, "mcp.json": '{"mcpServers": {"acme": {"url": "https://ex.test/mcp"}}}'}, "2")
    before = box.tree()
    done = box.run("upgrade")
    assert done.code == 1
    assert "mcp.json" in done.err
    assert_same(before, box.tree())


@pytest.mark.case("CM-09")
def test_a_package_json_in_the_config_root_is_nobody_s_marker(box: Machine, acme: Bundle) -> None:
    content = b'{"name":"mine","type":"module","dependencies":{"x":"1"}}'
    package = put(box.home / ".config/opencode/package.json", content)
    flags = ("--runtime", "opencode", *acme.words, "--with", "all")
    for words in (flags, ("upgrade",), ("uninstall", "--yes")):
        box.run(*words).ok()
        assert hashlib.sha256(package.read_bytes()).digest() == hashlib.sha256(content).digest()


@pytest.mark.case("CM-11")
def test_servers_in_an_inline_table_still_parse(box: Machine, acme: Bundle) -> None:
    inline = 'mcp_servers = { docs = { command = "d" } }\nmodel = "m-1"\n'
    config = put(box.home / ".codex/config.toml", inline)
    done = install(box, acme, "codex", surfaces="mcp")
    data = _toml(config)
    assert data["model"] == "m-1"
    assert data["mcp_servers"]["docs"] == {"command": "d"}
    if done.code:
        assert config.read_text(encoding="utf-8") == inline
        assert "config.toml" in done.err
    else:
        assert data["mcp_servers"]["acme"]["command"] == "acme-mcp"
        uninstall(box)
        assert config.read_text(encoding="utf-8") == inline


CONTROL = '---\ndescription: "line one\\nline two\\u0000end\\ttab \\"q\\" back\\\\slash"\n---\n'
BODY = 'one\n\ttab "q" back\\slash \'\'\' """ \x00 \x7f\n'


@pytest.mark.case("CM-12")
def test_awkward_characters_leave_readable_toml(box: Machine, acme: Bundle) -> None:
    acme.write({**EVERY_KIND, "agents/planner.md": CONTROL + BODY})
    install(box, acme, "codex").ok()
    [agent] = (box.home / ".codex/agents").iterdir()
    data = _toml(agent)
    # A description is one line, so white space in it becomes a blank; every other character stays.
    assert data["description"] == 'line one line two\0end tab "q" back\\slash'
    assert data["developer_instructions"] == BODY


@pytest.mark.case("CM-13")
def test_each_host_gets_its_own_table_and_shape(box: Machine, acme: Bundle) -> None:
    install(box, acme, "claude", "codex", "opencode", scope="project", surfaces="mcp").ok()
    server = {"command": "acme-mcp", "args": ["--stdio"], "env": {"A": "1"}}
    assert _toml(box.project / ".codex/config.toml") == {"mcp_servers": {"acme": server}}
    assert json.loads((box.project / ".mcp.json").read_bytes()) == {"mcpServers": {"acme": server}}
    opencode = json.loads((box.project / "opencode.json").read_bytes())["mcp"]["acme"]
    assert opencode["type"] == "local"
    assert opencode["command"] == ["acme-mcp", "--stdio"]
    assert opencode["environment"] == {"A": "1"}


@pytest.mark.case("CM-15")
@pytest.mark.parametrize(
    ("first", "second"), [("claude", "codex"), ("codex", "claude"), ("claude", "opencode")]
)
def test_one_host_s_install_does_not_touch_another_host_s(
    box: Machine, acme: Bundle, first: str, second: str
) -> None:
    folders = {"claude": ".claude", "codex": ".codex", "opencode": ".config/opencode"}
    install(box, acme, first, surfaces="all").ok()
    alone = snapshot(box.home / folders[first])
    install(box, acme, second, surfaces="all").ok()
    assert_same(alone, snapshot(box.home / folders[first]))
    uninstall(box, second)
    assert_same(alone, snapshot(box.home / folders[first]))


TABBED = '{\n\t"mcpServers": {\n\t\t"z": {"command": "z", "args": []},\n\t\t"a": {"command": "a"}\n\t}\n}'


@pytest.mark.case("CM-16")
def test_an_added_entry_keeps_the_layout_of_the_file(box: Machine, acme: Bundle) -> None:
    config = put(box.project / ".mcp.json", TABBED)
    before = box.tree()
    install(box, acme, "claude", scope="project", surfaces="mcp").ok()
    text = config.read_text(encoding="utf-8")
    lines = difflib.ndiff(TABBED.split("\n"), text.split("\n"))
    gone = [line for line in lines if line.startswith("- ")]
    assert gone in ([], ['- \t\t"a": {"command": "a"}'])
    assert list(json.loads(text)["mcpServers"]) == ["z", "a", "acme"]
    assert "\n\t\t" in text
    assert "  " not in text
    assert not text.endswith("\n")
    uninstall(box, scope="project")
    assert_same(before, box.tree())


@pytest.mark.case("CM-18")
def test_the_user_s_own_choice_for_a_nested_key_wins(box: Machine, acme: Bundle) -> None:
    chosen = '{"tabSize": 2, "permission": {"external_directory": {"~/.gsd/**": "deny", "~/x/**": "allow"}}}'
    config = put(box.home / ".config/opencode/opencode.json", chosen)
    before = box.tree()
    done = install(box, acme, "opencode", surfaces="permissions")
    data = json.loads(config.read_bytes())
    assert data["tabSize"] == 2
    assert data["permission"]["external_directory"] == {"~/.gsd/**": "deny", "~/x/**": "allow"}
    assert "opencode.json" in done.err + done.out
    if done.code:
        assert_same(before, box.tree())
    else:
        uninstall(box)
        assert_same(before, box.tree())
