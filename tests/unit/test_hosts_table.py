"""The table of hosts that are asked: complete, pinned, and never smaller than it was."""

from __future__ import annotations

from support.hosts.asking import HOW
from support.hosts.table import HOSTS, KINDS

CONFIRMED = 47  # cells a host confirmed when this was last raised; it is never lowered
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


def test_confirmed_cells_do_not_fall() -> None:
    assert len(HOSTS) >= 14
    assert sum(len(host.kinds) for host in HOSTS) >= CONFIRMED
