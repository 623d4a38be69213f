"""Fetch the hosts once, install into each, ask each; the tests only look at what came of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from support.hosts.fetching import UnreachableError, fetch
from support.hosts.table import BY_ID, Host
from support.hosts.witness import Witness, witness


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
