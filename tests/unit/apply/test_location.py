"""Where things are, on every system."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows

from gsd_install.apply.location import global_location, project_location, state_root
from gsd_install.runtime.platform import Platform

UNIX = {"linux": Unix, "macos": MacOS}


@pytest.mark.parametrize("system", ["linux", "macos"])
@pytest.mark.parametrize("variable", [None, "/elsewhere/state", "relative/ignored", "  "])
def test_the_state_directory_is_platformdirs_(
    system: str, variable: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    env = {} if variable is None else {"XDG_STATE_HOME": variable}
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    expected = UNIX[system]("gsd-install", appauthor=False).user_state_dir
    assert state_root(Platform(system, "/home/ann", env, "/")) == expected


def test_the_windows_state_directory_is_platformdirs_(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", "C:\\Users\\ann\\AppData\\Local")
    expected = Windows("gsd-install", appauthor=False).user_state_dir.replace("/", "\\")
    for env in ({"LOCALAPPDATA": "C:\\Users\\ann\\AppData\\Local"}, {}):
        assert state_root(Platform("windows", "C:\\Users\\ann", env, "C:\\")) == expected


def test_the_global_location() -> None:
    location = global_location(Platform("linux", "/home/ann", {}, "/tmp"))
    assert location.root == "/home/ann"
    assert location.payload == "/home/ann/.gsd"
    assert location.state == "/home/ann/.local/state/gsd-install/global"
    assert location.ledger == "/home/ann/.local/state/gsd-install/global/ledger.json"


@pytest.mark.parametrize(
    ("value", "payload"), [("/data/gsd", "/data/gsd"), ("~/g", "/home/ann/g"), ("g", "/w/g")]
)
def test_gsd_home_moves_the_payload(value: str, payload: str) -> None:
    assert global_location(Platform("linux", "/home/ann", {"GSD_HOME": value}, "/w")).payload == payload


def test_a_project_location_has_its_own_state_for_each_real_path(tmp_path: Path) -> None:
    platform = Platform("linux", str(tmp_path / "home"), {}, str(tmp_path))
    (tmp_path / "p").mkdir()
    os.symlink("p", tmp_path / "link")
    direct = project_location(platform, str(tmp_path / "p"))
    assert direct.ledger == str(tmp_path / "p" / ".gsd" / "ledger.json")
    assert direct.payload == str(tmp_path / "p" / ".gsd")
    assert project_location(platform, str(tmp_path / "link")).state == direct.state
    assert project_location(platform, "p").state == direct.state
    assert project_location(platform, str(tmp_path)).state != direct.state
    assert Path(direct.state).parent.name == "projects"


def test_a_windows_project_location() -> None:
    platform = Platform("windows", "C:\\Users\\ann", {}, "C:\\w")
    location = project_location(platform, "D:\\Code\\App")
    assert location.ledger == "D:\\Code\\App\\.gsd\\ledger.json"
    assert project_location(platform, "d:\\code\\app").state == location.state
