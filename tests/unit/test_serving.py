"""Which command a host is told to start the server with."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsd_install.apply.location import global_location, project_location
from gsd_install.apply.model import Location
from gsd_install.content.feature import Server
from gsd_install.kernel.errors import GsdError
from gsd_install.runtime.platform import Platform
from gsd_install.serving import Serving, serving

HERE = Server("acme-server", needs="json", extra="mcp")
NOT_HERE = HERE._replace(needs="no_such_package_anywhere")
HINT = "pipx install 'acme[mcp]'"


def scripts(folder: Path, name: str = "acme-server") -> str:
    folder.mkdir(parents=True)
    (folder / name).touch()
    return str(folder)


def asked(
    location: Location,
    *prefixes: str,
    server: Server = HERE,
    recorded: str = "",
    asks: bool = True,
    insists: bool = False,
) -> Serving:
    return serving(server, "acme", location, recorded, asked=asks, insisted=insists, prefixes=prefixes)


def everywhere(home: Path, **variables: str) -> Location:
    return global_location(Platform("linux", str(home), variables, str(home)))


def test_a_home_gets_the_path_and_a_project_the_name(tmp_path: Path) -> None:
    folder = scripts(tmp_path / "bin")
    nowhere = str(tmp_path / "nowhere")
    assert asked(everywhere(tmp_path), nowhere, folder) == Serving(f"{folder}/acme-server")
    platform = Platform("linux", str(tmp_path), {}, str(tmp_path))
    assert asked(project_location(platform, str(tmp_path / "work")), folder) == Serving("acme-server")
    windows = everywhere(tmp_path)._replace(platform=Platform("windows", "C:\\U", {}, "C:\\U"))
    assert asked(windows, folder).command == ""
    exe = scripts(tmp_path / "exe", "acme-server.exe")
    assert asked(windows, exe).command.endswith("acme-server.exe")


@pytest.mark.parametrize("folder", [".cache/uv/archive-v0/x/bin", "pipx/.cache/abc/bin", "uv/builds-v0/x"])
def test_a_script_in_a_cache_is_nothing_to_write_down(tmp_path: Path, folder: str) -> None:
    found = asked(everywhere(tmp_path), scripts(tmp_path / folder))
    assert found.command == ""
    assert HINT in found.note


def test_without_what_it_needs_there_is_no_server(tmp_path: Path) -> None:
    folder = scripts(tmp_path / "bin")
    note = f"mcp: there is no lasting acme-server to start; {HINT}"
    assert asked(everywhere(tmp_path), folder, server=NOT_HERE) == Serving("", note)
    with pytest.raises(GsdError) as caught:
        asked(everywhere(tmp_path), folder, server=NOT_HERE, insists=True)
    assert (caught.value.reason, caught.value.hint) == ("no_server", HINT)


def test_what_is_recorded_stays_while_it_is_there(tmp_path: Path) -> None:
    recorded = f"{scripts(tmp_path / 'old')}/acme-server"
    new = scripts(tmp_path / "new")
    location = everywhere(tmp_path)
    for asks in (True, False):
        assert asked(location, new, recorded=recorded, asks=asks) == Serving(recorded)
    assert asked(location, recorded=recorded, server=NOT_HERE, asks=False) == Serving(recorded)
    Path(recorded).unlink()
    assert asked(location, new, recorded=recorded, asks=False) == Serving(f"{new}/acme-server")
    gone = asked(location, recorded=recorded, asks=False)
    assert gone.command == recorded
    assert f"{recorded} is gone" in gone.note


def test_what_was_never_asked_for_is_not_there(tmp_path: Path) -> None:
    assert asked(everywhere(tmp_path), scripts(tmp_path / "bin"), asks=False) == Serving()


def test_the_entry_tells_scope_runtime_and_an_unusual_payload(tmp_path: Path) -> None:
    made = Serving("/bin/acme-server")
    usual = made.entry(everywhere(tmp_path), "claude")
    assert usual == {
        "command": "/bin/acme-server",
        "args": ["--scope", "global", "--runtime", "claude"],
    }
    moved = made.entry(everywhere(tmp_path, GSD_HOME="/srv/gsd"), "claude")
    assert moved["args"] == ["--scope", "global", "--runtime", "claude", "--payload", "/srv/gsd"]
    platform = Platform("linux", str(tmp_path), {"GSD_HOME": "/srv/gsd"}, str(tmp_path))
    project = made.entry(project_location(platform, "/srv/app"), "claude")
    assert project["args"] == ["--scope", "project", "--runtime", "claude"]
    assert made.entry(everywhere(tmp_path), "")["args"] == ["--scope", "global"]
