"""Fetch the hosts once, install into each, ask each; the tests only look at what came of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from support.hosts.fetching import UnreachableError, fetch
from support.hosts.table import BY_ID, Host
from support.hosts.witness import Witness, witness

HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--hosts` selects the hosts that are asked."""
    parser.addoption("--hosts", default="", help="only these hosts, with commas between them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of the selected hosts, and all tests of one host in one process.

    Other tests that are collected along are none of our business.
    """
    chosen = {name for name in config.getoption("--hosts", "").split(",") if name} or set(BY_ID)
    if unknown := sorted(chosen - set(BY_ID)):
        raise pytest.UsageError(f"there is no host {unknown[0]!r}")
    ours = [item for item in items if item.path.is_relative_to(HERE)]
    others = [item for item in ours if _host(item) not in chosen]
    items[:] = [item for item in items if item not in others]
    config.hook.pytest_deselected(items=others)
    if config.pluginmanager.hasplugin("xdist"):
        for item in ours:
            item.add_marker(pytest.mark.xdist_group(_host(item)))


def _host(item: pytest.Item) -> str:
    assert isinstance(item, pytest.Function)
    host = item.callspec.params["host"]
    assert isinstance(host, Host)
    return host.id


@pytest.fixture(scope="session")
def program() -> Callable[[Host], Path]:
    """The program of a host, fetched when it is first asked for; skips where no registry can be reached."""

    @cache
    def found(host: Host) -> Path:
        try:
            return fetch(host)
        except UnreachableError as error:
            pytest.skip(f"the registry cannot be reached: {error}")

    return found


@pytest.fixture(scope="session")
def witnessed(
    program: Callable[[Host], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Witness]:
    """What a host showed of a real install, asked once."""

    found: dict[str, Witness | BaseException] = {}

    def asked(name: str) -> Witness:
        if name not in found:
            host = BY_ID[name]
            try:
                found[name] = witness(host, program(host), tmp_path_factory.mktemp(name))
            except Exception as error:  # noqa: BLE001 - every test of this host fails of the same
                found[name] = error
        answer = found[name]
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return asked
