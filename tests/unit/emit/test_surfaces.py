from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gsd_install.content.model import Catalog
from gsd_install.content.select import specific_paths
from gsd_install.emit.output import Insertion, Output
from gsd_install.emit.places import locate
from gsd_install.emit.surfaces import SURFACES, insertions
from gsd_install.emit.target import Target
from gsd_install.emit.text import renderer
from gsd_install.runtime import Entry, Home, Place, Runtime, Surface, inline
from support.content import EVERY_KIND, LINUX, WINDOWS, loaded, target_of

HOOK = Entry(("hooks", "{event}", "-"), {"hooks": [{"type": "command", "command": "{command}"}]})
SERVER = Entry(("mcpServers", "{server}"), {"command": "{command}", "args": "{args}", "env": "{env}"})
BLOCK = Entry(("{block}",), "{text}")
ALLOW = Entry(("permissions", "allow", "-"), "Read({payload}/**)")
ACME = Runtime(
    "acme",
    "Acme",
    Home("~/.acme"),
    ".acme",
    (Place("command", "commands/{name}.md", (inline,)), Place("agent", "agents/{name}.md", (inline,))),
    surfaces=(
        Surface("hooks", "jsonc", ("settings.json",), (HOOK,), {"session-start": "SessionStart"}),
        Surface("permissions", "jsonc", ("settings.json",), (ALLOW,)),
        Surface("mcp", "jsonc", ("~/.acme.json",), (SERVER,), scope="global"),
        Surface("mcp", "jsonc", ("./.mcp.json",), (SERVER,), scope="project"),
        Surface("instructions", "block", ("ACME.md", "AGENTS.md"), (BLOCK,)),
    ),
)

Found = tuple[tuple[Insertion, ...], tuple[Output, ...], tuple[str, ...]]


def found(
    catalog: Catalog,
    target: Target,
    *wanted: str,
    interpreter: str = "/usr/bin/python3",
    existing: tuple[str, ...] = (),
) -> Found:
    located = locate(catalog, catalog.documents, target, specific_paths(catalog.documents))
    return insertions(
        catalog,
        catalog.documents,
        target,
        frozenset(wanted),
        located=located,
        render=renderer(catalog, target, located),
        interpreter=interpreter,
        exists=existing.__contains__,
    )


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return loaded(tmp_path, EVERY_KIND)


def only(result: Found) -> Insertion:
    [insertion] = result[0]
    return insertion


def test_nothing_wanted_is_nothing_written(catalog: Catalog) -> None:
    assert found(catalog, target_of(ACME)) == ((), (), ())


def test_a_hook_runs_its_script_with_an_interpreter_and_the_script_comes_along(catalog: Catalog) -> None:
    entries, scripts, missing = found(catalog, target_of(ACME), "hooks")
    command = "/usr/bin/python3 /home/ann/.gsd/content/acme/hooks/hello.py"
    assert entries == (
        Insertion(
            "/home/ann/.acme/settings.json",
            "jsonc",
            ("hooks", "SessionStart", "-"),
            {"hooks": [{"type": "command", "command": command}]},
            "/home/ann",
            "hooks",
            ("acme/hooks/hello.py",),
        ),
    )
    [script] = scripts
    assert script.path == "/home/ann/.gsd/content/acme/hooks/hello.py"
    assert (script.executable, script.shared, script.kind, script.source) == (
        True,
        True,
        "hook",
        "hooks/hello.py",
    )
    assert script.data == EVERY_KIND["hooks/hello.py"].encode()
    assert missing == ()


def test_in_a_project_the_script_is_found_from_the_project(catalog: Catalog) -> None:
    insertion = only(found(catalog, target_of(ACME, "project"), "hooks", interpreter="python3"))
    assert insertion.value["hooks"][0]["command"] == "python3 .gsd/content/acme/hooks/hello.py"
    assert insertion.path == "/home/ann/work/app/.acme/settings.json"


def test_an_event_the_host_does_not_know_is_told_and_no_script_is_written(tmp_path: Path) -> None:
    hooks = EVERY_KIND["hooks/hooks.toml"].replace("session-start", "other")
    entries, scripts, missing = found(
        loaded(tmp_path, {**EVERY_KIND, "hooks/hooks.toml": hooks}), target_of(ACME), "hooks"
    )
    assert (entries, scripts, missing) == ((), (), ("hooks",))


