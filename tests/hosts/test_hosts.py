"""What real hosts loaded of a real install: every kind they can show is there, and nothing was refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from support.hosts.table import HOSTS, Host
from support.hosts.witness import Witness

Asked = Callable[[str], Witness]
pytestmark = pytest.mark.hosts
every = pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.id)
LISTED = [
    pytest.param(host, kind, id=f"{host.id}-{kind}")
    for host in HOSTS
    for kind in host.kinds
    if kind in {"skill", "command", "agent"}
]
LOADED_WHOLE = {("gemini", "command")}  # it shows a command when it is typed, so one stands for all


@every
def test_the_host_that_answered_is_the_pinned_one(host: Host, witnessed: Asked) -> None:
    assert witnessed(host.id).seen.version == host.version


@pytest.mark.parametrize(("host", "kind"), LISTED)
def test_all_that_was_installed_is_loaded(host: Host, kind: str, witnessed: Asked) -> None:
    found = witnessed(host.id)
    expected = found.expected.get(kind, set())
    assert expected, f"nothing of kind {kind} was installed"
    listed = {name.lstrip("/") for name in found.seen.listed[kind]}
    if (host.id, kind) in LOADED_WHOLE:
        assert listed <= expected
        assert listed
    else:
        assert expected <= listed, f"not loaded: {sorted(expected - listed)}; listed: {sorted(listed)}"


@pytest.mark.parametrize("host", [host for host in HOSTS if "instructions" in host.kinds], ids=lambda h: h.id)
def test_the_instructions_reach_the_model(host: Host, witnessed: Asked) -> None:
    assert "Never raise a status in" in witnessed(host.id).seen.sent


@pytest.mark.parametrize("host", [host for host in HOSTS if "hook" in host.kinds], ids=lambda h: h.id)
def test_what_the_session_hook_prints_reaches_the_model(host: Host, witnessed: Asked) -> None:
    assert "WITNESS-STATE" in witnessed(host.id).seen.sent


@every
def test_nothing_of_ours_is_refused(host: Host, witnessed: Asked) -> None:
    assert [line for line in witnessed(host.id).seen.complaints if "gsd" in line] == []


@every
def test_nothing_is_left_and_the_settings_are_the_users_again(host: Host, witnessed: Asked) -> None:
    found = witnessed(host.id)
    assert found.left == []
    assert found.changed == []
