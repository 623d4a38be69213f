"""What real hosts loaded of a real install: every kind they can show is there, and nothing was refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.hosts.table import HOSTS, Host
from support.hosts.using import Used, hostile
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


@pytest.mark.parametrize(
    ("host", "kind"),
    [(host, kind) for host in HOSTS for kind in ("command", "skill") if kind in host.kinds],
    ids=lambda one: getattr(one, "id", one),
)
def test_learning_and_remembering_can_be_asked_for(host: Host, kind: str, witnessed: Asked) -> None:
    found = witnessed(host.id)
    named = {name for name in found.expected.get(kind, ()) if name.endswith(("learn", "remember"))}
    if kind == "command" or "command" not in found.expected:
        assert len(named) == 2, found.expected
    if (host.id, kind) not in LOADED_WHOLE:
        assert named <= {name.lstrip("/") for name in found.seen.listed[kind]}


@pytest.mark.parametrize(
    "host", [host for host in HOSTS if {"hook", "run gsd-tools"} <= set(host.kinds)], ids=lambda h: h.id
)
def test_hooks_count_calls_for_the_task_that_runs_and_speak_of_lessons(host: Host, witnessed: Asked) -> None:
    found = witnessed(host.id)
    assert found.hooks.failures == ""
    assert found.hooks.counted >= 2, "a text was read and the launcher was run"
    assert found.hooks.lessons >= 1


def _that(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("host", [host for host in HOSTS if kind in host.kinds], ids=lambda h: h.id)


def _used(host: Host, witnessed: Asked) -> Used:
    used = witnessed(host.id).used
    assert used is not None, "it was not made to use anything"
    return used


@_that("mcp")
def test_the_server_is_connected(host: Host, witnessed: Asked) -> None:
    assert "gsd" in witnessed(host.id).seen.listed["mcp"]


@_that("read body")
def test_a_text_is_read_by_its_path_and_nobody_is_asked(host: Host, witnessed: Asked) -> None:
    used = _used(host, witnessed)
    assert "reach the goal of the phase; checked by somebody who" in used.told, used.told[-3000:]


@_that("run gsd-tools")
def test_the_launcher_is_run_and_nobody_is_asked(host: Host, witnessed: Asked) -> None:
    used = _used(host, witnessed)
    assert used.left == []
    assert "section_manifest" in used.told, used.told[-3000:]


@_that("inject")
def test_a_typed_command_is_the_rendered_workflow(host: Host, witnessed: Asked) -> None:
    used = _used(host, witnessed)
    assert "reach the goal of the phase; checked by somebody who" in used.prompt


@_that("inject")
def test_hostile_arguments_reach_the_launcher_and_nothing_else(host: Host, witnessed: Asked) -> None:
    used = _used(host, witnessed)
    assert used.executed == []
    assert len(used.received) == len(hostile(Path("canary")))
    for sent, received in used.received:
        assert received is not None, f"the launcher was not run with {sent!r}"
        assert _told_apart(received) == _told_apart(sent)


def _told_apart(arguments: str) -> str:
    """Arguments but for what a host does to them: blanks folded, `!` with a blank or a backslash at it."""
    return "".join(arguments.split()).replace("\\", "")


@_that("doctor --live")
def test_the_doctor_says_what_the_host_has_loaded(host: Host, witnessed: Asked) -> None:
    found = witnessed(host.id)
    assert found.live is not None
    assert found.live["ok"], found.live
    assert found.live["loaded"]
    for kind, count in found.live["loaded"].items():
        assert count == len(found.expected[kind])


@_that("doctor --live")
def test_the_doctor_names_what_was_deleted_by_hand(host: Host, witnessed: Asked) -> None:
    found = witnessed(host.id)
    assert found.lost is not None
    assert found.lost["missing"] == [f"~/{found.deleted}"]


@every
def test_nothing_of_ours_is_refused(host: Host, witnessed: Asked) -> None:
    assert [line for line in witnessed(host.id).seen.complaints if "gsd" in line] == []


@every
def test_nothing_is_left_and_the_settings_are_the_users_again(host: Host, witnessed: Asked) -> None:
    found = witnessed(host.id)
    assert found.left == []
    assert found.changed == []