@pytest.mark.case("WP-01", "WP-03")
@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("bash"), reason="needs bash")
@pytest.mark.parametrize(
    "home", ["Ann Lee", "dev(ext) R&D o'neil", 'q"uote $HOME `x` \\ *', "\u00e9\u8a08 \U0001f600", "-x;y|z"]
)
@pytest.mark.parametrize("script", ["check.sh", "check.py"])
def test_a_hook_command_survives_every_home(tmp_path: Path, home: str, script: str) -> None:
    texts = {
        "check.sh": "#!/usr/bin/env bash\necho ok\n",
        "check.py": "#!/usr/bin/env python3\nprint('ok')\n",
    }
    hooks = f'[[hook]]\nid = "check"\nevent = "session-start"\nscript = "{script}"\n'
    files = {
        "commands/a.md": "---\ndescription: d\n---\n",
        f"hooks/{script}": texts[script],
        "hooks/hooks.toml": hooks,
    }
    folder = str(tmp_path / home)
    target = target_of(ACME, platform=LINUX._replace(home=folder), payload=f"{folder}/.gsd")
    entries, scripts, _ = found(loaded(tmp_path / "root", files), target, "hooks", interpreter=sys.executable)
    for output in scripts:
        Path(output.path).parent.mkdir(parents=True, exist_ok=True)
        Path(output.path).write_bytes(output.data)
    command = entries[0].value["hooks"][0]["command"]
    assert shlex.split(command) == [sys.executable if script.endswith("py") else "bash", scripts[0].path]
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "ok\n")


@pytest.mark.case("WP-03", "WP-09")
@pytest.mark.parametrize(
    ("home", "script"),
    [
        ("C:\\Users\\ann", "C:/Users/ann/.gsd/content/acme/hooks/hello.py"),
        ("C:\\Users\\Ann Lee", '"C:/Users/Ann Lee/.gsd/content/acme/hooks/hello.py"'),
        ("C:\\Users\\R&D", '"C:/Users/R&D/.gsd/content/acme/hooks/hello.py"'),
        ("C:\\Users\\a(b)", '"C:/Users/a(b)/.gsd/content/acme/hooks/hello.py"'),
        ("C:\\Users\\\u00e9", '"C:/Users/\u00e9/.gsd/content/acme/hooks/hello.py"'),
    ],
)
def test_a_hook_command_on_windows_reads_alike_in_cmd_and_bash(
    catalog: Catalog, home: str, script: str
) -> None:
    target = target_of(ACME, platform=WINDOWS._replace(home=home))
    insertion = only(found(catalog, target, "hooks", interpreter="C:\\Program Files\\Python\\python.exe"))
    command = insertion.value["hooks"][0]["command"]
    assert command == f'"C:/Program Files/Python/python.exe" {script}'
    assert not command.startswith("&")
    assert shlex.split(command) == ["C:/Program Files/Python/python.exe", script.strip('"')]


@pytest.mark.case("CM-13")
@pytest.mark.parametrize(
    ("entry", "pointer", "value"),
    [
        (SERVER, ("mcpServers", "acme"), {"command": "mcp", "args": ["--stdio"], "env": {"A": "1"}}),
        (
            Entry(
                ("mcp", "{server}"),
                {"type": "local", "command": "{command_line}", "environment": "{env}", "enabled": True},
            ),
            ("mcp", "acme"),
            {"type": "local", "command": ["mcp", "--stdio"], "environment": {"A": "1"}, "enabled": True},
        ),
        (
            Entry(("servers", "ours-{server}"), "{command} of {server}"),
            ("servers", "ours-acme"),
            "mcp of acme",
        ),
    ],
)
def test_a_server_is_written_in_the_shape_of_the_host(
    catalog: Catalog, entry: Entry, pointer: tuple[str, ...], value: Any
) -> None:
    runtime = ACME._replace(surfaces=(Surface("mcp", "jsonc", ("x.json",), (entry,)),))
    insertion = only(found(catalog, target_of(runtime), "mcp"))
    assert (insertion.pointer, insertion.value) == (pointer, value)


@pytest.mark.case("DD-13")
def test_each_scope_has_its_own_file(catalog: Catalog) -> None:
    assert only(found(catalog, target_of(ACME), "mcp")).path == "/home/ann/.acme.json"
    assert only(found(catalog, target_of(ACME, "project"), "mcp")).path == "/home/ann/work/app/.mcp.json"


