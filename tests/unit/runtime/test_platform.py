from __future__ import annotations

import ntpath
import os
import posixpath
import sys
from pathlib import Path

import pytest

from gsd_install.runtime.platform import Platform, current
from support.content import LINUX, MACOS, WINDOWS

posix = pytest.mark.skipif(sys.platform == "win32", reason="about accounts of POSIX systems")


@pytest.mark.parametrize(
    ("platform", "path", "expanded"),
    [
        (LINUX, "~", "/home/ann"),
        (LINUX, "~/", "/home/ann"),
        (LINUX, "~/.acme", "/home/ann/.acme"),
        (LINUX, "~/a/../b/./c//d/", "/home/ann/b/c/d"),
        (LINUX, "/opt/x", "/opt/x"),
        (LINUX, "sub/x", "/home/ann/work/app/sub/x"),
        (LINUX, "../x", "/home/ann/work/x"),
        (LINUX, "~name/x", "/home/ann/work/app/~name/x"),
        (LINUX, "a b/\u00e9", "/home/ann/work/app/a b/\u00e9"),
        (MACOS, "~/Library/Application Support/Acme", "/Users/ann/Library/Application Support/Acme"),
        (WINDOWS, "~", "C:\\Users\\ann"),
        (WINDOWS, "~/.acme/x", "C:\\Users\\ann\\.acme\\x"),
        (WINDOWS, "~\\.acme", "C:\\Users\\ann\\.acme"),
        (WINDOWS, "D:/tools/x", "D:\\tools\\x"),
        (WINDOWS, "\\\\server\\share\\x", "\\\\server\\share\\x"),
        (WINDOWS, "sub\\x", "C:\\Users\\ann\\work\\app\\sub\\x"),
        (WINDOWS, "/x", "C:\\x"),
    ],
)
def test_a_path_becomes_absolute_by_the_rules_of_its_system(
    platform: Platform, path: str, expanded: str
) -> None:
    assert platform.expand(path) == expanded


def test_a_variable_in_percent_signs_is_expanded_and_falls_back_to_the_home() -> None:
    roaming = WINDOWS._replace(env={"APPDATA": "C:\\Users\\ann\\AppData\\Roaming"})
    assert roaming.expand("%APPDATA%/Acme") == "C:\\Users\\ann\\AppData\\Roaming\\Acme"
    assert WINDOWS.expand("%APPDATA%\\Acme") == "C:\\Users\\ann\\Acme"
    assert WINDOWS._replace(env={"APPDATA": "  "}).expand("%APPDATA%/Acme") == "C:\\Users\\ann\\Acme"
    assert LINUX.expand("100%/x") == "/home/ann/work/app/100%/x"


@pytest.mark.case("DD-04")
@pytest.mark.parametrize("value", ["", " ", "\t", "\n"])
def test_a_blank_variable_counts_as_unset(value: str) -> None:
    assert LINUX._replace(env={"A": value}).variable("A") is None
    assert LINUX._replace(env={"A": f"{value}x"}).variable("A") == f"{value}x"
    assert LINUX.variable("A") is None


def test_each_system_has_its_path_rules() -> None:
    assert (LINUX.path, MACOS.path, WINDOWS.path) == (posixpath, posixpath, ntpath)


@pytest.mark.parametrize(
    ("name", "system"),
    [
        ("linux", "linux"),
        ("darwin", "macos"),
        ("win32", "windows"),
        ("freebsd14", "linux"),
        ("cygwin", "linux"),
    ],
)
def test_the_system_is_told_by_python(monkeypatch: pytest.MonkeyPatch, name: str, system: str) -> None:
    """Cygwin's Python has the paths of POSIX."""
    monkeypatch.setattr(sys, "platform", name)
    assert current("/somewhere").os == system


def test_this_process_sees_its_home_environment_and_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("ACME_HOME", "/x")
    monkeypatch.chdir(tmp_path)
    here = current()
    assert (here.home, here.cwd, here.variable("ACME_HOME")) == (str(tmp_path), os.getcwd(), "/x")


@posix
@pytest.mark.case("DD-04")
@pytest.mark.parametrize("value", ["", " ", None])
def test_a_home_that_is_blank_or_unset_is_that_of_the_account(
    monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    import pwd

    monkeypatch.delenv("HOME", raising=False)
    if value is not None:
        monkeypatch.setenv("HOME", value)
    assert current().home == pwd.getpwuid(os.getuid()).pw_dir


@posix
def test_a_relative_home_is_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "sub")
    assert current().home == str(tmp_path / "sub")


def test_a_home_for_another_user_takes_no_directory_from_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "GSD_HOME", "APPDATA", "HOME"):
        monkeypatch.setenv(name, "/mine")
    monkeypatch.setenv("PATH", "/bin")
    image = current("image/home")
    assert image.home == os.path.abspath("image/home")
    assert dict(image.env)["PATH"] == "/bin"
    assert "/mine" not in image.env.values()
