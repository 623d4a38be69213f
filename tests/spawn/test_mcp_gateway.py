"""`gsd-mcp-server --pack` as a host starts it, with a real server behind it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, TextContent

from support import upstream
from support.content import content_root
from support.served import CONTENT

T = TypeVar("T")
START = "import sys; from gsd_capabilities.catalog.main import console; sys.exit(console())"


def prepared(folder: Path, command: str = sys.executable) -> list[str]:
    """A project, a content root and a file that names the server behind; the words for ours."""
    (folder / "project/.planning").mkdir(parents=True)
    content = content_root(folder / "content", CONTENT)
    entry = {
        "command": command,
        "args": [upstream.__file__, str(folder / "log")],
        "env": {"UPSTREAM_KEY": "${KEY}", "PYTHONDONTWRITEBYTECODE": "1"},
    }
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": {"web": entry}}), encoding="utf-8")
    return [
        *("-c", START, "--content", str(content), "--cwd", str(folder / "project")),
        *("--pack", "chat", "--upstream", str(folder / "mcp.json")),
    ]


def environment(folder: Path) -> dict[str, str]:
    return {"HOME": str(folder), "PATH": os.environ["PATH"], "KEY": "secret"}


def asked(folder: Path, words: list[str], question: Callable[[Client], Awaitable[T]]) -> T:
    parameters = StdioServerParameters(command=sys.executable, args=words, env=environment(folder))

    async def ask() -> T:
        with anyio.fail_after(60):
            async with Client(parameters, cache=None) as client:
                return await question(client)

    return anyio.run(ask)


def said(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


def log(folder: Path) -> list[str]:
    """What the servers behind noted when they started and when they ended."""
    file = folder / "log"
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def running(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.req("S-tool-mcp-progressive", "ECO-discover-refresh")
def test_a_server_behind_lives_from_its_first_use_to_the_end_of_ours(tmp_path: Path) -> None:
    words = prepared(tmp_path)

    async def talk(client: Client) -> None:
        assert not [tool.name for tool in (await client.list_tools()).tools if "__" in tool.name]
        assert log(tmp_path) == []
        found = await client.call_tool("discover_tools", {"names": ["web__echo"]})
        assert "live now: web__echo" in said(found)
        assert "web__bulk" in said(found)
        assert [tool.name for tool in (await client.list_tools()).tools if "__" in tool.name] == ["web__echo"]
        assert said(await client.call_tool("web__echo", {"text": "\u2713"})) == "echo: \u2713"
        [start] = log(tmp_path)
        assert start.startswith("start secret ")
        assert running(start.split()[-1])

    asked(tmp_path, words, talk)
    start, end = log(tmp_path)
    assert end.split() == ["end", start.split()[-1]]
    assert not running(start.split()[-1])


def test_a_server_behind_that_died_is_started_again(tmp_path: Path) -> None:
    words = prepared(tmp_path)

    async def talk(client: Client) -> None:
        await client.call_tool("discover_tools", {"names": ["web__echo", "web__exit"]})
        died = await client.call_tool("web__exit", {})
        assert died.is_error
        assert said(died).startswith("upstream_failed: the server 'web' failed: ")
        assert said(await client.call_tool("web__echo", {"text": "a"})) == "echo: a"

    asked(tmp_path, words, talk)
    first, second, end = log(tmp_path)
    assert first.split()[-1] != second.split()[-1] == end.split()[-1]


def test_a_server_behind_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    words = prepared(tmp_path, str(tmp_path / "nothing-here"))

    async def talk(client: Client) -> None:
        found = await client.call_tool("discover_tools", {"names": ["web__echo"]})
        assert not found.is_error
        assert said(found).startswith("the server 'web' failed: no such file or directory\n")
        assert "no such tool: web__echo" in said(found)
        assert len((await client.list_tools()).tools) == 7

    asked(tmp_path, words, talk)


@pytest.mark.parametrize(
    ("words", "reason", "code"),
    [
        (["--pack", "chatt"], "there is no scenario 'chatt'", 2),
        (["--upstream", "x.json"], "--upstream and --session need --pack", 2),
        (["--pack", "chat", "--transport", "http"], "a pack is of one client", 2),
        (["--pack", "chat", "--upstream", "none.json"], "cannot be read", 1),
    ],
)
def test_what_cannot_be_served_ends_at_once(tmp_path: Path, words: list[str], reason: str, code: int) -> None:
    content = content_root(tmp_path / "content", CONTENT)
    done = subprocess.run(
        [sys.executable, "-c", START, "--content", str(content), *words],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert reason in done.stderr
    assert "hint: " in done.stderr
    assert done.stdout == ""
