"""Which Python is written down: one that will be there tomorrow (the table of case HK-07)."""

from __future__ import annotations

import pytest

from gsd_install.emit.interpreter import NAMES, Interpreter, is_ephemeral, stable
from gsd_install.runtime.platform import Platform

HOME = "/home/me"
MISE = f"{HOME}/.local/share/mise/installs/python/3.12.1/bin/python"
SHIM = f"{HOME}/.local/share/mise/shims/python"
CELLAR = "/home/linuxbrew/.linuxbrew/Cellar/python@3.12/3.12.1/bin/python3"
LINKED = "/home/linuxbrew/.linuxbrew/bin/python3"
OPT = "/home/linuxbrew/.linuxbrew/opt/python@3.12/bin/python3"
UVX = f"{HOME}/.cache/uv/archive-v0/AbC/bin/python"
PIPX_RUN = f"{HOME}/.local/pipx/.cache/1a2b/bin/python"
TOOL = f"{HOME}/.local/share/uv/tools/acme/bin/python"
UV = f"{HOME}/.local/share/uv/python/cpython-3.12.1-linux-x86_64-gnu/bin/python3.12"
UV_MINOR = f"{HOME}/.local/share/uv/python/cpython-3.12-linux-x86_64-gnu/bin/python3.12"


def chosen(*executables: str, there: tuple[str, ...] = (), path: str = "", **env: str) -> Interpreter:
    platform = Platform("linux", HOME, {"PATH": path, **env}, HOME)
    return stable(executables, platform, there.__contains__)


@pytest.mark.case("HK-07")
@pytest.mark.parametrize(
    ("running", "there", "expected"),
    [
        (MISE, (SHIM,), SHIM),
        (MISE, (f"{HOME}/.local/share/mise/shims/python3",), f"{HOME}/.local/share/mise/shims/python3"),
        (
            f"{HOME}/.pyenv/versions/3.12.1/bin/python3",
            (f"{HOME}/.pyenv/shims/python3",),
            f"{HOME}/.pyenv/shims/python3",
        ),
        (
            f"{HOME}/.asdf/installs/python/3.12.1/bin/python3",
            (f"{HOME}/.asdf/shims/python3",),
            f"{HOME}/.asdf/shims/python3",
        ),
        (CELLAR, (LINKED, OPT), LINKED),
        (CELLAR, (OPT,), OPT),
        (UV, (UV_MINOR,), UV_MINOR),
        (UV, (), UV),
        (TOOL, (), TOOL),
        ("/usr/bin/python3.11", (), "/usr/bin/python3.11"),
    ],
)
def test_what_outlives_an_upgrade_is_written_down(
    running: str, there: tuple[str, ...], expected: str
) -> None:
    found = chosen(running, there=there)
    assert found == Interpreter(expected, running)


@pytest.mark.case("HK-07")
@pytest.mark.parametrize("running", [MISE, CELLAR])
def test_a_version_that_nothing_stands_for_is_written_down_with_a_warning(running: str) -> None:
    found = chosen(running)
    assert (found.path, found.exact) == (running, running)
    assert "next upgrade" in found.note


@pytest.mark.case("HK-07")
@pytest.mark.parametrize("running", [UVX, PIPX_RUN])
def test_a_cache_is_never_written_down(running: str) -> None:
    assert chosen(running, "/usr/bin/python3").path == "/usr/bin/python3"
    assert chosen(running, there=("/opt/py/python3.12",), path="/opt/py").path == "/opt/py/python3.12"
    assert chosen(running, there=("/usr/bin/python3",)).path == "/usr/bin/python3"
    nothing = chosen(running, there=(running,), path=running.rpartition("/")[0])
    assert (nothing.path, nothing.exact) == ("", "")
    assert "uv tool install" in nothing.note


def test_caches_that_variables_name_are_caches_too() -> None:
    platform = Platform("linux", HOME, {"UV_CACHE_DIR": "/big/uv/", "XDG_CACHE_HOME": "/big/xdg"}, HOME)
    assert is_ephemeral("/big/uv/x/python", platform)
    assert is_ephemeral("/big/xdg/x/python", platform)
    assert not is_ephemeral("/big/uvx/python", platform)
    assert not is_ephemeral("/opt/cachet/bin/python", platform)
    assert is_ephemeral("C:\\Users\\me\\AppData\\Local\\uv\\cache\\archive-v0\\x\\python.exe", platform)


def test_a_search_on_windows_looks_for_programs_of_windows() -> None:
    there = "C:\\Python\\python3.exe"
    platform = Platform("windows", "C:\\Users\\me", {"PATH": "C:\\Other;C:\\Python"}, "C:\\")
    assert stable((), platform, (there,).__contains__).path == there
    assert NAMES[0] == "python3"
