"""The tools: what they answer, when a reference stands in for it, progress and giving up."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import CallToolResult, TextContent

from gsd_capabilities.catalog import tools
from gsd_capabilities.catalog.tools import TOOLS
from support.scripted_model import serving
from support.served import MODES, Served, ask, refused, served

BULK = "".join(f"line {number} \u2713\n" for number in range(4000))


def call(box: Served, name: str, arguments: dict[str, Any], mode: str = "auto") -> CallToolResult:
    """One call; the client itself compares the structured answer with the schema."""
    return ask(box.service, lambda client: client.call_tool(name, arguments), mode)


def text(result: CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.req("ADR1671-mcp-tools")
@pytest.mark.parametrize("mode", MODES)
def test_the_tools_are_listed_with_schemas(tmp_path: Path, mode: str) -> None:
    found = ask(served(tmp_path).service, lambda client: client.list_tools(), mode).tools
    assert [tool.name for tool in found] == [
        "gsd_artifact_get",
        "gsd_invoke_command",
        "gsd_query_predicates",
        "gsd_read_state",
        "gsd_render",
        "gsd_write_state",
    ]
    assert [tool.name for tool in found if not (tool.annotations and tool.annotations.read_only_hint)] == [
        "gsd_invoke_command",
        "gsd_write_state",
    ]
    for tool in found:
        assert tool.output_schema is not None
        assert tool.input_schema["additionalProperties"] is False


@pytest.mark.case("MC-07")
def test_tool_names_fit_every_client_s_limit() -> None:
    """Better than asked: no content brings tools of its own, so no name is ever shortened or too long."""
    for name in TOOLS:
        assert name.isascii()
        assert name.replace("_", "").isalnum()
        assert len(f"mcp__plugin_{'x' * 14}_{'x' * 14}__{name}") <= 64
        assert len(f"mcp__gsd__{name}") <= 64
    assert len(set(TOOLS)) == 6


@pytest.mark.req("ADR1671-mcp-tools")
def test_a_verb_runs_and_answers(tmp_path: Path) -> None:
    box = served(tmp_path)
    put = call(box, "gsd_invoke_command", {"words": ["artifact", "put", "-"], "stdin": BULK})
    assert json.loads(put.structured_content["output"])["outcome"] == "offloaded"
    listed = call(box, "gsd_invoke_command", {"words": ["artifact", "list"]})
    assert json.loads(text(listed))[0]["size"] == len(BULK.encode())


def test_a_verb_that_fails_says_why(tmp_path: Path) -> None:
    done = call(served(tmp_path), "gsd_invoke_command", {"words": ["stat", "get"]})
    assert done.is_error
    assert done.structured_content == {
        "ok": False,
        "reason": "unknown_verb",
        "message": "there is no verb 'stat'",
        "hint": "did you mean 'state'?",
    }
    assert text(done) == "unknown_verb: there is no verb 'stat'\nhint: did you mean 'state'?"


@pytest.mark.parametrize("verb", ["chat", "stream", "resume", "task", "heartbeat", "distil"])
def test_a_client_names_no_address_and_no_key_for_the_server_to_use(tmp_path: Path, verb: str) -> None:
    box = served(tmp_path)
    with serving() as model:
        words = ["agent", verb, "hi", "--url", model.url, "--model", "m", "--key-env", "HOME"]
        done = call(box, "gsd_invoke_command", {"words": words})
        assert done.structured_content["reason"] == "not_served"
        assert model.requests == []
    asked = {"words": ["agent", "afford", "--system", "6000", "--tools", "4000", "--afford", "14595"]}
    assert json.loads(call(box, "gsd_invoke_command", asked).structured_content["output"])["fits"] is False


def test_a_verb_names_a_file_of_the_project_from_its_root(tmp_path: Path) -> None:
    box = served(tmp_path)
    (box.planning / "config.json").write_text("{", encoding="utf-8")
    done = call(box, "gsd_invoke_command", {"words": ["config", "get", "effort"]})
    assert done.structured_content["message"].startswith(".planning/config.json: ")
    assert str(tmp_path) not in str(done)


def test_a_verb_that_breaks_tells_nothing_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> object:
        raise ValueError(f"{tmp_path}/inner")

    monkeypatch.setattr("gsd_capabilities.companion.main._answer", broken)
    done = call(served(tmp_path), "gsd_invoke_command", {"words": ["state", "get"]})
    assert done.structured_content["reason"] == "internal"
    assert str(tmp_path) not in str(done)
    assert f"{tmp_path}/inner" in caplog.text


@pytest.mark.req("ADR1671-mcp-tools")
def test_a_workflow_is_rendered_for_its_arguments(tmp_path: Path) -> None:
    box = served(tmp_path, installed=True)
    bare = call(box, "gsd_render", {"workflow": "plan"}).structured_content["output"]
    asked = call(box, "gsd_render", {"workflow": "plan", "arguments": "it --research"})
    assert "## Research" not in bare
    assert asked.structured_content["output"] == str(box.library.read("gsd://workflows/plan.md")[1])
    small = call(box, "gsd_render", {"workflow": "plan", "arguments": "--research", "max_tokens": 0})
    assert small.is_error
    assert call(box, "gsd_render", {"workflow": "nope"}).structured_content["reason"] == "unknown_workflow"


def test_predicates_are_found(tmp_path: Path) -> None:
    box = served(tmp_path)
    (box.project / "CONTEXT.md").write_text("- `RULE.one=yes`\n- `RULE.two=no`\n", encoding="utf-8")
    found = call(box, "gsd_query_predicates", {"class": "RULE", "contains": "no"})
    assert json.loads(text(found))["matched"] == 1
    assert call(box, "gsd_query_predicates", {}).structured_content["reason"] == "no_filter"


@pytest.mark.req("ADR0006-surface-mcp")
@pytest.mark.parametrize("mode", MODES)
def test_a_bulky_result_is_a_reference_and_comes_back_within_a_budget(tmp_path: Path, mode: str) -> None:
    box = served(tmp_path)
    (box.planning / "BULK.md").write_text(BULK, encoding="utf-8")
    read = call(box, "gsd_read_state", {"path": "BULK.md"}, mode)
    reference = read.structured_content["artifact"]
    assert "output" not in read.structured_content
    assert read.structured_content["bytes"] == len(BULK.encode()) > 16 * 1024
    assert (len(reference), text(read).splitlines()[0]) == (82, reference)
    over = call(box, "gsd_artifact_get", {"reference": reference, "budget": 100}, mode)
    assert (over.is_error, over.structured_content["reason"]) == (True, "over_budget")
    part = call(box, "gsd_artifact_get", {"reference": reference, "lines": "2-3"}, mode)
    assert part.structured_content["output"] == "line 1 \u2713\nline 2 \u2713\n"
    whole = call(box, "gsd_artifact_get", {"reference": reference, "budget": 10**6}, mode)
    assert whole.structured_content["output"] == BULK
    verb = ["artifact", "get", reference, "--budget=1000000"]
    again = call(box, "gsd_invoke_command", {"words": verb}, mode)
    assert again.structured_content["output"] == BULK


@pytest.mark.req("ADR0006-surface-mcp")
def test_the_threshold_is_the_project_s(tmp_path: Path) -> None:
    box = served(tmp_path)
    (box.planning / "config.json").write_text('{"artifacts": {"threshold_bytes": 100}}', encoding="utf-8")
    for size, name in ((100, "output"), (101, "artifact")):
        (box.planning / "X.md").write_text("x" * size, encoding="utf-8")
        assert name in call(box, "gsd_read_state", {"path": "X.md"}).structured_content


def test_what_cannot_be_stored_stays_whole(tmp_path: Path) -> None:
    box = served(tmp_path)
    (box.planning / "BULK.md").write_text(BULK, encoding="utf-8")
    (box.planning / "artifacts").write_text("a file in the way", encoding="utf-8")
    read = call(box, "gsd_read_state", {"path": "BULK.md"}).structured_content
    assert (read["ok"], read["output"]) == (True, BULK)
    assert read["notes"]


def test_bytes_that_are_no_text_come_as_base64(tmp_path: Path) -> None:
    assert tools.shown(b"\xff\x00") == {"output": "/wA=", "encoding": "base64", "bytes": 2}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("gsd_read_state", {}),
        ("gsd_read_state", {"path": 3}),
        ("gsd_read_state", {"path": "STATE.md", "more": "x"}),
        ("gsd_invoke_command", {"words": "state get"}),
        ("gsd_invoke_command", {"words": [1]}),
        ("gsd_artifact_get", {"reference": "x", "budget": -1}),
        ("gsd_artifact_get", {"reference": "x", "budget": True}),
        ("gsd_write_state", {"path": "a", "content": None}),
    ],
)
def test_arguments_that_are_not_as_the_schema_says_are_refused(
    tmp_path: Path, name: str, arguments: dict[str, Any]
) -> None:
    code, data, _ = refused(served(tmp_path).service, lambda client: client.call_tool(name, arguments))
    assert (code, data["reason"]) == (-32602, "invalid_params")


def test_an_argument_that_nobody_knows_is_told_with_those_there_are(tmp_path: Path) -> None:
    given = {"argv": ["state", "get"]}
    _, data, message = refused(
        served(tmp_path).service, lambda client: client.call_tool("gsd_invoke_command", given)
    )
    assert message == "gsd_invoke_command takes words, stdin, not argv"
    assert data == {"reason": "invalid_params", "name": "argv"}


@pytest.mark.parametrize("mode", MODES)
def test_progress_is_told_to_who_asks_for_it(tmp_path: Path, mode: str) -> None:
    box = served(tmp_path)
    seen: list[tuple[float, float | None, str | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async def question(client: Client) -> object:
        given = {"words": ["artifact", "list"]}
        return await client.call_tool("gsd_invoke_command", given, progress_callback=heard)

    ask(box.service, question, mode)
    assert seen == [(0, 1, "Run a verb of gsd-tools"), (1, 1, "done")]


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_gives_up_is_let_go_and_the_next_call_is_answered(
    tmp_path: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = served(tmp_path)
    begun, free = threading.Event(), threading.Event()

    def slow(*_: object) -> bytes:
        begun.set()
        assert free.wait(20)
        return b"late"

    monkeypatch.setattr("gsd_capabilities.catalog.state.read", slow)

    async def question(client: Client) -> CallToolResult:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "gsd_read_state", {"path": "STATE.md"})
            while not begun.is_set():
                await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
        answer = await client.call_tool("gsd_invoke_command", {"words": ["artifact", "list"]})
        free.set()
        return answer

    assert ask(box.service, question, mode).structured_content["ok"]
