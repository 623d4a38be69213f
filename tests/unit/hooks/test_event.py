"""Reading what hosts send, each in its own words."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_capabilities.companion.request import Request
from gsd_capabilities.hooks.event import LIMIT, Host, asked, host_of, received
from support.hooks import CLAUDE, question

ACTIONS_AS_EVENTS = Host("code", {"pre_run_command": "pre-tool"}, {"pre_run_command": "run"})


def test_names_of_one_family(tmp_path: Path) -> None:
    fields = {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "cwd": str(tmp_path),
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }
    found = question(fields, Path("/"))
    assert (found.event, found.said_event, found.session, found.cwd) == (
        "pre-tool",
        "PreToolUse",
        "s1",
        str(tmp_path),
    )
    assert (found.action, found.tool, found.command, found.heard) == ("run", "Bash", "ls", True)


def test_names_of_another_family(tmp_path: Path) -> None:
    fields = {"sessionId": "s2", "toolName": "bash", "toolArgs": '{"command": "ls", "path": "a"}'}
    found = question(
        fields, tmp_path, host=Host("permission-decision", {"preToolUse": "pre-tool"}), usual="pre-tool"
    )
    assert (found.event, found.said_event, found.session) == ("pre-tool", "preToolUse", "s2")
    assert (found.command, found.path, found.action) == ("ls", "a", "")


def test_a_host_with_an_event_for_each_tool(tmp_path: Path) -> None:
    fields = {
        "agent_action_name": "pre_run_command",
        "trajectory_id": "t",
        "tool_info": {"command_line": "ls -l", "cwd": str(tmp_path)},
    }
    found = question(fields, Path("/"), host=ACTIONS_AS_EVENTS)
    assert (found.event, found.action, found.command, found.cwd) == (
        "pre-tool",
        "run",
        "ls -l",
        str(tmp_path),
    )


def test_a_workspace_is_the_project_and_not_the_folder_of_the_process(tmp_path: Path) -> None:
    assert question({"workspace_roots": [str(tmp_path)], "cwd": "/"}, Path("/")).cwd == str(tmp_path)
    assert question({"workspace_roots": [], "cwd": "/gone/away"}, tmp_path).cwd == str(tmp_path)


@pytest.mark.case("HK-05")
def test_an_event_nobody_knows_has_no_name_of_ours(tmp_path: Path) -> None:
    found = question({"hook_event_name": "Invented"}, tmp_path, usual="post-tool")
    assert (found.event, found.heard) == ("", False)
    assert question({}, tmp_path, usual="post-tool").event == "post-tool"


NAMES = st.sampled_from(
    ["hook_event_name", "tool_input", "tool_name", "cwd", "session_id", "tool_response", "workspace_roots"]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
)


@given(st.binary(max_size=60) | VALUES.map(lambda value: json.dumps(value).encode()))
@settings(max_examples=200)
def test_whatever_comes_is_a_question(data: bytes) -> None:
    found = asked(data, CLAUDE, Request((), {}, "/", None, {}, bytes), "stop")
    assert found.event in {"stop", "", *CLAUDE.events.values()}
    assert isinstance(f"{found.command}{found.path}{''.join(found.results)}{found.text('prompt')}", str)


def through(pipe: bytes, *, close: bool = True) -> bytes:
    """What is received of a pipe that somebody writes into."""
    reader, writer = os.pipe()

    def write() -> None:
        try:
            with os.fdopen(writer, "wb", closefd=close) as file:
                file.write(pipe)
        except BrokenPipeError:
            pass

    thread = threading.Thread(target=write)
    thread.start()
    try:
        return received(reader)
    finally:
        os.close(reader)
        thread.join()
        if not close:
            os.close(writer)


@pytest.mark.case("HK-09")
def test_no_more_than_a_mebibyte_is_read() -> None:
    assert len(through(b"a" * (5 * LIMIT))) <= LIMIT + 1
    assert through(b'{"a": 1}') == b'{"a": 1}'


@pytest.mark.case("HK-09")
def test_a_pipe_that_stays_open_is_not_waited_for() -> None:
    assert through(b'{"a": 1}', close=False) == b'{"a": 1}'


def facts(folder: Path, value: Any) -> str:
    (folder / "hosts").mkdir()
    (folder / "hosts" / "acme.json").write_text(json.dumps(value), encoding="utf-8")
    return str(folder)


def test_what_is_known_of_a_host_comes_from_the_payload(tmp_path: Path) -> None:
    hooks = {"envelope": "code", "events": {"stop": "End", "pre-tool:run": "Run"}, "tools": {"read": "View"}}
    found = host_of(facts(tmp_path, {"id": "acme", "hooks": hooks}), "acme")
    assert found == Host("code", {"End": "stop", "Run": "pre-tool"}, {"View": "read", "Run": "run"})


@pytest.mark.parametrize("runtime", [None, "", "gone", "../acme"])
def test_a_host_nobody_knows_is_one_that_reads_text(tmp_path: Path, runtime: str | None) -> None:
    assert host_of(facts(tmp_path, {"hooks": {"envelope": "code"}}), runtime) == Host()
