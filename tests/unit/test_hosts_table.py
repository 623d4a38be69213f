"""The table of hosts that are asked: complete, pinned, and never smaller than it was."""

from __future__ import annotations

from gsd_install.plugins import Plugins
from support.hosts.asking import HOW
from support.hosts.speaking import TURNS
from support.hosts.table import HOSTS, KINDS

CONFIRMED = 95  # cells a host confirmed when this was last raised; it is never lowered
IN_CI = {"claude", "codex", "copilot", "gemini", "mistral-vibe", "opencode", "pi", "qwen"}


def test_every_cell_is_confirmed_or_says_why_not() -> None:
    for host in HOSTS:
        reasons = dict(host.unseen)
        assert sorted((*host.kinds, *reasons)) == sorted(KINDS), host.id
        assert all(reasons.values()), host.id


def test_every_host_is_pinned_and_can_be_asked() -> None:
    assert sorted(HOW) == sorted(host.id for host in HOSTS)
    assert all(host.version.count(".") == 2 for host in HOSTS)
    assert {host.id for host in HOSTS} >= IN_CI


def test_the_doctor_asks_the_hosts_of_which_the_table_says_so() -> None:
    plugins = Plugins()
    for host in HOSTS:
        assert ("doctor --live" in host.kinds) is bool(plugins.get(host.id).runtime.asks), host.id


def test_every_host_that_uses_what_is_installed_is_made_to() -> None:
    for host in HOSTS:
        assert {"read body", "run gsd-tools", "inject"}.isdisjoint(host.kinds) or host.id in TURNS, host.id


def test_inject_is_confirmed_of_the_runtimes_that_use_it() -> None:
    plugins = Plugins()
    for host in HOSTS:
        forms = [form for place in plugins.get(host.id).runtime.places for form in place.forms]
        assert ("inject" in host.kinds) is any(form.snippet for form in forms), host.id


def test_confirmed_cells_do_not_fall() -> None:
    assert len(HOSTS) >= 16
    assert sum(len(host.kinds) for host in HOSTS) >= CONFIRMED
