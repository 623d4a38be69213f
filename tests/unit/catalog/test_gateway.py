"""Tools under the budget of a scenario: what is listed, discovered, handed on and refused."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest
from mcp import Client
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ImageContent, TextContent, Tool, ToolListChangedNotification

from gsd_capabilities.catalog import tools
from gsd_capabilities.catalog.gateway import Gateway, Session
from gsd_capabilities.catalog.service import Service
from gsd_capabilities.catalog.upstreams import Upstream
from gsd_capabilities.learning import limits
from gsd_capabilities.packs import discovery
from gsd_capabilities.packs import tool as packed
from gsd_capabilities.packs.scenarios import SCENARIOS, pack_of
from gsd_capabilities.packs.tools import CORE
from gsd_install.kernel.errors import UsageError
from support import packs
from support.served import MODES, Served, served
from support.upstream import WORDS, server

T = TypeVar("T")
OWN = {"discover_tools", *tools.TOOLS}


class Counted(Upstream):
    """A server in this process that counts how often it was asked anything."""

    def __init__(self, name: str, target: Server[Any]) -> None:
        super().__init__(name, target)
        self.asked = 0

    async def _asked(self, *arguments: Any) -> Any:
        self.asked += 1
        return await super()._asked(*arguments)


class Behind:
    """A served project whose tools go through a gateway."""

    def __init__(
        self, folder: Path, scenario: str = "chat", session: str = "", **servers: Server[Any]
    ) -> None:
        self.box: Served = served(folder)
        self.upstreams = [Counted(name, one) for name, one in servers.items()]
        self.again(scenario, session)

    def again(self, scenario: str, session: str = "") -> None:
        """Begin anew with the same project and servers."""
        desk = self.box.service._desk
        self.gateway = Gateway(scenario, desk, self.upstreams, session)
        self.service = Service(self.box.library, desk, self.gateway)
        self.changes = 0

    def ask(self, question: Callable[[Client], Awaitable[T]], mode: str = "auto") -> T:
        """What the official client is answered; `changes` counts what it is told of its tools."""

        async def heard(message: object) -> None:
            self.changes += mode == "legacy" and isinstance(message, ToolListChangedNotification)

        async def asked() -> T:
            async with Client(self.service.server, mode=mode, message_handler=heard, cache=None) as client:
                if mode == "legacy":
                    answer = await question(client)
                    await anyio.wait_all_tasks_blocked()
                    return answer
                async with (
                    client.listen(tools_list_changed=True) as stream,
                    anyio.create_task_group() as group,
                ):

                    async def count() -> None:
                        async for _ in stream:
                            self.changes += 1

                    group.start_soon(count)
                    answer = await question(client)
                    await anyio.wait_all_tasks_blocked()
                    group.cancel_scope.cancel()
                return answer

        return anyio.run(asked)


async def names(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools()).tools}


def said(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


async def find(client: Client, *wanted: str, **more: str) -> CallToolResult:
    return await client.call_tool("discover_tools", {"names": list(wanted), **more})


def tokens(listed: list[Tool]) -> int:
    return sum(
        packed.cost(packed.Tool(tool.name, tool.description or "", tool.input_schema)) for tool in listed
    )


@pytest.mark.req("S-tool-mcp-progressive", "A-tooldef-budget")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scenario", ["heartbeat", "chat", "task_execution", "review"])
def test_at_the_start_no_other_server_is_asked(tmp_path: Path, scenario: str, mode: str) -> None:
    box = Behind(tmp_path, scenario, web=server())
    listed = box.ask(lambda client: client.list_tools(), mode).tools
    reading = {"discover_tools", "gsd_artifact_get", "gsd_read_state"}
    assert {tool.name for tool in listed} == (reading if scenario == "heartbeat" else OWN)
    assert tokens(listed) <= pack_of(scenario).tool_tokens
    assert not any(tool.output_schema or tool.title for tool in listed)  # nothing that was not counted
    assert box.upstreams[0].asked == 0
    assert box.changes == 0


@pytest.mark.req("ECO-discover-refresh", "ECO-discover-no-stale", "S-tool-mcp-progressive")
@pytest.mark.parametrize("mode", MODES)
def test_what_is_discovered_is_listed_and_can_be_called(tmp_path: Path, mode: str) -> None:
    box = Behind(tmp_path, web=server(), data=server({"echo": 3}))

    async def talk(client: Client) -> None:
        found = await find(client, "web__echo", "data__echo", "nobody__knows")
        assert found.structured_content
        assert found.structured_content["activated"] == ["web__echo", "data__echo"]
        assert found.structured_content["unknown"] == ["nobody__knows"]
        assert set(found.structured_content["available_tools"]) == {*OWN, "web__echo", "data__echo"}
        assert await names(client) == {*OWN, "web__echo", "data__echo"}
        answer = await client.call_tool("web__echo", {"text": "\u00e9"})
        assert said(answer) == "echo: \u00e9"
        assert answer.structured_content == {"said": "echo: \u00e9"}

    box.ask(talk, mode)
    assert box.changes == 1  # one batch, one word about it


@pytest.mark.parametrize("mode", MODES)
def test_clients_are_told_only_when_the_list_is_another_one(tmp_path: Path, mode: str) -> None:
    box = Behind(tmp_path, web=server())

    async def talk(client: Client) -> None:
        await find(client)
        await find(client, "nobody__knows")
        assert box.changes == 0
        await find(client, "web__echo")
        await find(client, "web__echo", "gsd_render")

    box.ask(talk, mode)
    assert box.changes == 1


def test_only_a_server_with_a_pack_says_that_its_tools_change(tmp_path: Path) -> None:
    box = Behind(tmp_path)

    async def told(client: Client) -> bool | None:
        found = client.server_capabilities.tools
        return found.list_changed if found else None

    assert box.ask(told, "legacy") is True
    box.service = box.box.service
    assert box.ask(told, "legacy") is False


@pytest.mark.req("S-catalog-not-in-tooldef")
def test_what_waits_stands_at_the_end_of_the_answer_and_nowhere_else(tmp_path: Path) -> None:
    many = {f"tool{at:03}": 50 for at in range(300)}
    box = Behind(tmp_path, web=server(many))

    async def talk(client: Client) -> None:
        before = [tool.model_dump() for tool in (await client.list_tools()).tools]
        instructions = client.instructions
        found = await find(client)
        text = said(found)
        head, _, listing = text.partition("300 tools wait:\n")
        assert found.structured_content
        assert list(found.structured_content)[-1] == "catalog"
        assert found.structured_content["catalog"] == listing, "a host may show the structured part alone"
        assert head == ""
        assert listing.startswith("web__tool000")
        assert len(listing) <= limits.DEFERRED_CATALOG_MAX_CHARS
        assert [tool.model_dump() for tool in (await client.list_tools()).tools] == before
        assert "web__" not in json.dumps(before)
        assert client.instructions == instructions
        [shown] = [tool for tool in before if tool["name"] == "discover_tools"]
        assert shown["description"] == CORE["discover_tools"].description
        assert said(await find(client, query="TOOL123")) == f"1 tool waits:\nweb__tool123: {'word ' * 7}word…"

    box.ask(talk)


@pytest.mark.req("S-activated-mcp-lru", "A-tooldef-budget", "S-tooldef-evict-mcp-before-core")
def test_the_tool_used_the_longest_ago_gives_way(tmp_path: Path) -> None:
    box = Behind(tmp_path, web=server({"a": 2_800, "b": 2_800, "c": 2_800, "d": 9_000}))

    async def talk(client: Client) -> None:
        await find(client, "web__a")
        await find(client, "web__b")
        await client.call_tool("web__a", {})
        found = await find(client, "web__c")
        assert found.structured_content
        assert found.structured_content["no_room"] == []
        listed = (await client.list_tools()).tools
        assert {tool.name for tool in listed} == {*OWN, "web__a", "web__c"}
        assert tokens(listed) <= 8_000
        assert "web__b" in said(found)
        gone = await client.call_tool("web__b", {})
        assert gone.is_error
        assert gone.structured_content
        assert gone.structured_content["reason"] == "not_live"
        never = await find(client, "web__d")
        assert "no room within the budget: web__d" in said(never)
        assert await names(client) >= OWN

    box.ask(talk)


@pytest.mark.req("S-discover-tools-spin")
@pytest.mark.parametrize("mode", MODES)
def test_the_fifth_discovery_in_a_row_is_an_error(tmp_path: Path, mode: str) -> None:
    box = Behind(tmp_path, web=server())

    async def talk(client: Client) -> None:
        for row in range(2):
            verdicts = []
            for at in range(4):
                found = await find(client, query=f"{row}{at}")
                assert found.structured_content
                verdicts.append(found.structured_content["verdict"])
            assert verdicts == ["ok", "ok", "warn", "warn"]
            stopped = await find(client, "web__bulk")
            assert stopped.is_error
            assert stopped.structured_content
            assert stopped.structured_content["reason"] == "loop_detected"
            assert "web__bulk" not in await names(client)
            await client.call_tool("gsd_invoke_command", {"words": ["packs", "list"]})

    box.ask(talk, mode)
    assert box.changes == 0


def test_a_bulky_answer_of_another_server_is_stored(tmp_path: Path) -> None:
    box = Behind(tmp_path, web=server())

    async def talk(client: Client) -> None:
        await find(client, "web__bulk", "web__fail")
        answer = await client.call_tool("web__bulk", {})
        assert len(said(answer)) < 200
        assert any(isinstance(block, ImageContent) for block in answer.content)
        references = re.findall(r"artifact://sha256/[0-9a-f]{64}", said(answer))
        back = await client.call_tool("gsd_artifact_get", {"reference": references[0], "budget": 10**6})
        assert back.structured_content
        assert back.structured_content["output"] == WORDS
        assert answer.structured_content
        whole = await client.call_tool(
            "gsd_artifact_get", {"reference": answer.structured_content["artifact"], "budget": 10**6}
        )
        assert whole.structured_content
        assert json.loads(whole.structured_content["output"]) == {"rows": WORDS, "name": "bulk"}
        failed = await client.call_tool("web__fail", {})
        assert (failed.is_error, said(failed)) == (True, "it failed")

    box.ask(talk)


def test_without_a_project_or_room_an_answer_stays_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = Behind(tmp_path, web=server())

    async def bulk(client: Client) -> CallToolResult:
        await find(client, "web__bulk")
        return await client.call_tool("web__bulk", {})

    (box.box.planning / "artifacts").write_text("a file where a folder is needed")
    kept = box.ask(bulk)
    assert said(kept).startswith(WORDS)
    assert said(kept).removeprefix(WORDS).startswith("\ngsd: ")
    (box.box.planning / "artifacts").unlink()
    box.box.planning.rmdir()
    assert said(box.ask(bulk)) == WORDS


def test_a_server_that_fails_is_named_and_the_others_serve(tmp_path: Path) -> None:
    box = Behind(tmp_path, web=server(broken=True), data=server())

    async def talk(client: Client) -> None:
        found = await find(client, "data__echo", "web__echo")
        assert said(found).startswith("the server 'web' failed: ")
        assert found.structured_content
        assert found.structured_content["unknown"] == ["web__echo"]
        assert len(found.structured_content["notes"]) == 1
        assert said(await client.call_tool("data__echo", {"text": "a"})) == "echo: a"

    box.ask(talk)


@pytest.mark.parametrize("name", ["nobody", "web__nobody", "web__", "__echo", "shell"])
def test_a_tool_that_nobody_has_is_an_error_of_the_protocol(tmp_path: Path, name: str) -> None:
    box = Behind(tmp_path, web=server())

    async def talk(client: Client) -> None:
        await find(client)
        with pytest.raises(MCPError) as caught:
            await client.call_tool(name, {})
        assert caught.value.data == {"reason": "unknown_tool", "name": name}

    box.ask(talk)


def test_a_tool_of_a_server_that_was_not_asked_yet_is_one_to_discover(tmp_path: Path) -> None:
    box = Behind(tmp_path, web=server())

    async def talk(client: Client) -> None:
        early = await client.call_tool("web__echo", {"text": "from before this process"})
        assert early.structured_content
        assert early.structured_content["reason"] == "not_live"
        await find(client, "web__echo")
        assert said(await client.call_tool("web__echo", {"text": "a"})) == "echo: a"

    box.ask(talk)


@pytest.mark.parametrize("given", [{"names": "a"}, {"names": [1]}, {"query": 1}, {"name": "a"}])
def test_arguments_of_discovery_are_checked(tmp_path: Path, given: dict[str, Any]) -> None:
    async def talk(client: Client) -> None:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("discover_tools", given)
        assert caught.value.data == {"reason": "invalid_params", "name": next(iter(given))}

    Behind(tmp_path).ask(talk)


def test_a_tool_of_ours_that_waits_is_refused_until_it_is_discovered(tmp_path: Path) -> None:
    box = Behind(tmp_path, "heartbeat")

    async def talk(client: Client) -> None:
        arguments = {"path": "NOTES.md", "content": "a"}
        refused = await client.call_tool("gsd_write_state", arguments)
        assert refused.structured_content
        assert refused.structured_content["reason"] == "not_live"
        await find(client, "gsd_write_state")
        done = await client.call_tool("gsd_write_state", arguments)
        assert not done.is_error

    box.ask(talk)
    assert (box.box.planning / "NOTES.md").read_text() == "a"


@pytest.mark.req("ECO-pack-only-path")
def test_a_named_session_is_that_of_the_command_line(tmp_path: Path) -> None:
    box = Behind(tmp_path, session="s", web=server({"a": 10, "b": 10}))
    box.ask(lambda client: find(client, "web__a"))
    offered = [packs.tool("web__a", 10), packs.tool("web__b", 10)]
    assert packs.ask(box.box.project, "fit", "chat", "--session", "s", tools=offered)["live"] == ["web__a"]
    packs.ask(box.box.project, "discover", "s", "chat", "web__b", tools=offered)
    box.again("chat", "s")
    assert box.ask(names) == {*OWN, "web__a", "web__b"}
    box.again("chat")
    assert box.ask(names) == OWN


def test_without_a_name_nothing_is_written(tmp_path: Path) -> None:
    box = Behind(tmp_path, web=server())
    box.ask(lambda client: find(client, "web__echo"))
    assert list(box.box.planning.iterdir()) == []


@pytest.mark.req("ECO-pack-total")
def test_an_unknown_scenario_and_a_bad_session_are_refused_at_the_start(tmp_path: Path) -> None:
    desk = served(tmp_path).service._desk
    for scenario, session, reason in (("chatt", "", "unknown_scenario"), ("chat", "../x", "bad_session")):
        with pytest.raises(UsageError) as caught:
            Gateway(scenario, desk, (), session)
        assert caught.value.reason == reason


@pytest.mark.req("A-tooldef-budget")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_whatever_is_discovered_the_budget_holds(tmp_path: Path, scenario: str) -> None:
    box = Behind(tmp_path, scenario, web=server({f"tool{at}": 150 + at * 30 for at in range(30)}))

    async def talk(client: Client) -> list[Tool]:
        every = [f"web__tool{at}" for at in range(30)]
        for start in (0, 10, 20):
            await find(client, *every[start : start + 10], *tools.TOOLS)
        return (await client.list_tools()).tools

    listed = box.ask(talk)
    assert any("__" in tool.name for tool in listed)
    assert tokens(listed) <= pack_of(scenario).tool_tokens


def test_calls_at_the_same_time_are_all_counted(tmp_path: Path) -> None:
    session = Session(served(tmp_path).service._desk)

    def use() -> None:
        session.change(lambda state: discovery.called(state, "second"))

    other = threading.Thread(target=use)

    def slow(state: discovery.State) -> tuple[discovery.State, str]:
        other.start()
        other.join(0.2)
        return discovery.called(state, "first")

    session.change(slow)
    other.join()
    assert session.state().recent == ("first", "second")