def test_a_server_without_arguments_or_environment_has_empty_ones(tmp_path: Path) -> None:
    catalog = loaded(
        tmp_path, {**EVERY_KIND, "mcp.json": '{"mcpServers": {"a": {"command": "c"}, "b": {"command": "d"}}}'}
    )
    entries, _, _ = found(catalog, target_of(ACME), "mcp")
    assert [entry.value for entry in entries] == [{"command": name, "args": [], "env": {}} for name in "cd"]


def test_what_was_filled_in_is_not_filled_in_again(tmp_path: Path) -> None:
    server = '{"mcpServers": {"{command}": {"command": "{server} {env} {payload}", "args": ["{command}"]}}}'
    surfaces = (
        Surface(
            "mcp", "jsonc", ("x.json",), (Entry(("m", "{server}"), "run {command} as {server} {other}"),)
        ),
    )
    catalog = loaded(tmp_path, {**EVERY_KIND, "mcp.json": server})
    insertion = only(found(catalog, target_of(ACME._replace(surfaces=surfaces)), "mcp"))
    assert insertion.pointer == ("m", "{command}")
    assert insertion.value == "run {server} {env} {payload} as {command} {other}"


def test_rules_become_one_block_with_a_blank_line_between_them(tmp_path: Path) -> None:
    catalog = loaded(
        tmp_path, {**EVERY_KIND, "rules/b.md": "\r\n# B\n\nType {gsd:command plan}.\n\n", "rules/c.md": "\n"}
    )
    insertion = only(found(catalog, target_of(ACME), "instructions"))
    assert insertion == Insertion(
        "/home/ann/.acme/AGENTS.md",
        "block",
        ("acme",),
        "# B\n\nType /ac-plan.\n\nKeep ~/.gsd/content/acme/templates/plan.md in mind.",
        "/home/ann",
        "instructions",
    )


def test_the_first_file_that_is_there_is_edited_else_the_last_is_made(catalog: Catalog) -> None:
    both = ("/home/ann/.acme/ACME.md", "/home/ann/.acme/AGENTS.md")
    for existing, path in ((both, both[0]), (both[:1], both[0]), (both[1:], both[1]), ((), both[1])):
        assert only(found(catalog, target_of(ACME), "instructions", existing=existing)).path == path


@pytest.mark.parametrize(
    ("scope", "payload", "value"),
    [
        ("global", None, "Read(~/.gsd/**)"),
        ("project", None, "Read(.gsd/**)"),
        ("global", "/srv/pay load", "Read(/srv/pay load/**)"),
    ],
)
def test_a_permission_names_the_shared_texts(
    catalog: Catalog, scope: Any, payload: str | None, value: str
) -> None:
    insertion = only(found(catalog, target_of(ACME, scope, payload=payload), "permissions"))
    assert (insertion.pointer, insertion.value) == (("permissions", "allow", "-"), value)


def test_a_surface_that_nothing_came_of_is_told(tmp_path: Path) -> None:
    bare = loaded(tmp_path, {"commands/a.md": "---\ndescription: d\n---\n"})
    assert found(bare, target_of(ACME), *SURFACES)[2] == ("hooks", "mcp", "instructions")
    assert found(bare, target_of(ACME._replace(surfaces=())), *SURFACES) == ((), (), SURFACES)
    empty = ACME._replace(
        surfaces=(Surface("hooks", "jsonc", ("x.json",)), Surface("mcp", "jsonc", ("x.json",)))
    )
    assert found(loaded(tmp_path / "b", EVERY_KIND), target_of(empty), "hooks", "mcp") == (
        (),
        (),
        ("hooks", "mcp"),
    )


def test_everything_at_once_comes_in_the_order_of_the_runtime(catalog: Catalog) -> None:
    entries, scripts, missing = found(catalog, target_of(ACME), *SURFACES)
    assert [entry.surface for entry in entries] == ["hooks", "permissions", "mcp", "instructions"]
    assert len(scripts) == 1
    assert missing == ()


def test_a_surface_outside_the_home_names_its_own_root(catalog: Catalog) -> None:
    insertion = only(found(catalog, target_of(ACME, config_dir="/opt/acme"), "permissions"))
    assert (insertion.path, insertion.root) == ("/opt/acme/settings.json", "/opt/acme")


def test_the_values_of_a_plugin_are_never_changed(catalog: Catalog) -> None:
    before: Mapping[str, Any] = {"hooks": [{"type": "command", "command": "{command}"}]}
    found(catalog, target_of(ACME), *SURFACES)
    assert HOOK.value == before
