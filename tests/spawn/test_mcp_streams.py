"""`gsd-mcp-server` as a host starts it: raw bytes on its pipes, the official client on both transports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent, TextResourceContents

from support.content import content_root
from support.served import CONTENT

START = "import sys; from gsd_capabilities.catalog.main import console; sys.exit(console())"
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "0"},
}
# A content plugin, a handler and the interpreter itself, none of which knows about the protocol.
NOISY = """
import sys, os, logging
os.linesep = "\\r\\n"
logging.basicConfig(level=logging.INFO)
from gsd_capabilities.catalog import streams
claimed = streams.claimed
def noisy():
    wire = claimed()
    print("printed after the claim")
    from gsd_capabilities.catalog import tools, state
    read = state.read
    def loud(cwd, path):
        print("printed in a tool"); os.write(1, b"written to the descriptor\\n")
        os.system("echo said by a child"); logging.info("logged")
        assert sys.stdin.read() == ""
        return read(cwd, path)
    state.read = loud
    return wire
streams.claimed = noisy
"""


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(folder), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", **more}


def project(folder: Path) -> Path:
    made = folder / "project"
    (made / ".planning").mkdir(parents=True)
    (made / ".planning" / "STATE.md").write_text("\u00e9 \u2713\nsecond line\n", encoding="utf-8")
    return made


def request(number: int, method: str, **params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def spoken(
    folder: Path, lines: list[bytes], answers: int, *, start: str = START, **env: str
) -> tuple[list[bytes], bytes]:
    """What a server answers to lines, as raw lines, and its standard error."""
    content = content_root(folder / "content", CONTENT)
    process = subprocess.Popen(
        [sys.executable, "-c", start, "--content", str(content)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=project(folder),
        env=environment(folder, **env),
    )
    assert process.stdin
    assert process.stdout
    timer = threading.Timer(60, process.kill)
    timer.start()
    process.stdin.write(request(0, "initialize", **INITIALIZE) + b"".join(lines))
    process.stdin.flush()
    found = [process.stdout.readline() for _ in range(answers + 1)]
    rest, err = process.communicate()
    timer.cancel()
    assert (process.returncode, rest) == (0, b""), err
    return [line for line in found if json.loads(line)["id"] != 0], err


@pytest.mark.case("MC-01")
def test_standard_output_carries_messages_and_nothing_else(tmp_path: Path) -> None:
    lines = [
        request(1, "resources/list"),
        request(2, "resources/read", uri="gsd://references/deep/scope.md"),
        request(3, "tools/call", name="gsd_read_state", arguments={"path": "STATE.md"}),
    ]
    found, err = spoken(tmp_path, lines, 3, start=NOISY + START)
    assert sorted(json.loads(line)["id"] for line in found) == [1, 2, 3]
    assert [line for line in found if line.endswith(b"\r\n") or line.count(b"\n") != 1] == []
    by_id = {json.loads(line)["id"]: json.loads(line) for line in found}
    assert by_id[3]["result"]["structuredContent"]["output"] == "\u00e9 \u2713\nsecond line\n"
    assert "\u00e9 \u2713".encode() in b"".join(found)
    for said in (b"after the claim", b"in a tool", b"to the descriptor", b"by a child", b"INFO:root:logged"):
        assert said in err


@pytest.mark.case("MC-09")
def test_the_protocol_is_utf_8_under_any_code_page(tmp_path: Path) -> None:
    lines = [
        b"\xff\xfe\n",
        request(1, "prompts/get", name="plan", arguments={"arguments": "\u8a08\u753b \U0001f680"}),
    ]
    found, _ = spoken(tmp_path, lines, 2, PYTHONIOENCODING="cp1252", PYTHONUTF8="0", LANG="C", LC_ALL="C")
    by_id = {json.loads(line)["id"]: json.loads(line) for line in found}
    assert by_id[None]["error"]["code"] == -32700
    assert "\u8a08\u753b \U0001f680" in by_id[1]["result"]["messages"][0]["content"]["text"]
    assert "\u8a08\u753b \U0001f680".encode() in b"".join(found)


def started(folder: Path) -> subprocess.Popen[bytes]:
    """A server that has answered once."""
    process = subprocess.Popen(
        [sys.executable, "-c", START],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=environment(folder),
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(request(0, "initialize", **INITIALIZE))
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 0
    return process


@pytest.mark.skipif(os.name == "nt", reason="signals are of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_while_it_waits(tmp_path: Path, number: signal.Signals) -> None:
    with started(tmp_path) as process:
        process.send_signal(number)
        assert (process.wait(20), process.communicate()[1]) == (-number, b"")


def test_a_client_that_has_gone_is_the_end_and_no_error(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        for number in range(1, 4):
            process.stdin.write(request(number, "resources/list"))
        process.stdin.flush()
        process.stdin.close()
        assert (process.wait(20), process.stderr.read()) == (0, b"")


def test_requests_before_the_end_of_input_are_answered(tmp_path: Path) -> None:
    lines = [request(0, "initialize", **INITIALIZE), *(request(n, "tools/list") for n in range(1, 21))]
    done = subprocess.run(
        [sys.executable, "-c", START],
        input=b"".join(lines),
        capture_output=True,
        cwd=tmp_path,
        env=environment(tmp_path),
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(json.loads(line)["id"] for line in done.stdout.splitlines()) == list(range(21))


async def _everything(client: Client) -> dict[str, Any]:
    """One call of every method."""
    uri = "gsd://workflows/plan.md"
    resources = await client.list_resources()
    read = await client.read_resource(uri)
    prompt = await client.get_prompt("plan", {"arguments": "it"})
    tool = await client.call_tool("gsd_read_state", {"path": "STATE.md"})
    [text], [message], [content] = read.contents, prompt.messages, tool.content
    assert isinstance(text, TextResourceContents)
    assert isinstance(message.content, TextContent)
    assert isinstance(content, TextContent)
    with pytest.raises(MCPError) as caught:
        await client.read_resource("gsd://workflows/..%2f..%2fsecret.txt")
    return {
        "resources": [str(item.uri) for item in resources.resources],
        "templates": len((await client.list_resource_templates()).resource_templates),
        "read": text.text,
        "prompts": [item.name for item in (await client.list_prompts()).prompts],
        "prompt": message.content.text[:7],
        "tools": len((await client.list_tools()).tools),
        "tool": content.text,
        "refused": caught.value.data["reason"],
    }


EVERYTHING = {
    "resources": sorted(f"gsd://{path}" for path in CONTENT),
    "templates": 6,
    "read": "# Plan\n\n## Research\n\nLook.\n\nAsk ac-planner.\n",
    "prompts": ["plan", "stop"],
    "prompt": "For it,",
    "tools": 6,
    "tool": "\u00e9 \u2713\nsecond line\n",
    "refused": "traversal_refused",
}


@pytest.mark.req("ADR1671-mcp-resources", "ADR1671-mcp-read", "ADR1671-mcp-prompts", "ADR1671-mcp-tools")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_official_client_drives_every_method_over_standard_streams(tmp_path: Path, mode: str) -> None:
    content = content_root(tmp_path / "content", CONTENT)
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", START, "--content", str(content)],
        env=environment(tmp_path),
        cwd=project(tmp_path),
    )

    async def run() -> dict[str, Any]:
        with anyio.fail_after(60):
            async with Client(server, mode=mode) as client:
                return await _everything(client)

    assert anyio.run(run) == EVERYTHING


@contextmanager
def listening(folder: Path) -> Iterator[str]:
    """A server on a port that the system chose; its address."""
    content = content_root(folder / "content", CONTENT)
    words = ["--content", str(content), "--transport", "http", "--port", "0"]
    process = subprocess.Popen(
        [sys.executable, "-c", START, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=project(folder),
        env=environment(folder),
        text=True,
    )
    timer = threading.Timer(60, process.kill)
    timer.start()
    assert process.stdout
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()
        timer.cancel()


@pytest.mark.req("ADR1671-mcp-resources", "ADR1671-mcp-read", "ADR1671-mcp-prompts", "ADR1671-mcp-tools")
def test_the_official_client_drives_every_method_over_http(tmp_path: Path) -> None:
    async def run(address: str, mode: str) -> dict[str, Any]:
        with anyio.fail_after(60):
            async with Client(address, mode=mode) as client:
                return await _everything(client)

    with listening(tmp_path) as address:
        assert address.startswith("http://127.0.0.1:")
        for mode in ("legacy", "auto"):
            assert anyio.run(run, address, mode) == EVERYTHING


def _status(address: str, **headers: str) -> int:
    asked = Request(
        address,
        data=request(1, "initialize", **INITIALIZE),
        headers={
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        },
    )
    try:
        with urlopen(asked, timeout=20) as answer:
            return int(answer.status)
    except HTTPError as error:
        with error:
            return error.code


def test_http_lets_in_its_own_address_and_no_website(tmp_path: Path) -> None:
    with listening(tmp_path) as address:
        port = address.rpartition(":")[2].removesuffix("/mcp")
        assert _status(address) == 200
        assert _status(address, Origin=f"http://127.0.0.1:{port}") == 200
        assert _status(address, Origin=f"http://localhost:{port}") == 200
        for origin in (
            "https://example.org",
            "null",
            f"https://127.0.0.1:{port}",
            f"http://127.0.0.1.example.org:{port}",
            f"http://localhost:{port}@example.org",
            "http://localhost:3000",
        ):
            assert _status(address, Origin=origin) == 403, origin
        for host in ("example.org", f"example.org:{port}", f"127.0.0.1.example.org:{port}"):
            assert _status(address, Host=host) == 421, host


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--content", "nowhere"], 1, "the content root does not exist"),
        (["--cwd", "nowhere"], 2, "there is no such folder"),
        (["--transport", "http", "--host", "0.0.0.0"], 2, "would serve every network"),
        (["--transport", "http", "--host", "192.0.2.1", "--port", "1"], 1, "cannot be opened"),
        (["--port", "x"], 2, "invalid int value"),
    ],
)
def test_a_command_line_that_is_wrong_says_so(tmp_path: Path, words: list[str], code: int, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", START, *words],
        capture_output=True,
        text=True,
        env=environment(tmp_path),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
